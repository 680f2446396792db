import type { SqlRow } from '../../db/database.ts';

/**
 * A row of `callback_listeners`: the listener that receives the callbacks of an environment. Times are UTC
 * milliseconds.
 */
export type CallbackListener = SqlRow & {
  environment_id: number;
  id: string;
  started_by: string;
  started_at: number;
  ends_at: number;
};

/** A listener without a request for this long has ended. Longer than an attempt can take (15 s). */
export const LISTENER_MS = 30_000;

/** A callback to post, with the lease for reporting its outcome. */
export type ClaimedPost = {
  id: number;
  lease: string;
  transactionId: number;
  /** The number of this attempt, from 1. */
  attempt: number;
  /** The shop's URL. The listener posts to another one. */
  url: string;
  headers: Record<string, string>;
  body: string;
};
