import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { environmentVariable } from '../config.ts';
import { Problem } from '../error-catalogue.ts';
import { systemClock } from '../lib/clock.ts';
import { createSafeFetch, type FetchOutcome, type SafeFetch } from '../lib/safe-fetch.ts';
import { causeOf } from '../outbox/answer-cause.ts';
import type { ClaimedPost } from '../outbox/callback-listener.ts';
import { type CallbackFeed, openOwnFeed, openRemoteFeed, type Reported, ServiceAway } from './callback-feed.ts';
import { invalidOption } from './print.ts';
import { readSecret, type SecretOptions } from './secret-option.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';

/** `listen`. */
export function addListenCommand(program: Command): void {
  acting(program.command('listen'))
    .description('takes the callbacks of development to a server of yours, such as one on this laptop, until Ctrl+C')
    .requiredOption('--forward-to <url>', 'where callbacks are posted, such as http://localhost:3000/callback')
    .option('--events-to <url>', 'where events are posted, which are JSON; the same place unless said')
    .option('--payment-service <id>', 'whose; the only one there is, unless said')
    .option('--no-retry', 'what fails is given up at once; otherwise it comes again by its schedule')
    .option('--replay <id>', 'send this callback again first: bin/rubrica callback list')
    .option('--count <number>', 'end after so many attempts')
    .option('--url <url>', 'a service elsewhere; without it the one of this store')
    .option(
      '--token-env <name>',
      'of that service, a token of yours in this environment variable; RUBRICA_TOKEN unless said',
    )
    .option('--token-file <file>', 'the same in this file')
    .action(listen);
}

type ListenOptions = ActingOptions & {
  forwardTo: string;
  eventsTo?: string;
  paymentService?: string;
  retry: boolean;
  replay?: string;
  count?: string;
  url?: string;
  tokenEnv?: string;
  tokenFile?: string;
};

async function listen(options: ListenOptions): Promise<void> {
  const targets = {
    form: readTarget('--forward-to', options.forwardTo),
    json: readTarget('--events-to', options.eventsTo ?? options.forwardTo),
    retry: options.retry,
    most: options.count === undefined ? null : readNumber('--count', options.count),
  };
  const asked = {
    paymentService: options.paymentService ?? null,
    replay: options.replay === undefined ? null : readNumber('--replay', options.replay),
  };
  if (options.url !== undefined) {
    const { origin, pathname } = readTarget('--url', options.url);
    const url = origin + pathname.replace(/\/$/, '');
    return forward(await openRemoteFeed(url, readToken(options), asked), targets);
  }
  await withActor(options, async (app, by) => forward(await openOwnFeed(app, by, asked), targets));
}

function readTarget(name: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url;
  throw invalidOption(`${name} is a URL such as http://localhost:3000/callback.`);
}

function readNumber(name: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidOption(`${name} is a number, such as 12.`);
}

function readToken({ tokenEnv, tokenFile }: ListenOptions): string {
  const named = tokenEnv ?? (tokenFile === undefined ? 'RUBRICA_TOKEN' : undefined);
  if (named !== undefined && (environmentVariable(named) ?? '') === '')
    throw invalidOption(`${named} is not set: export a token of yours there, or name a file with --token-file.`);
  const secret: SecretOptions = {
    ...(named !== undefined && { secretEnv: named }),
    ...(tokenFile !== undefined && { secretFile: tokenFile }),
  };
  return readSecret(secret).trim();
}

type Targets = { form: URL; json: URL; retry: boolean; most: number | null };

/** One callback after the other, so that they arrive in their order. */
async function forward(feed: CallbackFeed, targets: Targets): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal);
  const { fetch, close } = createSafeFetch();
  say(`Callbacks of development of ${feed.name} go to ${targets.form.href}. Ctrl+C ends it.`);
  try {
    for (let sent = 0; !stop.signal.aborted && sent !== targets.most; ) {
      const post = await despiteOutage(() => feed.next(stop.signal), stop.signal);
      if (post === null) continue;
      const outcome = await deliver(fetch, post, targets);
      const reported = await despiteOutage(() => reportOf(feed, post, outcome, targets.retry), stop.signal);
      say(lineOf(post, outcome, reported ?? NOT_RECORDED));
      sent += 1;
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    // What it ends may have ended: the error that led here is what the person must read.
    await feed.end().catch(() => {});
    await close();
  }
}

const NOT_RECORDED: Reported = { step: 'stale', nextAttemptAt: null };
const ASK_AGAIN_MS = 1_000;

/** Asks again while the service does not answer, as when it starts again. Null once the listener is to stop. */
async function despiteOutage<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | null> {
  for (let told = false; !signal.aborted; told = true) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ServiceAway)) throw error;
      if (!told) say(`${error.message} Asking again …`);
      await sleep(ASK_AGAIN_MS, null, { signal }).catch(() => {});
    }
  }
  return null;
}

/** A claim that has ended, because the service started again, is nothing to stop for: the callback comes again. */
async function reportOf(feed: CallbackFeed, post: ClaimedPost, outcome: FetchOutcome, retry: boolean) {
  try {
    return await feed.report(post, outcome, retry);
  } catch (error) {
    if (error instanceof Problem && error.code === 'LISTENER_ENDED') return null;
    throw error;
  }
}

/** With the query of the shop's own URL, where it names the order, unless there is another. */
function deliver(
  fetch: SafeFetch,
  { url, headers, body }: ClaimedPost,
  { form, json }: Targets,
): Promise<FetchOutcome> {
  const target = new URL(headers['content-type'] === 'application/json' ? json : form);
  if (target.search === '') target.search = new URL(url).search;
  return fetch({ url: target.href, method: 'POST', headers, body, allowPrivate: true });
}

function lineOf(post: ClaimedPost, outcome: FetchOutcome, reported: Reported): string {
  const answer = outcome.kind === 'answered' ? String(outcome.status) : `no answer (${outcome.detail})`;
  const attempt = post.attempt === 1 ? '' : `, attempt ${post.attempt}`;
  const line = `${clockTime(now())}  callback ${post.id}  ${whatOf(post)}${attempt}  →  ${answer} in ${outcome.durationMs} ms`;
  const stored =
    outcome.kind === 'answered'
      ? { status: outcome.status, failure: null, location: outcome.location ?? null }
      : { status: null, failure: `${outcome.reason}: ${outcome.detail}`, location: null };
  if (reported.step === 'stale') return `${line}\n          It could not be recorded, and comes again.`;
  const why = causeOf(post.url, stored);
  return why === null ? line : `${line}\n          ${why.cause}. ${nextOf(post, reported)}`;
}

/** `completed ORD-1 (transaction 1001)`, or the type of an event. */
function whatOf({ body, headers, transactionId }: ClaimedPost): string {
  const of = transactionId === 0 ? '' : ` (transaction ${transactionId})`;
  if (headers['content-type'] === 'application/json') return `${(JSON.parse(body) as { type: string }).type}${of}`;
  const fields = new URLSearchParams(body);
  return `${fields.get('x_result')} ${fields.get('x_reference')}${of}`;
}

function nextOf({ id }: ClaimedPost, { nextAttemptAt }: Reported): string {
  if (nextAttemptAt === null) return `It is not sent again; to send it: bin/rubrica listen … --replay ${id}`;
  return `Again at ${clockTime(nextAttemptAt)}, or with the next success.`;
}

const now = systemClock();

/** On the clock of this computer. */
function clockTime(utcMs: number): string {
  return new Date(utcMs).toTimeString().slice(0, 8);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
