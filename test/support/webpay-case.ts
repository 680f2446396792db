import { createSafeFetch, type SafeFetch } from '../../src/lib/network/safe-fetch.ts';
import type { PaymentMethod } from '../../src/payment-methods/payment-method.ts';
import { createWebpayMethod } from '../../src/payment-methods/webpay-method.ts';
import { createTestClock, type TestClock } from './test-app.ts';
import { type StandInOptions, startWebpayStandIn, type WebpayStandIn } from './webpay-stand-in.ts';

export const TEST_ACCOUNT = { account: '597055555532', key: 'k'.repeat(64) };

/** Short, so that a test with a delayed response does not wait long. Other responses have the normal time-out. */
const LATE_MS = 400;

export type WebpayCase = { standIn: WebpayStandIn; method: PaymentMethod; now: TestClock };

/** Runs work after a test or after a file. */
export type Ending = { after(work: () => PromiseLike<void>): void };

/** Opens the product's Webpay method on a stand-in that ends with the test. */
export async function openWebpay(
  context: Ending,
  options: StandInOptions & {
    now?: TestClock;
    keyOf?: (environmentId: number, account: string) => Promise<string | null>;
  } = {},
): Promise<WebpayCase> {
  const standIn = await startWebpayStandIn(options);
  const patient = createSafeFetch();
  const hasty = createSafeFetch({ totalMs: LATE_MS });
  const fetch: SafeFetch = (request) => (standIn.willBeLate() ? hasty : patient).fetch(request);
  context.after(async () => {
    await patient.close();
    await hasty.close();
    await standIn[Symbol.asyncDispose]();
  });
  const { now = createTestClock(), keyOf = async () => TEST_ACCOUNT.key } = options;

  return { standIn, now, method: createWebpayMethod({ fetch, now, baseUrl: standIn.url, keyOf }) };
}

/** Returns the fields that a browser brings to an address, as the return of a payment reads them. */
export function broughtBy(address: string): Record<string, string> {
  return Object.fromEntries(new URL(address).searchParams);
}
