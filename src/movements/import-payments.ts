import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { postEntries } from '../books/post-entries.ts';
import { recordFact } from '../books/record-fact.ts';
import { decidePayment } from '../checkout/decide-payment.ts';
import type { Reader, Tx } from '../db/database.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { prefixedId } from '../lib/ids.ts';
import { formatDecimal } from '../lib/money.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { recordConflict } from '../transactions/transition-transaction.ts';
import {
  compareImported,
  groupImported,
  type ImportedPayment,
  type ImportStep,
  importContent,
  importedPosting,
  lineKeyOf,
  reasonOfLine,
} from './imported-payment.ts';
import { insertImported, selectImportedAlike, wasImported } from './imported-payment-queries.ts';
import { isPerhapsElsewhere, namesOf } from './other-export.ts';
import { comparedOf, type ImportScope, type OnLines, PERHAPS_BEFORE, TOLD_EVERY } from './plan-import.ts';
import { mayBeOwn, planTakenBack, REFUNDED } from './plan-taken-back.ts';
import { compareTaken, countEqual } from './taken-line.ts';

export type ImportRecord = { evidence: Evidence; by: Actor };

/**
 * Carries out a plan, one commit for each line. Returns the steps as they were done; a line that changed since the plan
 * is left. After an interruption a new plan of the same file finds the imported lines and continues with the others.
 */
export async function importPayments(
  app: App,
  scope: ImportScope,
  steps: readonly ImportStep[],
  record: ImportRecord,
  onLines: OnLines = () => {},
): Promise<ImportStep[]> {
  const done: ImportStep[] = [];
  for (const step of steps) {
    if (step.does === 'settle') done.push(await settleStep(app, scope, step, record));
    else if (step.does === 'suspense') done.push(await suspendStep(app, scope, step, record));
    else done.push(step);
    if (done.length % TOLD_EVERY === 0) onLines(done.length);
  }
  return done;
}

async function settleStep(app: App, scope: ImportScope, step: ImportStep, record: ImportRecord): Promise<ImportStep> {
  const attemptId = step.attemptId as string;
  const { amount, authorizationCode } = step.row;
  const imported = { ...newImported(app, scope, step, record), payment_attempt_id: attemptId };
  return unlessEarlier(app, scope, step, async (refuseEarlier) => {
    const result = await decidePayment(app, attemptId, {
      outcome: 'approved',
      taken: amount,
      authorizationCode,
      reason: reasonOfLine(step.row.fileLine),
      evidence: record.evidence,
      by: record.by,
      alongside: async (tx) => {
        await recordImportFact(tx, imported);
        await insertImported(tx, imported);
      },
      lastCheck: (tx) => refuseEarlier(tx, imported.id),
    });
    return result === 'decided' ? step : { ...step, does: 'known', note: 'it has an end by now' };
  });
}

async function suspendStep(app: App, scope: ImportScope, step: ImportStep, record: ImportRecord): Promise<ImportStep> {
  const line = newImported(app, scope, step, record);
  return unlessEarlier(app, scope, step, (refuseEarlier) =>
    app.db.transaction(async (tx) => {
      const { environment_id } = line;
      const payment =
        step.transactionId === null ? null : await lockTransaction(tx, { id: step.transactionId, environment_id });
      await refuseEarlier(tx, line.id);
      const refusal = await refusalNow(tx, scope, step, payment);
      if (refusal !== null) return { ...step, does: 'left', note: refusal };
      const imported = { ...line, line_key: await keyNow(tx, scope, step, line) };
      const isTold = payment !== null && (step.row.chargeback || step.lateAmount === undefined);
      if (isTold) await recordConflict(tx, payment, takenBack(imported, step));
      await recordImportFact(tx, imported);
      const link = await postEntries(tx, importedPosting(imported, step.lateAmount === undefined ? payment : null));
      await insertImported(tx, { ...imported, link });
      const { id, imported_at, currency, payment_method, evidence_name, evidence_sha256, file_line } = imported;
      const { amount } = step.row;
      await recordAudit(tx, {
        at: imported_at,
        by: record.by,
        action: 'payment.imported',
        subject: { kind: 'imported_payment', id },
        after: { amount, currency, payment_method, evidence_name, evidence_sha256, file_line },
        reason: reasonOfLine(step.row.fileLine),
      });
      await refuseEarlier(tx, imported.id);
      return step;
    }),
  );
}

/**
 * Makes the event from which the merchant learns that the payer's bank, or somebody at the acquirer, took money back.
 */
function takenBack({ imported_at, payment_method, amount, currency }: ImportedPayment, step: ImportStep) {
  const sum = formatDecimal(amount, currency);
  const of = { at: imported_at, paymentMethod: payment_method, attemptId: step.attemptId };
  return step.row.chargeback
    ? ({ ...of, event: 'chargeback', data: { charged_back: sum, currency } } as const)
    : ({ ...of, event: 'refund_unasked', data: { unasked: sum, currency } } as const);
}

