import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startChild } from '../support/child-process.ts';
import { makeOwnedFolder } from '../support/owned-folder.ts';

const MODULE = import.meta.resolve('../support/owned-folder.ts');

test('the folder of a killed process is removed at the next start, and no other folder', {
  skip: platform() === 'linux' ? false : 'only Linux tells when a process started',
}, async (context) => {
  const parent = mkdtempSync(join(tmpdir(), 'rubrica-owned-'));
  context.after(() => rmSync(parent, { recursive: true }));
  const start = async () => {
    const program = `import { makeOwnedFolder } from ${JSON.stringify(MODULE)};
      console.log(makeOwnedFolder(${JSON.stringify(parent)}, 'rubrica-tests'));
      setInterval(() => {}, 1000);`;
    const child = await startChild('node', ['--input-type=module', '--eval', program]);
    const { stdout } = await child.until((written) => written.stdout.endsWith('\n'));
    return { child, folder: stdout.trim() };
  };
  const [killed, running] = [await start(), await start()];
  context.after(() => running.child.end());
  writeFileSync(join(killed.folder, 'file'), '');
  const [pid, began, namespace] = (/-(\d+)[.](\d+)[.](\d+)-/.exec(running.folder) ?? []).slice(1);
  const reused = join(parent, `rubrica-tests-${pid}.${Number(began) - 1}.${namespace}-abcdef`);
  const others = [
    `rubrica-tests-${killed.child.pid}.1.${Number(namespace) + 1}-abcdef`,
    `rubrica-other-${killed.child.pid}.1.${namespace}-abcdef`,
    'rubrica-tests-abcdef',
  ].map((name) => join(parent, name));
  for (const folder of [reused, ...others]) mkdirSync(folder);
  process.kill(killed.child.pid, 'SIGKILL');
  await killed.child.ended;
  const own = makeOwnedFolder(parent, 'rubrica-tests');
  assert.deepEqual([killed.folder, reused].filter(existsSync), []);
  for (const folder of [own, running.folder, ...others]) assert.ok(existsSync(folder), folder);
});
