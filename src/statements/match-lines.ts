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

/** Returns what matches one line after the other: by names first, by the amount last. */
function matcher(lines: readonly ReadLine[], candidates: Candidates): (line: ReadLine) => LineMatch {
  const taken: Taken = { ids: new Set(), filesOfPayouts: new Set() };
  const payouts = payoutsBy(lines, candidates.payouts, taken);
  const fileOf = filesBy(candidates.files, taken);
  const deposits = depositsBy(candidates.deposits, taken);
  const merchantPayouts = merchantPayoutsBy(candidates.merchantPayouts, taken);

  const matchDebit = (line: ReadLine) =>
    merchantPayouts.named(line) ??
    payouts.named(line, 'payout') ??
    merchantPayouts.taken(line) ??
    payouts.byAmount(line, 'payout') ??
    fileOf(line) ??
    merchantPayouts.possible(line) ??
    UNEXPLAINED;

  const matchCredit = (line: ReadLine) =>
    deposits.named(line) ??
    payouts.named(line, 'return') ??
    deposits.taken(line) ??
    payouts.byAmount(line, 'return') ??
    (line.isMethod ? matchDeposit(line) : null) ??
    deposits.possible(line) ??
    merchantPayouts.mayBeBack(line) ??
    UNEXPLAINED;

  const matchDeposit = (line: ReadLine) => deposits.ofMethod(line) ?? UNRECORDED;

  return (line) => {
    if (line.amount < 0) return matchDebit(line);
    return line.isAcquirer ? matchDeposit(line) : matchCredit(line);
  };
}
