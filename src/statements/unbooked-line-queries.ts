import type { Reader, SqlRow } from '../db/database.ts';
import { contradictingLines, type Payout } from '../payouts/payout.ts';

/**
 * Returns the lines of bank statements, such as `st_…/12`, that show money of a contradicted payout and leave open
 * where the books have it: a contradicting line in suspense, and the charge of a payout that never left by the books.
 * Not the charge if it was recorded by hand with the payout's id.
 */
export async function selectUnbookedLines(db: Reader, payout: Payout): Promise<string[]> {
  const lines = contradictingLines(payout);
  const statements = lines.map((line) => line.split('/')[0] ?? '');
  // Two searches: with both conditions in one, SQLite reads all lines of all statements.
  const rows = await db.query<SqlRow & { line: string }>(
    `select line from (
       select statement_id || '/' || file_line as line, kept_at, statement_id, number from bank_statement_lines
       where statement_id {named $1} and used_as = 'suspense' and statement_id || '/' || file_line {named $2}
       union all
       select statement_id || '/' || file_line as line, kept_at, statement_id, number from bank_statement_lines
       where used_as = 'payout' and subject = $3 and $4 not in ('confirmed', 'returned')
         and not exists (select 1 from movements m where m.environment_id = $5 and m.kind = 'payout' and m.reference = $3
           and not exists (select 1 from movements r where r.environment_id = $5 and r.kind = 'resolution'
             and r.reference = 'payout ' || m.reference))
     ) as unbooked order by kept_at, statement_id, number`,
    [statements, lines, payout.id, payout.state, payout.environment_id],
  );
  return rows.map(({ line }) => line);
}
