import type { App } from '../app.ts';
import { environmentsOfAccount, findCandidates, freshLines, keyLines, spanOf } from './find-candidates.ts';
import { matchLines } from './match-lines.ts';
import { type AccountOfStatement, countUses, type LineUse, type ReadStatement } from './statement.ts';

/** How many lines earlier files brought, and the uses of the others. */
export type StatementPreview = { readonly known: number; readonly uses: Record<LineUse, number> };

/**
 * Returns what `importStatement` would make of a statement, for a preview; changes nothing and checks no permission.
 * Throws `Problem` NOT_FOUND, PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING.
 */
export async function previewStatement(
  app: App,
  account: AccountOfStatement,
  { lines: read }: ReadStatement,
): Promise<StatementPreview> {
  const environmentIds = await environmentsOfAccount(app, account);
  const lines = await keyLines(app, account.account, read);
  const fresh = await freshLines(app.db, account, lines);
  const known = lines.length - fresh.length;
  if (fresh.length === 0) return { known, uses: countUses([]) };
  const found = await findCandidates(app.db, spanOf(environmentIds, fresh));
  return { known, uses: countUses(await matchLines(fresh, found)) };
}
