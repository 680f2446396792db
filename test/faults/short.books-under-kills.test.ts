import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import { forEachEngine } from '../support/engines.ts';
import { killBookkeeper } from './books-under-kills.ts';

/** The short form of books-under-kills.fault.ts. */
forEachEngine('books under kills, short form', (openTestDatabase) => {
  test('agree with what happened', async () => {
    const result = await killBookkeeper(openTestDatabase, { kills: 4, random: createSeededRandom(3) });
    assert.deepEqual(result.problems, []);
    assert.ok(result.payments > 0 && result.refunds > 0 && result.movements > 0, 'there was something to book');
  });

  test('catches the planted bug: books in a second commit', async () => {
    const plant = 'books in a second commit';
    const { problems } = await killBookkeeper(openTestDatabase, { kills: 4, random: createSeededRandom(4), plant });
    assert.ok(problems.length > 0);
  });
});
