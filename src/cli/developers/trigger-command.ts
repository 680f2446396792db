import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, type Command } from 'commander';
import type { Field } from '../../../protocol/field.ts';
import { readJsonFields } from '../../../protocol/read-json-fields.ts';
import { checkRequestFields } from '../../../protocol/signing-rules.ts';
import { createFromRequest } from '../../api/transactions/post-trxs.ts';
import { inputOf, throwIfAny } from '../../api/transactions/read-signed-request.ts';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { cancelTransaction } from '../../checkout/cancel-transaction.ts';
import { payUrl } from '../../checkout/pay-link.ts';
import { formatMoney } from '../../lib/money.ts';
import { parseObject } from '../../lib/parse-object.ts';
import { allowsPrivate } from '../../payment-services/callback-address.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import { loadEnvironment } from '../../payment-services/find-environment.ts';
import { listPaymentServices } from '../../payment-services/list-payment-services.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { createRefund } from '../../refunds/create-refund.ts';
import { findRefund } from '../../refunds/find-refund.ts';
import { expireTransaction } from '../../transactions/expire-transactions.ts';
import type { Transaction, TransactionKey } from '../../transactions/transaction.ts';
import { selectTransaction } from '../../transactions/transaction-queries.ts';
import { DECIDING_AMOUNTS, paySimulated } from '../../travel/pay-simulated.ts';
import { readAmount, readNamedFile, readStdin } from '../options.ts';
import { CommandError, invalidOption, missingOption, notFound, print } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { findOwnDevelopment } from './own-development.ts';

/** The events of the feed, and the words that shops use for them. */
const EVENTS = {
  'transaction.completed': 'transaction.completed',
  'transaction.failed': 'transaction.failed',
  'transaction.cancelled': 'transaction.cancelled',
  'transaction.expired': 'transaction.expired',
  'refund.completed': 'refund.completed',
  'refund.failed': 'refund.failed',
  'payment.completed': 'transaction.completed',
  'payment.declined': 'transaction.failed',
  'payment.cancelled': 'transaction.cancelled',
  'payment.expired': 'transaction.expired',
} as const;

type EventName = keyof typeof EVENTS;
type FeedEvent = (typeof EVENTS)[EventName];

/** `trigger`. */
export function addTriggerCommand(program: Command): void {
  acting(program.command('trigger'))
    .description('make a test payment with the outcome you choose, and notify your shop of it')
    .addArgument(new Argument('<event>', 'outcome').choices(Object.keys(EVENTS)))
    .option('--amount <amount>', 'amount: CLP such as 12990, without points; USD such as 10.55')
    .option('--reference <text>', 'reference of the order (default: a new one)')
    .option('--body <file>', 'fields of POST /trxs as JSON: a file, - for standard input, or the JSON itself')
    .option('--payment-service <id>', 'payment service (default: the owner of x_account_id in --body, or the only one)')
    .option('--json', 'print one JSON object')
    .action(trigger);
}

type TriggerOptions = ActingOptions & {
  amount?: string;
  reference?: string;
  body?: string;
  paymentService?: string;
};

async function trigger(name: EventName, options: TriggerOptions): Promise<void> {
  const body = options.body === undefined ? [] : await readBody(options.body);
  await withActor(options, async (app, by) => {
    const environment = await findOwnDevelopment(app, options.paymentService ?? (await namedIn(app, body)));
    refuseElsewhere(environment);
    await refuseDisabled(app, environment);
    const event = EVENTS[name];
    const created = await create(app, environment, event, fieldsOf(app, environment, body, options));
    const refund = await END[event](app, created, by);
    const transaction = await reread(app, created);
    const became = refund === null ? `transaction.${transaction.state}` : `refund.${refund.state}`;
    if (became !== event) throw new CommandError(whyNot(became, transaction));
    const { id, reference, amount, currency, state, url_callback } = transaction;
    const money = formatMoney(amount, currency);
    const value = {
      event,
      transaction: id,
      reference,
      state,
      refund: refund?.id ?? null,
      pay_url: payUrl(app, created),
    };
    print(options, value, [
      `${event}: transaction ${id}, reference ${reference}, ${money}${refund === null ? '' : `, refund ${refund.id}`}.`,
      `A running service posts the callback to ${url_callback}, or bin/rubrica listen brings it to your laptop.`,
      `Its timeline: bin/rubrica transaction show ${id}`,
    ]);
  });
}

