import { createHash } from 'node:crypto';

/** The hash that the first link of every chain follows. */
export const GENESIS = '0'.repeat(64);

/** Where a chain ends, or once ended. Links count from 1. */
export type ChainEnd = { link: number; hash: string };

/** The hash of a link: SHA-256, in lower-case hexadecimal, of the hash before it and its values, one line of JSON each. */
export function chainHash(previous: string, lines: readonly unknown[]): string {
  const text = lines.map((values) => `${JSON.stringify(values)}\n`).join('');
  return createHash('sha256').update(`${previous}\n${text}`).digest('hex');
}

/**
 * `changed`: the link, or the hash before it, is not what was hashed. `missing`: links were deleted. `surplus`: a link that was
 * never written by the chain's owner. `cut`: the chain once went on to here. `rewritten`: the chain is whole and not the one that
 * ended so. `headless`: what says where it ends is gone.
 */
export type ChainProblem = 'changed' | 'missing' | 'surplus' | 'cut' | 'rewritten' | 'headless';

/** A chain of one row for each link. `known`: ends that were kept elsewhere. `found` is told of the links `from` to `until`. */
export type Chain<Link extends ChainEnd> = {
  read: (after: number, limit: number) => Promise<Link[]>;
  readEnd: () => Promise<ChainEnd | null>;
  hashOf: (previous: string, link: Link) => string;
  known?: readonly ChainEnd[];
  found: (problem: ChainProblem, from: number, until: number, link: Link | null) => void;
  onProgress?: (links: number) => void;
};

const PAGE = 2000;

/** Computes a chain again, and answers how many links it has and its last one. Reads in pages, beside those who add to it. */
export async function verifyChain<Link extends ChainEnd>(
  chain: Chain<Link>,
): Promise<{ links: number; end: ChainEnd }> {
  // Read before the links: what is added meanwhile lies behind it.
  const head = await chain.readEnd();
  const known = [...(chain.known ?? []), ...(head === null ? [] : [head])];
  let [links, last, previous] = [0, { link: 0, hash: GENESIS }, GENESIS as string | null];
  let end = head?.link ?? Number.POSITIVE_INFINITY;
  for await (const link of linksOf(chain)) {
    links++;
    if (link.link > end) end = (await chain.readEnd())?.link ?? end;
    if (!Number.isSafeInteger(link.link) || link.link <= last.link || link.link > end) {
      chain.found('surplus', link.link, link.link, link);
      continue;
    }
    if (link.link > last.link + 1) {
      chain.found('missing', last.link + 1, link.link - 1, link);
      // Nothing that follows a lost link can be held against it.
      previous = null;
    }
    if (previous !== null && chain.hashOf(previous, link) !== link.hash)
      chain.found('changed', link.link, link.link, link);
    else if (known.some((one) => one.link === link.link && one.hash !== link.hash))
      chain.found('rewritten', link.link, link.link, link);
    last = { link: link.link, hash: link.hash };
    previous = link.hash;
  }
  const longest = Math.max(0, ...known.map((one) => one.link));
  if (head === null) chain.found('headless', last.link, last.link, null);
  if (longest > last.link) chain.found('cut', last.link + 1, longest, null);
  return { links, end: last };
}

async function* linksOf<Link extends ChainEnd>({ read, onProgress }: Chain<Link>): AsyncGenerator<Link> {
  let [last, count] = [Number.MIN_SAFE_INTEGER, 0];
  for (let page = PAGE; page === PAGE; ) {
    const links = await read(last, PAGE);
    yield* links;
    last = links.at(-1)?.link ?? last;
    page = links.length;
    count += page;
    onProgress?.(count);
  }
}
