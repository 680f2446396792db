import type { Command } from 'commander';
import { whoEndedWebhook } from '../../audit/who-set-webhooks.ts';
import { findHeld } from '../../epochs/hold.ts';
import { replaceMisleading } from '../../lib/misleading-text.ts';
import type { Leased } from '../../lib/next-attempt.ts';
import type { ListedCallback } from '../../outbox/callback-list-queries.ts';
import { hasArrived, nextOfCallback } from '../../outbox/callback-state.ts';
import type { ListedAttempt, StoredCallback } from '../../outbox/delivery-attempt-queries.ts';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import { diagnoseCallback } from '../../outbox/endpoints/diagnose-endpoint.ts';
import { type FailingEndpoint, selectTroubled } from '../../outbox/endpoints/failing-endpoint-queries.ts';
import { findCallback, listCallbacks, resendCallback, resendCallbacks } from '../../outbox/resend-callback.ts';
import { type Destination, receiverOf } from '../../outbox/webhooks/find-subscribers.ts';
import { sayWebhook } from '../../outbox/webhooks/say-webhook.ts';
import { readLimit } from '../options.ts';
import {
  type CommandError,
  countOf,
  invalidOption,
  listTable,
  missingOption,
  nextText,
  noteCut,
  notFound,
  print,
  time,
} from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addFilterOptions, type FilterOptions, isFiltered, readFilter, readId } from './callback-filter.ts';
import { printDiagnosis } from './endpoint-commands.ts';

/** `callback list | endpoints | show | doctor | resend`. */
export function addCallbackCommands(program: Command): void {
  const group = program.command('callback').description('list, inspect and resend callbacks to merchants');
  addFilterOptions(group.command('list'))
    .description('list the newest callbacks and the result of their last attempt')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('endpoints')
    .description('list endpoints that fail or are gone: owner, since when, cause and waiting callbacks')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object')
    .action(endpoints);
  group
    .command('show')
    .description('show a callback: state, delivery attempts and responses')
    .argument('<id>', 'ID from `callback list`')
    .option('--body', 'print only the request body')
    .option('--json', 'print one JSON object')
    .action(show);
  group
    .command('doctor')
    .description('diagnose why a callback does not arrive, from the last responses, and how to fix it')
    .argument('<id>', 'ID from `callback list`')
    .option('--json', 'print one JSON object')
    .action(doctor);
  acting(addFilterOptions(group.command('resend')))
    .description('send a callback now, or all that wait or were given up, with the same bytes; enables their endpoints')
    .argument('[id]', 'ID from `callback list`')
    .option('--json', 'print one JSON object')
    .action(resend);
}

