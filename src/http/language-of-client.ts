import type { ProgramLanguage } from '../../protocol/signature-causes.ts';

export const LANGUAGE_NAMES: Record<ProgramLanguage, string> = {
  php: 'PHP',
  js: 'JavaScript',
  python: 'Python',
  ruby: 'Ruby',
};

/** Returns the programming language of a client by its `User-Agent`; null if unknown. */
export function languageOfClient(userAgent: string | undefined): ProgramLanguage | null {
  return USER_AGENTS.find(([, pattern]) => pattern.test(userAgent ?? ''))?.[0] ?? null;
}

/** The default `User-Agent` of HTTP clients. */
const USER_AGENTS: readonly [ProgramLanguage, RegExp][] = [
  ['php', /php|guzzle|symfony|wordpress|prestashop|magento/i],
  ['python', /python|aiohttp|httpx/i],
  ['ruby', /ruby|faraday|httparty|typhoeus/i],
  ['js', /\bnode\b|axios|undici|\bgot\b|deno|\bbun\b/i],
];
