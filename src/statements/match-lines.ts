import { readRut } from '../bank-validation/rut.ts';
import { shiftDay } from '../lib/calendar-day.ts';
import { letOthersRun } from '../lib/let-others-run.ts';
import type { PayoutState } from '../payouts/payout.ts';
import { type LineNote, NOTHING_KNOWN } from './line-notes.ts';
import type { LineUse, StatementLine } from './statement.ts';

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

/** A recorded deposit. `hasLine`: another line has already matched it. */
export type DepositCandidate = {
  readonly id: string;
  readonly amount: number;
  readonly day: string;
  /** The reference of a deposit that the merchant paid in; null: a payment method paid it. */
  readonly paidInAs: string | null;
  readonly hasLine: boolean;
};

/**
 * A recorded payout to a merchant, which left by another way than this service. `hasLine`: another line has already
 * matched it.
 */
export type RemittedCandidate = {
  readonly id: string;
  readonly amount: number;
  readonly day: string;
  readonly reference: string;
  readonly hasLine: boolean;
};

/**
 * A line with the hashes of the RUTs in its text. `isAcquirer`: it names an acquirer; `isMethod`: it names a payment
 * method.
 */
export type ReadLine = StatementLine & {
  readonly rutHashes: readonly string[];
  readonly isAcquirer: boolean;
  readonly isMethod: boolean;
};

/** The use of a line. `twice`: the payout that it names, which another line had already confirmed or returned. */
export type LineMatch = { use: LineUse; subject: string | null; note: LineNote | null; twice?: string };

export type Candidates = {
  readonly payouts: readonly PayoutCandidate[];
  readonly files: readonly FileCandidate[];
  readonly deposits: readonly DepositCandidate[];
  readonly remitted: readonly RemittedCandidate[];
};

/** Money may leave the account up to a day before our clock's day, and come back long after. */
const DAYS_BEFORE = 1;
const DAYS_TO_LEAVE = 10;
const DAYS_TO_RETURN = 60;
const DAYS_OF_DEPOSIT = 5;

/**
 * Gives each line one use, and yields to other work in between. A line without a RUT matches a payout only if no other
 * payout is possible.
 */
export async function matchLines(lines: readonly ReadLine[], candidates: Candidates): Promise<LineMatch[]> {
  const match = matcher(lines, candidates);
  const matches: LineMatch[] = [];
  const turn = letOthersRun();
  for (const line of lines) {
    await turn();
    matches.push(match(line));
  }
  return matches;
}

/** Returns what matches one line after the other. */
function matcher(lines: readonly ReadLine[], candidates: Candidates): (line: ReadLine) => LineMatch {
  const used = new Set<string>();
  /** The files with a payout that a line here has confirmed, so that no line is their total. */
  const leftAlone = new Set<string>();
  const timed = candidates.payouts.map(withTimes);
  const takePayout = (use: 'payout' | 'return', one: TimedCandidate): LineMatch => {
    one.has[use] = true;
    if (use === 'payout' && one.fileId !== null) leftAlone.add(one.fileId);
    return { use, subject: one.id, note: null };
  };
  const isFree = (use: 'payout' | 'return', { has, fileId }: TimedCandidate) =>
    !has[use] && (use === 'return' || fileId === null || !used.has(fileId));
  const byAmount = Map.groupBy(timed, ({ amount }) => amount);
  const byRut = Map.groupBy(timed, ({ amount, rutHash }) => `${amount} ${rutHash}`);
  const byReference = Map.groupBy(timed, ({ amount, reference }) => `${amount} ${keyOfReference(reference)}`);
  const byId = new Map(timed.map((one) => [one.id, one]));
  const countOf = Map.groupBy(lines, ({ amount }) => amount);
  const matchFile = filesBy(candidates.files, used, leftAlone);
  const deposits = depositsBy(candidates.deposits, used);
  const remitted = remittedBy(candidates.remitted, used);

  const matchPayout = (line: ReadLine, use: 'payout' | 'return'): LineMatch | null => {
    const amount = Math.abs(line.amount);
    const alike = byAmount.get(amount) ?? [];
    const ofRuts = inOrder(line.rutHashes.map((hash) => byRut.get(`${amount} ${hash}`) ?? []));
    const ofWords = () => inOrder(wordsOf(line.text).map((word) => byReference.get(`${amount} ${word}`) ?? []));
    const ofIds = () => idsIn(line.text, byId).filter((one) => one.amount === amount);
    const asked: Asked = { isFree: (one) => isFree(use, one), isInTime: (one) => isInTime(use, line, one) };
    const isOpen = (one: TimedCandidate) => asked.isInTime(one) && asked.isFree(one);
    const isBack = (one: TimedCandidate) => use === 'return' && one.state === 'returned' && isOpen(one);
    const isDoubtful = (some: readonly TimedCandidate[]) => use === 'return' && some.some(mayBeBack(line));
    const named = namedBy(line, { ofIds, ofRuts, ofWords }, (some) => some.find(isBack) ?? firstFree(some, asked));
    if (named !== undefined) {
      const isSure = isBack(named) || ofIds().includes(named) || !isDoubtful(ofRuts);
      if (isFree(use, named)) return isSure ? takePayout(use, named) : SEVERAL;
      const note = use === 'payout' ? 'the payout has left by another line' : 'the payout came back by another line';
      return { use: 'suspense', subject: null, note, twice: named.id };
    }
    const taken = use === 'payout' ? remitted.taken(line) : deposits.taken(line);
    if (taken !== null) return taken;
    const goesByAmount = line.rutHashes.length === 0 && (use === 'payout' || RETURN.test(line.text));
    const only = goesByAmount ? alike.find(isOpen) : undefined;
    if (only === undefined) return isDoubtful(goesByAmount ? alike : ofRuts) ? REFUSED_BACK : null;
    const isAlone = countOf.get(line.amount)?.length === 1 && alike.findLast(isOpen) === only;
    return isAlone && !isDoubtful(alike) ? takePayout(use, only) : SEVERAL;
  };

  return (line) => {
    if (line.amount < 0)
      return (
        remitted.named(line) ?? matchPayout(line, 'payout') ?? matchFile(line) ?? remitted.possible(line) ?? UNEXPLAINED
      );
    const own = line.isAcquirer ? null : (deposits.named(line) ?? matchPayout(line, 'return'));
    if (own !== null) return own;
    if (line.isAcquirer || line.isMethod) return deposits.ofMethod(line) ?? UNRECORDED;
    return deposits.possible(line) ?? remitted.mayBeBack(line) ?? UNEXPLAINED;
  };
}