async function list(options: FilterOptions & { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const callbacks = await withApp(async (app) =>
    (await listCallbacks(app, await readFilter(app, options), limit)).map((one) => ({
      ...withNext(one, app.now()),
      cause: causeOf(one.url, one)?.cause ?? null,
    })),
  );
  const rows = callbacks.map((one) => ({
    ID: String(one.id),
    TRANSACTION: transactionIn(one),
    MERCHANT: one.name,
    STATE: one.state,
    ATTEMPTS: String(one.attempts),
    'LAST ANSWER': answerIn(one),
    'WHEN (CHILE)': one.state === 'queued' ? nextText(one, 'next ') : time(one.finished_at),
    // That the endpoint of an arrived callback fails by now does not concern the callback.
    'FAILS SINCE (CHILE)': hasArrived(one.state) ? '—' : time(one.failing_since),
    URL: urlIn(one.url, one),
  }));
  print(options, { callbacks }, listTable(rows, 'There is no such callback.'));
  noteCut(options, rows.length, limit);
}

/** Adds since when an attempt is under way: meanwhile the store has the end of its lease as the next attempt. */
function withNext<Waiting extends Leased>(waiting: Waiting, now: number) {
  return { ...waiting, ...nextOfCallback(waiting, now) };
}

/** Id 0: a post about a payout. */
function transactionIn({ transaction_id: id }: { transaction_id: number }): string {
  return id === 0 ? '—' : String(id);
}

function urlIn(url: string, of: Destination): string {
  const webhook = receiverOf(of);
  return webhook === null ? url : `${url} (${sayWebhook(webhook).en})`;
}

function answerIn({ status, failure, location }: Pick<ListedCallback, 'status' | 'failure' | 'location'>): string {
  if (failure !== null) return failure;
  if (status === null) return '—';
  return location === null ? String(status) : `${status} to ${location}`;
}

async function endpoints(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const found = await withApp(async (app) =>
    (await selectTroubled(app.db, limit)).map((one) => withNext(one, app.now())),
  );
  const listed = found.map((one) => ({ ...one, ...(causeOf(one.address, one) ?? { cause: null, fix: null }) }));
  const rows = found.map((one) => ({
    ENDPOINT: String(one.id),
    MERCHANT: `${one.name} (${one.payment_service})`,
    ENVIRONMENT: one.environment,
    'FAILS SINCE (CHILE)': time(one.failing_since ?? one.disabled_at),
    WAITING: String(one.waiting),
    'NEXT ATTEMPT (CHILE)': one.disabled_at === null ? nextText(one, '') : 'none: disabled',
    URL: urlIn(one.address, one),
  }));
  print(options, { endpoints: listed }, [
    ...listTable(rows, 'Every endpoint answers as it should.'),
    ...found.flatMap(causeLines),
  ]);
  noteCut(options, rows.length, limit);
}

function causeLines(endpoint: Pick<FailingEndpoint, 'id' | 'address' | 'status' | 'failure' | 'location'>): string[] {
  const found = causeOf(endpoint.address, endpoint);
  return found === null ? [] : ['', `endpoint ${endpoint.id}: ${found.cause}`, `  ${found.fix}`];
}

async function show(text: string, options: { body?: boolean; json?: boolean }): Promise<void> {
  const found = await withApp(async (app) => {
    const known = await findCallback(app, readId(text));
    const webhook = known?.callback.user_webhook ?? null;
    const isOver = webhook !== null && webhook.url === null;
    return (
      known && {
        ...known,
        callback: withNext(known.callback, app.now()),
        by: isOver ? await whoEndedWebhook(app, webhook.user_id, webhook.webhook) : null,
      }
    );
  });
  if (found === null) throw unknownCallback(text);
  const { callback, attempts, by } = found;
  if (options.body === true && options.json !== true) {
    process.stdout.write(callback.body);
    return;
  }
  const receiver = receiverOf(callback);
  const last = attempts.at(-1);
  const why = last === undefined ? null : causeOf(callback.url, last);
  const ended = by === null ? null : { action: by.action, by: by.who.name, at: by.at };
  print(options, { ...callback, webhook_ended: ended, cause: why?.cause ?? null, fix: why?.fix ?? null, attempts }, [
    `transaction  ${transactionIn(callback)}`,
    `merchant     ${callback.name} (${callback.payment_service}), ${callback.environment}`,
    `event        ${callback.webhook_id}`,
    ...(receiver === null ? [] : [`for          ${sayWebhook(receiver).en}`]),
    ...(by === null ? [] : [`ended        ${by.action} by ${by.who.name}, ${time(by.at)}`]),
    `URL          ${callback.url}`,
    ...(isElsewhere(callback) ? [`goes now to  ${receiver?.url}`] : []),
    `state        ${callback.state}, ${callback.state === 'queued' ? nextText(callback, 'next attempt ') : time(callback.finished_at)}`,
    ...explainState(callback),
    ...(why === null ? [] : [`cause        ${why.cause}`, `fix          ${why.fix}`]),
    `attempts     ${attempts.length}`,
    ...attempts.flatMap(attemptLines),
  ]);
}

async function doctor(text: string, options: { json?: boolean }): Promise<void> {
  const diagnosis = await withApp((app) => diagnoseCallback(app, readId(text), 'en', time));
  if (diagnosis === null) throw unknownCallback(text);
  printDiagnosis(options, diagnosis);
}

/** Returns whether the next attempt of a post goes to another URL than the last one did. */
function isElsewhere(callback: StoredCallback & Destination): boolean {
  const url = receiverOf(callback)?.url ?? null;
  return url !== null && url !== callback.url && callback.state !== 'delivered';
}

function explainState({ state, failing_since, returned_at }: StoredCallback): string[] {
  const lines: string[] = [];
  if (failing_since !== null) lines.push(`endpoint     fails since ${time(failing_since)}`);
  if (returned_at !== null) lines.push(`browser      had the same result to bring to the shop, ${time(returned_at)}`);
  if (state === 'redirected')
    lines.push('meaning      the shop handled it and redirected to a page: it is not repeated');
  if (state === 'superseded')
    lines.push(
      'meaning      the shop refused it, and probably has it from the browser: act only if the shop lacks this result',
    );
  return lines;
}

function attemptLines({ started_at, duration_ms, status, failure, location, excerpt }: ListedAttempt): string[] {
  const answer = failure ?? `answered ${status}${location === null ? '' : ` to ${location}`}`;
  const said = (excerpt ?? '').slice(0, 500).trimEnd();
  return [
    '',
    `${time(started_at)}  ${answer}, after ${duration_ms} ms`,
    ...(said === '' ? [] : said.split(/\r\n?|\n/).map(answerLine)),
  ];
}

/** Returns a line of what a shop answered. It stays within its place, whatever its characters tell a terminal. */
function answerLine(text: string): string {
  return `    ${replaceMisleading(text.replaceAll('\t', ' '), '\uFFFD')}`;
}

type ResendOptions = FilterOptions & ActingOptions;

async function resend(text: string | undefined, options: ResendOptions): Promise<void> {
  if (text === undefined && !isFiltered(options))
    throw missingOption('Say either an ID or which ones, such as --state dead or --endpoint URL.');
  if (text !== undefined && isFiltered(options)) throw invalidOption('Say either an ID or which ones, not both.');
  if (text === undefined) return resendAll(options);
  const id = readId(text);
  const { state, held } = await withActor(options, async (app, by) => ({
    state: await resendCallback(app, id, by),
    held: await findHeld(app),
  }));
  if (state === null) throw unknownCallback(text);
  if (state === 'unwanted')
    throw invalidOption(
      `Callback ${id} is for a user's webhook that gets nothing now, or an events URL that was removed, so it is not sent: bin/rubrica callback show ${id}`,
    );
  print(options, { id, state }, [
    state === 'queued'
      ? `Callback ${id} is due now; ${held === null ? 'the service sends it within a second, or when it starts.' : HELD}`
      : `Callback ${id} is on its way at this moment: bin/rubrica callback show ${id}`,
  ]);
}

async function resendAll(options: ResendOptions): Promise<void> {
  const { resent, held } = await withActor(options, async (app, by) => {
    const filter = await readFilter(app, options);
    const onProgress = (sofar: number) => void process.stderr.write(`${sofar} queued\n`);
    return { ...(await resendCallbacks(app, filter, by, { onProgress })), held: await findHeld(app) };
  });
  const leave = held === null ? 'the service sends them when it runs, four at a time to each endpoint.' : HELD;
  print(options, { resent }, [
    resent === 0
      ? 'There was nothing to send again.'
      : `${countOf(resent, 'callback is', 'callbacks are')} due now; ${leave}`,
  ]);
}

const HELD = 'the store was restored, so nothing leaves before bin/rubrica release.';

function unknownCallback(text: string): CommandError {
  return notFound(`There is no callback ${text}: bin/rubrica callback list`);
}
