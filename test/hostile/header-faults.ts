import { FIXED_HEADERS } from '../../src/http/fixed-headers.ts';
import type { RawAnswer } from './exchange-bytes.ts';

/** Pages have other policies, and shops may cache and embed assets; nothing else differs between responses. */
const VARIES = new Set(['content-security-policy', 'cache-control', 'cross-origin-resource-policy']);

/** Returns what is wrong with the headers that every response must have, with any status. */
export function headerFaults({ headers }: Pick<RawAnswer, 'headers'>): string[] {
  const missing = Object.entries(FIXED_HEADERS).flatMap(([name, value]) => {
    const given = headers[name] ?? [];
    if (given.length !== 1) return [`${name} occurs ${given.length} times`];
    // Forms of the console send their origin; both policies send nothing to other sites.
    const isConsole = name === 'referrer-policy' && given[0] === 'same-origin';
    return given[0] === value || isConsole || VARIES.has(name) ? [] : [`${name} is ${given[0]}`];
  });
  const telling = ['server', 'x-powered-by', 'via'].filter((name) => name in headers);
  const length = ['content-length', 'transfer-encoding'].filter((name) => name in headers);
  return [
    ...missing,
    ...telling.map((name) => `${name} tells what runs here`),
    ...(length.length === 2 ? ['two lengths'] : []),
  ];
}
