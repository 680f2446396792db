import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { outputOf } from '../support/child-process.ts';

const repository = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'rubrica-release-'));
after(() => rmSync(folder, { recursive: true }));

test('bin/release makes every package, the list of their components, and the checksums of all', async () => {
  const release = () => outputOf('bin/release', [folder], { cwd: repository, longestMs: 9 * 60_000 });
  await release();
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
  const files = readdirSync(folder).filter((file) => file !== 'SHA256SUMS');
  const expected = [
    'rubrica-V.cdx.json',
    'rubrica-V.tgz',
    'rubrica-php-V.tar.gz',
    'rubrica-python-V.tar.gz',
    'rubrica-sdk-V.tgz',
    'rubrica-woocommerce-V.tar.gz',
    'rubrica_V_*.deb',
  ];
  assert.deepEqual(
    files.map((file) => file.replace(version, 'V').replace(/_[a-z0-9]+\.deb$/, '_*.deb')).sort(),
    expected,
  );
  const sums = files.sort().map((file) => `${hashOf(file)}  ${file}`);
  const written = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(written.sort(), sums.sort());

  // The shop's web server serves every file of the plugin, so tests and examples must not be among them.
  const plugin = await outputOf('tar', ['tzf', join(folder, `rubrica-woocommerce-${version}.tar.gz`)]);
  for (const path of ['class-rubrica-gateway.php', 'rubrica/autoload.php'])
    assert.ok(plugin.split('\n').includes(`rubrica-woocommerce/${path}`), path);
  assert.doesNotMatch(plugin, /tests|examples/);

  const bom = JSON.parse(readFileSync(join(folder, `rubrica-${version}.cdx.json`), 'utf8')) as Bom;
  assert.deepEqual([bom.bomFormat, bom.metadata.component.name], ['CycloneDX', 'rubrica']);
  const listed = bom.components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`);
  assert.deepEqual([...new Set(listed)].sort(), packagesAtRunTime());
  await assert.rejects(release(), /is not empty/);
});

type Bom = {
  bomFormat: string;
  metadata: { component: { name: string } };
  components: { group?: string; name: string; version: string }[];
};

/** Returns the packages of the lock file without development tools. */
function packagesAtRunTime(): string[] {
  const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as Lock;
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const named = installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)} ${version}`);
  return [...new Set(named)].sort();
}

type Lock = { packages: Record<string, { version: string; dev?: boolean }> };

function hashOf(file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
}
