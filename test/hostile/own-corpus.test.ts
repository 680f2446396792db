import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readCorpus } from './hostile-case.ts';
import { OWN_CASES } from './own-cases.ts';
import { replayCase } from './replay-case.ts';
import { type ProductTarget, startProduct } from './target.ts';

describe('requests derived from the shared corpus get the answer of their class', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct();
  });
  after(() => target.close());

  for (const hostile of OWN_CASES) {
    test(`${hostile.id} ${hostile.title}`, async () => {
      assert.deepEqual(await replayCase(target, hostile, [readCorpus().vectors.secret, 'buyer@example']), []);
    });
  }
});
