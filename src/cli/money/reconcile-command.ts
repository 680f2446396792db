import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { entryName, type ReconciliationProblem } from '../../books/booked-line.ts';
import type { Comparison } from '../../books/compare-settlement.ts';
import { compareWithBooks } from '../../books/compare-with-books.ts';
import { type DifferenceCause, explainDifference, type SettlementTotal } from '../../books/explain-difference.ts';
import { methodReceivable } from '../../books/journal-entry.ts';
import type { Owner } from '../../books/journal-queries.ts';
import { listOwners } from '../../books/list-books.ts';
import { reconcileEntries } from '../../books/reconcile-entries.ts';
import type { BookedLine } from '../../books/reconciliation-queries.ts';
import { sayRecord } from '../../books/say-problem.ts';
import { keysOf, nameOf, signedAmount } from '../../books/settled-line.ts';
import type { Settlement } from '../../books/settlement-row.ts';
import { boundsOfDay, dayOf, isDay } from '../../lib/calendar-day.ts';
import { addUp, type Sum } from '../../lib/exact-sum.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { timeText } from '../../lib/time-text.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { checkMethod, environmentOption } from '../options.ts';
import {
  countOf,
  invalidOption,
  missingOption,
  print,
  table,
  time,
  unknownPaymentService,
  unusableFile,
} from '../print.ts';
import { type ProgressLine, progressLine } from '../progress-line.ts';
import { readSettlementFile } from '../settlement-file.ts';
import { withWholeStore } from '../with-app.ts';

type Options = {
  date?: string;
  settlement?: string;
  environment?: Environment;
  paymentService?: string;
  method?: string;
  csv?: boolean;
  json?: boolean;
};

/** `reconcile`: compares a day with the books, or the books with an acquirer's settlement. */
export function addReconcileCommand(program: Command): void {
  program
    .command('reconcile')
    .description('compare a day or an acquirer’s settlement file with the books; status 1 if something differs')
    .option('--date <date>', 'Chilean day, such as 2026-01-15')
    .option('--settlement <file>', 'CSV or .xlsx as the acquirer exports it; compares the days in it')
    .addOption(environmentOption())
    .option('--payment-service <id>', 'only this one')
    .option('--method <code>', 'only payments collected by this method')
    .addOption(new Option('--csv', 'print CSV').conflicts('json'))
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(reconcile);
}

async function reconcile(options: Options): Promise<void> {
  if ((options.date === undefined) === (options.settlement === undefined)) {
    throw missingOption('Say either --date or --settlement.');
  }
  const line = progressLine();
  try {
    if (options.settlement === undefined) await reconcileDay(options.date ?? '', options, line);
    else await reconcileSettlement(options.settlement, options, line);
  } finally {
    line.clear();
  }
}

async function reconcileDay(date: string, options: Options, line: ProgressLine): Promise<void> {
  if (!isDay(date)) throw invalidOption('--date is a day such as 2026-01-15.');
  const { lines, problems, owners } = await withWholeStore((app) => readBooks(app, options, date, line));
  line.clear();
  const rowsWith = (money: WriteMoney) => [
    LINE_HEAD,
    ...lines.map((line) => [...lineCells(line, money), ...ownerCells(owners, line)]),
  ];
  if (options.csv === true) {
    await printCsv([
      ...rowsWith(formatPlain),
      ...problems.map((found) => [...problemCells(found), ...ownerCells(owners, found)]),
    ]);
  } else {
    const human = [
      ...table(rowsWith(formatMoney).map(forPerson)),
      '',
      ...problems.map((one) => sayRecord(one).en),
      summaryOf(lines, problems),
    ];
    const json = {
      lines: lines.map((line) => lineJson(line, owners)),
      problems: problems.map((found) => ({ ...found, ...owners.get(found.environment_id) })),
    };
    print(options, { date, ...json }, human);
  }
  if (problems.length > 0) process.exitCode = 1;
}

async function reconcileSettlement(path: string, options: Options, line: ProgressLine): Promise<void> {
  const settlement = await readSettlementFile(path);
  const { file, owners } = await withWholeStore((app) => compareFile(app, options, settlement, line));
  line.clear();
  if (file === null) throw unusableFile(`${path} has no line to compare.`);
  const { first, last, compared } = file;
  const totals = explainDifference(compared);
  const cellsOf = (one: Comparison, money: WriteMoney) => [
    ...comparisonCells(one, money),
    ...ownerCells(owners, one.line),
  ];
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, compared.filter((one) => one.kind === kind).length]));
  if (options.csv === true) {
    const rows = compared.flatMap((one) => inItsCurrency(cellsOf(one, formatPlain), one));
    await printCsv([COMPARISON_HEAD, ...rows]);
  } else {
    const cells = [COMPARISON_HEAD, ...compared.map((one) => cellsOf(one, formatMoney))];
    const rows = cells.map((row) => row.toSpliced(COMPARISON_HEAD.indexOf('CURRENCY'), 1));
    const human = [...table(rows), '', KINDS.map((kind) => `${counts[kind]} ${kind.replaceAll('_', ' ')}`).join(', ')];
    const comparison = compared.map((one) => comparisonJson(one, owners));
    print(options, { from: first, to: last, ...counts, totals, comparison }, [...human, ...totals.flatMap(totalLines)]);
  }
  if (compared.some(({ kind }) => kind !== 'matched')) process.exitCode = 1;
}

