import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { formatMoney } from '../../lib/money.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { type Environment } from '../../payment-services/payment-service.ts';
import { findPayments, type PaymentPage } from '../../search/find-payments.ts';
import { type FoundPayment, NO_FILTER, type PaymentFilter } from '../../search/payment-filter.ts';
import { searchWithParts } from '../../search/search-payments.ts';
import { type ShownPayment, sayFact, showPayment, type TimelineLine } from '../../search/show-payment.ts';
import { TRANSACTION_STATES, type TransactionState } from '../../transactions/transaction-state.ts';
import {
  checkPaymentService,
  environmentOption,
  readAmount,
  readLimit,
  readTime,
  refuseEmpty,
  TIMES,
} from '../options.ts';
import { chileanTimes, invalidOption, inWords, listTable, noteCut, print, time, unknownTransaction } from '../print.ts';
import { withApp } from '../with-app.ts';

type ListOptions = {
  reference?: string;
  referencePart?: string;
  email?: string;
  authorizationCode?: string;
  card?: string;
  amount?: string;
  currency?: string;
  state?: TransactionState;
  paymentService?: string;
  environment?: Environment;
  since?: string;
  until?: string;
  limit: string;
  json?: boolean;
};

/** `transaction find | list | show`. */
export function addTransactionCommands(program: Command): void {
  const group = program.command('transaction').description('find payments and show what happened to them');
  group
    .command('find')
    .description(
      'find payments by a reference or part of it, an e-mail, an amount, an authorisation code, the last four digits of a card or an ID',
    )
    .argument(
      '<text>',
      "such as ORD-1, buyer@example.cl, '$12.990', 123456, 6623, rf_…, pa_… (the buy order at Webpay)",
    )
    .option('--limit <number>', 'maximum number of rows', '20')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(find);
  group
    .command('list')
    .description('list the newest payments that match all filters')
    .option('--reference <text>', 'x_reference, exactly')
    .option('--reference-part <text>', 'part of x_reference, ignoring case')
    .option('--email <address>', 'e-mail of the payer')
    .option('--authorization-code <code>', 'authorisation code of the payment method')
    .option('--card <digits>', 'last four digits of the card that paid')
    .option('--amount <amount>', 'amount: CLP such as 12990, without points; USD such as 10.55')
    .option('--currency <code>', 'currency of --amount (default: CLP)')
    .addOption(new Option('--state <state>', 'only in this state').choices(TRANSACTION_STATES))
    .option('--payment-service <id>', 'only of this payment service')
    .addOption(environmentOption('only of this environment'))
    .option('--since <time>', `created at or after ${TIMES}`)
    .option('--until <time>', 'created before this time, or on or before this day')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
  group
    .command('show')
    .description('show a payment and its timeline')
    .argument('<id>', 'idTrx')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(show);
}

async function find(text: string, options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const { payments, complete, isAll, part } = await withApp((app) => searchWithParts(app, text, null, limit));
  const rows = payments.map((payment) => ({ ...cellsOf(payment), 'FOUND BY': inWords(payment.found_by) }));
  printList(options, { payments, complete }, rows, limit, BY_DAY);
  if (!isAll) process.stderr.write(`${ofNewest(part)}\n`);
}

/** Says that only the newest payments were searched, and how to search all. */
function ofNewest(part: string): string {
  const all = `bin/rubrica transaction list --reference-part ${shellWord(part)}`;
  const more = /^\d{4}$/.test(part) ? `, and for a card: bin/rubrica transaction list --card ${part}` : '';
  return `A part of a reference${more === '' ? '' : ', or of a card number,'} is looked for among the newest payments; for all: ${all}${more}`;
}

async function list(options: ListOptions): Promise<void> {
  const limit = readLimit(options.limit);
  refuseEmpty(options);
  const filter = readFilter(options);
  const page = await withApp(async (app) => {
    await checkPaymentService(app, options.paymentService);
    return findAll(app, filter, limit);
  });
  printList(options, page, page.payments.map(cellsOf), limit, ...hintsFor(options));
}

/** A person who knows only the number of an order gives it as the whole reference. */
function hintsFor({ reference }: ListOptions): string[] {
  if (reference === undefined) return [];
  return [`For a part of a reference: bin/rubrica transaction list --reference-part ${shellWord(reference)}`];
}

/**
 * Reads several pages if needed: a page examines a limited number of payments, and few of them may match the filter.
 */
async function findAll(app: App, filter: PaymentFilter, limit: number): Promise<Omit<PaymentPage, 'next'>> {
  const payments: FoundPayment[] = [];
  let complete = true;
  let after: string | null = null;
  do {
    const page: PaymentPage = await findPayments(app, {
      filter,
      environmentIds: null,
      after,
      limit: limit - payments.length,
    });
    payments.push(...page.payments);
    complete = complete && page.complete;
    after = page.next;
  } while (after !== null && payments.length < limit);
  return { payments, complete };
}

