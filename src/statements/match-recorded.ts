import {
  DAYS_OF_DEPOSIT,
  DAYS_TO_LEAVE,
  DAYS_TO_RETURN,
  daysOf,
  type LineMatch,
  type ReadLine,
  type Taken,
  waiting,
} from './line-match.ts';
import { hasReference, saysReturn } from './references-in-text.ts';

/** A recorded deposit. `hasLine`: another line has already matched it. */
export type DepositCandidate = {
  readonly id: string;
  readonly environmentId: number;
  readonly amount: number;
  readonly day: string;
  /** The payment method that paid it; null: the merchant paid it in. */
  readonly paymentMethod: string | null;
  /** The reference of a deposit that the merchant paid in; null: a payment method paid it. */
  readonly paidInAs: string | null;
  readonly hasLine: boolean;
};

/**
 * A recorded payout to a merchant, which left by another way than this service. `hasLine`: another line has already
 * matched it.
 */
export type MerchantPayoutCandidate = {
  readonly id: string;
  readonly amount: number;
  readonly day: string;
  readonly reference: string;
  readonly hasLine: boolean;
};

const POSSIBLE = waiting('a payout to the merchant could be meant');
const POSSIBLE_RETURN = waiting('a payout to the merchant may have come back');
const POSSIBLE_DEPOSIT = waiting('a recorded deposit could be meant');
const LEFT_BEFORE = waiting('the payout has left by another line');
const CAME_BEFORE = waiting('the deposit came by another line');

/**
 * Returns what matches lines with payouts to merchants: by its reference alone, because the bank knows no id of it. One
 * that only has the amount waits for a person. `taken`: of a line that repeats the reference of one with a line.
 * `mayBeBack`: of a credit that says it is a return.
 */
export function merchantPayoutsBy(candidates: readonly MerchantPayoutCandidate[], taken: Taken) {
  const { find, takeFree, isThere } = recordedBy(candidates, DAYS_TO_LEAVE, taken);
  const gone = recordedBy(candidates, DAYS_TO_RETURN, taken);
  const isNamed =
    ({ text }: ReadLine) =>
    ({ reference }: MerchantPayoutCandidate) =>
      hasReference(text, reference);
  return {
    named: (line: ReadLine) => takeFree('payout', line, isNamed(line)),
    taken: (line: ReadLine) => (find(line, isNamed(line)) ? LEFT_BEFORE : null),
    possible: (line: ReadLine) => (isThere(line) ? POSSIBLE : null),
    mayBeBack: (line: ReadLine) => (saysReturn(line.text) && gone.find(line, () => true) ? POSSIBLE_RETURN : null),
  };
}

/**
 * Returns what matches lines with deposits: a merchant's by its reference, a payment method's by its amount, if all
 * that are possible are of one method and merchant. `taken`: of a line that repeats the reference of one with a line.
 * `possible`: of a line that only has the amount of one, and waits for a person.
 */
export function depositsBy(candidates: readonly DepositCandidate[], taken: Taken) {
  const { find, allFree, takeFree, isThere } = recordedBy(candidates, DAYS_OF_DEPOSIT, taken);
  const isNamed =
    ({ text }: ReadLine) =>
    ({ paidInAs }: DepositCandidate) =>
      paidInAs !== null && hasReference(text, paidInAs);
  const ofMethod = (line: ReadLine): LineMatch | null => {
    const isMeant = ({ paymentMethod }: DepositCandidate) =>
      paymentMethod !== null && (line.methods.length === 0 || line.methods.includes(paymentMethod));
    const owners = allFree(line, isMeant).map(
      ({ environmentId, paymentMethod }) => `${environmentId} ${paymentMethod}`,
    );
    return new Set(owners).size > 1 ? POSSIBLE_DEPOSIT : takeFree('deposit', line, isMeant);
  };
  return {
    named: (line: ReadLine) => takeFree('deposit', line, isNamed(line)),
    taken: (line: ReadLine) => (find(line, isNamed(line)) ? CAME_BEFORE : null),
    ofMethod,
    possible: (line: ReadLine) => (isThere(line) ? POSSIBLE_DEPOSIT : null),
  };
}

type Recorded = { readonly id: string; readonly amount: number; readonly day: string; readonly hasLine: boolean };

/**
 * Returns what finds a movement with the amount of a line, recorded at most five days after the line and `last` days
 * before it. `takeFree`: takes one without a line; `allFree`: all without a line; `isThere`: there is one.
 */
function recordedBy<One extends Recorded>(candidates: readonly One[], last: number, { ids }: Taken) {
  const all = candidates.map((one) => ({ ...one, ...daysOf(one.day, last, -DAYS_OF_DEPOSIT) }));
  const ofAmount = Map.groupBy(all, ({ amount }) => amount);
  const isInTime =
    ({ day }: ReadLine, isOne: (one: One) => boolean) =>
    (one: One & { from: string; to: string }) =>
      day >= one.from && day <= one.to && isOne(one);
  const find = (line: ReadLine, isOne: (one: One) => boolean) =>
    ofAmount.get(Math.abs(line.amount))?.find(isInTime(line, isOne));
  const isFree = ({ id, hasLine }: One) => !hasLine && !ids.has(id);
  const allFree = (line: ReadLine, isOne: (one: One) => boolean) =>
    (ofAmount.get(Math.abs(line.amount)) ?? []).filter(isInTime(line, (one) => isFree(one) && isOne(one)));
  const takeFree = (use: 'payout' | 'deposit', line: ReadLine, isOne: (one: One) => boolean): LineMatch | null => {
    const found = find(line, (one) => isFree(one) && isOne(one));
    if (found === undefined) return null;
    ids.add(found.id);
    return { use, subject: found.id, note: null };
  };
  return { find, allFree, takeFree, isThere: (line: ReadLine) => find(line, isFree) !== undefined };
}
