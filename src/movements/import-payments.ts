import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { compareSettlement, daysOf } from '../books/compare-settlement.ts';
import { methodReceivable } from '../books/journal-entry.ts';
import { hasEntryOfAttempt } from '../books/journal-queries.ts';
import { postEntries } from '../books/post-entries.ts';
import { reconcileEntries } from '../books/reconcile-entries.ts';
import { recordFact } from '../books/record-fact.ts';
import { codeKey } from '../books/settled-line.ts';
import type { Settlement, SettlementRow } from '../books/settlement-row.ts';
import { decidePayment } from '../checkout/decide-payment.ts';
import { findAttempt } from '../checkout/find-payment.ts';
import { selectAttemptsByCode, selectUnansweredAttempt } from '../checkout/payment-attempt-queries.ts';
import type { Reader, Tx } from '../db/database.ts';
import { boundsOfDay, shiftDay } from '../lib/calendar-day.ts';
import type { Evidence } from '../lib/evidence-file.ts';
import { prefixedId } from '../lib/ids.ts';
import { formatDecimal } from '../lib/money.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { recordConflict } from '../transactions/transition-transaction.ts';
import {
  compareImported,
  groupImported,
  type ImportedBefore,
  type ImportedPayment,
  type ImportStep,
  importContent,
  importedPosting,
  isChargeback,
  lineKeyOf,
} from './imported-payment.ts';
import { insertImported, selectImportedOf, wasImported } from './imported-payment-queries.ts';
import { sumWentBack } from './movement-queries.ts';
import { leaveOutCharged, MORE_THAN_LEFT, planChargeback } from './plan-chargeback.ts';

/**
 * The environment that receives money of no known payment, and the payment method that collected it. `compared`: the
 * environments whose payments the file may settle, if there are several; a line is known if the books of any of them
 * have it.
 */
export type ImportScope = {
  environmentId: number;
  environment: Environment;
  method: string;
  compared?: readonly number[];
};

export type ImportRecord = { evidence: Evidence; by: Actor };

/** Called from time to time with the number of lines that were planned or imported. */
type OnLines = (lines: number) => void;

/** The acquirer may book a sale on the next day, and later if the method's answer was lost. */
const DAYS_BEFORE = 1;
const DAYS_AFTER = 7;
const TOLD_EVERY = 100;
const PERHAPS_BEFORE = 'perhaps a line that was taken over before';
const SEVERAL = 'several payments of ours have its code';
const UNANSWERED = 'perhaps a payment that its method has not answered yet: bin/rubrica attention list';

/**
 * Plans the import of an acquirer's file, line by line. Only reads. Leaves money that the books already have. Other
 * money belongs to a payment attempt, found by its buy order or by authorisation code, amount and day; without a match
 * it goes to suspense. Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has the
 * payment service of the suspense.
 */
export async function planImport(
  app: App,
  scope: ImportScope,
  settlement: Settlement,
  onLines: OnLines = () => {},
): Promise<ImportStep[]> {
  const days = daysOf(settlement.rows);
  if (days === null) return [];
  const { environments: elsewhere } = await findElsewhere(app);
  if (elsewhere.has(scope.environmentId)) await environmentHere(app, { environment_id: scope.environmentId });
  // Before the imported lines, so that none of these entries lacks its imported line.
  const lines = await readLines(app, scope, days);
  // An import for another payment service may have put the same money into its suspense.
  const all = await listEnvironmentIds(app, scope.environment, null, null);
  const imported = await selectImportedOf(app.db, all, scope.method, days);
  const before = groupImported(imported);
  const charged = groupImported(imported.filter(isChargeback));
  const { rows, lines: left } = leaveOutCharged(settlement.rows, lines, charged);
  const compared = new Map((await compareSettlement({ ...settlement, rows }, left)).map((one) => [one.row, one]));
  const steps: ImportStep[] = [];
  const seen = new Set<string>();
  for (const row of settlement.rows) {
    const key = lineKeyOf(scope.environment, row);
    const { kind = 'missing_in_books', line = null, differs = [], repeated = false } = compared.get(row) ?? {};
    if (row.amount < 0)
      steps.push(
        await planRefunded(app, scope, row, {
          isNew: kind === 'missing_in_books' && !seen.has(key) && !repeated,
          charged,
          elsewhere,
        }),
      );
    else if (kind === 'matched' || kind === 'different') {
      const note = differs.length === 0 ? '' : `differs in ${differs.join(', ')}: bin/rubrica reconcile`;
      steps.push({ ...stepOf(row, 'known', note), transactionId: line?.transaction_id ?? null });
    } else if (seen.has(key) || repeated) steps.push(stepOf(row, 'left', 'the same line again'));
    else if (row.instalment !== null)
      steps.push(stepOf(row, 'left', 'a part of a payment: bin/rubrica payment settle'));
    else if (row.wentBack === true)
      steps.push(stepOf(row, 'left', 'a payment whose money went back: bin/rubrica payment settle'));
    else steps.push(await planMissing(app, scope, row, { before, elsewhere }));
    seen.add(key);
    if (steps.length % TOLD_EVERY === 0) onLines(steps.length);
  }
  return steps;
}

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

