import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { followClock } from '../../epochs/follow-clock.ts';
import type { FetchOutcome } from '../../lib/network/safe-fetch.ts';
import type { ClaimedPost } from '../../outbox/listeners/callback-listener.ts';
import { beginListening, endListening, reportAttempt, takeNext } from '../../outbox/listeners/listen-for-callbacks.ts';
import { orUnknown } from '../or-unknown.ts';
import { findOwnDevelopment } from './own-development.ts';
import { ask, type Connection } from './remote-service.ts';

/** The source of a listener's callbacks, and the place to report outcomes: this store, or a remote service. */
export type CallbackFeed = {
  /** The name of the payment service. */
  name: string;
  next(signal: AbortSignal): Promise<ClaimedPost | null>;
  report(post: ClaimedPost, outcome: FetchOutcome, retry: boolean): Promise<Reported>;
  end(): Promise<void>;
};

/** The next step of a callback. `nextAttemptAt` is in UTC milliseconds; null when it is not sent again. */
export type Reported = { step: string; nextAttemptAt: number | null };

type Asked = { paymentService: string | null; replay: number | null };

/** Short, because the store's clock is read only between two waits. */
const WAIT_MS = 1_000;

/** Opens a feed on this store. */
export async function openOwnFeed(app: App, by: Actor, { paymentService, replay }: Asked): Promise<CallbackFeed> {
  const environment = await findOwnDevelopment(app, paymentService ?? undefined);
  const { id: environmentId, paymentServiceId, paymentServiceName } = environment;
  const beginning = beginListening(app, { environmentId, paymentServiceId, replay }, by);
  const listener = await (replay === null ? beginning : orUnknown('callback', String(replay), beginning));
  return {
    name: paymentServiceName,
    next: async (signal) => {
      await followClock(app);
      return takeNext(app, listener, WAIT_MS, () => signal.aborted);
    },
    report: async ({ id, lease }, outcome, retry) => {
      const { step, nextAttemptAt } = await reportAttempt(app, listener, { callbackId: id, lease, outcome, retry });
      return { step: step.kind, nextAttemptAt: step.kind === 'retry' ? nextAttemptAt : null };
    },
    end: () => endListening(app, listener),
  };
}

type Header = { name: string; value: string };
type RemotePost = Omit<ClaimedPost, 'transactionId' | 'headers'> & { transaction: number; headers: Header[] };

/** Opens a feed on a remote service. */
export async function openRemoteFeed(connection: Connection, asked: Asked): Promise<CallbackFeed> {
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
  // Missing and empty values are left out.
  return { ...claim, status, ...Object.fromEntries(Object.entries(said).filter(([, text]) => text)) };
}
