import type { PayoutState } from '../payouts/payout.ts';
import {
  DAYS_TO_LEAVE,
  DAYS_TO_RETURN,
  daysOf,
  type LineMatch,
  type ReadLine,
  type Taken,
  waiting,
} from './line-match.ts';
import {
  hasReference,
  hasWrittenRut,
  idsIn,
  keyOfReference,
  keysIn,
  namesPayout,
  saysReturn,
} from './references-in-text.ts';

/**
 * A payout that a line may match. `leftDay`: the day on which it was sent. `hasPayoutLine`, `hasReturnLine`: another
 * line has already matched it.
 */
export type PayoutCandidate = {
  readonly id: string;
  readonly environmentId: number;
  readonly reference: string;
  readonly amount: number;
  readonly rutHash: string;
  readonly state: PayoutState;
  /** The bank file that contains it; one line may be the total of the file. */
  readonly fileId: string | null;
  readonly leftDay: string;
  readonly hasPayoutLine: boolean;
  readonly hasReturnLine: boolean;
};

/** A payout file whose total the bank may have debited in one line. */
export type FileCandidate = { readonly id: string; readonly total: number; readonly day: string };

type Use = 'payout' | 'return';

/** The payouts of a line's RUTs. `isOther` as in `payoutsBy`. */
type Several = { use: Use; alike: readonly Timed[]; isOther: (line: ReadLine) => boolean };

/**
 * A payout with its position in the list, and the days on which a line may match it: computed once, because thousands
 * of payouts may be compared with thousands of lines. `has`: a line of this or another statement has confirmed or
 * returned it.
 */
type Timed = PayoutCandidate & {
  readonly place: number;
  readonly days: Readonly<Record<Use, { from: string; to: string }>>;
  readonly has: Record<Use, boolean>;
};

const SEVERAL = waiting('several payouts could be meant');
const REFUSED_BACK = waiting('a payout that the bank refused may have come back: then it is of nothing here');

/**
 * Returns what matches a line with a payout to a recipient. `named`: with one that the line names by id, RUT or
 * reference, if possible one without a line; `isOther`: a line names something else. `byAmount`: a line without a RUT
 * with the only possible payout of its amount, unless `mayBeOther`: the line may be of something else. Both return null
 * where no payout is meant. `hasId`: the line has the id of a payout of its amount.
 */