/**
 * Returns what matches a line with the only payout file of its total. `leftAlone`: files that no line is the total of.
 */
function filesBy(candidates: readonly FileCandidate[], used: Set<string>, leftAlone: ReadonlySet<string>) {
  const filesOf = Map.groupBy(candidates.map(withDays(0, DAYS_TO_LEAVE)), ({ total }) => total);
  return ({ amount, day }: ReadLine): LineMatch | null => {
    const isMeant = ({ id, from, to }: TimedFile) => day >= from && day <= to && !used.has(id) && !leftAlone.has(id);
    const only = onlyOf(filesOf.get(-amount), isMeant);
    if (only === undefined) return null;
    used.add(only.id);
    return { use: 'payout', subject: only.id, note: null };
  };
}

/**
 * Returns what matches lines with payouts to merchants: by its reference alone, because the bank knows no id of it. One
 * that only has the amount waits for a person. `taken`: of a line that repeats the reference of one with a line.
 * `mayBeBack`: of a credit that says it is a return.
 */
function remittedBy(candidates: readonly RemittedCandidate[], used: Set<string>) {
  const { find, findFree } = recordedBy(candidates.map(withDays(-DAYS_OF_DEPOSIT, DAYS_TO_LEAVE)), used);
  const gone = recordedBy(candidates.map(withDays(-DAYS_OF_DEPOSIT, DAYS_TO_RETURN)), used);
  const isNamed =
    ({ text }: ReadLine) =>
    ({ reference }: RemittedCandidate) =>
      hasReference(text, reference);
  return {
    named: (line: ReadLine) => taking('payout', used, findFree(line, isNamed(line))),
    taken: (line: ReadLine) => (find(line, isNamed(line)) === undefined ? null : LEFT_BEFORE),
    possible: (line: ReadLine) => (findFree(line, () => true) === undefined ? null : POSSIBLE),
    mayBeBack: (line: ReadLine) =>
      RETURN.test(line.text) && gone.find(line, () => true) !== undefined ? POSSIBLE_RETURN : null,
  };
}

/**
 * Returns what matches lines with deposits: a merchant's by its reference, a payment method's by its amount. `taken`:
 * of a line that repeats the reference of one with a line. `possible`: of a line that only has the amount of one, and
 * waits for a person.
 */