/**
 * Returns the payment service of the Service Token in a body; undefined without `x_account_id`. Throws `CommandError`
 * for an unknown one.
 */
async function namedIn(app: App, body: readonly Field[]): Promise<string | undefined> {
  const token = body.find(({ name }) => name === 'x_account_id');
  if (token === undefined) return undefined;
  const services = await listPaymentServices(app);
  const owner = services.find(({ tokens }) => tokens.some(({ service_token }) => service_token === token.text));
  if (token.kind === 'string' && owner !== undefined) return owner.id;
  const named = services.slice(0, 10).flatMap(({ name, tokens }) => {
    const own = tokens.find(({ environment }) => environment === 'development')?.service_token;
    return own === undefined ? [] : [`${own} (${name})`];
  });
  const known = named.length === 0 ? '' : ` The store has ${named.join(', ')}${services.length > 10 ? ' …' : ''}.`;
  throw notFound(
    `x_account_id of --body is not a Service Token of this store.${known} Write one of them, leave x_account_id out, or name the payment service with --payment-service ID: bin/rubrica payment-service list`,
  );
}

/** Throws `CommandError` for a disabled payment service: a request of its shop would be refused. */
async function refuseDisabled(app: App, environment: ServiceEnvironment): Promise<void> {
  if ((await loadEnvironment(app, environment.serviceToken)) !== null) return;
  const { paymentServiceId: id, paymentServiceName: name } = environment;
  throw new CommandError(
    `${name} is disabled, so a request of its shop would be refused: bin/rubrica payment-service enable ${id}`,
  );
}

