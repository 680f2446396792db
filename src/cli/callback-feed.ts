import { findDevelopment } from '../api/listeners/listener-reply.ts';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { Problem } from '../error-catalogue.ts';
import type { FetchOutcome } from '../lib/safe-fetch.ts';
import type { ClaimedPost } from '../outbox/callback-listener.ts';
import { beginListening, endListening, reportAttempt, takeNext } from '../outbox/listen-for-callbacks.ts';
import { CommandError } from './print.ts';

/** Where a listener gets callbacks and tells what came of them: the store of one's own service, or a service elsewhere. */
export type CallbackFeed = {
  /** Whose callbacks they are. */
  name: string;
  next(signal: AbortSignal): Promise<ClaimedPost | null>;
  report(post: ClaimedPost, outcome: FetchOutcome, retry: boolean): Promise<Reported>;
  end(): Promise<void>;
};

/** What becomes of a callback; the time is in UTC milliseconds, null where it is not sent again. */
export type Reported = { step: string; nextAttemptAt: number | null };

type Asked = { paymentService: string | null; replay: number | null };

/** The service does not answer now, and may later. */
export class ServiceAway extends CommandError {}

const WAIT_MS = 10_000;

/** Of the service whose store this is. */
export async function openOwnFeed(app: App, by: Actor, { paymentService, replay }: Asked): Promise<CallbackFeed> {
  const environment = await findDevelopment(app, paymentService, null);
  const { id: environmentId, paymentServiceId, paymentServiceName } = environment;
  const listener = await beginListening(app, { environmentId, paymentServiceId, replay }, by);
  return {
    name: paymentServiceName,
    next: (signal) => takeNext(app, listener, WAIT_MS, () => signal.aborted),
    report: async ({ id, lease }, outcome, retry) => {
      const { step, nextAttemptAt } = await reportAttempt(app, listener, { callbackId: id, lease, outcome, retry });
      return { step: step.kind, nextAttemptAt: step.kind === 'retry' ? nextAttemptAt : null };
    },
    end: () => endListening(app, listener),
  };
}

type Header = { name: string; value: string };
type RemotePost = Omit<ClaimedPost, 'transactionId' | 'headers'> & { transaction: number; headers: Header[] };

/** Of the service at `url`, in the name of the user of an access token or an API token. */
export async function openRemoteFeed(url: string, token: string, asked: Asked): Promise<CallbackFeed> {
  const connection = { url, authorization: `Bearer ${await accessTokenOf(url, token)}` };
  const { paymentService: payment_service, replay } = asked;
  const wish = { ...(payment_service !== null && { payment_service }), ...(replay !== null && { replay }) };
  const { listener, name } = await ask<{ listener: string; name: string }>(connection, 'POST', '/listeners', wish);
  const path = `/listeners/${listener}`;
  return {
    name,
    next: async (signal) => {
      const { callback } = await ask<{ callback: RemotePost | null }>(connection, 'POST', `${path}/next`, null, signal);
      if (callback === null) return null;
      const { transaction: transactionId, headers, ...post } = callback;
      return { ...post, transactionId, headers: Object.fromEntries(headers.map((one) => [one.name, one.value])) };
    },
    report: async (post, outcome, retry) => {
      const body = reportOf(post, outcome, retry);
      type Answer = { step: string; next_attempt_at: string | null };
      const { step, next_attempt_at: at } = await ask<Answer>(connection, 'POST', `${path}/attempts`, body);
      return { step, nextAttemptAt: at === null ? null : Date.parse(at) };
    },
    end: async () => void (await ask(connection, 'DELETE', path, null)),
  };
}

function reportOf({ id, lease }: ClaimedPost, outcome: FetchOutcome, retry: boolean): Record<string, unknown> {
  const claim = { callback: id, lease, duration_ms: outcome.durationMs, retry: retry ? 'yes' : 'no' };
  if (outcome.kind === 'failed') return { ...claim, failure: outcome.reason, detail: outcome.detail };
  const { status, retryAfter, location, excerpt } = outcome;
  const said = { retry_after: retryAfter, location, excerpt: excerpt.replace(/\p{Cc}/gu, ' ') };
  // What is not there, or empty, is left out.
  return { ...claim, status, ...Object.fromEntries(Object.entries(said).filter(([, text]) => text)) };
}

type Connection = { url: string; authorization: string };

/** An access token is taken as it is; an API token is exchanged for one. */
async function accessTokenOf(url: string, token: string): Promise<string> {
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  const answer = await send({ url, authorization: `Bearer ${token}` }, 'POST', '/loginToken', null);
  return (answer as { access_token: string }).access_token;
}

async function ask<Data>(
  connection: Connection,
  method: 'POST' | 'DELETE',
  path: string,
  body: object | null,
  signal?: AbortSignal,
): Promise<Data> {
  return ((await send(connection, method, path, body, signal)) as { data: Data }).data;
}

/** Of a service that stops or starts, and of the proxies before it. */
const AWAY: readonly number[] = [502, 503, 504];
const ANSWER_WITHIN_MS = 30_000;

async function send(
  { url, authorization }: Connection,
  method: 'POST' | 'DELETE',
  path: string,
  body: object | null,
  signal?: AbortSignal,
): Promise<unknown> {
  const within = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const type = body === null ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { authorization, ...type },
    ...(body !== null && { body: JSON.stringify(body) }),
    signal: signal === undefined ? within : AbortSignal.any([signal, within]),
  }).catch((error: unknown) => {
    throw signal?.aborted === true ? error : unreachable(url, error);
  });
  const answer: unknown = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (AWAY.includes(response.status)) throw new ServiceAway(`${url} answered ${response.status}.`);
  const { code, title, detail } = (answer ?? {}) as { code?: string; title?: string; detail?: string };
  if (code === 'LISTENER_ENDED') throw new Problem(code);
  const says = code === undefined ? 'Is this the address of a Rúbrica?' : `${code}: ${detail ?? title}`;
  throw new CommandError(`${url}${path} answered ${response.status}. ${says}`);
}

function unreachable(url: string, error: unknown): ServiceAway {
  const { cause } = error as { cause?: { code?: string } };
  const why = cause?.code ?? String(error);
  return new ServiceAway(`${url} cannot be reached (${why}): is the address right, and does the service run?`);
}
