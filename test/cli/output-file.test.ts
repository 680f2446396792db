import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openDatabase } from '../../src/db/open-database.ts';
import { runChild, startChild } from '../support/child-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { runCommand } from '../support/run-command.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

suite('a command that is interrupted', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-output-'));
  const env = { PATH: process.env['PATH'], DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent' };
  after(() => rmSync(folder, { recursive: true }));
  const beginning = (name: string) => readdirSync(folder).filter((one) => one.startsWith(name));

  test('leaves a complete backup or none under its name', async () => {
    const run = (...words: string[]) => runCommand(words, { env });
    assert.equal((await run('migrate')).status, 0);
    const db = openDatabase(`sqlite:${join(folder, 'rubrica.db')}`, {
      connections: 1,
      pooler: false,
      onFatal: () => {},
    });
    await db.transaction(async (tx) => {
      await tx.query('create table filler (id integer, text text)');
      const filler = { name: 'filler', columns: ['id', 'text'] };
      for (let id = 0; id < 64; id++) await tx.insertRows(filler, [{ id, text: 'x'.repeat(1_000_000) }]);
    });
    await db.close();
    const whole = join(folder, 'whole.db');
    assert.equal((await run('backup', whole)).status, 0);
    assert.equal(statSync(whole).mode & 0o777, 0o600);
    assert.match((await run('backup', whole)).stderr, /^ALREADY_DONE: /);
    assert.deepEqual(beginning('whole.db'), ['whole.db']);

    const twice = await Promise.all(['one', 'two'].map(() => run('backup', join(folder, 'twice.db'))));
    const written = twice.filter(({ status }) => status === 0);
    assert.equal(written.length, 1, 'only one of two writers creates the file');
    assert.match(twice.map(({ stderr }) => stderr).join(''), /^ALREADY_DONE: /);
    assert.deepEqual(beginning('twice.db'), ['twice.db']);

    for (const [name, signal] of [
      ['killed.db', 'SIGKILL'],
      ['interrupted.db', 'SIGINT'],
    ] as const) {
      const child = await startChild('node', [MAIN, 'backup', join(folder, name)], { env });
      while (child.running() && beginning(name).length === 0) await new Promise(setImmediate);
      await child.end(signal);
      const size = existsSync(join(folder, name)) ? statSync(join(folder, name)).size : null;
      assert.ok(size === null || size === statSync(whole).size, `${name} has ${size} bytes`);
      if (signal === 'SIGINT') assert.deepEqual(beginning(`${name}.`), []);
    }
  });

  test('removes all of its partial files', async () => {
    const files = ['out', 'repair', 'changes'].flatMap((name) => [`--${name}`, join(folder, `${name}.csv`)]);
    const child = await startChild('node', [MAIN, 'validate', '-', ...files], { env });
    const parts = () => readdirSync(folder).filter((name) => /^(out|repair|changes)\.csv/.test(name));
    await comesTrue(() => parts().length === 3);
    assert.equal((await child.end('SIGINT')).status, 130);
    assert.deepEqual(parts(), []);
  });

  test('leaves an earlier file as it was when the disk takes only a part of the new one', async () => {
    const path = join(folder, 'bank.txt');
    writeFileSync(path, 'whole');
    const module = pathToFileURL(join(import.meta.dirname, '../../src/cli/output-file.ts')).href;
    const script = `const { writeWhole } = await import('${module}'); await writeWhole('${path}', Buffer.alloc(1_000_000));`;
    // The shell's limit of the size of a file stands for a full disk.
    const words = ['-c', 'ulimit -f 64; exec "$0" --input-type=module --eval "$1"', process.execPath, script];
    const { status, stderr } = await runChild('sh', words, { env });
    assert.equal(status, 1);
    assert.match(stderr, /EFBIG/);
    assert.equal(readFileSync(path, 'utf8'), 'whole');
    assert.deepEqual(beginning('bank.txt'), ['bank.txt']);
  });
});
