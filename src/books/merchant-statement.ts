import type { App } from '../app.ts';
import { addUp, type Sum, subtract } from '../lib/exact-sum.ts';
import type { EntryKind } from './journal-entry.ts';
import {
  type AccountSums,
  type StatementLine,
  type StatementPlace,
  type StatementScope,
  selectAccountSums,
  selectPeriodSums,
  selectStatementLines,
} from './statement-queries.ts';

/** The amounts of a merchant in a currency, in minor units: owed, and available to pay out. */
export type MerchantAccount = AccountSums & { available: Sum };

/** Lists the accounts of the merchants of these environments, by currency. `in_process` is not owed yet. */
export async function listAccounts(app: App, environmentIds: readonly number[]): Promise<MerchantAccount[]> {
  const sums = environmentIds.length === 0 ? [] : await selectAccountSums(app.db, environmentIds);
  return sums.map((sum) => ({ ...sum, available: subtract(sum.owed, sum.reserved) }));
}

/** The balance before and after a period, and the sum of each kind of entry in between. */
export type Statement = {
  opening: Sum;
  closing: Sum;
  kinds: { kind: EntryKind; entries: number; amount: Sum }[];
};

/**
 * Makes the statement of a period, backwards from the current balance, so that an old store is not summed from its
 * beginning.
 */
export async function makeStatement(app: App, scope: StatementScope): Promise<Statement> {
  const sums = await selectPeriodSums(app.db, scope);
  const of = (name: 'now' | 'after') => sums.find(({ kind }) => kind === name)?.amount ?? 0;
  const kinds = sums.flatMap((sum) => (sum.kind === 'now' || sum.kind === 'after' ? [] : [{ ...sum, kind: sum.kind }]));
  const closing = subtract(of('now'), of('after'));
  const moved = addUp(kinds.map(({ amount }) => amount));
  return {
    opening: subtract(closing, moved),
    closing,
    kinds: kinds.sort((one, other) => (one.kind < other.kind ? -1 : 1)),
  };
}

const AT_ONCE = 1_000;

/** Yields every line of a period, in the order of time, with constant memory. */
export async function* readStatementLines(app: App, scope: StatementScope): AsyncGenerator<StatementLine> {
  let after: StatementPlace = { created_at: scope.from - 1, link: 0, line: 0 };
  for (;;) {
    const lines = await selectStatementLines(app.db, scope, after, AT_ONCE);
    yield* lines;
    const last = lines.at(-1);
    if (last === undefined || lines.length < AT_ONCE) return;
    after = last;
  }
}