/** Reads the fields as a shop's request has them: a long number keeps all its digits. */
async function readBody(text: string): Promise<Field[]> {
  const json = /^\s*[{[]/.test(text)
    ? text
    : text === '-'
      ? String(await readStdin())
      : readNamedFile(text).toString('utf8');
  if (parseObject(json) !== null) return readJsonFields(Buffer.from(json));
  throw invalidOption(
    '--body is a JSON object of fields, such as {"x_url_callback":"http://127.0.0.1:9000/callback"}.',
  );
}

/** Returns the fields that a shop would sign. Options override the body. The pages are where its callbacks go. */
function fieldsOf(
  app: App,
  environment: ServiceEnvironment,
  body: readonly Field[],
  { amount, reference }: TriggerOptions,
): Field[] {
  const written = new Map(body.map((field) => [field.name, field]));
  const callback = written.get('x_url_callback')?.text;
  const isLocal = allowsPrivate(app, 'development');
  if (callback === undefined && !isLocal) throw missingOption(NO_CALLBACK_URL);
  const origin = URL.parse(callback ?? '')?.origin ?? '';
  // A wrong URL of callbacks is one error: the pages do not share it.
  const isUsable = origin.startsWith('https:') || (isLocal && origin.startsWith('http:'));
  const shop = isUsable ? origin : `${isLocal ? 'http' : 'https'}://127.0.0.1:9000`;
  const added = {
    x_amount: '12990',
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: `TRIGGER-${app.now()}`,
    // The same in each run: a repeated reference shall differ only in what its user wrote.
    x_session_id: 'trigger',
    x_shop_country: 'CL',
    x_url_callback: `${shop}/callback`,
    x_url_cancel: `${shop}/cancel`,
    x_url_complete: `${shop}/complete`,
  };
  if (amount !== undefined) readAmount(amount, written.get('x_currency')?.text ?? added.x_currency);
  const chosen = {
    x_account_id: environment.serviceToken,
    ...(amount !== undefined && { x_amount: amount }),
    ...(reference !== undefined && { x_reference: reference }),
  };
  const fields = new Map([...asFields(added), ...written, ...asFields(chosen)]);
  return [...fields.values()];
}

function asFields(texts: Record<string, string>): [string, Field][] {
  return Object.entries(texts).map(([name, text]) => [name, { name, kind: 'string', text }]);
}

const NO_CALLBACK_URL = `This service calls no private address. Say where your shop takes callbacks: --body '{"x_url_callback":"https://shop.example.cl/callback"}'`;

/**
 * Creates a transaction as a shop does, without a signature, because the store is one's own. A transaction that shall
 * expire has a time limit of zero.
 */
async function create(
  app: App,
  environment: ServiceEnvironment,
  event: FeedEvent,
  fields: readonly Field[],
): Promise<Transaction> {
  const { problems, values, objects } = checkRequestFields(fields);
  throwIfAny(problems);
  const shortLived = { ...app, config: { ...app.config, transactionMinutes: 0 } };
  const request = { environment, values, objects };
  if (event === 'refund.failed') checkDeclinedRefund(inputOf(app, request));
  const { transaction } = await createFromRequest(event === 'transaction.expired' ? shortLived : app, request);
  return reread(app, transaction);
}

/** The method declines by the amount of the refund, so a smaller payment cannot have this outcome. */
function checkDeclinedRefund({ amount, currency }: Pick<Transaction, 'amount' | 'currency'>): void {
  if (amount >= DECIDING_AMOUNTS.declined) return;
  const refunded = formatMoney(DECIDING_AMOUNTS.declined, currency);
  const said = `refund.failed refunds ${refunded}, which the method declines: send an amount of at least that.`;
  throw new CommandError(said, 1, 'INVALID_AMOUNT');
}

async function reread(app: App, key: TransactionKey): Promise<Transaction> {
  const transaction = await selectTransaction(app.db, key);
  if (transaction === null) throw new Error('A transaction is gone');
  return transaction;
}

type Ended = { id: string; state: string } | null;

/** For each event, a function that brings the transaction there. It returns the refund; null without one. */
const END: Record<FeedEvent, (app: App, transaction: Transaction, by: Actor) => Promise<Ended>> = {
  'transaction.completed': (app, transaction) => pay(app, transaction, 'approved'),
  'transaction.failed': async (app, transaction) => {
    await pay(app, transaction, 'declined');
    // The payer gives up, unless the decline has already ended the transaction.
    if ((await reread(app, transaction)).state === 'pending') await cancelTransaction(app, transaction);
    return null;
  },
  'transaction.cancelled': async (app, transaction) => {
    await cancelTransaction(app, transaction);
    return null;
  },
  'transaction.expired': async (app, transaction) => {
    await expireTransaction(app, transaction);
    return null;
  },
  'refund.completed': (app, transaction, by) => payAndRefund(app, transaction, { amount: null, type: 'total' }, by),
  'refund.failed': (app, transaction, by) => payAndRefund(app, transaction, DECLINED_REFUND, by),
};

const DECLINED_REFUND = { amount: DECIDING_AMOUNTS.declined, type: 'parcial' } as const;

async function pay(app: App, transaction: Transaction, end: 'approved' | 'declined'): Promise<null> {
  await paySimulated(app, transaction, 'simulated', DECIDING_AMOUNTS[end]);
  return null;
}

async function payAndRefund(
  app: App,
  transaction: Transaction,
  wish: { amount: number | null; type: 'total' | 'parcial' },
  by: Actor,
): Promise<Ended> {
  await pay(app, transaction, 'approved');
  const creation = await createRefund(app, await reread(app, transaction), { ...wish, idempotencyKey: null, by });
  if (creation.kind === 'refused')
    throw new CommandError(`The refund was refused: ${creation.refusal.code}.`, 1, creation.refusal.code);
  return whenEnded(app, transaction, creation.refund.id);
}

const CARRIED_OUT_WITHIN_MS = 10_000;

/**
 * Waits until the worker of a running service has carried out the refund, 10 seconds at most. Only the worker sends
 * refunds.
 */
async function whenEnded(app: App, transaction: TransactionKey, id: string): Promise<Ended> {
  const until = app.now() + CARRIED_OUT_WITHIN_MS;
  for (;;) {
    const refund = await findRefund(app, transaction, id);
    if (refund !== null && (refund.state !== 'processing' || app.now() > until)) return refund;
    await sleep(100);
  }
}

function whyNot(became: string, { id, amount, currency }: Transaction): string {
  if (became === 'refund.processing')
    return `The refund of transaction ${id} was accepted, and waits for a running service to carry it out: bin/rubrica serve`;
  const why = became.startsWith('refund.')
    ? 'The amount of a refund decides how it ends, see docs/sandbox.md.'
    : 'The reference has a transaction that has ended: another one makes a new transaction.';
  return `It became ${became}: transaction ${id} of ${formatMoney(amount, currency)}. ${why}`;
}
