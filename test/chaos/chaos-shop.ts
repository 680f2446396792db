import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallbackData, compareWithOrder, verifyCallback } from '../../protocol/verify-callback.ts';
import type { ChaosClassName } from '../../src/chaos/chaos-class.ts';
import type { ChaosOrder } from '../../src/chaos/chaos-order.ts';
import { comesTrue } from '../support/comes-true.ts';

type Kept = ChaosOrder & { state: string; deliveries: number };
type Tokens = { account: string; secret: string; oldSecret: string };

export type ChaosShop = { url: string; receiver: string; orderUrl: string; close(): Promise<void> };

/** Starts a shop whose receiver verifies callbacks with the SDK, or has the one `fault` that a class must find. */
export async function startChaosShop(
  tokens: Tokens,
  orders: readonly ChaosOrder[],
  fault: ChaosClassName | 'none' = 'none',
  answer = 200,
): Promise<ChaosShop> {
  const kept = new Map<string, Kept>(
    orders.map((order) => [order.reference, { ...order, state: 'open', deliveries: 0 }]),
  );
  const seen = new Set<string>();
  const received: Kept[] = [];
  const has = (one: ChaosClassName) => fault === one;

  async function receive(request: IncomingMessage, body: Buffer): Promise<number> {
    const data = verify(request, body);
    if (data === null) return 400;
    const asked = new URL(request.url ?? '', 'http://shop').searchParams.get('x_reference');
    const order = kept.get((has('another_order') ? asked : null) ?? data.x_reference);
    if (order === undefined) return 404;
    const expected = {
      ...(!has('wrong_amount') && { amount: order.amount }),
      ...(!has('wrong_currency') && { currency: order.currency }),
    };
    if (compareWithOrder(data, expected) !== null) return 400;
    if (has('delay') && Date.now() - Date.parse(data.x_timestamp) > 300_000) return 400;
    await carryOut(order, data, String(request.headers['webhook-signature']));
    return answer;
  }

  function verify({ headers }: IncomingMessage, body: Buffer): CallbackData | null {
    const verified = verifyCallback({
      body,
      headers,
      secret: has('old_secret') ? [tokens.secret, tokens.oldSecret] : tokens.secret,
      requireWebhookHeaders: true,
      expected: { account: tokens.account, ...(!has('test_as_live') && { test: true }) },
      ...(has('stale_time') && { toleranceSeconds: Number.MAX_SAFE_INTEGER }),
    });
    if (verified.ok) return verified.data;
    if (!has('spliced_fields') || headers['webhook-id'] !== undefined) return null;
    const { x_signature, ...fields } = Object.fromEntries(new URLSearchParams(String(body)));
    const message = Object.entries(fields)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flat()
      .join('');
    return createHmac('sha256', tokens.secret).update(message).digest('hex') === x_signature
      ? (fields as CallbackData)
      : null;
  }

  async function carryOut(order: Kept, { x_result }: CallbackData, signature: string): Promise<void> {
    if (x_result !== 'completed') {
      if (order.state === 'open' || has('reordering')) order.state = 'failed';
      return;
    }
    const { state } = order;
    received.push(order);
    // The first order gets only the ordinary callback. Another is changed only when two callbacks have read its state.
    if (has('two_at_once') && order.reference !== orders[0]?.reference)
      await comesTrue(() => received.indexOf(order) < received.lastIndexOf(order));
    const isRepeat = has('error_after_doing') ? seen.has(signature) : state === 'paid' && !has('duplicates');
    seen.add(signature);
    if (isRepeat) return;
    order.state = 'paid';
    order.deliveries += 1;
  }

  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET') {
      const order = kept.get(decodeURIComponent(request.url?.slice('/orders/'.length) ?? ''));
      response.writeHead(order === undefined ? 404 : 200).end(JSON.stringify(order ?? {}));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    response.writeHead(await receive(request, Buffer.concat(chunks))).end();
  };
  const server = createServer((request, response) => void reply(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    receiver: `${url}/callback`,
    orderUrl: `${url}/orders/{reference}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