function depositsBy(candidates: readonly DepositCandidate[], used: Set<string>) {
  const { find, findFree } = recordedBy(candidates.map(withDays(-DAYS_OF_DEPOSIT, DAYS_OF_DEPOSIT)), used);
  const isNamed =
    ({ text }: ReadLine) =>
    ({ paidInAs }: DepositCandidate) =>
      paidInAs !== null && hasReference(text, paidInAs);
  return {
    named: (line: ReadLine) => taking('deposit', used, findFree(line, isNamed(line))),
    taken: (line: ReadLine) => (find(line, isNamed(line)) === undefined ? null : CAME_BEFORE),
    ofMethod: (line: ReadLine) =>
      taking(
        'deposit',
        used,
        findFree(line, ({ paidInAs }) => paidInAs === null),
      ),
    possible: (line: ReadLine) => (findFree(line, () => true) === undefined ? null : POSSIBLE_DEPOSIT),
  };
}

type Recorded = { id: string; amount: number; from: string; to: string; hasLine: boolean };

/**
 * Returns what finds a movement with the amount of a line whose days include the line's; `findFree`: one without a
 * line.
 */
function recordedBy<One extends Recorded>(candidates: readonly One[], used: ReadonlySet<string>) {
  const byAmount = Map.groupBy(candidates, ({ amount }) => amount);
  const find = ({ amount, day }: ReadLine, isOne: (one: One) => boolean) =>
    byAmount.get(Math.abs(amount))?.find((one) => day >= one.from && day <= one.to && isOne(one));
  const isFree = ({ id, hasLine }: One) => !hasLine && !used.has(id);
  return {
    find,
    findFree: (line: ReadLine, isOne: (one: One) => boolean) => find(line, (one) => isFree(one) && isOne(one)),
  };
}

function taking(use: LineUse, used: Set<string>, found: { id: string } | undefined): LineMatch | null {
  if (found === undefined) return null;
  used.add(found.id);
  return { use, subject: found.id, note: null };
}

const waiting = (note: LineNote): LineMatch => ({ use: 'suspense', subject: null, note });
const SEVERAL = waiting('several payouts could be meant');
const POSSIBLE = waiting('a payout to the merchant could be meant');
const POSSIBLE_RETURN = waiting('a payout to the merchant may have come back');
const REFUSED_BACK = waiting('a payout that the bank refused may have come back: then it is of nothing here');
const POSSIBLE_DEPOSIT = waiting('a recorded deposit could be meant');
const LEFT_BEFORE = waiting('the payout has left by another line');
const CAME_BEFORE = waiting('the deposit came by another line');
const UNRECORDED = waiting('a deposit of an acquirer that is not recorded');
const UNEXPLAINED = waiting(NOTHING_KNOWN);

/** The words by which banks mark returned money. */
const RETURN = /devol|devuel|revers|rechaz|reintegro|anulaci/i;

/** A file with the days on which a line may be its total. */
type TimedFile = FileCandidate & { readonly from: string; readonly to: string };

/** A payout with its position in the list, and the days on which a line may match it. */
type TimedCandidate = PayoutCandidate & {
  readonly place: number;
  readonly from: string;
  readonly leavesBy: string;
  readonly returnsBy: string;
  /** Whether a line of this or another statement has confirmed or returned it. */
  readonly has: { payout: boolean; return: boolean };
};

/** Computes the days once per payout, because thousands of payouts may be compared with thousands of lines. */
function withTimes(payout: PayoutCandidate, place: number): TimedCandidate {
  const [from, leavesBy, returnsBy] = [-DAYS_BEFORE, DAYS_TO_LEAVE, DAYS_TO_RETURN].map((days) =>
    shiftDay(payout.leftDay, days),
  ) as [string, string, string];
  const has = { payout: payout.hasPayoutLine, return: payout.hasReturnLine };
  return { ...payout, place, from, leavesBy, returnsBy, has };
}

type Alike = {
  readonly ofIds: () => readonly TimedCandidate[];
  readonly ofRuts: readonly TimedCandidate[];
  readonly ofWords: () => readonly TimedCandidate[];
};

/**
 * Returns the payout that a line names and whose days include the line's, if possible one without a line: by its id,
 * else by RUT, else by reference if the line has no RUT besides it. All are of the line's amount; `ofIds`: with an id
 * in its text; `ofRuts`: of its RUTs; `ofWords`: with a reference that may be in its text.
 */
function namedBy(
  { text }: ReadLine,
  { ofIds, ofRuts, ofWords }: Alike,
  first: (some: readonly TimedCandidate[]) => TimedCandidate | undefined,
): TimedCandidate | undefined {
  const isNamed = ({ reference }: TimedCandidate) =>
    hasReference(text, reference) && !hasWrittenRut(text.replace(reference, ''));
  return first(ofIds()) ?? first(ofRuts) ?? first(ofWords().filter(isNamed));
}

