import { letOthersRun } from '../lib/let-others-run.ts';
import { type LineMatch, type ReadLine, type Taken, waiting } from './line-match.ts';
import { NOTHING_KNOWN } from './line-notes.ts';
import { type FileCandidate, filesBy, type PayoutCandidate, payoutsBy } from './match-payouts.ts';
import {
  type DepositCandidate,
  depositsBy,
  type MerchantPayoutCandidate,
  merchantPayoutsBy,
} from './match-recorded.ts';

/** All that the lines of a statement may be of. */
export type Candidates = {
  readonly payouts: readonly PayoutCandidate[];
  readonly files: readonly FileCandidate[];
  readonly deposits: readonly DepositCandidate[];
  readonly merchantPayouts: readonly MerchantPayoutCandidate[];
};

const UNRECORDED = waiting('a deposit of an acquirer that is not recorded');
const UNEXPLAINED = waiting(NOTHING_KNOWN);

/**
 * Gives each line one use, and yields to other work in between. A line without a RUT matches a payout only if no other
 * payout is possible. Lines with the id of a payout come first, so that no line with its RUT alone takes it. Then an
 * earlier line comes before a later one, although many banks write the newest line first: where equal payouts left on
 * several days, the later line would take the earlier payout, and nothing would be left for the earlier line.
 */
export async function matchLines(lines: readonly ReadLine[], candidates: Candidates): Promise<LineMatch[]> {
  const { hasId, match } = matcher(lines, candidates);
  const matches = new Map<ReadLine, LineMatch>();
  const turn = letOthersRun();
  const oldestFirst = lines.toSorted((one, other) => (one.day === other.day ? 0 : one.day < other.day ? -1 : 1));
  for (const isTurnOf of [hasId, (line: ReadLine) => !matches.has(line)]) {
    for (const line of oldestFirst) {
      await turn();
      if (isTurnOf(line)) matches.set(line, match(line));
    }
  }
  return lines.map((line) => matches.get(line) as LineMatch);
}

/** Returns what matches one line after the other: by names first, by the amount last. */
function matcher(lines: readonly ReadLine[], candidates: Candidates) {
  const taken: Taken = { ids: new Set(), filesOfPayouts: new Set() };
  const payouts = payoutsBy(lines, candidates.payouts, taken);
  const files = filesBy(candidates.files, taken);
  const deposits = depositsBy(candidates.deposits, taken);
  const merchantPayouts = merchantPayoutsBy(candidates.merchantPayouts, taken);

  const mayBeOther = (line: ReadLine, ownFile: string | null) =>
    merchantPayouts.possible(line) !== null || files.isOther(line, ownFile);

  const matchDebit = (line: ReadLine) =>
    merchantPayouts.named(line) ??
    payouts.named(line, 'payout', (other) => merchantPayouts.taken(other) !== null) ??
    merchantPayouts.taken(line) ??
    payouts.byAmount(line, 'payout', ({ fileId }) => mayBeOther(line, fileId)) ??
    merchantPayouts.possible(line) ??
    files.only(line) ??
    UNEXPLAINED;

  const matchCredit = (line: ReadLine) =>
    deposits.named(line) ??
    payouts.named(line, 'return', (other) => other.isAcquirer || deposits.taken(other) !== null) ??
    deposits.taken(line) ??
    payouts.byAmount(line, 'return', () => merchantPayouts.mayBeBack(line) !== null) ??
    (line.methods.length > 0 ? matchDeposit(line) : null) ??
    deposits.possible(line) ??
    merchantPayouts.mayBeBack(line) ??
    UNEXPLAINED;

  const matchDeposit = (line: ReadLine) => deposits.ofMethod(line) ?? UNRECORDED;

  const match = (line: ReadLine): LineMatch => {
    if (line.amount < 0) return matchDebit(line);
    return line.isAcquirer ? matchDeposit(line) : matchCredit(line);
  };
  return { match, hasId: payouts.hasId };
}
