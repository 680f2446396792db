import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { DIFFERENCE_CAUSES, type DifferenceCause } from '../../books/explain-difference.ts';
import type { Owner } from '../../books/journal-queries.ts';
import { listOwners } from '../../books/list-books.ts';
import { readSum } from '../../lib/exact-sum.ts';
import { formatMoney } from '../../lib/money.ts';
import { acceptDifferences, showSettlement } from '../../movements/accept-difference.ts';
import { closeMonth, describeMonth, type MonthState } from '../../movements/close-month.ts';
import { keepSettlement } from '../../movements/keep-settlement.ts';
import { BOOKABLE_CAUSES, importCommandOf, type KeptSettlement, MOST_DIFFERENCES } from '../../movements/settlement.ts';
import { selectNewestComparison, selectSettlements } from '../../movements/settlement-queries.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { readWithEvidence } from '../evidence-option.ts';
import { checkMethod, environmentOption, readLimit, readReason } from '../options.ts';
import {
  alreadyDone,
  CommandError,
  countOf,
  invalidOption,
  listTable,
  missingOption,
  noteCut,
  notFound,
  print,
  time,
  unknownPaymentService,
  unusableFile,
} from '../print.ts';
import { progressLine } from '../progress-line.ts';
import { readSettlementFile } from '../settlement-file.ts';
import { type ActingOptions, acting, actOnWholeStore, withActor } from '../with-actor.ts';
import { withApp, withWholeStore } from '../with-app.ts';

/** `settlement keep | list | show | accept`, `month show | close`. */
export function addSettlementCommands(program: Command): void {
  const group = program
    .command('settlement')
    .description("keep acquirers' settlement files and their differences from the books");
  acting(group.command('keep'))
    .description('compare a file with the books and keep its differences until a person accepts them')
    .argument('<file>', 'CSV or .xlsx as the acquirer exports it')
    .addOption(environmentOption())
    .option('--payment-service <id>', 'only of this payment service')
    .option('--method <code>', 'payment method that collected', 'webpay')
    .option('--json', 'print one JSON object')
    .action(keep);
  group
    .command('list')
    .description('list the files, newest first, with their open differences')
    .option('--limit <number>', 'maximum number of rows', '100')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('show')
    .description('show a file and its differences')
    .argument('<id>', 'ID from `settlement list`')
    .option('--open', 'only open differences')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(show);
  acting(group.command('accept'))
    .description('accept open differences by cause, by line or by number; moves no money')
    .argument('<id>', 'ID from `settlement list`')
    .addOption(
      new Option('--cause <cause>', 'all open differences with this cause, as `settlement show` names it').choices(
        DIFFERENCE_CAUSES,
      ),
    )
    .option('--line <line>', 'open differences of this line of the file')
    .option('--number <number>', 'one difference, also one without a line in the file')
    .requiredOption('--reason <text>', 'reason; do not name people')
    .option('--json', 'print one JSON object')
    .action(accept);
  addMonthCommands(program);
}

function addMonthCommands(program: Command): void {
  const group = program.command('month').description('review and close a month of the books');
  group
    .command('show')
    .description('show what prevents closing the month, and what merchants were owed at its end')
    .argument('<month>', 'month, such as 2026-01')
    .addOption(environmentOption())
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(showMonth);
  acting(group.command('close'))
    .description('close the month: store what merchants were owed at its end; refused while anything is open')
    .argument('<month>', 'month, such as 2026-01')
    .addOption(environmentOption())
    .option('--json', 'print one JSON object')
    .action(close);
}

type KeepOptions = ActingOptions & {
  environment?: Environment;
  paymentService?: string;
  method: string;
};

async function keep(file: string, options: KeepOptions): Promise<void> {
  const { evidence, content } = readWithEvidence(file);
  const settlement = await readSettlementFile(content);
  const line = progressLine();
  const kept = await actOnWholeStore(options, (app, by) => {
    checkMethod(app, options.method);
    const { environment = app.config.mode, paymentService: paymentServiceId = null, method } = options;
    return keepSettlement(app, { environment, paymentServiceId, method }, settlement, { evidence, by }, line.say);
  }).finally(line.clear);
  if (kept.kind === 'unknown') throw unknownPaymentService(options.paymentService ?? '');
  if (kept.kind === 'empty') throw unusableFile(`${file} has no line to compare.`);
  if (kept.kind !== 'kept')
    throw unusableFile(`${file} differs in more than ${MOST_DIFFERENCES} lines: it is not the file of these books.`);
  print(options, kept, [
    `${kept.id}: ${countOf(kept.open, 'open difference')}: bin/rubrica settlement show ${kept.id}`,
  ]);
}

