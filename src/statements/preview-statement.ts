import type { App } from '../app.ts';
import { environmentsOfAccount, type FileOfAccount, findFresh, keyLines } from './find-candidates.ts';
import { matchLines } from './match-lines.ts';
import { countUses, type LineUse, type ReadStatement, refuseLaterDays } from './statement.ts';

/**
 * How many lines earlier files brought, which of them may be second, equal lines (`doubtful`), and the uses of the
 * others.
 */
export type StatementPreview = {
  readonly known: number;
  readonly doubtful: readonly number[];
  readonly uses: Record<LineUse, number>;
};

/**
 * Returns what `importStatement` would make of a statement, for a preview; changes nothing and checks no permission.
 * Throws `Problem` NOT_FOUND, PAYMENT_SERVICE_MOVED, PAYMENT_SERVICE_MOVING or INVALID_STATEMENT.
 */
export async function previewStatement(
  app: App,
  account: FileOfAccount,
  { lines: read }: ReadStatement,
): Promise<StatementPreview> {
  const environmentIds = await environmentsOfAccount(app, account);
  refuseLaterDays(read, app.now());
  const lines = await keyLines(app, account.account, read);
  const { fresh, found, doubtful } = await findFresh(app.db, account, { lines, environmentIds });
  return { known: lines.length - fresh.length, doubtful, uses: countUses(await matchLines(fresh, found)) };
}
