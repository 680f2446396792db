import { setImmediate } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { NewestPage } from '../db/newest-page.ts';
import { notFound, Problem } from '../error-catalogue.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { contradictingLines, type Payout } from '../payouts/payout.ts';
import {
  type LineOfStatement,
  selectLine,
  selectLines,
  selectLinesOf,
  selectListedStatement,
  selectOverlapping,
  selectStatements,
} from './bank-statement-queries.ts';
import type { KeptLine, LineUse, ListedStatement } from './statement.ts';

/** The environments whose statements a user sees; null: all, including the account shared by all payment services. */
export type StatementScope = ReadonlySet<number> | null;

/** Returns a page of the statements that a user may see, newest first: all, or only those with lines in suspense. */
export async function listStatements(
  app: App,
  scope: StatementScope,
  page: NewestPage,
  openOnly = false,
): Promise<ListedStatement[]> {
  return selectStatements(app.db, await ownersOf(app, scope), openOnly, page);
}

/** Returns a statement. Throws `Problem` NOT_FOUND, also if the user may not see it. */
export async function findStatement(app: App, scope: StatementScope, id: string): Promise<ListedStatement> {
  const found = await selectListedStatement(app.db, id);
  const [statement] = found === null ? [] : await onlySeen(app, scope, [found]);
  if (statement === undefined)
    throw notFound('There is no such statement of the bank.', 'No existe esa cartola del banco.');
  return statement;
}

/** SQLite answers at once: without a pause after so many lines, payments would wait for 50,000 of them. */
const PAGE = 1000;

/** A page of lines. `after`: the number of the last line before it; `limit`: the most lines. */
type LinePage = { readonly after: number; readonly limit: number };

const WHOLE: LinePage = { after: 0, limit: Number.POSITIVE_INFINITY };

/** Returns the lines of a statement, or a page of them, in the order of the file; `use` null: of every use. */
export async function readLines(
  app: App,
  statementId: string,
  use: LineUse | null,
  { after, limit }: LinePage = WHOLE,
): Promise<KeptLine[]> {
  const lines: KeptLine[] = [];
  for (;;) {
    const part = Math.min(PAGE, limit - lines.length);
    const read = await selectLines(app.db, statementId, use, { after: lines.at(-1)?.number ?? after, limit: part });
    lines.push(...read);
    if (read.length < PAGE || lines.length === limit) return lines;
    await setImmediate();
  }
}

/** Returns a line of a statement by its line in the file; null: the statement has no such line. */
export async function findLine(app: App, statementId: string, fileLine: number): Promise<KeptLine | null> {
  return selectLine(app.db, statementId, fileLine);
}

/** Lists the lines of a payout that the user may see: those that confirmed, returned or contradict it or its file. */
export async function findLinesOfPayout(
  app: App,
  scope: StatementScope,
  payout: Pick<Payout, 'id' | 'file_id' | 'contradicted_by'>,
): Promise<LineOfStatement[]> {
  const { id, file_id } = payout;
  const lines = await selectLinesOf(app.db, file_id === null ? [id] : [id, file_id], contradictingLines(payout));
  return onlySeen(app, scope, lines);
}

/** Lists the overlapping statements that the user may see. */
export async function findOverlapping(
  app: App,
  scope: StatementScope,
  statement: ListedStatement,
): Promise<ListedStatement[]> {
  return onlySeen(app, scope, await selectOverlapping(app.db, statement));
}

/**
 * Returns the payment service whose account a user imports a statement of: the named one, or the only one that the user
 * sees. Returns null for the account shared by all, which needs a user who sees all. Throws `Problem` NOT_FOUND or
 * PAYMENT_SERVICE_AMBIGUOUS.
 */
export async function findAccountOwner(
  app: App,
  scope: StatementScope,
  { environment, paymentServiceId }: { environment: Environment; paymentServiceId: string | null },
): Promise<string | null> {
  if (scope === null && paymentServiceId === null) return null;
  if (paymentServiceId !== null) {
    const seen = await listEnvironmentIds(app, environment, paymentServiceId, scope);
    if (seen.length > 0) return paymentServiceId;
    throw notFound('There is no such payment service.', 'No existe ese servicio de pago.');
  }
  const owners = ((await ownersOf(app, scope)) ?? []).filter((owner) => owner.startsWith(`${environment} `));
  const [only, ...others] = owners;
  if (only !== undefined && others.length === 0) return only.slice(environment.length + 1);
  throw new Problem('PAYMENT_SERVICE_AMBIGUOUS', {
    detail: {
      en: 'Name the payment service whose account it is.',
      es: 'Nombra el servicio de pago de quien es la cuenta.',
    },
  });
}

type Owned = Pick<ListedStatement, 'environment' | 'payment_service_id'>;

async function onlySeen<One extends Owned>(app: App, scope: StatementScope, all: readonly One[]): Promise<One[]> {
  const owners = await ownersOf(app, scope);
  const isSeen = ({ environment, payment_service_id }: Owned) =>
    owners?.includes(`${environment} ${payment_service_id ?? ''}`) ?? true;
  return all.filter(isSeen);
}

/** Returns the owners that a scope sees, in the format of `selectStatements`; null: all. */
async function ownersOf(app: App, scope: StatementScope): Promise<string[] | null> {
  if (scope === null) return null;
  const seen = await Promise.all([...scope].map((id) => findEnvironmentById(app, id)));
  return seen.flatMap((one) => (one === null ? [] : [`${one.environment} ${one.paymentServiceId}`]));
}