async function list(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const settlements = await withApp((app) => selectSettlements(app.db, limit));
  const rows = settlements.map((one) => ({
    ID: one.id,
    FILE: one.file_name,
    ENVIRONMENT: one.environment,
    METHOD: one.payment_method,
    FROM: one.first_day,
    TO: one.last_day,
    'COMPARED (CHILE)': time(one.kept_at),
    BY: one.kept_by,
    OPEN: String(one.open),
  }));
  print(options, { settlements }, listTable(rows, 'No file was compared yet.'));
  noteCut(options, rows.length, limit);
}

async function show(id: string, options: { open?: true; json?: boolean }): Promise<void> {
  const { newer, ...found } = await withApp(async (app) => {
    const kept = await showSettlement(app, id);
    if (kept === null) throw unknownSettlement(id);
    return { ...kept, newer: await newerComparison(app, kept.settlement) };
  });
  const open = found.differences.filter(({ accepted_at }) => accepted_at === null);
  const shown = options.open ? { ...found, differences: open } : found;
  const money = (amount: number | null, currency: string) => (amount === null ? '—' : formatMoney(amount, currency));
  const rows = shown.differences.map((one) => ({
    NUMBER: String(one.number),
    CAUSE: one.cause,
    LINE: String(one.file_line ?? '—'),
    DAY: one.day,
    'BUY ORDER': one.buy_order ?? '—',
    SETTLED: money(one.settled, one.currency),
    BOOKED: money(one.booked, one.currency),
    ENTRY: one.entry ?? '—',
    ACCEPTED: one.accepted_by === null ? '—' : `${one.accepted_by}: ${one.reason ?? ''}`,
  }));
  print(options, shown, [
    `${shown.settlement.file_name}: ${countOf(shown.settlement.matched, 'line fits', 'lines fit')}.`,
    ...(newer === null ? [] : [comparedAgain(newer)]),
    ...listTable(rows, options.open ? 'Nothing is open.' : 'Everything fits.'),
    ...(newer === null && open.some(({ cause }) => BOOKABLE_CAUSES.includes(cause))
      ? [
          '',
          'Missing payments, chargebacks and refunds that were not made here can be booked; then keep the same file again:',
          `  ${importCommandOf(found.settlement)}`,
        ]
      : []),
  ]);
}

type AcceptOptions = ActingOptions & {
  cause?: DifferenceCause;
  line?: string;
  number?: string;
  reason: string;
};

async function accept(id: string, options: AcceptOptions): Promise<void> {
  const { cause = null } = options;
  const [number, line] = [readNumber(options.number, '--number'), readNumber(options.line, '--line')];
  if (cause === null && number === null && line === null) {
    throw missingOption('Say what is accepted: --line, --number or --cause.');
  }
  const reason = readReason(options.reason);
  const wish = { settlementId: id, cause, number, line, reason };
  const accepted = await withActor(options, async (app, by) => {
    const count = await acceptDifferences(app, { ...wish, by });
    if (count > 0) return count;
    const settlement = (await showSettlement(app, id))?.settlement ?? null;
    if (settlement === null) throw unknownSettlement(id);
    const newer = await newerComparison(app, settlement);
    if (newer !== null) throw alreadyDone(comparedAgain(newer));
    throw alreadyDone(`Nothing of that is open in ${id}: bin/rubrica settlement show ${id}`);
  });
  print(options, { id, cause, number, line, accepted }, [
    accepted === 1 ? '1 difference is accepted.' : `${accepted} differences are accepted.`,
  ]);
}

/** Returns the id of the comparison that replaced this one, or null. */
async function newerComparison(app: App, settlement: KeptSettlement): Promise<string | null> {
  return settlement.replaced_at === null ? null : selectNewestComparison(app.db, settlement);
}

