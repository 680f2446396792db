import type { App } from '../app.ts';
import type { ErrorItem, InBoth } from '../error-catalogue.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A refusal as it was answered, and by what its payment service is found. */
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
  /** The body that a shop signed, or should have; null where the request has no such body. */
  body: { bytes: Buffer; isForm: boolean } | null;
  /** A Service Token outside of the body. */
  serviceToken: string | null;
  /** `Authorization` of a program, and the transaction that the address names (0: none). */
  bearer: { authorization: string; transactionId: number } | null;
};

/** Until the next group is written. Who refuses more than this is flooded, and the rest is not looked at. */
const MOST_AT_ONCE = 200;
const MOST_OF_ADDRESS = 50;

type Waiting = { refusals: Refusal[]; byAddress: Map<string, number> };

const waiting = perInstance((_app: App): Waiting => ({ refusals: [], byAddress: new Map() }));

/**
 * Remembers a refusal. In memory: the answer waits for nothing, and what was accepted never comes here. `address`: the client's, so that
 * one does not take the room of others; it is not kept.
 */
export function noteRefusedRequest(app: App, address: string, describe: () => Refusal): void {
  const { refusals, byAddress } = waiting(app);
  const ofAddress = byAddress.get(address) ?? 0;
  if (refusals.length >= MOST_AT_ONCE || ofAddress >= MOST_OF_ADDRESS) return;
  byAddress.set(address, ofAddress + 1);
  refusals.push(describe());
}

/** Takes the refusals that were remembered since the last call. */
export function takeRefusals(app: App): readonly Refusal[] {
  const all = waiting(app);
  const { refusals } = all;
  all.refusals = [];
  all.byAddress = new Map();
  return refusals;
}