type Asked = { isFree: (one: TimedCandidate) => boolean; isInTime: (one: TimedCandidate) => boolean };

/**
 * Returns the first payout in time that is free, else the first in time. Skips taken ones cheaply: a line may name
 * thousands.
 */
function firstFree(some: readonly TimedCandidate[], { isFree, isInTime }: Asked): TimedCandidate | undefined {
  let taken: TimedCandidate | undefined;
  for (const one of some) {
    const free = isFree(one);
    if ((!free && taken !== undefined) || !isInTime(one)) continue;
    if (free) return one;
    taken = one;
  }
  return taken;
}

/** Returns the payouts whose id is in a text, in their order. A bank may write letters right behind an id. */
function idsIn(text: string, byId: ReadonlyMap<string, TimedCandidate>): TimedCandidate[] {
  const found = new Set<TimedCandidate>();
  for (const [written] of text.matchAll(/po_[0-9a-z]{1,20}/g)) {
    for (let length = written.length; length > 3; length--) {
      const one = byId.get(written.slice(0, length));
      if (one !== undefined) found.add(one);
    }
  }
  return [...found].sort((one, other) => one.place - other.place);
}

/** Merges groups in the order of `place`; each group is already in this order. */
function inOrder(groups: readonly (readonly TimedCandidate[])[]): readonly TimedCandidate[] {
  const [only = [], ...others] = groups.filter(({ length }) => length > 0);
  return others.length === 0 ? only : [only, ...others].flat().sort((one, other) => one.place - other.place);
}

/** Returns the key of a reference: itself, or '' if it has other characters and must be compared with every text. */
function keyOfReference(reference: string): string {
  return /^[\p{L}\p{N}._/-]+$/u.test(reference) ? reference : '';
}

/**
 * Returns the distinct words of a text that `hasWord` finds, and ''. A point at the end may end a sentence, so the word
 * without it counts too.
 */
function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}._/-]+/gu) ?? [];
  return [...new Set(['', ...words, ...words.flatMap((word) => (word.endsWith('.') ? word.slice(0, -1) : []))])];
}

/**
 * Returns whether a text has a RUT with a hyphen and its check digit. Other numbers, such as the day in a reference,
 * may pass for a RUT by chance.
 */
function hasWrittenRut(text: string): boolean {
  const written = text.match(/\b\d{1,3}(?:\.?\d{3}){2}-[\dkK]\b/g) ?? [];
  return written.some((one) => readRut(one).canonical !== null);
}

/** A reference shorter than 6 characters may be in any text, so it does not count. */
function hasReference(text: string, reference: string): boolean {
  return reference.length >= 6 && hasWord(text, reference);
}

/**
 * Returns whether the text contains the word on its own: `nomina-2` is not in `nomina-21`, `nomina-2/1` or
 * `x.nomina-2`.
 */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!BEGUN_BEFORE.test(text.slice(Math.max(0, at - 2), at)) && !GOES_ON.test(text.slice(end, end + 3))) return true;
  }
  return false;
}

// Compiled once: compiling an expression for each reference takes longer than everything else.
const BEGUN_BEFORE = /[\p{L}\p{N}._/-]$/u;
const GOES_ON = /^(?:[\p{L}\p{N}_/-]|\.[\p{L}\p{N}._/-])/u;

function isInTime(use: 'payout' | 'return', { day }: ReadLine, one: TimedCandidate): boolean {
  if (use === 'return') return one.state !== 'failed' && day >= one.from && day <= one.returnsBy;
  return day >= one.from && day <= one.leavesBy;
}

/**
 * Returns whether a return may be of a payout that failed: the bank took the total of its file, and returned what it
 * refused. Only a person can tell it from the return of an equal payout that arrived.
 */
function mayBeBack({ day }: ReadLine): (one: TimedCandidate) => boolean {
  return (one) => one.state === 'failed' && day >= one.from && day <= one.returnsBy;
}

/** Returns what is meant, unless two are. */
function onlyOf<One>(all: readonly One[] = [], isMeant: (one: One) => boolean): One | undefined {
  const first = all.find(isMeant);
  return all.findLast(isMeant) === first ? first : undefined;
}

/** Adds the days on which a line may match, computed once for each candidate. */
function withDays(first: number, last: number) {
  return <One extends { readonly day: string }>(one: One) => ({
    ...one,
    from: shiftDay(one.day, first - DAYS_BEFORE),
    to: shiftDay(one.day, last),
  });
}
