import type { Tx } from '../db/database.ts';
import type { TransactionEventInput } from './event.ts';
import { NO_ENVIRONMENT } from './feed/feed-link.ts';
import { insertEvents } from './feed/feed-queries.ts';

/** Inserts events of transactions into the feed, in the transaction of the change. */
export async function recordEvents(tx: Tx, events: readonly TransactionEventInput[]): Promise<void> {
  if (events.length > 0) await insertEvents(tx, events.map(rowOf));
}

/** Inserts an event of a user, such as a completed validation. */
export async function recordUserEvent(
  tx: Tx,
  event: { userId: string; type: TransactionEventInput['type']; createdAt: number; data: Record<string, unknown> },
): Promise<void> {
  const { userId, type, createdAt, data } = event;
  await insertEvents(tx, [
    { environment_id: NO_ENVIRONMENT, user_id: userId, type, created_at: createdAt, data: JSON.stringify(data) },
  ]);
}

/** Inserts an event of an environment, such as money that was sent to its merchant. */
export async function recordEnvironmentEvent(
  tx: Tx,
  event: Pick<TransactionEventInput, 'environmentId' | 'type' | 'createdAt' | 'data'>,
): Promise<void> {
  await recordEnvironmentEvents(tx, [event]);
}

/** Inserts many events of environments, in order. */
export async function recordEnvironmentEvents(
  tx: Tx,
  events: readonly Pick<TransactionEventInput, 'environmentId' | 'type' | 'createdAt' | 'data'>[],
): Promise<void> {
  const rowsOf = events.map((event) => ({
    environment_id: event.environmentId,
    type: event.type,
    created_at: event.createdAt,
    data: JSON.stringify(event.data),
  }));
  await insertEvents(tx, rowsOf);
}

function rowOf(event: TransactionEventInput) {
  return {
    environment_id: event.environmentId,
    transaction_id: event.transactionId,
    sequence: event.sequence,
    created_at: event.createdAt,
    type: event.type,
    data: event.data === null ? null : JSON.stringify(event.data),
  };
}
