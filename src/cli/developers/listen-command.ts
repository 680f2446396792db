import type { Command } from 'commander';
import { Problem } from '../../error-catalogue.ts';
import { systemClock } from '../../lib/clock.ts';
import { createSafeFetch, type FetchOutcome, type SafeFetch } from '../../lib/network/safe-fetch.ts';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import type { ClaimedPost } from '../../outbox/listeners/callback-listener.ts';
import { readNumber } from '../options.ts';
import { say } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { type CallbackFeed, openOwnFeed, openRemoteFeed, type Reported } from './callback-feed.ts';
import {
  addRemoteOptions,
  connect,
  despiteOutage,
  type RemoteOptions,
  readUrl,
  untilStopped,
} from './remote-service.ts';

/** `listen`. */
export function addListenCommand(program: Command): void {
  addRemoteOptions(acting(program.command('listen')))
    .description('forward development callbacks to a server of yours, such as one on this laptop, until Ctrl+C')
    .requiredOption('--forward-to <url>', 'URL that receives the callbacks, such as http://127.0.0.1:9000/callback')
    .option('--events-to <url>', 'URL that receives the JSON events (default: the same URL)')
    .option('--payment-service <id>', 'payment service (default: the only one)')
    .option('--no-retry', 'give up after the first failure instead of following the retry schedule')
    .option('--replay <id>', 'resend this callback first; ID from `callback list`')
    .option('--count <number>', 'exit after this many attempts')
    .action(listen);
}

type ListenOptions = ActingOptions &
  RemoteOptions & {
    forwardTo: string;
    eventsTo?: string;
    paymentService?: string;
    retry: boolean;
    replay?: string;
    count?: string;
  };

async function listen(options: ListenOptions): Promise<void> {
  const targets = {
    form: readUrl('--forward-to', options.forwardTo),
    json: readUrl('--events-to', options.eventsTo ?? options.forwardTo),
    retry: options.retry,
    most: options.count === undefined ? null : readNumber('--count', options.count),
  };
  const asked = {
    paymentService: options.paymentService ?? null,
    replay: options.replay === undefined ? null : readNumber('--replay', options.replay),
  };
  const connection = await connect(options);
  if (connection !== null) return forward(await openRemoteFeed(connection, asked), targets);
  await withActor(options, async (app, by) => forward(await openOwnFeed(app, by, asked), targets));
}

type Targets = { form: URL; json: URL; retry: boolean; most: number | null };

/** Forwards callbacks one after the other, so that they arrive in order. */
function forward(feed: CallbackFeed, targets: Targets): Promise<void> {
  return untilStopped((signal) => forwardUntil(signal, feed, targets));
}

async function forwardUntil(signal: AbortSignal, feed: CallbackFeed, targets: Targets): Promise<void> {
  const { fetch, close } = createSafeFetch();
  say(`Forwarding development callbacks of ${feed.name} to ${targets.form.href}. Ctrl+C ends.`);
  try {
    for (let sent = 0; !signal.aborted && sent !== targets.most; ) {
      const post = await despiteOutage(() => feed.next(signal), signal);
      if (post === null) continue;
      const outcome = await deliver(fetch, post, targets);
      const reported = await despiteOutage(() => reportOf(feed, post, outcome, targets.retry), signal);
      say(lineOf(post, outcome, reported ?? NOT_RECORDED));
      sent += 1;
    }
  } finally {
    // The session may have ended already. Its error must not hide the error that led here.
    await feed.end().catch(() => {});
    await close();
  }
}

const NOT_RECORDED: Reported = { step: 'stale', nextAttemptAt: null };
/**
 * Reports an outcome. Returns null if the claim has ended, as after a restart of the service: the callback comes again.
 */
async function reportOf(feed: CallbackFeed, post: ClaimedPost, outcome: FetchOutcome, retry: boolean) {
  try {
    return await feed.report(post, outcome, retry);
  } catch (error) {
    if (error instanceof Problem && error.code === 'LISTENER_ENDED') return null;
    throw error;
  }
}

/**
 * Posts a callback to the target. If the target has no query, it gets the query of the shop's own URL, which may name
 * the order.
 */
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

/** Returns `completed ORD-1 (transaction 1001)`, or the type of an event. */
function whatOf({ body, headers, transactionId }: ClaimedPost): string {
  const of = transactionId === 0 ? '' : ` (transaction ${transactionId})`;
  if (headers['content-type'] === 'application/json') return `${(JSON.parse(body) as { type: string }).type}${of}`;
  const fields = new URLSearchParams(body);
  return `${fields.get('x_result')} ${fields.get('x_reference')}${of}`;
}

function nextOf({ id }: ClaimedPost, { step, nextAttemptAt }: Reported): string {
  if (step === 'unwanted') return 'It is not sent again: its webhook has ended, or its events URL was removed.';
  if (nextAttemptAt === null) return `It is not sent again; to send it: bin/rubrica listen … --replay ${id}`;
  return `Again at ${clockTime(nextAttemptAt)}, or with the next success.`;
}

const now = systemClock();

/** Formats a time in this computer's time zone. */
function clockTime(utcMs: number): string {
  return new Date(utcMs).toTimeString().slice(0, 8);
}
