import { checkOutboundUrl, type OwnPlaces, withoutBrackets } from './address-filter.ts';
import type { ConnectionPools, OpenConnection } from './connection-pools.ts';
import { type Dial, dialAddress, openSocket } from './dial-address.ts';
import { type Exchange, type ExchangeRequest, exchangeRequest, type FailureReason } from './exchange-request.ts';
import { type EgressProxy, openTunnel } from './open-tunnel.ts';
import { type Resolve, resolveHost } from './resolve-host.ts';
import { createNameResolver } from './resolve-name.ts';

export type FetchRequest = {
  url: string;
  method: 'GET' | 'POST' | 'PUT';
  headers: Record<string, string>;
  body: string | Buffer | null;
  /** Accepts `http:`, private addresses, and every port except this program's own. For development only. */
  allowPrivate: boolean;
  /** The environment that chose the URL; undefined for a URL of the operator. */
  merchant?: number;
};

/** `retryAfter` is the header as sent, `excerpt` at most 2 KiB of the body, `detail` a stable code. */
export type FetchOutcome = Exchange & { durationMs: number };

/**
 * Sends one request to an external server. Never throws and never rejects: a failure is a value. A redirect is an
 * ordinary response and is not followed.
 */
export type SafeFetch = (request: FetchRequest) => Promise<FetchOutcome>;

export type SafeFetchOptions = {
  /** Called with each request, because the port is known only once this program listens. */
  ownPlaces?: () => OwnPlaces;
  resolve?: Resolve;
  dial?: Dial;
  /** If set, all requests go through this proxy, to the checked addresses. */
  proxy?: EgressProxy | null;
  /** The limit from the look-up of the name to the end of the body. */
  totalMs?: number;
  /** The limit of the look-up, and again of each connection. */
  connectMs?: number;
};

/** A host with many dead addresses must not use up the whole time. */
const maxAddressesTried = 3;

/**
 * Creates a client whose requests reach only public addresses. Every call resolves the name again, checks all addresses
 * of both families, and connects to a checked address. So a DNS answer that changes between check and connection has no
 * effect. A kept connection is used again only if its address is in the new answer.
 *
 * `close` ends all connections at once; requests under way return `failed`.
 */
export function createSafeFetch(options: SafeFetchOptions = {}): { fetch: SafeFetch; close: () => Promise<void> } {
  const { ownPlaces = () => ({}), resolve = createNameResolver(), dial = dialAddress, proxy = null } = options;
  const { totalMs = 15_000, connectMs = 5_000 } = options;
  const open: OpenConnection = (target, done) =>
    proxy === null
      ? openSocket(dial, target, connectMs, done)
      : openTunnel(proxy, createNameResolver(), target, connectMs, done);
  let pools: Promise<ConnectionPools> | null = null;
  let closed = false;

  async function fetch(request: FetchRequest): Promise<FetchOutcome> {
    const startedAt = performance.now();
    const exchange = await attempt(request, startedAt + totalMs);
    return { ...exchange, durationMs: Math.round(performance.now() - startedAt) };
  }

  async function attempt(request: FetchRequest, deadline: number): Promise<Exchange> {
    const rules = { allowPrivate: request.allowPrivate, ...ownPlaces() };
    const refusal = checkOutboundUrl(request.url, rules);
    if (refusal !== null) return failed('refused_address', refusal.code);
    const url = new URL(request.url);
    let addresses: readonly string[] | null;
    try {
      addresses = await resolveHost(withoutBrackets(url.hostname), resolve, rules, connectMs, request.merchant);
    } catch (error) {
      return failed('dns', (error as { code?: string }).code ?? 'EAI_FAIL');
    }
    if (addresses === null) return failed('refused_address', 'URL_NOT_ALLOWED');
    return tryAddresses(url, addresses, request, deadline);
  }

  async function tryAddresses(
    url: URL,
    addresses: readonly string[],
    request: FetchRequest,
    deadline: number,
  ): Promise<Exchange> {
    const { method, headers, body } = request;
    const sent: ExchangeRequest = { path: url.pathname + url.search, method, headers, body };
    const { openFirst, use } = await (pools ??= loadPools(open));
    let exchange = failed('dns', 'ENODATA');
    for (const address of openFirst(url.origin, addresses).slice(0, maxAddressesTried)) {
      if (closed) return failed('connect', 'ECLOSED');
      exchange = await use(url, address, (pool) => exchangeRequest(pool, sent, deadline - performance.now()));
      // Only a failed connection proves that nothing was sent.
      if (exchange.kind === 'answered' || exchange.reason !== 'connect') break;
    }
    return exchange;
  }

  async function close(): Promise<void> {
    closed = true;
    await (await pools)?.close();
  }

  return { fetch, close };
}

/** Loaded with the first request: undici takes 25 MB and 90 ms. */
async function loadPools(open: OpenConnection): Promise<ConnectionPools> {
  const { createConnectionPools } = await import('./connection-pools.ts');
  return createConnectionPools(open);
}

function failed(reason: FailureReason, detail: string): Exchange {
  return { kind: 'failed', reason, detail };
}
