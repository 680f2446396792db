import { TOKEN_CODES } from '../auth/authenticate-bearer.ts';
import { CATALOGUE, type ErrorCode, type Problem, type SpentLimit } from '../error-catalogue.ts';

const ASKS_FOR_TOKEN: ReadonlySet<ErrorCode> = new Set(TOKEN_CODES);

/** The header fields of a refusal: how long to wait (RFC 9110, 10.2.3), which limit was reached, that a token is asked for, and where to a balancer leads it. */
export function problemHeaders({ code, extras: { waitMs, spent, movedTo } }: Problem): Record<string, string> {
  if (ASKS_FOR_TOKEN.has(code)) return { 'www-authenticate': 'Bearer' };
  if (movedTo !== undefined) return { 'moved-to': movedTo };
  if (spent !== undefined) return { 'retry-after': wholeSeconds(spent.resetMs), ...limitFields(spent) };
  if (waitMs !== undefined) return { 'retry-after': wholeSeconds(waitMs) };
  return CATALOGUE[code].status === 503 ? { 'retry-after': '1' } : {};
}

/** The header fields of the RateLimit draft (draft-ietf-httpapi-ratelimit-headers): what there is, and what is left. */
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
