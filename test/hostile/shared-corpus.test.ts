import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type HostileCase, readCorpus } from './hostile-case.ts';
import { replayCase } from './replay-case.ts';
import { type ProductTarget, startProduct } from './target.ts';

const { vectors, cases } = readCorpus();

describe('hostile requests get their class of answer, exactly one, and leave nothing behind', () => {
  let target: ProductTarget;
  before(async () => {
    target = await startProduct({ headersTimeoutMs: 500 });
  });
  after(() => target.close());

  for (const hostile of cases) {
    const skip = reasonToSkip(hostile);
    test(`${hostile.id} ${hostile.endpoint}: ${hostile.title}`, { skip }, async () => {
      assert.deepEqual(await replayCase(target, hostile, [vectors.secret, vectors.token, 'buyer@example']), []);
    });
  }
});

function reasonToSkip(hostile: HostileCase): string | false {
  if (hostile.expect.class === 'scenario') return 'a scenario with a test of its own';
  if (hostile.endpoint !== 'POST /trxs') return 'not yet';
  return false;
}
