import type { InsertTarget, Reader, SqlParameter, SqlRow, Tx } from '../db/database.ts';
import { afterPlace, type NewestPage } from '../db/newest-page.ts';
import type { PayoutState } from '../payouts/payout.ts';
import type { AccountOfStatement, KeptLine, KeptStatement, LineUse, ListedStatement } from './statement.ts';

const STATEMENTS: InsertTarget = {
  name: 'bank_statements',
  columns: [
    'id',
    'environment',
    'payment_service_id',
    'account',
    'file_name',
    'file_sha256',
    'imported_at',
    'imported_by',
    'first_day',
    'last_day',
    'lines',
    'proof',
  ],
};

const LINES: InsertTarget = {
  name: 'bank_statement_lines',
  columns: [
    'statement_id',
    'number',
    'environment',
    'owner',
    'file_line',
    'day',
    'amount',
    'currency',
    'line_key',
    'balance',
    'used_as',
    'subject',
    'note',
    'kept_at',
  ],
};

export async function insertStatement(tx: Tx, statement: KeptStatement): Promise<void> {
  await tx.insertRows(STATEMENTS, [statement]);
}

/** Inserts lines. Skips lines that another file has brought, and lines whose payout or deposit has one. */
export async function insertLines(tx: Tx, lines: readonly SqlRow[]): Promise<void> {
  await tx.insertRows(LINES, lines, 'on conflict do nothing');
}

/** Returns how many lines of a statement are stored. */
export async function countLines(tx: Tx, statementId: string): Promise<number> {
  const sql = 'select count(*) as count from bank_statement_lines where statement_id = $1';
  const [row] = await tx.query<{ count: number }>(sql, [statementId]);
  return row?.count ?? 0;
}

/**
 * Returns which of these keys, each of a day, another file of this owner's account, or of the shared account, has
 * brought. `owner` null (the shared account): the files of all owners count.
 */
export async function selectKnownKeys(
  db: Reader,
  { environment, owner }: { environment: string; owner: string | null },
  keys: readonly { readonly day: string; readonly key: string }[],
): Promise<string[]> {
  const rows = await db.query<{ line_key: string }>(
    `select l.line_key from {rows $2} k cross join bank_statement_lines l
     where l.environment = $1 and l.day = k.value ->> 'day' and l.line_key = k.value ->> 'key'
       ${owner === null ? '' : "and l.owner in ('', $3)"}`,
    owner === null ? [environment, JSON.stringify(keys)] : [environment, JSON.stringify(keys), owner],
  );
  return rows.map(({ line_key }) => line_key);
}

/**
 * Returns whether a statement has a line that a file of another owner has brought too, where one of the two accounts is
 * shared.
 */
export async function hasLineOfOthers(tx: Tx, statementId: string): Promise<boolean> {
  const rows = await tx.query(
    `select o.number from bank_statement_lines l join bank_statement_lines o
       on o.environment = l.environment and o.day = l.day and o.line_key = l.line_key and o.owner <> l.owner and '' in (o.owner, l.owner)
     where l.statement_id = $1 limit 1`,
    [statementId],
  );
  return rows.length > 0;
}

/** A line that another file has brought. */
export type LineOfDay = Pick<KeptLine, 'day' | 'line_key' | 'amount' | 'balance'>;

/**
 * Returns the lines of these days that another file of the account has brought, for the same
 * owners as `selectKnownKeys`. Ignores zeros before the number. Reads only statements with one of the days or days
 * around them: an account has years of statements.
 */
export function selectLinesOfDays(
  db: Reader,
  { environment, paymentServiceId: owner, account }: AccountOfStatement,
  days: readonly string[],
): Promise<LineOfDay[]> {
  const sorted = days.toSorted();
  const named = [environment, account, days, sorted[0] ?? '', sorted.at(-1) ?? ''];
  return db.query(
    `select l.day, l.line_key, l.amount, l.balance from bank_statements s join bank_statement_lines l on l.statement_id = s.id
     where s.environment = $1 and ltrim(s.account, '0') = ltrim($2, '0') and s.last_day >= $4 and s.first_day <= $5 and l.day {named $3}
     ${owner === null ? '' : "and l.owner in ('', $6)"}`,
    owner === null ? named : [...named, owner],
  );
}

