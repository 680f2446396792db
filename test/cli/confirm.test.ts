import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { confirm, type Terminal } from '../../src/cli/confirm.ts';

/** Returns a terminal at which somebody types `typed`. `output` has the question. */
function terminal(typed: string | null, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.end(typed ?? undefined);
  return { input, output } satisfies Terminal;
}

const ANSWERS: [typed: string | null, goesOn: boolean][] = [
  ['y\n', true],
  ['YES\n', true],
  ['sí\n', true],
  ['\n', false],
  ['n\n', false],
  ['1000\n', false],
  [null, false],
];
for (const [typed, goesOn] of ANSWERS) {
  test(`${JSON.stringify(typed)} at a terminal ${goesOn ? 'confirms' : 'does not confirm'}`, async () => {
    const at = terminal(typed);
    const asked = confirm('Refund $1.000 CLP?', {}, at);
    if (goesOn) await asked;
    else await assert.rejects(asked, { code: 'NOT_CONFIRMED' });
    assert.match(String(at.output.read()), /^Refund \$1\.000 CLP\? \[y\/N\] /);
  });
}

test('nothing is asked with --yes or without a terminal', async () => {
  for (const [options, at] of [
    [{ yes: true }, terminal(null)],
    [{}, terminal(null, false)],
  ] as const) {
    await confirm('Refund $1.000 CLP?', options, at);
    assert.equal(at.output.read(), null);
  }
});
