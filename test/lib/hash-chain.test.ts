import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChainEnd, chainHash, GENESIS, verifyChain } from '../../src/lib/hash-chain.ts';

type Link = ChainEnd & { says: string };

const hashOf = (previous: string, { link, says }: Link) => chainHash(previous, [[link, says]]);

function chainOf(...said: string[]): Link[] {
  const links: Link[] = [];
  for (const [at, says] of said.entries()) {
    const link = { link: at + 1, says, hash: '' };
    links.push({ ...link, hash: hashOf(links.at(-1)?.hash ?? GENESIS, link) });
  }
  return links;
}

const ABCD = chainOf('a', 'b', 'c', 'd');
const [A, B, C, D] = ABCD as [Link, Link, Link, Link];

/** Returns every finding as `problem from until`. */
async function findIn(links: readonly Link[], { head = D, known = [] as readonly ChainEnd[] } = {}): Promise<string[]> {
  const found: string[] = [];
  await verifyChain<Link>({
    read: async (after, limit) => links.filter(({ link }) => link > after).slice(0, limit),
    readEnd: async () => head,
    hashOf,
    known,
    found: (problem, from, until) => found.push(`${problem} ${from} ${until}`),
    walk: { from: null, page: 2, reached: async () => {}, found: () => {}, contradicted: () => {} },
  });
  return found;
}

test('an intact chain has no finding, compared with any of its ends', async () => {
  assert.deepEqual(await findIn(ABCD, { known: [A, C, D] }), []);
});

test('a chain without its last link is detected by its head', async () => {
  assert.deepEqual(await findIn([A, B, C]), ['cut 4 4']);
  assert.deepEqual(await findIn([A]), ['cut 2 4']);
});

test('a chain that was cut together with its head is detected by an end that is kept elsewhere', async () => {
  assert.deepEqual(await findIn([A, B, C], { head: C }), []);
  assert.deepEqual(await findIn([A, B, C], { head: C, known: [D] }), ['cut 4 4']);
});

test('a missing, changed or surplus link is the only finding', async () => {
  assert.deepEqual(await findIn([A, C, D]), ['missing 2 2']);
  assert.deepEqual(await findIn([A, { ...B, says: 'x' }, C, D]), ['changed 2 2']);
  assert.deepEqual(await findIn([A, B, C, D, { ...D, link: 5 }]), ['surplus 5 5']);
  assert.deepEqual(await findIn([{ ...A, link: 0 }, A, B, C, D]), ['surplus 0 0']);
});

test('a recomputed chain looks whole, and only an end that is kept elsewhere shows that it was rewritten', async () => {
  const anew = chainOf('a', 'x', 'c', 'd');
  const head = anew[3] as Link;
  assert.deepEqual(await findIn(anew, { head }), []);
  assert.deepEqual(await findIn(anew, { head, known: [A] }), []);
  assert.deepEqual(await findIn(anew, { head, known: [C] }), ['rewritten 3 3']);
});

test('a chain without its head has that finding', async () => {
  assert.deepEqual(await findIn(ABCD, { head: null as unknown as Link }), ['headless 4 4']);
  assert.deepEqual(await findIn([A, B], { head: { ...D, link: 'x' as unknown as number } }), ['headless 2 2']);
});
