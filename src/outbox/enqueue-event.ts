import type { RefundNotice } from '../../protocol/verify-notice.ts';
import type { Tx } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { enqueuePost, enqueuePosts } from './enqueue-post.ts';
import type { PostedEvent, TransactionEventInput } from './event.ts';
import { findSubscribers } from './webhooks/find-subscribers.ts';

type Subject = { id: number; reference: string; amount: number; currency: string };

/** An event as in the feed; `books verify` compares it with the posted body. */
type ToldEvent = Pick<TransactionEventInput, 'type' | 'createdAt' | 'data'>;

type Teller = Pick<ServiceEnvironment, 'id' | 'paymentServiceId' | 'environment'>;

/**
 * Puts an event into the outbox as JSON: for the events URL of its environment, if set, and for users who subscribed to
 * its type. The Standard Webhooks headers authenticate it. Receivers of callbacks do not get it, because these URLs are
 * separate.
 */
export async function enqueueEvent(
  tx: Tx,
  environment: ServiceEnvironment,
  subject: Subject,
  event: TransactionEventInput & PostedEvent,
): Promise<void> {
  const post = {
    environmentId: environment.id,
    transactionId: subject.id,
    sequence: event.sequence,
    at: event.createdAt,
    contentType: 'application/json' as const,
    body: eventBody(environment, subject, event),
  };
  if (environment.eventsUrl !== null) await enqueuePost(tx, { ...post, url: environment.eventsUrl });
  for (const { id, url } of await findSubscribers(tx, environment.id, event.type)) {
    await enqueuePost(tx, { ...post, url, idSuffix: id });
  }
}

/** Puts an event of an environment, not of a transaction, into the outbox. `subjectId`: what the event is about. */
export async function enqueueEnvironmentEvent(
  tx: Tx,
  environment: Teller,
  subjectId: string,
  event: PostedEvent,
): Promise<void> {
  await enqueueEnvironmentEvents(tx, environment, [{ subjectId, event }]);
}

/** Does the same for many events of one type. */
export async function enqueueEnvironmentEvents(
  tx: Tx,
  environment: Teller,
  told: readonly { subjectId: string; event: PostedEvent }[],
): Promise<void> {
  const type = told[0]?.event.type;
  const subscribers = type === undefined ? [] : await findSubscribers(tx, environment.id, type);
  const posts = (subscribers.length === 0 ? [] : told).flatMap(({ subjectId, event }) => {
    const post = {
      environmentId: environment.id,
      transactionId: 0,
      sequence: 0,
      at: event.createdAt,
      contentType: 'application/json' as const,
      body: environmentEventBody(environment, event),
    };
    return subscribers.map(({ id, url }) => ({ ...post, url, idSuffix: `${subjectId}_${id}` }));
  });
  await enqueuePosts(tx, posts);
}

/** Returns the body of an event. It is the same bytes each time. */
export function eventBody(
  environment: Omit<Teller, 'id'>,
  { id, reference, amount, currency }: Subject,
  event: ToldEvent,
): string {
  const transaction = { id, reference, amount: formatDecimal(amount, currency), currency };
  return bodyOf(environment, event, { transaction } satisfies Partial<RefundNotice['data']>);
}

/** Returns the body of an event without a transaction. */
export function environmentEventBody(environment: Omit<Teller, 'id'>, event: ToldEvent): string {
  return bodyOf(environment, event, {});
}

function bodyOf({ paymentServiceId, environment }: Omit<Teller, 'id'>, event: ToldEvent, subject: object): string {
  const data = { ...subject, payment_service: paymentServiceId, environment, ...event.data };
  return JSON.stringify({ type: event.type, timestamp: new Date(event.createdAt).toISOString(), data });
}
