import type { App } from '../app.ts';
import { type Comparison, compareSettlement, daysOf } from '../books/compare-settlement.ts';
import { methodReceivable } from '../books/journal-entry.ts';
import { hasEntryOfAttempt } from '../books/journal-queries.ts';
import { reconcileEntries } from '../books/reconcile-entries.ts';
import { acquirerDay, codeKey } from '../books/settled-line.ts';
import type { Settlement, SettlementRow } from '../books/settlement-row.ts';
import { findAttempt } from '../checkout/find-payment.ts';
import {
  type AttemptsSought,
  hasUnanswered,
  selectAttemptsByCode,
  selectLatestAttempt,
} from '../checkout/payment-attempt-queries.ts';
import { boundsOfDay, shiftDay } from '../lib/calendar-day.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { environmentHere } from '../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../payment-services/list-environments.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { findTransaction } from '../transactions/find-transaction.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { compareImported, groupImported, type ImportedBefore, type ImportStep, lineKeyOf } from './imported-payment.ts';
import { selectImportedOf } from './imported-payment-queries.ts';
import { isPerhapsElsewhere, namesOf } from './other-export.ts';
import { mayBeOwn, planTakenBack, REFUNDED } from './plan-taken-back.ts';
import { compareTakenLines, leaveOutTaken, type TakenLine } from './taken-line.ts';

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

/** Called from time to time with the number of lines that were planned or imported. */
export type OnLines = (lines: number) => void;

/** The acquirer may book a sale on the next day, and later if the method's answer was lost. */
const DAYS_BEFORE = 1;
const DAYS_AFTER = 7;
export const TOLD_EVERY = 100;
export const PERHAPS_BEFORE = 'perhaps a line that was taken over before';
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
  const taken = compareTakenLines(settlement.rows, imported);
  const { rows, lines: left } = leaveOutTaken(settlement.rows, lines, taken);
  const compared = new Map((await compareSettlement({ ...settlement, rows }, left)).map((one) => [one.row, one]));
  const steps: ImportStep[] = [];
  const seen = new Set<string>();
  for (const row of settlement.rows) {
    const key = lineKeyOf(scope.environment, row);
    const one = compared.get(row);
    const isAgain = seen.has(key) || one?.repeated === true;
    const line = one?.line ?? null;
    const day = line === null ? null : acquirerDay(line, settlement.byAccountingDate);
    steps.push(await planLine(app, scope, row, { one, day, isAgain, before, taken, elsewhere }));
    seen.add(key);
    if (steps.length % TOLD_EVERY === 0) onLines(steps.length);
  }
  return leaveOtherExports(app, { environmentIds: all, method: scope.method }, steps, taken);
}

/** Leaves the lines that may be imported ones which another export has with another day or name. */
async function leaveOtherExports(
  app: App,
  of: { environmentIds: readonly number[]; method: string },
  steps: readonly ImportStep[],
  taken: ReadonlyMap<SettlementRow, TakenLine>,
): Promise<ImportStep[]> {
  const isClear = ({ row, note }: ImportStep) => taken.get(row)?.earlier !== 'unclear' && note !== PERHAPS_BEFORE;
  const rows = steps.filter(isClear).map(({ row }) => row);
  const byOrder = Map.groupBy(rows, ({ buyOrder }) => buyOrder ?? '');
  const result: ImportStep[] = [];
  for (const step of steps) {
    const { row } = step;
    const names = step.does === 'suspense' ? namesOf(row, step) : [];
    const [ofName = [], ...ofOthers] = names.flatMap((name) => (byOrder.has(name) ? [byOrder.get(name) ?? []] : []));
    // A broken file may have one order in thousands of lines: they share one list.
    const inFile = ofOthers.length === 0 ? ofName : [ofName, ...ofOthers].flat();
    const isElsewhere = names.length > 0 && (await isPerhapsElsewhere(app.db, of, { row, names, inFile }));
    if (isElsewhere) result.push(stepOf(row, 'left', row.amount < 0 ? REFUNDED : PERHAPS_BEFORE));
    else result.push(names.length === 0 ? step : { ...step, inFile });
  }
  return result;
}

/** The facts on which the step of a line depends. */
type LineKnown = {
  /** The line compared with the books; undefined: it was imported before and left out. */
  readonly one: Comparison | undefined;
  /** The acquirer's day of its entry in the books; null: no entry. */
  readonly day: string | null;
  /** Whether an earlier line of the file is the same, or another one settles its amount. */
  readonly isAgain: boolean;
  /** The lines that earlier imports took over, and what they say about lines that took money back. */
  readonly before: ImportedBefore;
  readonly taken: ReadonlyMap<SettlementRow, TakenLine>;
  /** The environments that another database serves. */
  readonly elsewhere: ReadonlySet<number>;
};

