import { TOKEN_CODES } from '../auth/tokens/authenticate-bearer.ts';
import { CATALOGUE, type ErrorCode, type Problem, type SpentLimit } from '../error-catalogue.ts';

const ASKS_FOR_TOKEN: ReadonlySet<ErrorCode> = new Set(TOKEN_CODES);

/**
 * Returns the header fields of a refusal: how long to wait (RFC 9110, 10.2.3), the exceeded limit, that a token is
 * required, and the address where a moved payment service is, which a balancer reads.
 */
export function problemHeaders({ code, extras: { waitMs, spent, movedTo } }: Problem): Record<string, string> {
  if (ASKS_FOR_TOKEN.has(code)) return { 'www-authenticate': 'Bearer' };
  if (movedTo !== undefined) return { 'moved-to': movedTo };
  if (spent !== undefined) return { 'retry-after': wholeSeconds(spent.resetMs), ...limitFields(spent) };
  if (waitMs !== undefined) return { 'retry-after': wholeSeconds(waitMs) };
  return CATALOGUE[code].status === 503 ? { 'retry-after': '1' } : {};
}

/**
 * Returns the header fields of the RateLimit draft (draft-ietf-httpapi-ratelimit-headers): the limit, and what is left.
 */
export function limitFields(spent: SpentLimit): { 'ratelimit-policy': string; ratelimit: string } {
  const { name, most, windowMs, remaining, resetMs } = spent;
  return {
    'ratelimit-policy': `"${name}";q=${most};w=${windowMs / 1000}`,
    ratelimit: `"${name}";r=${remaining};t=${wholeSeconds(resetMs)}`,
  };
}

function wholeSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}
