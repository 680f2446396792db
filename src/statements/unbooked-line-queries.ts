import type { Reader, SqlRow } from '../db/database.ts';
import { contradictingLines, type Payout } from '../payouts/payout.ts';

/**
 * Returns the lines of bank statements, such as `st_…/12`, that show money of a contradicted payout and leave open where
 * the books have it: a contradicting line in suspense, and the charge of a payout that never left by the books. Not the
 * charge if a line shows that the money came back, or if it was recorded by hand with the payout's id.
 */
export async function selectUnbookedLines(db: Reader, payout: Payout): Promise<string[]> {
  const rows = await db.query<SqlRow & { line: string }>(
    `select l.statement_id || '/' || l.file_line as line from bank_statement_lines l
     where (l.used_as = 'suspense' and l.statement_id || '/' || l.file_line {named $1})
       or (l.used_as = 'payout' and l.subject = $2 and $3 not in ('confirmed', 'returned')
         and not exists (select 1 from bank_statement_lines b where b.used_as = 'return' and b.subject = $2)
         and not exists (select 1 from movements m where m.environment_id = $4 and m.kind = 'payout' and m.reference = $2
           and not exists (select 1 from movements r where r.environment_id = $4 and r.kind = 'resolution'
             and r.reference = 'payout ' || m.reference)))
     order by l.kept_at, l.statement_id, l.number`,
    [contradictingLines(payout), payout.id, payout.state, payout.environment_id],
  );
  return rows.map(({ line }) => line);
}
