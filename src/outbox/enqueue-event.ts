import type { Tx } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { enqueuePost, enqueuePosts } from './enqueue-post.ts';
import type { PostedEvent, TransactionEventInput } from './event.ts';
import { findSubscribers } from './find-subscribers.ts';

type Subject = { id: number; reference: string; amount: number; currency: string };

/** As the feed has it, which `books verify` holds beside what was posted. */
type ToldEvent = Pick<TransactionEventInput, 'type' | 'createdAt' | 'data'>;

type Teller = Pick<ServiceEnvironment, 'id' | 'paymentServiceId' | 'environment'>;

/**
 * Puts an event into the outbox as JSON, for the events URL of its environment, if it has one, and for the users who
 * subscribed to it. The Standard Webhooks headers are what authenticates it. Older receivers know nothing of it: they have a URL
 * of their own.
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
    await enqueuePost(tx, { ...post, url, also: id });
  }
}

/** The same for an event of an environment that is of none of its transactions; `subjectId` is what it tells of. */
export async function enqueueEnvironmentEvent(
  tx: Tx,
  environment: Teller,
  subjectId: string,
  event: PostedEvent,
): Promise<void> {
  await enqueueEnvironmentEvents(tx, environment, [{ subjectId, event }]);
}

/** The same of many events of one type. */
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
    return subscribers.map(({ id, url }) => ({ ...post, url, also: `${subjectId}_${id}` }));
  });
  await enqueuePosts(tx, posts);
}

/** Makes the bytes that are posted of an event: the same bytes whenever they are made. */
export function eventBody(
  environment: Omit<Teller, 'id'>,
  { id, reference, amount, currency }: Subject,
  event: ToldEvent,
): string {
  return bodyOf(environment, event, {
    transaction: { id, reference, amount: formatDecimal(amount, currency), currency },
  });
}

/** The same of an event that is of no transaction. */
export function environmentEventBody(environment: Omit<Teller, 'id'>, event: ToldEvent): string {
  return bodyOf(environment, event, {});
}

function bodyOf({ paymentServiceId, environment }: Omit<Teller, 'id'>, event: ToldEvent, subject: object): string {
  const data = { ...subject, payment_service: paymentServiceId, environment, ...event.data };
  return JSON.stringify({ type: event.type, timestamp: new Date(event.createdAt).toISOString(), data });
}
