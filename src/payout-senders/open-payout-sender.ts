import type { SafeFetch } from '../lib/network/safe-fetch.ts';
import { createHttpSender } from './http-sender.ts';
import type { OpenPayoutSender } from './payout-sender.ts';
import { createSimulatedSender } from './simulated-sender.ts';

/** Returns the function that opens the senders of the operator's settings. */
export function payoutSenders(fetch: SafeFetch, now: () => number): OpenPayoutSender {
  const simulated = createSimulatedSender(now);
  return ({ kind, environment, url, key }) => {
    if (kind === 'http' && url !== null) return createHttpSender({ url, key, fetch });
    if (kind === 'simulated' && environment === 'development') return simulated;
    throw new Error(`There is no ${kind} sender in ${environment}`);
  };
}
