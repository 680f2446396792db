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
  /** Accepts `http:`, private addresses and every port but this program's own. For development only. */
  allowPrivate: boolean;
  /** The environment that chose the URL; without it the operator did. */
  merchant?: number;
};

/** `retryAfter` is the header as sent, `excerpt` at most 2 KiB of the body, `detail` a stable code. */
export type FetchOutcome = Exchange & { durationMs: number };

/**
 * One request to a server of somebody else. Never throws and never rejects: what can go wrong out there is data.
 * A redirect is an answer like any other and is not followed.
 */
export type SafeFetch = (request: FetchRequest) => Promise<FetchOutcome>;

export type SafeFetchOptions = {
  /** Asked with a request and not before: the port is known only once this program listens. */
  ownPlaces?: () => OwnPlaces;
  resolve?: Resolve;
  dial?: Dial;
  /** Everything goes through it, to the addresses that were checked here. */
  proxy?: EgressProxy | null;
  /** From the look-up of the name to the end of the body. */
  totalMs?: number;
  /** For the look-up of the name, and again for each connection. */
  connectMs?: number;
};

/** A host with many dead addresses may not use up the whole time. */
const maxAddressesTried = 3;

/**
 * Requests that only ever reach public addresses. With every call the name is resolved anew, every address of both
 * families is checked, and the connection goes to the checked address itself: an answer that changes between check and
 * connection changes nothing. A kept connection is used again only if its address is in the new answer.
 *
 * `close` ends all connections at once; requests under way answer `failed`.
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
      // Only where no connection came about is it certain that nothing was sent.
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

/** With the first request: undici takes 25 MB and 90 ms that a process without requests need not pay. */
async function loadPools(open: OpenConnection): Promise<ConnectionPools> {
  const { createConnectionPools } = await import('./connection-pools.ts');
  return createConnectionPools(open);
}

function failed(reason: FailureReason, detail: string): Exchange {
  return { kind: 'failed', reason, detail };
}