async function planLine(app: App, scope: ImportScope, row: SettlementRow, known: LineKnown): Promise<ImportStep> {
  const { one, isAgain } = known;
  const isInBooks = one !== undefined && one.kind !== 'missing_in_books';
  if (row.amount < 0 && !isOwnRefund(row, known)) {
    // Equal refunds are counted; of other lines a repeated one is no other.
    const isRepeated = row.chargeback === true ? isAgain : one?.repeated === true;
    return planRefunded(app, scope, row, { ...known, isNew: !isInBooks && !isRepeated });
  }
  if (isInBooks) {
    const note = one.differs.length === 0 ? '' : `differs in ${one.differs.join(', ')}: bin/rubrica reconcile`;
    return { ...stepOf(row, 'known', note), transactionId: one.line?.transaction_id ?? null };
  }
  if (isAgain) return stepOf(row, 'left', 'the same line again');
  if (row.instalment !== null) return stepOf(row, 'left', 'a part of a payment: bin/rubrica payment settle');
  if (row.wentBack === true) return stepOf(row, 'left', 'a payment whose money went back: bin/rubrica payment settle');
  if (row.won === true) return stepOf(row, 'left', 'a chargeback that was won: bin/rubrica books resolve');
  return planMissing(app, scope, row, known);
}

/**
 * Returns whether the line agrees with a refund of this service, on the same day: an equal refund of the day before may
 * be another one, whose file comes first.
 */
function isOwnRefund(row: SettlementRow, { one, day, isAgain }: LineKnown): boolean {
  return one?.kind === 'matched' && one.line?.kind === 'refund' && row.date === day && !isAgain;
}

type Days = { first: string; last: string };

/** Returns the environments whose payments the file may settle. */
export function comparedOf({ environmentId, compared = [environmentId] }: ImportScope): readonly number[] {
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

/**
 * A chargeback goes to suspense, and so does a refund that this service cannot have made. Any other refund is one of
 * ours, or a person finds out who made it.
 */
async function planRefunded(
  app: App,
  scope: ImportScope,
  row: SettlementRow,
  { isNew, taken, elsewhere }: LineKnown & { isNew: boolean },
): Promise<ImportStep> {
  const { earlier, equalBefore } = taken.get(row) as TakenLine;
  if (earlier === 'same') return stepOf(row, 'imported', '');
  const refunded = stepOf(row, 'left', REFUNDED);
  if (!isNew || earlier === 'unclear' || !(row.chargeback || row.refund)) return refunded;
  const found = await planTakenBack(app.db, { method: scope.method, environmentIds: comparedOf(scope) }, row);
  if (typeof found === 'string') return row.chargeback ? stepOf(row, 'left', found) : refunded;
  if (await mayBeOwn(app.db, { ...found, row }, found.transaction)) return refunded;
  const { transaction, ...charged } = found;
  const of = { ...charged, transactionId: transaction?.id ?? null, equalBefore };
  const owner = transaction ?? { environment_id: found.environmentId, currency: row.currency };
  const refusal = refusalOf(scope, owner, row, elsewhere);
  if (refusal !== null) return { ...stepOf(row, 'left', refusal), ...of };
  const refund =
    found.lateAmount === undefined ? 'a refund that this service did not make' : 'a refund of money that pays no order';
  const what = row.chargeback ? 'a chargeback' : refund;
  return { ...stepOf(row, 'suspense', `${what}: bin/rubrica books resolve decides who bears it`), ...of };
}

/** Returns why this import may not book a line of the payment; null if it may. */
function refusalOf(
  scope: ImportScope,
  { environment_id, currency }: Pick<Transaction, 'environment_id' | 'currency'>,
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
    const found = (await findAttempt(app, row.buyOrder)) ?? (await findByTransaction(app, method, row.buyOrder));
    return found?.attempt.payment_method === method ? found : null;
  }
  const day = { from: boundsOfDay(shiftDay(row.date, -1)).from, to: boundsOfDay(row.date).to };
  const sought = { method, amount: row.amount, ...day, environmentIds: comparedOf(scope) };
  // Acquirers write zeros as the code of a declined payment, so they name no payment that was made.
  const isNamed = codeKey(row.authorizationCode) !== '0';
  const [only, ...others] = isNamed ? await findByCode(app, environment, sought, row.authorizationCode ?? '') : [];
  if (others.length > 0) return SEVERAL;
  if (only !== undefined) return findAttempt(app, only);
  return (await hasUnanswered(app.db, sought)) ? UNANSWERED : null;
}

/** A method without buy orders names a payment by the id of its transaction. */
async function findByTransaction(app: App, method: string, id: string) {
  const isNamed = app.paymentMethods.some(({ code, hasNoBuyOrders }) => code === method && hasNoBuyOrders === true);
  const transaction = isNamed ? await findTransaction(app, id, null) : null;
  const attempt = transaction === null ? null : await selectLatestAttempt(app.db, transaction);
  return transaction === null || attempt === null ? null : { attempt, transaction };
}

/** Looks in all payment services last: a payment of one that was not named still has an owner. */
async function findByCode(app: App, environment: Environment, sought: AttemptsSought, code: string): Promise<string[]> {
  const named = await selectAttemptsByCode(app.db, sought, code);
  if (named.length > 0) return named;
  const environmentIds = await listEnvironmentIds(app, environment, null, null);
  return selectAttemptsByCode(app.db, { ...sought, environmentIds }, code);
}