type Days = { first: string; last: string };

function comparedOf({ environmentId, compared = [environmentId] }: ImportScope): readonly number[] {
  return compared;
}

async function readLines(app: App, scopeOfFile: ImportScope, { first, last }: Days) {
  const from = boundsOfDay(shiftDay(first, -DAYS_BEFORE)).from;
  const to = boundsOfDay(shiftDay(last, DAYS_AFTER)).to;
  const scope = { environmentIds: comparedOf(scopeOfFile), from, to, transactionId: 0 };
  const account = methodReceivable(scopeOfFile.method);
  const { lines } = await reconcileEntries(app, scope);
  return lines.filter((line) => line.debit_account === account || line.credit_account === account);
}

function stepOf(row: SettlementRow, does: ImportStep['does'], note: string): ImportStep {
  return { row, does, note, attemptId: null, transactionId: null, environmentId: null };
}

async function planMissing(
  app: App,
  scope: ImportScope,
  row: SettlementRow,
  { before, elsewhere }: { before: ImportedBefore; elsewhere: ReadonlySet<number> },
): Promise<ImportStep> {
  const earlier = compareImported(row, before);
  if (earlier === 'same') return stepOf(row, 'imported', '');
  if (earlier === 'unclear') return stepOf(row, 'left', PERHAPS_BEFORE);
  const found = await findOwnAttempt(app, scope, row);
  if (typeof found === 'string') return stepOf(row, 'left', found);
  if (found === null) return stepOf(row, 'suspense', 'no payment of ours');
  const { attempt, transaction } = found;
  const of = { attemptId: attempt.id, transactionId: transaction.id, environmentId: transaction.environment_id };
  const refusal = refusalOf(scope, transaction, row, elsewhere);
  if (refusal !== null) return { ...stepOf(row, 'left', refusal), ...of };
  if (await hasEntryOfAttempt(app.db, attempt)) return { ...stepOf(row, 'known', 'booked on another day'), ...of };
  return { ...stepOf(row, 'settle', `attempt ${attempt.id} is ${attempt.state}`), ...of };
}

/** A chargeback goes to suspense. Any other refund is one of ours, or a person finds out who made it. */
async function planRefunded(
  app: App,
  scope: ImportScope,
  row: SettlementRow,
  { isNew, charged, elsewhere }: { isNew: boolean; charged: ImportedBefore; elsewhere: ReadonlySet<number> },
): Promise<ImportStep> {
  const earlier = compareImported({ ...row, amount: -row.amount }, charged);
  if (row.chargeback && earlier === 'same') return stepOf(row, 'imported', '');
  if (!row.chargeback || !isNew || earlier === 'unclear')
    return stepOf(row, 'left', 'money that was refunded: bin/rubrica reconcile');
  const found = await planChargeback(app, scope.method, row);
  if (typeof found === 'string') return stepOf(row, 'left', found);
  const { attemptId, transaction } = found;
  const of = { attemptId, transactionId: transaction.id, environmentId: transaction.environment_id };
  const refusal = refusalOf(scope, transaction, row, elsewhere);
  if (refusal !== null) return { ...stepOf(row, 'left', refusal), ...of };
  return { ...stepOf(row, 'suspense', 'a chargeback: bin/rubrica books resolve decides who bears it'), ...of };
}

/** Returns why this import may not book a line of the payment; null if it may. */
function refusalOf(
  scope: ImportScope,
  { environment_id, currency }: Transaction,
  row: SettlementRow,
  elsewhere: ReadonlySet<number>,
): string | null {
  if (!comparedOf(scope).includes(environment_id)) return 'a payment of a payment service that was not named';
  if (elsewhere.has(environment_id)) return 'a payment of a payment service in another database';
  return currency === row.currency ? null : 'another currency';
}

