import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { proveInstalled } from '../support/installed-product.ts';
import { run } from '../support/sdk-package.ts';

const repository = join(import.meta.dirname, '../..');

suite('the package that npm pack makes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-npm-'));
  let tarball: string;
  before(async () => {
    const packed = await run(repository, 'npm', 'pack', '--silent', '--pack-destination', folder);
    tarball = join(folder, packed.trim().split('\n').at(-1) ?? '');
  });
  after(() => rmSync(folder, { recursive: true }));

  test('contains the compiled code and the documents, no TypeScript and no tests, and leaves nothing in the clone', async () => {
    const files = (await run(folder, 'tar', 'tzf', tarball)).trim().split('\n');
    const outside = files.filter((file) => !/^package\/dist\/(?:src|protocol|migrations|docs)\//.test(file));
    assert.deepEqual(outside.sort(), [
      'package/CHANGELOG.md',
      'package/LICENSE',
      'package/README.md',
      'package/SECURITY.md',
      'package/bin/install',
      'package/bin/rubrica',
      'package/dist/openapi.json',
      'package/dist/package.json',
      'package/dist/rubrica.1',
      'package/package.json',
    ]);
    assert.deepEqual(
      files.filter((file) => file.endsWith('.ts')),
      [],
    );
    assert.ok(!existsSync(join(repository, 'dist')));
  });

  test('runs where npm -i g installs it', async () => {
    await run(folder, 'npm', 'install', '--global', '--prefix', folder, '--silent', tarball);
    await proveInstalled(join(folder, 'bin/rubrica') as `/${string}`, join(folder, 'global'));
  });

  test('runs as a package of a project, where npm puts its dependencies beside it', async () => {
    const project = join(folder, 'project');
    await run(folder, 'npm', 'install', '--prefix', project, '--silent', tarball);
    assert.ok(existsSync(join(project, 'node_modules/fastify')));
    await proveInstalled(join(project, 'node_modules/.bin/rubrica') as `/${string}`, join(folder, 'local'));
  });

  test('includes its man page, with every command', () => {
    const page = readFileSync(join(folder, 'share/man/man1/rubrica.1'), 'utf8');
    for (const words of ['serve', 'payment\\-service create', 'listen', 'trigger <event>'])
      assert.match(page, new RegExp(`\\.B rubrica ${words.replaceAll('\\', '\\\\')}`));
  });
});
