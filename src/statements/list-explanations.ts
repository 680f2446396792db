import type { App } from '../app.ts';
import { environmentsOfAccount, findCandidates, spanOf } from './find-candidates.ts';
import type { AccountOfStatement, KeptLine } from './statement.ts';

/** A payout or a deposit that a line may be; `says` describes it for a person. */
export type Explanation = { readonly id: string; readonly says: string };

/**
 * Lists the payouts and deposits with a line's amount that no line of the same use has matched, for a person to choose
 * from.
 */
export async function listExplanations(
  app: App,
  owner: Omit<AccountOfStatement, 'account'>,
  { day, amount, file_line }: KeptLine,
): Promise<Explanation[]> {
  const environmentIds = await environmentsOfAccount(app, owner);
  const line = { line: file_line, day, amount, text: '', rutHashes: [], isAcquirer: false, isMethod: false };
  const { payouts, deposits, remitted } = await findCandidates(app.db, spanOf(environmentIds, [line]));
  const free = payouts.filter(({ hasPayoutLine, hasReturnLine }) => !(amount < 0 ? hasPayoutLine : hasReturnLine));
  return [
    ...free.map(({ id, reference, state, leftDay }) => ({ id, says: `${reference} · ${leftDay} · ${state}` })),
    ...remitted
      // A payout that came back has another line that it left by.
      .filter(({ hasLine }) => amount > 0 || !hasLine)
      .map(({ id, reference, day: recorded }) => ({ id, says: `${reference} · ${recorded}` })),
    ...(amount < 0
      ? []
      : deposits
          .filter(({ hasLine }) => !hasLine)
          .map(({ id, day: recorded, paidInAs }) => ({ id, says: `${paidInAs ?? ''} ${recorded}`.trim() }))),
  ];
}
