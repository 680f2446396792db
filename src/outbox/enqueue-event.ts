import type { Tx } from '../db/database.ts';
import { formatDecimal } from '../lib/money.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { enqueuePost } from './enqueue-post.ts';
import type { TransactionEventInput } from './event.ts';

type Subject = { id: number; reference: string; amount: number; currency: string };

/**
 * Puts an event into the outbox as JSON, for the events URL of its environment; does nothing without one. The
 * Standard Webhooks headers are what authenticates it. Older receivers know nothing of it: they have a URL of their own.
 */
export async function enqueueEvent(
  tx: Tx,
  environment: ServiceEnvironment,
  subject: Subject,
  event: TransactionEventInput,
): Promise<void> {
  if (environment.eventsUrl === null) return;
  await enqueuePost(tx, {
    environmentId: environment.id,
    transactionId: subject.id,
    sequence: event.sequence,
    at: event.createdAt,
    url: environment.eventsUrl,
    contentType: 'application/json',
    body: eventBody(environment, subject, event),
  });
}

/** What is posted of an event: the same bytes whenever they are made. */
export function eventBody(
  { paymentServiceId, environment }: Pick<ServiceEnvironment, 'paymentServiceId' | 'environment'>,
  { id, reference, amount, currency }: Subject,
  event: Pick<TransactionEventInput, 'type' | 'createdAt' | 'data'>,
): string {
  const data = {
    transaction: { id, reference, amount: formatDecimal(amount, currency), currency },
    payment_service: paymentServiceId,
    environment,
    ...event.data,
  };
  return JSON.stringify({ type: event.type, timestamp: new Date(event.createdAt).toISOString(), data });
}
