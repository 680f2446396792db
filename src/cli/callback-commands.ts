import { type Command, Option } from 'commander';
import { boundsOfDay, isDay } from '../lib/calendar-day.ts';
import type { CallbackState } from '../outbox/callback-state.ts';
import type { ListedAttempt } from '../outbox/delivery-attempt-queries.ts';
import { findCallback, listCallbacks, resendCallback, resendCallbacks } from '../outbox/resend-callback.ts';
import { listPaymentServices } from '../payment-services/list-payment-services.ts';
import { readLimit } from './options.ts';
import {
  type CommandError,
  invalidOption,
  missingOption,
  notFound,
  print,
  table,
  time,
  unknownPaymentService,
} from './print.ts';
import { withApp } from './with-app.ts';

/** `callback list | show | resend`. */
export function addCallbackCommands(program: Command): void {
  const group = program.command('callback').description('what is sent to merchants');
  group
    .command('list')
    .description('the newest callbacks and the outcome of their last attempt')
    .addOption(new Option('--state <state>', 'only these').choices(['queued', 'delivered', 'dead', 'disabled']))
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('show')
    .description('one callback: its state, every attempt to deliver it, and what the server answered')
    .argument('<id>', 'the ID of callback list')
    .option('--body', 'print the bytes that are sent, and nothing else')
    .option('--json', 'print one JSON object')
    .action(show);
  group
    .command('resend')
    .description('send one again, or all that were given up, with the same bytes; enables their endpoints')
    .argument('[id]', 'the ID of callback list')
    .addOption(new Option('--state <state>', 'all of these').choices(['dead', 'disabled']))
    .option('--payment-service <id>', 'with --state: only those of this one')
    .option('--since <date>', 'with --state: only those made on or after a day of Chile, such as 2026-01-15')
    .option('--json', 'print one JSON object')
    .action(resend);
}

async function list(options: { state?: CallbackState; limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const callbacks = await withApp((app) => listCallbacks(app, options.state ?? null, limit));
  const rows = callbacks.map((one) => [
    String(one.id),
    String(one.transaction_id),
    one.state,
    String(one.attempts),
    one.failure ?? (one.status === null ? '—' : String(one.status)),
    one.state === 'queued' ? `next ${time(one.next_attempt_at)}` : time(one.finished_at),
    one.url,
  ]);
  const head = ['ID', 'TRANSACTION', 'STATE', 'ATTEMPTS', 'LAST ANSWER', 'WHEN (UTC)', 'URL'];
  print(options, { callbacks }, rows.length === 0 ? ['No callback yet.'] : table([head, ...rows]));
}

async function show(text: string, options: { body?: boolean; json?: boolean }): Promise<void> {
  const found = await withApp((app) => findCallback(app, readId(text)));
  if (found === null) throw unknownCallback(text);
  const { callback, attempts } = found;
  if (options.body === true && options.json !== true) {
    process.stdout.write(callback.body);
    return;
  }
  print(options, { ...callback, attempts }, [
    `transaction  ${callback.transaction_id}`,
    `event        ${callback.webhook_id}`,
    `URL          ${callback.url}`,
    `state        ${callback.state}, ${callback.state === 'queued' ? `next attempt ${time(callback.next_attempt_at)}` : time(callback.finished_at)} UTC`,
    `attempts     ${attempts.length}`,
    ...attempts.flatMap(attemptLines),
  ]);
}

function attemptLines({ started_at, duration_ms, status, failure, excerpt }: ListedAttempt): string[] {
  return [
    '',
    `${time(started_at)}  ${failure ?? `answered ${status}`}, after ${duration_ms} ms`,
    ...(excerpt === null || excerpt === '' ? [] : [`    ${excerpt.slice(0, 500).replaceAll('\n', '\n    ')}`]),
  ];
}

type ResendOptions = { state?: 'dead' | 'disabled'; paymentService?: string; since?: string; json?: boolean };

async function resend(text: string | undefined, options: ResendOptions): Promise<void> {
  const { state, paymentService, since } = options;
  if (text === undefined && state === undefined) throw missingOption('Say either an ID or --state dead.');
  if (text !== undefined && state !== undefined) throw invalidOption('Say either an ID or --state, not both.');
  if (state !== undefined) return resendAll({ ...options, state });
  if (paymentService !== undefined || since !== undefined)
    throw invalidOption('--payment-service and --since go with --state, not with an ID.');
  const id = readId(text as string);
  if (!(await withApp((app) => resendCallback(app, id)))) throw unknownCallback(text as string);
  print(options, { id, state: 'queued' }, [`Callback ${id} is queued; the running service sends it within a second.`]);
}

async function resendAll(options: ResendOptions & { state: 'dead' | 'disabled' }): Promise<void> {
  const { state, paymentService = '', since } = options;
  if (since !== undefined && !isDay(since)) throw invalidOption('--since is a day such as 2026-01-15.');
  const filter = { state, paymentServiceId: paymentService, since: since === undefined ? 0 : boundsOfDay(since).from };
  const resent = await withApp(async (app) => {
    const known = paymentService === '' || (await listPaymentServices(app)).some(({ id }) => id === paymentService);
    if (!known) throw unknownPaymentService(paymentService);
    return resendCallbacks(app, filter, (sofar) => process.stderr.write(`${sofar} queued\n`));
  });
  print(options, { resent }, [
    resent === 0
      ? 'There was nothing to send again.'
      : `${resent} callbacks are queued; the running service sends them.`,
  ]);
}

/** 0 for what is no id: no callback has it. */
function readId(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function unknownCallback(text: string): CommandError {
  return notFound(`There is no callback ${text}: bin/rubrica callback list`);
}
