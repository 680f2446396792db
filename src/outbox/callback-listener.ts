import type { SqlRow } from '../db/database.ts';

/** A row of `callback_listeners`: who takes the callbacks of an environment. Times are UTC milliseconds. */
export type CallbackListener = SqlRow & {
  environment_id: number;
  id: string;
  started_by: string;
  started_at: number;
  ends_at: number;
};

/** A listener that is not heard of for so long has ended. It is longer than an attempt can take (15 s). */
export const LISTENER_MS = 30_000;

/** A callback as it is to be posted, and the claim under which its outcome is reported. */
export type ClaimedPost = {
  id: number;
  lease: string;
  transactionId: number;
  /** This attempt, from 1. */
  attempt: number;
  /** Where the shop wants it. The listener posts to another place. */
  url: string;
  headers: Record<string, string>;
  body: string;
};