/** The payouts and deposits that lines may match: of these amounts, in these environments, since a time. */
export type CandidateSpan = { environmentIds: readonly number[]; amounts: readonly number[]; since: number };

/**
 * Locks the candidates until the commit, so that two imports cannot use the same payout or deposit. Returns their ids,
 * with the ids of the payouts' files.
 */
export async function lockCandidates(
  tx: Tx,
  { environmentIds, amounts, since }: CandidateSpan,
): Promise<ReadonlySet<string>> {
  const parameters = [environmentIds, amounts, since];
  const payouts = await tx.query<{ id: string; file_id: string | null }>(
    `select p.id, p.file_id from payouts p where p.environment_id {among $1} and p.id in (
       select a.id from payouts a where a.environment_id {among $1} and a.amount {among $2} and a.sent_at >= $3
       union all
       select l.id from payout_files f join payouts l on l.environment_id = f.environment_id and l.file_id = f.id
       where f.environment_id {among $1} and f.total {among $2} and f.created_at >= $3 and {filter_by}l.sent_at >= $3)
     order by p.created_at, p.id {bytewise} {for_update}`,
    parameters,
  );
  const movements = await tx.query<{ id: string }>(
    `select m.id from movements m where m.kind in ('deposit', 'payout') and m.environment_id {among $1} and m.amount {among $2}
       and m.created_at >= $3 order by m.id {bytewise} {for_update}`,
    parameters,
  );
  return new Set([...payouts.flatMap(({ id, file_id }) => [id, file_id ?? id]), ...movements.map(({ id }) => id)]);
}

export type PayoutFound = SqlRow & {
  id: string;
  environment_id: number;
  reference: string;
  amount: number;
  rut_hash: string;
  state: PayoutState;
  file_id: string | null;
  sent_at: number;
  has_payout_line: number;
  has_return_line: number;
};

/**
 * Lists the payouts that left since a time with one of these amounts, oldest first, and whether lines have matched
 * them.
 */
export function selectPayoutsOfAmounts(
  tx: Reader,
  { environmentIds, amounts, since }: CandidateSpan,
): Promise<PayoutFound[]> {
  return tx.query<PayoutFound>(
    `select p.id, p.environment_id, p.reference, p.amount, p.rut_hash, p.state, p.file_id, p.sent_at,
       case when exists (select 1 from bank_statement_lines l where l.used_as = 'payout' and l.subject in (p.id, p.file_id))
         then 1 else 0 end as has_payout_line,
       case when exists (select 1 from bank_statement_lines l where l.used_as = 'return' and l.subject = p.id)
         then 1 else 0 end as has_return_line
     from payouts p
     where p.environment_id {among $1} and p.amount {among $2} and p.sent_at >= $3 order by p.sent_at, p.id`,
    [environmentIds, amounts, since],
  );
}

type FileFound = { id: string; environment_id: number; total: number; created_at: number };

/**
 * Lists the payout files with one of these totals that no line has matched; no line has matched any of their payouts.
 * Omits files of one payout: a line of its amount is of the payout, or of nothing here.
 */
export function selectFilesOfTotals(
  tx: Reader,
  { environmentIds, amounts, since }: CandidateSpan,
): Promise<FileFound[]> {
  return tx.query<FileFound>(
    `select f.id, f.environment_id, f.total, f.created_at from payout_files f
     where f.environment_id {among $1} and f.total {among $2} and f.created_at >= $3 and f.payouts > 1
       and not exists (select 1 from bank_statement_lines l where l.used_as = 'payout' and l.subject = f.id)
       and not exists (select 1 from payouts p join bank_statement_lines l on l.used_as = 'payout' and l.subject = p.id
         where p.environment_id = f.environment_id and p.file_id = f.id)`,
    [environmentIds, amounts, since],
  );
}

type MovementFound = {
  id: string;
  environment_id: number;
  amount: number;
  created_at: number;
  reference: string;
  payment_method: string | null;
  has_line: number;
};