export function payoutsBy(lines: readonly ReadLine[], candidates: readonly PayoutCandidate[], taken: Taken) {
  const all = failedLast(candidates).map(withDays);
  const ofAmount = Map.groupBy(all, ({ amount }) => amount);
  const { withIds, withRuts, withReference } = findersIn(all);
  const equalLines = Map.groupBy(lines, ({ amount }) => amount);

  const isFree = ({ has, fileId }: Timed, use: Use) =>
    !has[use] && (use === 'return' || fileId === null || !taken.ids.has(fileId));
  const matched = new Set<ReadLine>();
  const take = (one: Timed, use: Use, line: ReadLine): LineMatch => {
    one.has[use] = true;
    matched.add(line);
    if (use === 'payout' && one.fileId !== null) taken.filesOfPayouts.add(one.fileId);
    return { use, subject: one.id, note: null };
  };
  const equalTo = equalLinesIn(lines);
  const mayBeOf = (line: ReadLine, use: Use) => (one: Timed) => isInTime(line, one, use) && isFree(one, use);

  /**
   * A RUT does not say which of several equal payouts came back, or which merchant's was paid. If as many lines have it
   * as payouts can be meant, no payout is left out.
   */
  const isOneOfSeveral = (one: Timed, line: ReadLine, { use, alike, isOther }: Several) => {
    const matters = (other: Timed) => other !== one && (use === 'return' || other.environmentId !== one.environmentId);
    if (!alike.some((other) => matters(other) && mayBeOf(line, use)(other))) return false;
    const open = alike.filter(mayBeOf(line, use));
    const { from, to } = commonDays(open, use);
    const same = equalTo(line, isOther).filter((other) => !matched.has(other) && other.day >= from && other.day <= to);
    return same.length !== open.length;
  };

  const named = (line: ReadLine, use: Use, isOther: (line: ReadLine) => boolean): LineMatch | null => {
    const isBack = (one: Timed) =>
      use === 'return' && one.state === 'returned' && isInTime(line, one, use) && isFree(one, use);
    const best = (some: readonly Timed[]) =>
      some.find(isBack) ??
      firstFree(some, { isFree: (one) => isFree(one, use), isInTime: (one) => isInTime(line, one, use) });
    // A line with an id is of no other payout: that one may be in another database, or lost in a restore.
    const hasAnId = namesPayout(line.text);
    const [byItsId, ofItsRuts] = [withIds(line), hasAnId ? [] : withRuts(line)];
    const one = best(byItsId) ?? best(ofItsRuts) ?? (hasAnId ? undefined : best(withReference(line)));
    if (one === undefined) return null;
    if (!isFree(one, use)) return secondLine(one, use);
    if (isBack(one) || byItsId.includes(one)) return take(one, use, line);
    if (isDoubtful(line, ofItsRuts, use)) return SEVERAL;
    if (!ofItsRuts.includes(one) || !isOneOfSeveral(one, line, { use, alike: ofItsRuts, isOther }))
      return take(one, use, line);
    const isMeant = mayBeOf(line, use);
    const [only, another] = ofItsRuts.filter((each) => isMeant(each) && hasReference(line.text, each.reference));
    return only !== undefined && another === undefined ? take(only, use, line) : SEVERAL;
  };

  const byAmount = (line: ReadLine, use: Use, mayBeOther: (one: PayoutCandidate) => boolean): LineMatch | null => {
    if (namesPayout(line.text)) return null;
    // The amount alone says nothing of a line with a RUT, or of a credit that says nothing of a return.
    const isEnough = line.rutHashes.length === 0 && (use === 'payout' || saysReturn(line.text));
    const alike = isEnough ? (ofAmount.get(Math.abs(line.amount)) ?? []) : withRuts(line);
    const isDoubt = isDoubtful(line, alike, use);
    const isOpen = mayBeOf(line, use);
    const one = isEnough ? alike.find(isOpen) : undefined;
    if (one === undefined) return isDoubt ? REFUSED_BACK : null;
    const isAlone = equalLines.get(line.amount)?.length === 1 && alike.findLast(isOpen) === one;
    return isAlone && !isDoubt && !mayBeOther(one) ? take(one, use, line) : SEVERAL;
  };

  return { named, byAmount, hasId: (line: ReadLine) => withIds(line).length > 0 };
}

/**
 * Returns what matches lines with payout files. `only`: a line with the only file of its total, or null. `isOther`: the
 * line may be the total of another file than `own`. A line that names a person by RUT or a payout by id is no total.
 */
export function filesBy(candidates: readonly FileCandidate[], { ids, filesOfPayouts }: Taken) {
  const all = candidates.map((file) => ({ ...file, ...daysOf(file.day, DAYS_TO_LEAVE) }));
  const ofTotal = Map.groupBy(all, ({ total }) => total);
  const possible = ({ amount, day, text }: ReadLine) =>
    (namesPayout(text) || hasWrittenRut(text) ? [] : (ofTotal.get(-amount) ?? [])).filter(
      ({ id, from, to }) => day >= from && day <= to && !ids.has(id) && !filesOfPayouts.has(id),
    );
  const only = (line: ReadLine): LineMatch | null => {
    const [file, another] = possible(line);
    if (file === undefined || another !== undefined) return null;
    ids.add(file.id);
    return { use: 'payout', subject: file.id, note: null };
  };
  return { only, isOther: (line: ReadLine, own: string | null) => possible(line).some(({ id }) => id !== own) };
}

/** Finds the payouts that a line names, each with its amount. */
function findersIn(all: readonly Timed[]) {
  const ofRut = Map.groupBy(all, ({ amount, rutHash }) => `${amount} ${rutHash}`);
  const ofReference = Map.groupBy(all, ({ amount, reference }) => `${amount} ${keyOfReference(reference)}`);
  const byId = new Map(all.map((one) => [one.id, one]));
  const withRuts = ({ amount, rutHashes }: ReadLine) =>
    inOrder(rutHashes.map((hash) => ofRut.get(`${Math.abs(amount)} ${hash}`) ?? []));
  const withIds = ({ amount, text }: ReadLine) =>
    inOrder(idsIn(text, byId).flatMap((one) => (one.amount === Math.abs(amount) ? [[one]] : [])));
  const withReference = ({ amount, text }: ReadLine) => {
    const keyed = keysIn(text).map((key) => ofReference.get(`${Math.abs(amount)} ${key}`) ?? []);
    const all = inOrder(keyed).filter(isAloneIn(text));
    const exact = all.filter(({ reference }) => text.includes(reference));
    return exact.length > 0 ? exact : all;
  };
  return { withIds, withRuts, withReference };
}

