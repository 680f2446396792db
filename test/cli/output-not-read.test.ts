import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild } from '../support/child-process.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

test('a command keeps its exit status when the reader of stderr closes the pipe', async () => {
  const script = '{ "$0" "$1" no-such-command 2>&1; echo "status $?" >&3; } 3>&2 | true';
  const { stderr } = await runChild('sh', ['-c', script, process.execPath, MAIN]);
  assert.equal(stderr, 'status 64\n');
});

test('a command ends quietly with status 141 when the reader of stdout closes the pipe, as head does', async () => {
  const script = '{ "$0" "$1" --help; echo "status $?" >&2; } | true';
  const { stderr } = await runChild('sh', ['-c', script, process.execPath, MAIN]);
  assert.equal(stderr, 'status 141\n');
});

test('validate ends in the same way', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-unread-'));
  context.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'in.csv'), `rut,bank,account\n${'12531909-2,012,12531909\n'.repeat(3000)}`);
  const script = '{ "$0" "$1" validate "$2/in.csv"; echo "status $?" >&2; } | head -n 1';
  const env = { ...process.env, DATA_DIR: join(folder, 'data') };
  const { stderr } = await runChild('sh', ['-c', script, process.execPath, MAIN, folder], { env });
  assert.equal(stderr, 'status 141\n');
});
