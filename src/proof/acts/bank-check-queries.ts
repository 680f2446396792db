import type { Reader, SqlRow } from '../../db/database.ts';
import type { PayoutFile } from '../../payouts/files/payout-file-queries.ts';
import type { KeptLine, KeptStatement, LineUse } from '../../statements/statement.ts';

/** A file for a bank with the payouts that are said to be in it. */
export type FileSaid = PayoutFile & { payment_service_id: string; held: number; held_total: number };

const FILE = `select f.*, e.payment_service_id, count(p.id) as held, cast(coalesce(sum(p.amount), 0) as bigint) as held_total
  from payout_files f join environments e on e.id = f.environment_id
  left join payouts p on p.environment_id = f.environment_id and p.file_id = f.id`;

/** Returns these files, with their content. */
export function selectFilesNamed(db: Reader, ids: readonly string[]): Promise<FileSaid[]> {
  return db.query<FileSaid>(`${FILE} where f.id {named $1} group by f.id, f.environment_id, e.payment_service_id`, [
    ids,
  ]);
}

/** Lists the next files by id that no act names alone. */
export function selectFilesUnsaid(db: Reader, afterId: string, limit: number): Promise<FileSaid[]> {
  return db.query<FileSaid>(
    `${FILE} where f.id > $1 and not exists (select 1 from audit_log a
       where a.subject = f.id and {filter_by}a.action = 'payout.filed')
     group by f.id, f.environment_id, e.payment_service_id order by f.id limit $2`,
    [afterId, limit],
  );
}

/** Returns whether an act names the file together with others. Reads every act of its kind. */
export async function hasActTogether(db: Reader, id: string): Promise<boolean> {
  const sql = `select 1 from audit_log where action = 'payout.filed' and ' ' || subject || ' ' like '% ' || $1 || ' %' limit 1`;
  return (await db.query(sql, [id])).length > 0;
}

/** Lists payouts that have left neither through a sender nor in a file that exists, or name an unknown sender. */
export function selectPayoutsLeftAlone(
  db: Reader,
  limit: number,
): Promise<{ id: string; environment_id: number; sent_at: number }[]> {
  return db.query(
    `select p.id, p.environment_id, p.sent_at from payouts p
     left join payout_senders s on s.id = p.sender_id and s.environment_id = p.environment_id
     where p.sent_at is not null and s.id is null and (p.sender_id is not null or not exists (select 1 from payout_files f
       where f.id = p.file_id and f.environment_id = p.environment_id))
     order by p.sent_at, p.id limit $1`,
    [limit],
  );
}

/** A statement with an environment of its payment service; null: of the account of all. */
export type StatementSaid = KeptStatement & { environment_id: number | null };

/** Lists the next statements by id. */
export function selectStatementsAfter(db: Reader, afterId: string, limit: number): Promise<StatementSaid[]> {
  return db.query<StatementSaid>(
    `select s.*, (select e.id from environments e
       where e.payment_service_id = s.payment_service_id and e.environment = s.environment) as environment_id
     from bank_statements s where s.id > $1 order by s.id limit $2`,
    [afterId, limit],
  );
}

/**
 * A part of a statement: an act about it (`action`, with `said`), or how many lines have the same use, subject
 * and decision. Lines without a decision are counted by their use alone.
 */
export type StatementPart = SqlRow & {
  statement_id: string;
  action: 'statement.imported' | 'statement.line_resolved' | 'statement.line_reopened' | null;
  at: number | null;
  by: string | null;
  reason: string | null;
  said: string | null;
  said_before: string | null;
  use: LineUse | null;
  of: string | null;
  lines: number;
};

/** Lists the parts of these statements, in one statement and so at one moment. */
export function selectStatementParts(db: Reader, ids: readonly string[]): Promise<StatementPart[]> {
  return db.query<StatementPart>(
    `select a.subject as statement_id, a.action, a.created_at as at, a.actor as by, a.reason, a.said_after as said, a.said_before,
       null as "use", null as "of", 0 as lines
     from audit_log a where a.subject {named $1} and {filter_by}a.action in ('statement.imported', 'statement.line_resolved', 'statement.line_reopened')
     union all
     select statement_id, null, resolved_at, resolved_by, reason, null, null, used_as, subject, count(*) from (
       select l.statement_id, l.resolved_at, l.resolved_by, l.reason, l.used_as,
         case when l.resolved_at is null then null else l.subject end as subject
       from bank_statement_lines l where l.statement_id {named $1}
     ) as kept group by statement_id, resolved_at, resolved_by, reason, used_as, subject`,
    [ids],
  );
}

/** Lists lines whose amount differs from their payout, file of payouts or deposit, or whose subject is gone. */
export function selectLinesOfOtherAmounts(
  db: Reader,
  ids: readonly string[],
): Promise<Pick<KeptLine, 'statement_id' | 'file_line' | 'used_as' | 'subject' | 'kept_at'>[]> {
  return db.query(
    `select l.statement_id, l.file_line, l.used_as, l.subject, l.kept_at from bank_statement_lines l
     left join payouts p on p.id = l.subject
     left join payout_files f on f.id = l.subject and l.used_as = 'payout'
     left join movements m on m.id = l.subject and m.kind in ('deposit', 'payout')
     where l.statement_id {named $1} and l.used_as in ('payout', 'return', 'deposit')
       and coalesce(case when l.used_as = 'deposit' then case when m.kind = 'deposit' then m.amount end
         else coalesce(p.amount, f.total, case when m.kind = 'payout' then m.amount end) end, 0)
         <> case when l.used_as = 'payout' then -l.amount else l.amount end
     order by l.statement_id, l.file_line`,
    [ids],
  );
}

/** Returns the lines of a statement by their number, as the file brought them. */
export function selectLinesByNumber(db: Reader, statementId: string): Promise<KeptLine[]> {
  return db.query<KeptLine>('select * from bank_statement_lines where statement_id = $1 order by number', [
    statementId,
  ]);
}

/** An imported list of banks with the act at its time; null: there is no such act. */
export type BankListSaid = SqlRow & {
  id: number;
  imported_at: number;
  version: string;
  content: string;
  said: string | null;
  said_at: number | null;
  said_version: string | null;
};

/** Lists the next imported lists of banks by id. Of several acts at one moment, the one about this version. */
export function selectBankListsSaid(db: Reader, afterId: number, limit: number): Promise<BankListSaid[]> {
  return db.query<BankListSaid>(
    `select d.id, d.imported_at, d.version, d.content, a.said_after as said, a.created_at as said_at, a.subject as said_version
     from bank_directories d left join audit_log a on a.link = (select b.link from audit_log b
       where b.action = 'bank_list.imported' and b.created_at = d.imported_at
       order by case when b.subject = d.version then 0 else 1 end, b.link desc limit 1)
     where d.id > $1 order by d.id limit $2`,
    [afterId, limit],
  );
}

/** Lists the first acts that imported a list of banks that is gone. */
export function selectBankListsGone(db: Reader, limit: number): Promise<{ subject: string; said_at: number }[]> {
  return db.query(
    `select a.subject, a.created_at as said_at from audit_log a where a.action = 'bank_list.imported'
       and not exists (select 1 from bank_directories d where d.imported_at = a.created_at) order by a.link limit $1`,
    [limit],
  );
}
