import { Agent, request } from 'node:http';
import { signingKey } from '../../../protocol/hmac.ts';
import { sign } from '../../../protocol/sign-fields.ts';
import { SERVER_LIMITS } from '../../../src/server/server-limits.ts';

/** The payment service of every harness. */
export const SHOP = { service_token: 'a1'.repeat(32), secret_token: 'b2'.repeat(32) };

const secret = signingKey(SHOP.secret_token);

/**
 * The outcome of one `POST /trxs` for the client. `refused`: the service promises that nothing was stored. `unknown`:
 * for example after a reset, a time-out, or 503 `OUTCOME_UNKNOWN`.
 */
export type Reply =
  | { kind: 'created' | 'replayed'; id: number; payUrl: string }
  | { kind: 'conflict'; id: number }
  | { kind: 'refused'; status: number; code: string; retryAfter: string | null }
  | { kind: 'unknown'; why: string };

/** `using` closes its connections. */
export type ShopClient = Disposable & {
  /** Creates a transaction. A retry is identical only with the same `amount`. */
  create(url: string, reference: string, amount?: number): Promise<Reply>;
  /** Sends any GET. Returns its status (0: no response) and its text. */
  get(url: string, headers?: Record<string, string>): Promise<{ status: number; text: string }>;
  /** Pays on the pay page with the simulated method; returns the status. */
  pay(payUrl: string): Promise<number>;
};

export type ShopClientOptions = { timeoutMs?: number; callbackUrl?: string };

type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; text: string };

const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };
const JSON_BODY = { 'content-type': 'application/json' };

/** Creates a client with its own keep-alive connections, like a shop's server. */
export function createShopClient(options: ShopClientOptions = {}): ShopClient {
  const { timeoutMs = 60_000, callbackUrl = 'http://127.0.0.1:9/callback' } = options;
  // Closes an idle connection long before the service does: a request on a closed one is reset.
  const agent = new Agent({ keepAlive: true, timeout: SERVER_LIMITS.idleMs / 2 });

  function exchange(url: string, body: string | null, headers: Record<string, string>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent, method: body === null ? 'GET' : 'POST', headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        });
      });
      sent.setTimeout(timeoutMs, () => sent.destroy(new Error('time-out')));
      sent.on('error', reject);
      sent.end(body ?? undefined);
    });
  }

  return {
    create: async (url, reference, amount = 5_000) => {
      try {
        const body = signedBody(reference, amount, callbackUrl);
        const { status, headers, text } = await exchange(`${url}/trxs`, body, JSON_BODY);
        return replyOf(status, headers, text);
      } catch (error) {
        const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
        // Without a connection nothing was sent.
        if (why === 'ECONNREFUSED') return { kind: 'refused', status: 0, code: why, retryAfter: null };
        return { kind: 'unknown', why };
      }
    },
    get: async (url, headers = {}) => {
      try {
        return await exchange(url, null, headers);
      } catch (error) {
        return { status: 0, text: (error as Error).message };
      }
    },
    pay: async (payUrl) => (await exchange(payUrl, 'method=simulated', FORM_BODY)).status,
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** Returns the body of a create. */
export function signedBody(reference: string, amount: number, callbackUrl: string): string {
  const input = {
    x_account_id: SHOP.service_token,
    x_amount: String(amount),
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: reference,
    x_session_id: 'session-1',
    x_shop_country: 'CL',
    x_url_callback: callbackUrl,
    x_url_cancel: 'https://shop.example/cancel',
    x_url_complete: 'https://shop.example/complete',
  };
  return JSON.stringify(sign(input, secret, { allowHttp: true }));
}

/** Interprets a response to a create. */
export function replyOf(status: number, headers: NodeJS.Dict<string | string[]>, text: string): Reply {
  const body = JSON.parse(text) as { code?: string; data: { idTrx: number; payUrl?: { url: string }[] } | null };
  if (status === 200) {
    const kind = headers['idempotency-hit'] === 'true' ? 'replayed' : 'created';
    return { kind, id: body.data?.idTrx ?? 0, payUrl: body.data?.payUrl?.[0]?.url ?? '' };
  }
  if (status === 409) return { kind: 'conflict', id: body.data?.idTrx ?? 0 };
  const code = body.code ?? 'none';
  if (status === 503 && code !== 'OUTCOME_UNKNOWN') {
    return { kind: 'refused', status, code, retryAfter: String(headers['retry-after'] ?? '') };
  }
  return { kind: 'unknown', why: `${status} ${code}` };
}