/**
 * Lists the recorded deposits or payouts to merchants, oldest first, and whether a line has matched them. Omits
 * deposits that were taken back: they never came, but a payout that was taken back left and came back.
 */
export function selectMovementsOfAmounts(
  tx: Reader,
  kind: 'deposit' | 'payout',
  { environmentIds, amounts, since }: CandidateSpan,
): Promise<MovementFound[]> {
  return tx.query<MovementFound>(
    `select m.id, m.environment_id, m.amount, m.created_at, m.reference, m.payment_method,
       case when exists (select 1 from bank_statement_lines l where l.used_as = m.kind and l.subject = m.id)
         then 1 else 0 end as has_line
     from movements m
     where m.kind = $4 and m.currency = 'CLP' and m.environment_id {among $1} and m.amount {among $2}
       and m.created_at >= $3 and not exists (select 1 from movements r where m.kind = 'deposit'
         and r.environment_id = m.environment_id and r.kind = 'resolution' and r.reference = 'deposit ' || m.reference)
     order by m.created_at, m.id`,
    [environmentIds, amounts, since, kind],
  );
}

/** Returns the payouts of these files that have no end yet. */
export function selectOpenPayoutsOfFiles(
  tx: Tx,
  environmentIds: readonly number[],
  fileIds: readonly string[],
): Promise<{ id: string; environment_id: number; file_id: string }[]> {
  return tx.query(
    `select id, environment_id, file_id from payouts where environment_id {among $1} and file_id {named $2} and state in ('sent', 'unknown')
     order by created_at, id`,
    [environmentIds, fileIds],
  );
}

/** The columns of a statement `s` with the number of its lines in suspense. */
const LISTED = `select s.*, (select count(*) from bank_statement_lines l where l.statement_id = s.id and l.used_as = 'suspense') as open`;
const NEWEST_FIRST = 'order by s.imported_at desc, s.id';

/**
 * Lists the newest statements, each with the number of its lines in suspense. `owners`: environment and payment
 * service, separated by a space; null: all. `openOnly`: only statements with such lines.
 */
export function selectStatements(
  db: Reader,
  owners: readonly string[] | null,
  openOnly: boolean,
  { after = null, limit }: NewestPage,
): Promise<ListedStatement[]> {
  const parameters: SqlParameter[] = owners === null ? [limit] : [limit, owners];
  const owned = owners === null ? '1 = 1' : `s.environment || ' ' || s.payment_service_id {named $2}`;
  const open = `exists (select 1 from bank_statement_lines l where l.statement_id = s.id and l.used_as = 'suspense')`;
  return db.query<ListedStatement>(
    `${LISTED} from (
       select * from bank_statements s where ${owned} ${openOnly ? `and ${open}` : ''} ${afterPlace(after, parameters, 's.imported_at')}
       ${NEWEST_FIRST} limit $1
     ) as s ${NEWEST_FIRST}`,
    parameters,
  );
}

/**
 * Lists at most 20 other statements of the same account with days in common, newest first. Ignores zeros before the
 * number.
 */
export function selectOverlapping(
  db: Reader,
  { id, environment, account, first_day, last_day }: KeptStatement,
): Promise<ListedStatement[]> {
  return db.query<ListedStatement>(
    `${LISTED} from bank_statements s where s.environment = $1 and ltrim(s.account, '0') = ltrim($2, '0') and s.last_day >= $3 and s.first_day <= $4
       and s.id <> $5 ${NEWEST_FIRST} limit 20`,
    [environment, account, first_day, last_day, id],
  );
}

/** Returns a statement with the number of its lines in suspense. */
export async function selectListedStatement(db: Reader, id: string): Promise<ListedStatement | null> {
  const [row] = await db.query<ListedStatement>(`${LISTED} from bank_statements s where s.id = $1`, [id]);
  return row ?? null;
}

