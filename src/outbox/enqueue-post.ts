import type { SqlRow, Tx } from '../db/database.ts';
import { transactionEventId } from '../epochs/epoch.ts';
import { endpointAddress } from './endpoints/endpoint-address.ts';
import { type EndpointRow, ensureEndpoint } from './endpoints/endpoint-queries.ts';
import { insertCallbacks } from './outbox-queries.ts';

/** A post to a merchant's server, with the same bytes in each delivery attempt. */
export type Post = {
  environmentId: number;
  transactionId: number;
  /**
   * The event's sequence. With the transaction and the epoch it makes the `webhook-id`. Both are 0 for an event without
   * a transaction.
   */
  sequence: number;
  /** When it was created and is due, UTC milliseconds. */
  at: number;
  url: string;
  contentType: 'application/x-www-form-urlencoded' | 'application/json';
  body: string;
  /** The end of the `webhook-id`, which tells posts of one event apart. */
  idSuffix?: string;
};

/**
 * Puts a post into the outbox, in the transaction of the change.
 *
 * For an endpoint that responded 410 it is stored as `disabled`, and an operator can send it again.
 */
export function enqueuePost(tx: Tx, post: Post): Promise<void> {
  return enqueuePosts(tx, [post]);
}

/** An insert is one SQL text on PostgreSQL; a bank's results for many subscribers would be hundreds of megabytes. */
const AT_ONCE = 1000;

/** Does the same for many posts, reading each endpoint once: a bank file ends thousands of payouts in one commit. */
export async function enqueuePosts(tx: Tx, posts: readonly Post[]): Promise<void> {
  const rows: SqlRow[] = [];
  const byEndpoint = Map.groupBy(posts, ({ environmentId, url }) => `${environmentId} ${endpointAddress(url)}`);
  for (const alike of byEndpoint.values()) {
    const { environmentId, url } = alike[0] as Post;
    const endpoint = await ensureEndpoint(tx, environmentId, endpointAddress(url));
    for (const post of alike) rows.push(rowOf(post, endpoint));
  }
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    await insertCallbacks(tx, rows.slice(start, start + AT_ONCE));
  }
}

function rowOf(post: Post, { id, disabled_at, epoch }: EndpointRow): SqlRow {
  const disabled = disabled_at !== null;
  return {
    transaction_id: post.transactionId,
    environment_id: post.environmentId,
    endpoint_id: id,
    sequence: post.sequence,
    created_at: post.at,
    next_attempt_at: post.at,
    finished_at: disabled ? post.at : null,
    attempts: 0,
    state: disabled ? 'disabled' : 'queued',
    webhook_id: idOf(post, epoch),
    url: post.url,
    content_type: post.contentType,
    body: post.body,
  };
}

function idOf({ transactionId, sequence, idSuffix }: Post, epoch: number): string {
  if (idSuffix === undefined) return transactionEventId(transactionId, sequence, epoch);
  return transactionId === 0 ? `evt_${idSuffix}` : `${transactionEventId(transactionId, sequence, epoch)}_${idSuffix}`;
}