async function compareFile(app: App, options: Options, settlement: Settlement, line: ProgressLine) {
  const ids = await environmentIdsOf(app, options);
  const file = await compareWithBooks(app, ids, options.method ?? null, settlement, line.say);
  return { file, owners: await listOwners(app, ids) };
}

/** Returns the environments that the options select. Throws `CommandError` for an unknown method or payment service. */
async function environmentIdsOf(app: App, options: Options): Promise<number[]> {
  if (options.method !== undefined) checkMethod(app, options.method);
  const ids = await listEnvironmentIds(
    app,
    options.environment ?? app.config.mode,
    options.paymentService ?? null,
    null,
  );
  if (options.paymentService !== undefined && ids.length === 0) throw unknownPaymentService(options.paymentService);
  return ids;
}

async function readBooks(app: App, options: Options, day: string, line: ProgressLine) {
  const ids = await environmentIdsOf(app, options);
  const scope = { environmentIds: ids, ...boundsOfDay(day), transactionId: 0 };
  const { lines, problems } = await reconcileEntries(app, scope, line.say);
  const owners = await listOwners(app, ids);
  if (options.method === undefined) return { lines, problems, owners };
  const account = methodReceivable(options.method);
  const ofMethod = ({ debit_account, credit_account }: BookedLine) =>
    debit_account === account || credit_account === account;
  const placeOf = ({ environment_id }: { environment_id: number }, entry: string) => `${environment_id}/${entry}`;
  const kept = lines.filter(ofMethod);
  const places = new Set(kept.map((one) => placeOf(one, entryName(one))));
  const found = problems.filter(
    (one) => one.payment_method === options.method || places.has(placeOf(one, one.entry ?? '')),
  );
  return { lines: kept, problems: found, owners };
}

async function printCsv(rows: readonly (readonly string[])[]): Promise<void> {
  const { writeCsv } = await import('../../lib/tables/write-csv.ts');
  process.stdout.write(writeCsv(rows, { separator: ',', lineEnd: '\n' }));
}

/** These columns are last, because scripts rely on the positions of the others. */
const OWNER_HEAD = ['PAYMENT SERVICE', 'PAYMENT SERVICE ID', 'ENVIRONMENT'];

type Owners = ReadonlyMap<number, Owner>;

function ownerCells(owners: Owners, of: { environment_id: number } | null): string[] {
  const owner = of === null ? undefined : owners.get(of.environment_id);
  return owner === undefined ? ['', '', ''] : [owner.name, owner.payment_service_id, owner.environment];
}

const LINE_HEAD = [
  'ENTRY',
  'WHEN (UTC)',
  'KIND',
  'TRANSACTION',
  'REFERENCE',
  'REFUND',
  'AUTHORISATION',
  'AMOUNT',
  'CURRENCY',
  'MOVEMENT',
  'WHEN (CHILE)',
  ...OWNER_HEAD,
];

/** Writes an amount: with its currency for a person, in digits alone for a CSV, which has a column of currencies. */
type WriteMoney = typeof formatMoney;

/** A person reads one time, the Chilean one, in the place of the other, and the currency with the amount. */
function forPerson(cells: readonly string[]): string[] {
  const [entry = '', , ...others] = cells;
  const [when = ''] = others.splice(LINE_HEAD.indexOf('WHEN (CHILE)') - 2, 1);
  return [entry, when, ...others.toSpliced(LINE_HEAD.indexOf('CURRENCY') - 2, 1)];
}

function lineCells(line: BookedLine, money: WriteMoney): string[] {
  return [
    `${line.environment_id}/${entryName(line)}`,
    timeText(line.created_at),
    line.kind,
    String(line.transaction_id ?? ''),
    referenceOf(line) ?? '',
    line.refund_id ?? '',
    keysOf(line).authorizationCode ?? '',
    money(signedAmount(line), line.currency),
    line.currency,
    line.movement_id ?? line.payout_id ?? '',
    time(line.created_at),
  ];
}

