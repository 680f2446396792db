import { createRequire } from 'node:module';
import { type RequestInput, sign } from '../protocol/sign-fields.ts';
import { verifyCallback } from '../protocol/verify-callback.ts';
import { alternate, type Bench, roundsAgainst } from './support/bench.ts';
import { type Figure, ratioLine } from './support/figure.ts';

const published = createRequire(import.meta.url)('@pagofacil/sdk-apis-javascript-signature') as {
  signPayload(payload: object, secret: string): string;
};

const SECRET = 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90';
const REQUEST: RequestInput = {
  x_account_id: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  x_amount: '12990',
  x_currency: 'CLP',
  x_customer_email: 'compradora@example.cl',
  x_reference: 'ORD-0001',
  x_session_id: 'session-000001',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example/callback',
  x_url_cancel: 'https://shop.example/cancel',
  x_url_complete: 'https://shop.example/complete',
};
const CALLBACK = {
  x_account_id: REQUEST.x_account_id,
  x_amount: '12990.00',
  x_currency: 'CLP',
  x_gateway_reference: '1001',
  x_message: 'Approved',
  x_reference: 'ORD-0001',
  x_result: 'completed',
  x_test: 'false',
  x_timestamp: '2026-01-15T12:00:00.000Z',
};

/**
 * Measures signing and verifying with the SDK, rules included, against the published signer, which checks nothing. The
 * reference differs each time, so that no cache helps.
 */
export async function measureSign(bench: Bench): Promise<Figure> {
  const times = bench.sizes.signatures;
  const body = new URLSearchParams({ ...CALLBACK, x_signature: published.signPayload(CALLBACK, SECRET) }).toString();
  const rows = await alternate(bench, {
    'the SDK, sign': async () => perSecond(times, (at) => sign({ ...REQUEST, x_reference: `ORD-${at}` }, SECRET)),
    'published signer, sign': async () =>
      perSecond(times, (at) => published.signPayload({ ...REQUEST, x_reference: `ORD-${at}` }, SECRET)),
    'the SDK, verify': async () =>
      perSecond(times, () => expectTrue(verifyCallback({ body, secret: SECRET, expected: {} }).ok)),
    'published signer, verify': async () => perSecond(times, () => expectTrue(verifyAsPublished(body))),
  });
  return {
    lines: [
      ratioLine('requests signed/s', 'the published npm signer', { atLeast: 2 }, roundsAgainst(rows, 1)),
      ratioLine(
        'callbacks verified/s, from the body as it came',
        'the published npm signer',
        null,
        roundsAgainst(rows, 3, 2),
      ),
    ],
    details: [],
  };
}

/** Verifies as the published documentation tells merchants: sign the received fields, and compare. */
function verifyAsPublished(body: string): boolean {
  const fields = Object.fromEntries(new URLSearchParams(body));
  return published.signPayload(fields, SECRET) === fields.x_signature;
}

function expectTrue(genuine: boolean): void {
  if (!genuine) throw new Error('A genuine callback was refused');
}

function perSecond(times: number, work: (at: number) => unknown): number {
  for (let at = 0; at < times / 5; at++) work(at);
  const startedAt = performance.now();
  for (let at = 0; at < times; at++) work(at);
  return (times / (performance.now() - startedAt)) * 1000;
}