/** Narrow, for a terminal: `transaction show` and `--json` have the method and the authorisation code too. */
function cellsOf(payment: FoundPayment) {
  const { id, reference, amount, currency, state, refunded, created_at } = payment;
  return {
    ID: String(id),
    REFERENCE: reference,
    AMOUNT: formatMoney(amount, currency),
    STATE: refunded === 0 ? state : `${state}, ${formatMoney(refunded, currency)} refunded`,
    'CREATED (CHILE)': time(created_at),
    'E-MAIL': payment.customer_email,
    CARD: payment.card_last_digits === null ? '—' : `…${payment.card_last_digits}`,
    MERCHANT: `${payment.name}${payment.environment === 'development' ? ' (development)' : ''}`,
  };
}

const BY_DAY =
  'With the amount and the day: bin/rubrica transaction list --amount 12990 --since 2026-01-15 --until 2026-01-15';

const INCOMPLETE =
  'Payments are missing in the index yet, of any age after an upgrade: run serve, and ask again in a minute or later.';

function printList(
  options: { json?: boolean },
  found: Omit<PaymentPage, 'next'>,
  rows: ReturnType<typeof cellsOf>[],
  limit: number,
  ...hint: string[]
): void {
  print(options, found, listTable(rows, 'There is no such payment.', ...hint));
  noteCut(options, rows.length, limit);
  if (!found.complete) process.stderr.write(`${INCOMPLETE}\n`);
}

function readFilter(options: ListOptions): PaymentFilter {
  const { amount, currency, since, until } = options;
  if (amount === undefined && currency !== undefined) throw invalidOption('--currency goes with --amount.');
  const of = currency ?? 'CLP';
  return {
    ...NO_FILTER,
    reference: options.reference ?? null,
    referencePart: options.referencePart ?? null,
    email: options.email ?? null,
    authorizationCode: options.authorizationCode ?? null,
    cardDigits: options.card === undefined ? null : readCardDigits(options.card),
    amount: amount === undefined ? null : { amount: readAmount(amount, of), currency: of },
    state: options.state ?? null,
    paymentService: options.paymentService ?? null,
    environment: options.environment ?? null,
    since: since === undefined ? null : readTime('--since', since).from,
    until: until === undefined ? null : readTime('--until', until).to,
  };
}

/** Reads the last four digits as a bank or a receipt shows them: `6623`, `•••• 6623`. */
function readCardDigits(text: string): string {
  const digits = text.replace(/\D/g, '');
  if (digits.length === 4) return digits;
  throw invalidOption('--card is the last four digits, such as 6623: never the whole number of a card.');
}

async function show(id: string, options: { json?: boolean }): Promise<void> {
  const shown = await withApp((app) => showPayment(app, id, null));
  if (shown === null) throw unknownTransaction(id);
  const { payment, timeline } = shown;
  print(options, { payment, request: requestOf(shown), timeline }, [...headOf(shown), '', ...linesOf(shown)]);
}

function requestOf({ transaction }: ShownPayment) {
  const { session_id, shop_country, url_callback, url_cancel, url_complete, expires_at } = transaction;
  return { session_id, shop_country, url_callback, url_cancel, url_complete, expires_at };
}

function headOf({ payment, transaction }: ShownPayment): string[] {
  const { amount, currency, refunded, fee } = payment;
  const money = [
    formatMoney(amount, currency),
    ...(refunded === 0 ? [] : [`${formatMoney(refunded, currency)} refunded`]),
    ...(fee === 0 ? [] : [`fee ${formatMoney(fee, currency)}`]),
  ];
  return [
    `transaction  ${payment.id}, ${payment.state}${payment.state === 'pending' ? `, payable until ${time(transaction.expires_at)}` : ''}`,
    `amount       ${money.join(', ')}`,
    `reference    ${payment.reference}`,
    `payer        ${payment.customer_email}`,
    `method       ${payment.payment_method ?? '—'}${payment.authorization_code === null ? '' : `, authorisation code ${payment.authorization_code}`}${payment.card_last_digits === null ? '' : `, card …${payment.card_last_digits}`}`,
    `merchant     ${payment.name} (${payment.payment_service}), ${payment.environment}`,
    `callback to  ${transaction.url_callback}`,
  ];
}

/** `2026-01-15 09:01:30 -03:00  attempt approved  $12.990 CLP  by …  authorization code 123456`. */
function linesOf({ payment, timeline }: ShownPayment): string[] {
  const width = Math.max(...timeline.map(({ kind, what }) => kind.length + what.length + 1));
  return timeline.map((line) =>
    [time(line.at), `${line.kind} ${line.what}`.padEnd(width), ...detailsOf(line, payment.currency)]
      .join('  ')
      .trimEnd(),
  );
}

const MOST_OF_A_FACT = 120;

function detailsOf({ what, amount, by, facts }: TimelineLine, currency: string): string[] {
  const said = Object.entries(facts)
    // `what` has the failure or the status already, and an empty answer says nothing.
    .filter(([, fact]) => fact !== '' && fact !== what && what !== `answered ${sayFact(fact)}`)
    .map(([name, fact]) => {
      const text = chileanTimes(sayFact(fact)).replace(/\s+/g, ' ').slice(0, MOST_OF_A_FACT);
      return name === 'duration_ms' ? `after ${text} ms` : `${inWords(name)} ${text}`;
    });
  return [
    ...(amount === null ? [] : [formatMoney(amount, currency)]),
    ...(by === null ? [] : [`by ${by}`]),
    said.join(', '),
  ];
}