/** Returns the reference of the payment, movement or payout of the entry. */
function referenceOf(line: BookedLine): string | null {
  return line.reference ?? line.movement_reference ?? line.payout_reference;
}

function lineJson(line: BookedLine, owners: Owners) {
  return {
    entry: `${line.environment_id}/${entryName(line)}`,
    created_at: line.created_at,
    kind: line.kind,
    transaction_id: line.transaction_id,
    reference: referenceOf(line),
    refund_id: line.refund_id,
    movement_id: line.movement_id,
    payout_id: line.payout_id,
    authorization_code: keysOf(line).authorizationCode,
    amount: signedAmount(line),
    currency: line.currency,
    ...owners.get(line.environment_id),
  };
}

function problemCells(found: ReconciliationProblem): string[] {
  const { problem, entry, transaction_id, refund_id, movement_id, payout_id } = found;
  return [
    entry ?? '',
    '',
    problem,
    String(transaction_id ?? ''),
    '',
    refund_id ?? '',
    '',
    '',
    '',
    movement_id ?? payout_id ?? '',
    '',
  ];
}

/** Returns one sum per kind and currency, because payments and payouts must not be added up. */
function summaryOf(lines: readonly BookedLine[], problems: readonly ReconciliationProblem[]): string {
  const groups = Map.groupBy(lines, ({ kind, currency }) => `${kind} ${currency}`);
  const sums = [...groups.values()].map((group) => {
    const [{ kind, currency }] = group as [BookedLine];
    return `${kind.replaceAll('_', ' ')} ${formatMoney(addUp(group.map(signedAmount)), currency)}`;
  });
  const verdict = problems.length === 0 ? 'everything fits' : `${countOf(problems.length, 'does', 'do')} not fit`;
  return `${[countOf(lines.length, 'entry', 'entries'), ...sums].join(', ')}: ${verdict}.`;
}

const KINDS = ['matched', 'different', 'missing_in_settlement', 'missing_in_books'] as const;

/** Returns the sums of a currency and the causes of their difference. */
function totalLines({ currency, settled, booked, difference, causes }: SettlementTotal): string[] {
  const money = (amount: Sum) => formatMoney(amount, currency);
  const why = causes.map(({ cause, lines, amount }) => [`  ${CAUSES[cause]}`, String(lines), money(amount)]);
  return [
    '',
    ...table([
      ['File', money(settled)],
      ['Books', money(booked)],
      ['Difference', money(difference)],
    ]),
    ...table(why),
  ];
}

const CAUSES: Record<DifferenceCause, string> = {
  payment_missing_in_books: 'payments that the books do not have',
  refund_missing_in_books: 'refunds that the books do not have',
  repeated_in_settlement: 'lines that the file has again',
  payment_missing_in_settlement: 'payments that the file does not have',
  refund_missing_in_settlement: 'refunds that the file does not have',
  instalments_to_come: 'sales for which the file settles some instalments',
  other_amount: 'another amount',
  other_currency: 'another currency',
  other_date: 'another day',
  other_authorization_code: 'another authorisation code',
};

const COMPARISON_HEAD = [
  'RESULT',
  'LINE',
  'DATE',
  'BUY ORDER',
  'SETTLED',
  'BOOKED',
  'CURRENCY',
  'ENTRY',
  'DIFFERS',
  ...OWNER_HEAD,
];

function comparisonCells({ kind, row, line, differs }: Comparison, money: WriteMoney): string[] {
  const currency = row?.currency ?? line?.currency ?? '';
  return [
    kind,
    row === null ? '' : String(row.fileLine),
    row?.date ?? (line === null ? '' : dayOf(line.created_at)),
    row?.buyOrder ?? row?.authorizationCode ?? (line === null ? '' : (nameOf(line) ?? '')),
    row === null ? '' : money(row.amount, currency),
    line === null ? '' : money(signedAmount(line), line.currency),
    currency,
    line === null ? '' : `${line.environment_id}/${entryName(line)}`,
    differs.join(' '),
  ];
}

/** A row of a CSV has one currency: where the sides have two, each side has its own row. */
function inItsCurrency(cells: string[], { line, differs }: Comparison): string[][] {
  if (line === null || !differs.includes('currency')) return [cells];
  const at = (name: string) => COMPARISON_HEAD.indexOf(name);
  return [cells.with(at('BOOKED'), ''), cells.with(at('SETTLED'), '').with(at('CURRENCY'), line.currency)];
}

function comparisonJson({ kind, row, line, differs }: Comparison, owners: Owners) {
  return { kind, settled: row, booked: line === null ? null : lineJson(line, owners), differs };
}