/** Puts payouts that failed behind the others: a charge with their RUT is of an equal one that was sent again. */
function failedLast(candidates: readonly PayoutCandidate[]): PayoutCandidate[] {
  const isFailed = ({ state }: PayoutCandidate) => state === 'failed';
  return [...candidates.filter((one) => !isFailed(one)), ...candidates.filter(isFailed)];
}

function withDays(payout: PayoutCandidate, place: number): Timed {
  const { leftDay, hasPayoutLine, hasReturnLine } = payout;
  const days = { payout: daysOf(leftDay, DAYS_TO_LEAVE), return: daysOf(leftDay, DAYS_TO_RETURN) };
  return { ...payout, place, days, has: { payout: hasPayoutLine, return: hasReturnLine } };
}

/** Returns the days on which a line may match each of these payouts. */
function commonDays(payouts: readonly Timed[], use: Use): { from: string; to: string } {
  let [from, to] = ['', '9999-12-31'];
  for (const { days } of payouts) {
    if (days[use].from > from) from = days[use].from;
    if (days[use].to < to) to = days[use].to;
  }
  return { from, to };
}

/**
 * Finds the lines with the amount and the RUTs of a line that name no payout and nothing else. Found once for all of
 * them, because thousands may be equal.
 */
function equalLinesIn(lines: readonly ReadLine[]) {
  const unnamed = lines.filter(({ text }) => !namesPayout(text));
  const ofRuts = Map.groupBy(unnamed, rutKey);
  const found = new Map<string, readonly ReadLine[]>();
  return (line: ReadLine, isOther: (line: ReadLine) => boolean) =>
    found.getOrInsertComputed(rutKey(line), (key) => (ofRuts.get(key) ?? []).filter((other) => !isOther(other)));
}

function rutKey({ amount, rutHashes }: ReadLine): string {
  return `${amount} ${rutHashes.join(' ')}`;
}

function isInTime({ day }: ReadLine, { days, state }: Timed, use: Use): boolean {
  if (use === 'return' && state === 'failed') return false;
  return day >= days[use].from && day <= days[use].to;
}

/**
 * Returns whether a return may be of a payout that failed: the bank took the total of its file, and returned what it
 * refused. Only a person can tell it from the return of an equal payout that arrived.
 */
function isDoubtful({ day }: ReadLine, alike: readonly Timed[], use: Use): boolean {
  if (use === 'payout') return false;
  return alike.some(({ state, days }) => state === 'failed' && day >= days.return.from && day <= days.return.to);
}

function secondLine({ id }: Timed, use: Use): LineMatch {
  const note = use === 'payout' ? 'the payout has left by another line' : 'the payout came back by another line';
  return { ...waiting(note), twice: id };
}

/** Returns whether a payout's reference is in a text that has no RUT besides it. */
function isAloneIn(text: string): (one: Timed) => boolean {
  const said = text.toLowerCase();
  return ({ reference }) => hasReference(said, reference) && !hasWrittenRut(said.replace(reference.toLowerCase(), ''));
}

/**
 * Returns the first payout in time that is free, else the first in time. Skips taken ones cheaply: a line may name
 * thousands.
 */
function firstFree(
  some: readonly Timed[],
  { isFree, isInTime }: { isFree: (one: Timed) => boolean; isInTime: (one: Timed) => boolean },
): Timed | undefined {
  let first: Timed | undefined;
  for (const one of some) {
    const free = isFree(one);
    if ((!free && first !== undefined) || !isInTime(one)) continue;
    if (free) return one;
    first = one;
  }
  return first;
}

/** Merges groups in the order of `place`. Each group of several is already in this order. */
function inOrder(groups: readonly (readonly Timed[])[]): readonly Timed[] {
  const [only = [], ...others] = groups.filter(({ length }) => length > 0);
  return others.length === 0 ? only : [only, ...others].flat().sort((one, other) => one.place - other.place);
}
