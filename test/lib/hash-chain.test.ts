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

/** Every finding as `problem from until`. */
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

test('a chain that nobody touched has no finding, held against any end that it had', async () => {
  assert.deepEqual(await findIn(ABCD, { known: [A, C, D] }), []);
});

test('a chain that lost its last link alone is found by its head', async () => {
  assert.deepEqual(await findIn([A, B, C]), ['cut 4 4']);
  assert.deepEqual(await findIn([A]), ['cut 2 4']);
});

test('a chain that was cut with its head is found by an end that was kept elsewhere', async () => {
  assert.deepEqual(await findIn([A, B, C], { head: C }), []);
  assert.deepEqual(await findIn([A, B, C], { head: C, known: [D] }), ['cut 4 4']);
});

test('a link that is gone, changed or too much is named, and nothing beside it', async () => {
  assert.deepEqual(await findIn([A, C, D]), ['missing 2 2']);
  assert.deepEqual(await findIn([A, { ...B, says: 'x' }, C, D]), ['changed 2 2']);
  assert.deepEqual(await findIn([A, B, C, D, { ...D, link: 5 }]), ['surplus 5 5']);
  assert.deepEqual(await findIn([{ ...A, link: 0 }, A, B, C, D]), ['surplus 0 0']);
});

test('a chain that was computed anew is whole, and not the one whose end was kept elsewhere', async () => {
  const anew = chainOf('a', 'x', 'c', 'd');
  const head = anew[3] as Link;
  assert.deepEqual(await findIn(anew, { head }), []);
  assert.deepEqual(await findIn(anew, { head, known: [A] }), []);
  assert.deepEqual(await findIn(anew, { head, known: [C] }), ['rewritten 3 3']);
});

test('a chain whose head is gone says so', async () => {
  assert.deepEqual(await findIn(ABCD, { head: null as unknown as Link }), ['headless 4 4']);
});