/** Returns the statement that was imported from a file, by the hash of its bytes. */
export async function selectStatementOfFile(
  db: Reader,
  { environment, account, sha256 }: { environment: string; account: string; sha256: string },
): Promise<KeptStatement | null> {
  const [row] = await db.query<KeptStatement>(
    `select * from bank_statements where environment = $1 and account = $2 and file_sha256 = $3
     order by imported_at limit 1`,
    [environment, account, sha256],
  );
  return row ?? null;
}

export async function selectStatement(db: Reader, id: string): Promise<KeptStatement | null> {
  const [row] = await db.query<KeptStatement>('select * from bank_statements where id = $1', [id]);
  return row ?? null;
}

/**
 * Returns the lines of a statement in the order of the file; `use` null: of every use. `after`: the number of a line;
 * returns at most `limit` lines behind it.
 */
export function selectLines(
  db: Reader,
  statementId: string,
  use: LineUse | null,
  { after, limit }: { after: number; limit: number },
): Promise<KeptLine[]> {
  return db.query<KeptLine>(
    `select * from bank_statement_lines where statement_id = $1 and number > $2 and ($3 = '' or used_as = $3)
     order by number limit $4`,
    [statementId, after, use ?? '', limit],
  );
}

/** Returns a line of a statement by its line in the file. */
export async function selectLine(db: Reader, statementId: string, fileLine: number): Promise<KeptLine | null> {
  const sql = 'select * from bank_statement_lines where statement_id = $1 and file_line = $2';
  const [row] = await db.query<KeptLine>(sql, [statementId, fileLine]);
  return row ?? null;
}

/** Returns the line that has this use of one of these payouts, payout files, deposits or payouts to a merchant. */
export async function selectLineOf(tx: Reader, use: LineUse, subjects: readonly string[]): Promise<KeptLine | null> {
  const sql = 'select * from bank_statement_lines where used_as = $1 and subject {named $2}';
  const [row] = await tx.query<KeptLine>(sql, [use, subjects]);
  return row ?? null;
}

/** A line with its statement. */
export type LineOfStatement = KeptLine & Pick<KeptStatement, 'payment_service_id' | 'file_name'>;

const OF_STATEMENT = `select l.*, s.payment_service_id, s.file_name
  from bank_statement_lines l join bank_statements s on s.id = l.statement_id`;

/**
 * Lists the lines that confirmed or returned one of these payouts or payout files, and the line `beside`, such as
 * `st_…/12`.
 */
export function selectLinesOf(
  db: Reader,
  subjects: readonly string[],
  beside: readonly string[],
): Promise<LineOfStatement[]> {
  return db.query<LineOfStatement>(
    `${OF_STATEMENT} where l.used_as in ('payout', 'return') and l.subject {named $1}
       or l.statement_id {named $2} and l.statement_id || '/' || l.file_line {named $3}
     order by l.day, l.number`,
    [subjects, beside.map((one) => one.split('/')[0] ?? ''), beside],
  );
}

/** Returns the number of lines in suspense, and since when the oldest waits. */
export async function measureOpenLines(db: Reader): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    "select count(*) as count, min(kept_at) as oldest from bank_statement_lines where used_as = 'suspense'",
  );
  return row ?? { count: 0, oldest: null };
}

/** Returns how many lines of these days are in suspense. */
export async function countOpenLines(
  db: Reader,
  environment: string,
  { first, last }: { first: string; last: string },
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*) as count from bank_statement_lines
     where used_as = 'suspense' and {filter_by}environment = $1 and day >= $2 and day <= $3`,
    [environment, first, last],
  );
  return row?.count ?? 0;
}

export type OpenLine = KeptLine & { payment_service_id: string | null; name: string | null; file_name: string };

/** Returns the lines in suspense, oldest first. */
export function selectOpenLines(db: Reader, limit: number): Promise<OpenLine[]> {
  return db.query<OpenLine>(
    `select l.*, s.payment_service_id, s.file_name, p.name from bank_statement_lines l
     join bank_statements s on s.id = l.statement_id
     left join payment_services p on p.id = s.payment_service_id
     where l.used_as = 'suspense' order by l.kept_at, l.statement_id, l.number limit $1`,
    [limit],
  );
}