/** Rolls a commit back if another import has its line by now. `ownId`: the line of the commit itself. */
type RefuseEarlier = (tx: Tx, ownId: string) => Promise<void>;

/**
 * Books a line, unless a concurrent import was first, perhaps from an export with other columns, which only a
 * comparison with its lines finds. The last comparison is made after `recordAudit`: every import waits for the end of
 * the audit log, so the second one sees the line of the first.
 */
async function unlessEarlier(
  app: App,
  scope: ImportScope,
  step: ImportStep,
  book: (refuseEarlier: RefuseEarlier) => Promise<ImportStep>,
): Promise<ImportStep> {
  const all = await listEnvironmentIds(app, scope.environment, null, null);
  const earlierIn = (db: Reader, ownId: string | null) => findEarlier(db, { all, scope, step, ownId });
  const undo = new Error('Another import has this line');
  try {
    return await book(async (tx, ownId) => {
      if ((await earlierIn(tx, ownId)) !== 'new') throw undo;
    });
  } catch (error) {
    const earlier = await earlierIn(app.db, null);
    if (earlier === 'same') return { ...step, does: 'imported', note: '' };
    if (error === undo) return { ...step, does: 'left', note: PERHAPS_BEFORE };
    throw error;
  }
}

/** Returns whether a line is imported by now, as `compareImported` does. */
async function findEarlier(
  db: Reader,
  { all, scope, step, ownId }: { all: readonly number[]; scope: ImportScope; step: ImportStep; ownId: string | null },
): Promise<'same' | 'unclear' | 'new'> {
  const { row } = step;
  const isTaken = row.amount < 0;
  if (ownId === null && !isTaken && (await wasImported(db, scope.method, lineKeyOf(scope.environment, row))))
    return 'same';
  const money = { day: row.date, amount: Math.abs(row.amount), currency: row.currency };
  const imported = await selectImportedAlike(db, all, scope.method, money);
  const others = imported.filter((one) => one.id !== ownId);
  const earlier = isTaken ? compareTaken(row, step.equalBefore, others) : compareImported(row, groupImported(others));
  if (earlier !== 'new' || step.does === 'settle') return earlier;
  const of = { environmentIds: all, method: scope.method, ownId };
  const sought = { row, names: namesOf(row, step), inFile: step.inFile ?? [] };
  return (await isPerhapsElsewhere(db, of, sought)) ? 'unclear' : 'new';
}

/**
 * Plans a line that took money back again under the locks, because another line, a refund or late money may have been
 * first. Returns why a person must look, or null.
 */
async function refusalNow(
  tx: Tx,
  scope: ImportScope,
  { row, ...step }: ImportStep,
  payment: Transaction | null,
): Promise<string | null> {
  if (row.amount >= 0) return null;
  if (await mayBeOwn(tx, { row, ...step }, payment)) return REFUNDED;
  const { method } = scope;
  if (step.lateAmount !== undefined) await lockFunds(tx, step.environmentId ?? scope.environmentId, row.currency);
  const found = await planTakenBack(tx, { method, environmentIds: comparedOf(scope) }, row);
  if (typeof found === 'string') return row.chargeback === true ? found : REFUNDED;
  const isSame = found.attemptId === step.attemptId && found.lateAmount === step.lateAmount;
  return isSame ? null : REFUNDED;
}

/** Returns the key of a line with its number among equal refunds. Reliable after `refusalNow`. */
async function keyNow(tx: Tx, scope: ImportScope, step: ImportStep, line: ImportedPayment): Promise<string> {
  if (!step.equalBefore?.all) return line.line_key;
  const { environment_id, payment_method, settled_on: day, amount, currency } = line;
  const alike = await selectImportedAlike(tx, [environment_id], payment_method, { day, amount, currency });
  return lineKeyOf(scope.environment, step.row, 1 + countEqual(step.row, alike));
}

function recordImportFact(tx: Tx, imported: ImportedPayment): Promise<void> {
  const { id, environment_id, imported_at, imported_by } = imported;
  const subject = { environmentId: environment_id, kind: 'import' as const, subject: id };
  return recordFact(tx, { ...subject, at: imported_at, content: importContent(imported), recordedBy: imported_by });
}

function newImported(app: App, scope: ImportScope, step: ImportStep, record: ImportRecord): ImportedPayment {
  const { row, environmentId } = step;
  return {
    id: prefixedId('ip'),
    environment_id: environmentId ?? scope.environmentId,
    line_key: lineKeyOf(scope.environment, row),
    link: null,
    payment_attempt_id: null,
    imported_at: app.now(),
    imported_by: record.by.name,
    payment_method: scope.method,
    settled_on: row.date,
    buy_order: row.buyOrder,
    authorization_code: row.authorizationCode,
    amount: Math.abs(row.amount),
    currency: row.currency,
    evidence_name: record.evidence.name,
    evidence_sha256: record.evidence.sha256,
    file_line: row.fileLine,
  };
}