/** Returns the payment of a line, null if no payment matches, or the reason why a person must look. */
async function findOwnAttempt(app: App, scope: ImportScope, row: SettlementRow) {
  const { environment, method } = scope;
  if (row.buyOrder !== null) {
    const found = await findAttempt(app, row.buyOrder);
    return found?.attempt.payment_method === method ? found : null;
  }
  const day = { from: boundsOfDay(shiftDay(row.date, -1)).from, to: boundsOfDay(row.date).to };
  const wanted = { method, amount: row.amount, ...day, environmentIds: comparedOf(scope) };
  // Acquirers write zeros as the code of a declined payment, so they name no payment that was made.
  const code = codeKey(row.authorizationCode) === '0' ? null : (row.authorizationCode ?? '');
  const [only, ...others] = code === null ? [] : await findByCode(app, environment, { ...wanted, code });
  if (others.length > 0) return SEVERAL;
  if (only !== undefined) return findAttempt(app, only);
  return (await selectUnansweredAttempt(app.db, wanted)) === null ? null : UNANSWERED;
}

/** Looks in all payment services last: a payment of one that was not named is not money of nobody. */
async function findByCode(
  app: App,
  environment: Environment,
  wanted: Parameters<typeof selectAttemptsByCode>[1],
): Promise<string[]> {
  const named = await selectAttemptsByCode(app.db, wanted);
  if (named.length > 0) return named;
  const environmentIds = await listEnvironmentIds(app, environment, null, null);
  return selectAttemptsByCode(app.db, { ...wanted, environmentIds });
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
      reason: reasonOf(step),
      evidence: record.evidence,
      by: record.by,
      alongside: (tx) => recordImport(tx, imported),
      lastCheck: (tx) => refuseEarlier(tx, imported.id),
    });
    return result === 'decided' ? step : { ...step, does: 'known', note: 'it has an end by now' };
  });
}

function reasonOf({ row }: ImportStep): string {
  return `line ${row.fileLine} of the acquirer's file`;
}

async function suspendStep(app: App, scope: ImportScope, step: ImportStep, record: ImportRecord): Promise<ImportStep> {
  const imported = newImported(app, scope, step, record);
  return unlessEarlier(app, scope, step, (refuseEarlier) =>
    app.db.transaction(async (tx) => {
      const payment = await lockCharged(tx, imported, step.transactionId);
      await refuseEarlier(tx, imported.id);
      if (payment !== null && !(await hasLeft(tx, payment, imported.amount)))
        return { ...step, does: 'left', note: MORE_THAN_LEFT };
      if (payment !== null) await recordConflict(tx, payment, chargebackOf(imported, step));
      await recordImportFact(tx, imported);
      const link = await postEntries(tx, importedPosting(imported, payment));
      await insertImported(tx, { ...imported, link });
      const { id, imported_at, currency, payment_method, evidence_name, evidence_sha256, file_line } = imported;
      const { amount } = step.row;
      await recordAudit(tx, {
        at: imported_at,
        by: record.by,
        action: 'payment.imported',
        subject: { kind: 'imported_payment', id },
        after: { amount, currency, payment_method, evidence_name, evidence_sha256, file_line },
        reason: reasonOf(step),
      });
      await refuseEarlier(tx, imported.id);
      return step;
    }),
  );
}

/** Makes the event from which the merchant learns that the payer's bank took money back. */
function chargebackOf({ imported_at, payment_method, amount, currency }: ImportedPayment, step: ImportStep) {
  const data = { charged_back: formatDecimal(amount, currency), currency };
  return {
    event: 'chargeback',
    at: imported_at,
    paymentMethod: payment_method,
    attemptId: step.attemptId,
    data,
  } as const;
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
    if (earlier === 'same') return { ...step, does: 'imported' };
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
  if (ownId === null && (await wasImported(db, scope.method, lineKeyOf(scope.environment, row)))) return 'same';
  const imported = await selectImportedOf(db, all, scope.method, { first: row.date, last: row.date });
  const others = imported.filter((one) => one.id !== ownId && (!row.chargeback || isChargeback(one)));
  return compareImported({ ...row, amount: Math.abs(row.amount) }, groupImported(others));
}

/** Locks the payment of a chargeback; returns null for money of no known payment. */
async function lockCharged(
  tx: Tx,
  { environment_id }: ImportedPayment,
  id: number | null,
): Promise<Transaction | null> {
  return id === null ? null : lockTransaction(tx, { id, environment_id });
}

/** Reads under the lock what is left of a payment, because another line or a refund may have been first. */
async function hasLeft(tx: Tx, payment: Transaction, amount: number): Promise<boolean> {
  return (await sumWentBack(tx, payment)).wentBack + amount <= payment.amount;
}

async function recordImport(tx: Tx, imported: ImportedPayment): Promise<void> {
  await recordImportFact(tx, imported);
  await insertImported(tx, imported);
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
