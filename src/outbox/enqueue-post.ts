import type { Tx } from '../db/database.ts';
import { transactionEventId } from '../epochs/epoch.ts';
import { endpointAddress } from './endpoint-address.ts';
import { ensureEndpoint } from './endpoint-queries.ts';
import { insertCallback } from './outbox-queries.ts';

/** The bytes that are posted to a merchant's server, at every delivery attempt. */
export type Post = {
  environmentId: number;
  transactionId: number;
  /** That of the event it tells of; the two and the epoch make its `webhook-id`. Both are 0 where it is of no transaction. */
  sequence: number;
  /** UTC milliseconds: it is due at once. */
  at: number;
  url: string;
  contentType: 'application/x-www-form-urlencoded' | 'application/json';
  body: string;
  /** The suffix of its `webhook-id` that tells it from other posts of the same event. */
  also?: string;
};

/**
 * Puts a post into the outbox, in the commit of the change that it tells of.
 *
 * An endpoint that has answered 410 gets no more; what is for it is kept as `disabled`, for an operator to send again.
 */
export async function enqueuePost(tx: Tx, post: Post): Promise<void> {
  const endpoint = await ensureEndpoint(tx, post.environmentId, endpointAddress(post.url));
  const disabled = endpoint.disabled_at !== null;
  await insertCallback(tx, {
    transaction_id: post.transactionId,
    environment_id: post.environmentId,
    endpoint_id: endpoint.id,
    sequence: post.sequence,
    created_at: post.at,
    next_attempt_at: post.at,
    finished_at: disabled ? post.at : null,
    attempts: 0,
    state: disabled ? 'disabled' : 'queued',
    webhook_id: idOf(post, endpoint.epoch),
    url: post.url,
    content_type: post.contentType,
    body: post.body,
  });
}

function idOf({ transactionId, sequence, also }: Post, epoch: number): string {
  if (also === undefined) return transactionEventId(transactionId, sequence, epoch);
  return transactionId === 0 ? `evt_${also}` : `${transactionEventId(transactionId, sequence, epoch)}_${also}`;
}
