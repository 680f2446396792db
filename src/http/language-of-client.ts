import type { Language } from '../../protocol/signature-causes.ts';

export const LANGUAGE_NAMES: Record<Language, string> = {
  php: 'PHP',
  js: 'JavaScript',
  python: 'Python',
  ruby: 'Ruby',
};

/** The language a client is written in, as far as its `User-Agent` tells; null when it does not. */
export function languageOfClient(userAgent: string | undefined): Language | null {
  return USER_AGENTS.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0] ?? null;
}

/** The names that HTTP clients give themselves unless told otherwise. */
const USER_AGENTS: readonly [Language, RegExp][] = [
  ['php', /php|guzzle|symfony|wordpress|prestashop|magento/i],
  ['python', /python|aiohttp|httpx/i],
  ['ruby', /ruby|faraday|httparty|typhoeus/i],
  ['js', /\bnode\b|axios|undici|\bgot\b|deno|\bbun\b/i],
];
