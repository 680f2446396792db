import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';
import { STATE_NAMES } from '../payouts/kept-texts.ts';
import { compareOutcome } from '../payouts/payout.ts';
import { environmentsOfAccount, findCandidates, spanOf } from './find-candidates.ts';
import type { AccountOfStatement, KeptLine } from './statement.ts';

/** A payout or a deposit that a line may be; `says` describes it for a person. */
export type Explanation = { readonly id: string; readonly says: InBoth };

/**
 * Lists the payouts and deposits with a line's amount that a person may say it is of: none that a line of the same use
 * has matched, or whose state contradicts the line.
 */
export async function listExplanations(
  app: App,
  owner: Omit<AccountOfStatement, 'account'>,
  { day, amount, file_line }: KeptLine,
): Promise<Explanation[]> {
  const environmentIds = await environmentsOfAccount(app, owner);
  const line = { line: file_line, day, amount, text: '', rutHashes: [], isAcquirer: false, methods: [] };
  const { payouts, deposits, merchantPayouts } = await findCandidates(app.db, spanOf(environmentIds, [line]));
  const outcome = amount < 0 ? 'confirmed' : 'returned';
  const free = payouts.filter(
    ({ state, hasPayoutLine, hasReturnLine }) =>
      !(amount < 0 ? hasPayoutLine : hasReturnLine) && compareOutcome(state, outcome) !== 'contradicts',
  );
  return [
    ...free.map(({ id, reference, state, leftDay }) => {
      const { en, es } = STATE_NAMES[state];
      return { id, says: { en: `${reference} · ${leftDay} · ${en}`, es: `${reference} · ${leftDay} · ${es}` } };
    }),
    ...merchantPayouts
      // A payout that came back has another line that it left by.
      .filter(({ hasLine }) => amount > 0 || !hasLine)
      .map(({ id, reference, day: recorded }) => ({ id, says: inBoth(`${reference} · ${recorded}`) })),
    ...(amount < 0
      ? []
      : deposits
          .filter(({ hasLine }) => !hasLine)
          .map(({ id, day: recorded, paidInAs }) => ({ id, says: inBoth(`${paidInAs ?? ''} ${recorded}`.trim()) }))),
  ];
}

function inBoth(text: string): InBoth {
  return { en: text, es: text };
}
