import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild, withoutTestContext } from '../support/child-process.ts';

test('a test file that leaves a server running ends by itself, with all its tests counted', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'leaves.test.mjs');
  writeFileSync(file, LEAVES_A_SERVER);
  const preload = import.meta.resolve('../support/end-with-tests.ts');
  const args = [`--import=${preload}`, '--test-reporter=tap', file];

  const { stdout, stderr } = await runChild('node', args, { env: withoutTestContext() });

  assert.equal(stdout.match(/^ok \d+ /gm)?.length, 501);
  assert.match(stderr, /leaves\.test\.mjs: its tests are over and left running: .*TCPSERVERWRAP/i);
});

const LEAVES_A_SERVER = `
import net from 'node:net';
import { test } from 'node:test';
for (let count = 0; count < 500; count += 1) test('a test with a name that fills the pipe ' + count, () => {});
test('leaves a server', () => void net.createServer().listen(0, '127.0.0.1'));
`;