function comparedAgain(newer: string): string {
  return `The same file was compared again, and only that comparison counts: bin/rubrica settlement show ${newer}`;
}

function unknownSettlement(id: string): CommandError {
  return notFound(`There is no settlement ${id}: bin/rubrica settlement list`);
}

function readNumber(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,7}$/.test(text)) throw invalidOption(`${option} is a whole number.`);
  return Number(text);
}

type MonthOptions = ActingOptions & { environment?: Environment };

async function showMonth(month: string, options: MonthOptions): Promise<void> {
  const [state, owners] = await withWholeStore(async (app) => {
    const described = await describeMonth(app, month, options.environment ?? app.config.mode);
    if (described === null) throw invalidOption('A month is written as 2026-01.');
    return [
      described,
      await listOwners(
        app,
        described.owed.map((one) => one.environment_id),
      ),
    ] as const;
  });
  const ways = state.closed === null ? waysOn(state) : [];
  print(options, state, [...monthLines(state), ...ways, ...owedLines(state, owners)]);
}

async function close(month: string, options: MonthOptions): Promise<void> {
  const open = await actOnWholeStore(options, async (app, by) => {
    const environment = options.environment ?? app.config.mode;
    if ((await describeMonth(app, month, environment)) === null) throw invalidOption('A month is written as 2026-01.');
    return closeMonth(app, month, environment, by);
  });
  if (open?.closed) throw alreadyDone(`${month} was closed by ${open.closed.closed_by}.`);
  if (open?.hasBooks === false)
    throw invalidOption(
      `${month} is before the first payment service: there is nothing to close. Choose a later month.`,
    );
  if (open !== null) {
    const why = [`It cannot be closed yet. ${monthLines(open)[0] ?? ''}`, ...waysOn(open)];
    throw new CommandError(why.join('\n'), 1, 'MONTH_NOT_READY');
  }
  print(options, { month, closed: true }, [`${month} is closed.`]);
}

/** Returns the commands that list what stands against the close of a month. */
function waysOn({ unbooked, suspense, differences }: MonthState): string[] {
  return [
    ...(unbooked > 0 ? ['  without an entry: bin/rubrica books verify'] : []),
    ...(suspense > 0 ? ['  in suspense: bin/rubrica books suspense'] : []),
    ...(differences > 0 ? ['  not accepted: bin/rubrica settlement list'] : []),
  ];
}

function monthLines({
  month,
  closed,
  hasEnded,
  hasBooks,
  unbooked,
  suspense,
  differences,
  isAsClosed,
  clockWentBack,
}: MonthState): string[] {
  const state =
    closed === null
      ? hasEnded
        ? 'is open'
        : 'has not ended, or ended less than 10 minutes ago'
      : `was closed by ${closed.closed_by}`;
  const reasons = [
    unbooked > 0 && `${countOf(unbooked, 'fact')} without an entry`,
    suspense > 0 && `${suspense} in suspense`,
    differences > 0 && `${countOf(differences, 'difference')} not accepted`,
  ].filter((reason) => reason !== false);
  const open = reasons.join(', ');
  return [
    closed !== null || open === '' ? `${month} ${state}.` : `${month} ${state}: ${open}.`,
    ...(closed !== null && open !== '' ? [`Since then: ${open}.`] : []),
    ...(hasBooks ? [] : ['The first payment service was created later.']),
    ...(isAsClosed ? [] : ['The books no longer say what was closed: bin/rubrica books verify']),
    ...(clockWentBack ? ['The clock went back after the close: what was recorded since can be in this month.'] : []),
  ];
}

/** Returns a table of what each merchant was owed at the end of the month. */
function owedLines({ environment, owed }: MonthState, owners: ReadonlyMap<number, Owner>): string[] {
  const rows = owed.map((one) => ({
    'PAYMENT SERVICE': owners.get(one.environment_id)?.payment_service_id ?? '—',
    NAME: owners.get(one.environment_id)?.name ?? '—',
    ENVIRONMENT: environment,
    OWED: formatMoney(readSum(one.owed), one.currency),
  }));
  return listTable(rows, `At its end nothing was owed to any merchant in ${environment}.`);
}
