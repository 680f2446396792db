import { hash } from 'node:crypto';
import type { ChainPlace, Walk } from './walk.ts';

/** The hash that the first link of every chain follows. */
export const GENESIS = '0'.repeat(64);

/** Where a chain ends, or once ended. Links count from 1. */
export type ChainEnd = { link: number; hash: string };

/**
 * Returns the hash of a link: SHA-256, in lower-case hexadecimal, of the previous hash and the link's values, one line
 * of JSON each.
 */
export function chainHash(previous: string, lines: readonly unknown[]): string {
  const text = lines.map((values) => `${JSON.stringify(values)}\n`).join('');
  return hash('sha256', `${previous}\n${text}`, 'hex');
}

/**
 * `changed`: the link, or the hash before it, differs from the hashed text. `missing`: links were deleted. `surplus`:
 * the chain's owner never wrote this link. `cut`: links at the end are gone. `rewritten`: the chain is consistent, but
 * a known end is not in it. `headless`: the record of the chain's end is gone.
 */
export type ChainProblem = 'changed' | 'missing' | 'surplus' | 'cut' | 'rewritten' | 'headless';

/**
 * A chain with one row for each link. `known`: ends that were kept elsewhere. `found` receives each problem with its
 * links `from` to `until`.
 */
export type Chain<Link extends ChainEnd> = {
  read: (after: number, limit: number) => Promise<Link[]>;
  readEnd: () => Promise<ChainEnd | null>;
  hashOf: (previous: string, link: Link) => string;
  known?: readonly ChainEnd[];
  found: (problem: ChainProblem, from: number, until: number, link: Link | null) => void;
  walk: Walk<ChainPlace>;
};

/**
 * Verifies a chain from the place of an interrupted walk, or from its start. Returns the number of links and the last
 * link. Reads in pages and does not block writers.
 */
export async function verifyChain<Link extends ChainEnd>(
  chain: Chain<Link>,
): Promise<{ links: number; end: ChainEnd }> {
  const { walk } = chain;
  const found: Chain<Link>['found'] = (...problem) => {
    walk.found();
    chain.found(...problem);
  };
  const from = await placeToGoOn(chain);
  // The end is read before the links, so links that are added meanwhile lie behind it.
  const kept = await chain.readEnd();
  // SQLite keeps a text in a column of numbers, and a text is less and greater than no link.
  const head = Number.isSafeInteger(kept?.link) ? kept : null;
  const seen = from === null && walk.from !== null ? [walk.from] : [];
  const known = [...(chain.known ?? []), ...seen, ...(head === null ? [] : [head])];
  let last: ChainPlace = from ?? { rows: 0, link: 0, hash: GENESIS };
  let previous: string | null = last.hash;
  let end = head?.link ?? Number.POSITIVE_INFINITY;
  for await (const page of pagesOf(chain, from)) {
    for (const link of page) {
      last = { ...last, rows: last.rows + 1 };
      if (link.link > end) end = (await chain.readEnd())?.link ?? end;
      if (!Number.isSafeInteger(link.link) || link.link <= last.link || link.link > end) {
        found('surplus', link.link, link.link, link);
        continue;
      }
      if (link.link > last.link + 1) {
        found('missing', last.link + 1, link.link - 1, link);
        // The link after a gap cannot be checked against its predecessor.
        previous = null;
      }
      if (previous !== null && chain.hashOf(previous, link) !== link.hash) found('changed', link.link, link.link, link);
      else if (known.some((one) => one.link === link.link && one.hash !== link.hash))
        found('rewritten', link.link, link.link, link);
      last = { rows: last.rows, link: link.link, hash: link.hash };
      previous = link.hash;
    }
    await walk.reached(last, last.link / end);
  }
  const longest = Math.max(0, ...known.map((one) => one.link));
  if (head === null) found('headless', last.link, last.link, null);
  if (longest > last.link) found('cut', last.link + 1, longest, null);
  return { links: last.rows, end: { link: last.link, hash: last.hash } };
}

/**
 * Returns the place of the interrupted walk if the chain still has that link. Otherwise marks the place as contradicted
 * and returns null.
 */
async function placeToGoOn<Link extends ChainEnd>({ read, walk }: Chain<Link>): Promise<ChainPlace | null> {
  if (walk.from === null) return null;
  const { link, hash } = walk.from;
  const [row] = link === 0 ? [{ link, hash: GENESIS }] : await read(link - 1, 1);
  if (row?.link === link && row.hash === hash) return walk.from;
  walk.contradicted();
  return null;
}

async function* pagesOf<Link extends ChainEnd>(
  { read, walk }: Chain<Link>,
  from: ChainPlace | null,
): AsyncGenerator<Link[]> {
  let last = from?.link ?? Number.MIN_SAFE_INTEGER;
  for (let links = await read(last, walk.page); ; links = await read(last, walk.page)) {
    yield links;
    if (links.length < walk.page) return;
    last = links.at(-1)?.link ?? last;
  }
}
