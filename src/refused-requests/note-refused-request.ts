import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';
import type { ErrorItem } from '../error-item.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A refusal as it was answered, with the data that identifies its payment service. */
export type Refusal = {
  requestId: string;
  /** UTC milliseconds. */
  at: number;
  method: string;
  route: string;
  status: number;
  code: string;
  detail: InBoth;
  errors: readonly ErrorItem[];
  /** The body that a shop signed, or should have signed; null if the request has no such body. */
  body: { bytes: Buffer; isForm: boolean } | null;
  /** A Service Token outside the body. */
  serviceToken: string | null;
  /** The `Authorization` header of a program, and the transaction in the URL (0: none). */
  bearer: { authorization: string; transactionId: number } | null;
};

/** The most refusals until the next group is written. In a flood the rest is ignored. */
const MOST_AT_ONCE = 200;
const MOST_OF_ADDRESS = 50;

type Waiting = { refusals: Refusal[]; byAddress: Map<string, number> };

const waiting = perInstance((_app: App): Waiting => ({ refusals: [], byAddress: new Map() }));

/**
 * Remembers a refusal in memory, so that the response waits for nothing. Accepted requests never come here. `address`:
 * the client's, which limits the refusals of one client; it is not stored.
 */
export function noteRefusedRequest(app: App, address: string, describe: () => Refusal): void {
  const { refusals, byAddress } = waiting(app);
  const ofAddress = byAddress.get(address) ?? 0;
  if (refusals.length >= MOST_AT_ONCE || ofAddress >= MOST_OF_ADDRESS) return;
  byAddress.set(address, ofAddress + 1);
  refusals.push(describe());
}

/** Returns the refusals since the last call, and forgets them. */
export function takeRefusals(app: App): readonly Refusal[] {
  const all = waiting(app);
  const { refusals } = all;
  all.refusals = [];
  all.byAddress = new Map();
  return refusals;
}
