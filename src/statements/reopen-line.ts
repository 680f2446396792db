import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireUserOf } from '../auth/person-of.ts';
import type { Tx } from '../db/database.ts';
import { notFound } from '../error-catalogue.ts';
import { selectListedMovement } from '../movements/movement-queries.ts';
import { selectPayoutFile } from '../payouts/files/payout-file-queries.ts';
import { selectPayoutAnywhere } from '../payouts/payout-queries.ts';
import { isReferenceOf, unfit } from './deposit-of-line.ts';
import { lockLine, updateToSuspense } from './line-decision-queries.ts';
import { decisionOf, type KeptLine } from './statement.ts';

type Act = { reason: string; by: Actor; at: number };

/**
 * Puts a line into suspense again that an import or a person matched with the wrong payout or deposit, and returns it.
 * The books and the state of the payout stay. A line in suspense is returned unchanged. Throws `Problem` NOT_FOUND,
 * PAYOUT_STATE (the line is unrelated, or its payout or deposit was booked with it and not taken back), PERSON_NEEDED
 * or PERMISSION_MISSING.
 */
export async function reopenMatched(tx: Tx, named: { statementId: string; fileLine: number }, act: Act) {
  const line = await lockLine(tx, named);
  if (line === null) throw notFound('The statement has no such line.', 'La cartola no tiene esa línea.');
  if (line.used_as === 'suspense') return line;
  if (line.subject === null)
    throw unfit({
      en: 'The line is unrelated: say what it is instead.',
      es: 'La línea es ajena: di qué es en vez de eso.',
    });
  const environmentId = await checkSubject(tx, line, line.subject);
  await requireUserOf(tx, act.by, environmentId, 'movements:record');
  return reopenLine(tx, line, act);
}

/** Puts a line into suspense again in the caller's commit, where only `recordAudit` may follow. Returns it. */
export async function reopenLine(tx: Tx, line: KeptLine, act: Act): Promise<KeptLine> {
  await updateToSuspense(tx, line);
  const subject = { kind: 'statement', id: line.statement_id } as const;
  const after = { lines: 1, file_line: line.file_line, use: 'suspense', of: null };
  await recordAudit(tx, { ...act, action: 'statement.line_reopened', subject, before: decisionOf(line), after });
  return { ...line, used_as: 'suspense', subject: null, resolved_at: null, resolved_by: null, reason: null };
}

/**
 * Returns the environment of what a line is of. Refuses a payout or deposit that was booked with the line: the books
 * would keep it. They keep a return, which nobody can take back: the payout is recorded again.
 */
async function checkSubject(tx: Tx, line: KeptLine, subject: string): Promise<number> {
  if (subject.startsWith('pf_')) return found(await selectPayoutFile(tx, subject)).environment_id;
  if (subject.startsWith('po_')) return found(await selectPayoutAnywhere(tx, subject)).environment_id;
  const movement = found(await selectListedMovement(tx, subject));
  const { kind, reference, payment_service_id, environment, environment_id, returned_at } = movement;
  if (returned_at !== null || !isReferenceOf(line, reference)) return environment_id;
  const command = `bin/rubrica ${kind} return ${reference} --payment-service ${payment_service_id} --environment ${environment}`;
  throw unfit({
    en: `${subject} was booked with this line. Take it back first: ${command}`,
    es: `${subject} se anotó con esta línea. Deshazlo primero: ${command}`,
  });
}

function found<Row>(row: Row | null): Row {
  if (row !== null) return row;
  throw notFound('There is no such payout.', 'No existe ese pago.');
}
