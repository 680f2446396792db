import type { Reader, Tx } from '../db/database.ts';
import { NOTHING_KNOWN } from './line-notes.ts';
import type { KeptLine, LineUse } from './statement.ts';

/** Names lines of a statement: one, or all that match nothing known. */
type LinesNamed = { statementId: string; fileLine: number | 'unknown' };

/** Lines with the use that a person's decision changes: in suspense, or called unrelated before. */
type LinesToDecide = LinesNamed & { from: LineUse };

/** Records a person's decision about lines of the use `from`, and returns them. */
export function updateUse(
  tx: Tx,
  named: LinesToDecide,
  said: { use: LineUse; subject: string | null; at: number; by: string; reason: string },
): Promise<KeptLine[]> {
  return tx.query<KeptLine>(
    `update bank_statement_lines set used_as = $3, subject = $4, resolved_at = $5, resolved_by = $6, reason = $7
     where statement_id = $1 and (file_line = $2 or $2 = 0) and used_as = $9 and (note = $8 or $8 = '') returning *`,
    [
      named.statementId,
      lineIn(named),
      said.use,
      said.subject,
      said.at,
      said.by,
      said.reason,
      noteIn(named),
      named.from,
    ],
  );
}

/** Puts a line into suspense again. */
export async function updateToSuspense(tx: Tx, { statement_id, number }: KeptLine): Promise<void> {
  await tx.query(
    `update bank_statement_lines set used_as = 'suspense', subject = null, resolved_at = null, resolved_by = null, reason = null
     where statement_id = $1 and number = $2`,
    [statement_id, number],
  );
}

/** Locks a line of any use until the commit. */
export async function lockLine(
  tx: Tx,
  { statementId, fileLine }: { statementId: string; fileLine: number },
): Promise<KeptLine | null> {
  const sql = 'select * from bank_statement_lines where statement_id = $1 and file_line = $2 {for_update}';
  const [row] = await tx.query<KeptLine>(sql, [statementId, fileLine]);
  return row ?? null;
}

/** Locks the line that has this use of a deposit or payout until the commit; null: no line has it any more. */
export async function lockLineOf(tx: Tx, use: LineUse, subject: string): Promise<KeptLine | null> {
  const sql = 'select * from bank_statement_lines where used_as = $1 and subject = $2 {for_update}';
  const [row] = await tx.query<KeptLine>(sql, [use, subject]);
  return row ?? null;
}

/** Locks lines of the use `from` until the commit. */
export function lockLines(tx: Tx, named: LinesToDecide): Promise<KeptLine[]> {
  return tx.query<KeptLine>(
    `select * from bank_statement_lines where statement_id = $1 and (file_line = $2 or $2 = 0) and used_as = $4 and (note = $3 or $3 = '')
     order by file_line, number {for_update}`,
    [named.statementId, lineIn(named), noteIn(named), named.from],
  );
}

function lineIn({ fileLine }: LinesNamed): number {
  return typeof fileLine === 'number' ? fileLine : 0;
}

function noteIn({ fileLine }: LinesNamed): string {
  return fileLine === 'unknown' ? NOTHING_KNOWN : '';
}

/** Returns the lines that a person decided about with this use and reason. */
export function selectDecidedLines(
  tx: Reader,
  { use, reason, ...named }: LinesNamed & { use: LineUse; reason: string },
): Promise<KeptLine[]> {
  return tx.query<KeptLine>(
    `select * from bank_statement_lines where statement_id = $1 and (file_line = $2 or $2 = 0) and used_as = $3 and reason = $4
     order by file_line, number`,
    [named.statementId, lineIn(named), use, reason],
  );
}
