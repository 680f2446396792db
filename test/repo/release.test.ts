import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const versionOf = (manifest: string) => (JSON.parse(read(manifest)) as { version: string }).version;

for (const changelog of ['CHANGELOG.md', 'sdk/CHANGELOG.md']) {
  test(`${changelog} begins with Unreleased, and then has the version of both packages with its date`, () => {
    const [first, ...released] = sectionsOf(read(changelog));
    assert.equal(first, 'Unreleased');
    const versions = released.map((title) => /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/.exec(title));
    assert.ok(!versions.includes(null), `each title is VERSION (YYYY-MM-DD): ${released.join(', ')}`);
    assert.deepEqual([versionOf('package.json'), versionOf('sdk/package.json')], [versions[0]?.[1], versions[0]?.[1]]);
    const days = versions.map((version) => version?.[2] ?? '');
    assert.deepEqual(days, days.toSorted().toReversed());
  });
}

test('the lock file has the version of the package', () => {
  const lock = JSON.parse(read('package-lock.json')) as { version: string; packages: { '': { version: string } } };
  assert.deepEqual([lock.version, lock.packages[''].version], [versionOf('package.json'), versionOf('package.json')]);
});

test('the clients in other languages have the version of the package', () => {
  const said = [
    versionOf('clients/php/composer.json'),
    /^version = "(.+)"$/m.exec(read('clients/python/pyproject.toml'))?.[1],
    /^ \* Version: (.+)$/m.exec(read('clients/woocommerce/rubrica-woocommerce.php'))?.[1],
  ];
  assert.deepEqual(said, Array(3).fill(versionOf('package.json')));
});

test('every decision is in the list of decisions with its title and parts, and the numbers have no gap', () => {
  const files = readdirSync(join(root, 'docs/decisions')).filter((file) => file !== 'README.md');
  const pages = files.sort().map((file) => ({ file, text: read(`docs/decisions/${file}`) }));
  const rows = pages.map(
    ({ file, text }) => `| [${file.slice(0, 4)}](${file}) | ${/^# \d{4}: (.+)$/m.exec(text)?.[1]} |`,
  );
  assert.deepEqual(
    read('docs/decisions/README.md')
      .split('\n')
      .filter((line) => line.startsWith('| [')),
    rows,
  );
  assert.deepEqual(
    pages.map(({ file }) => Number(file.slice(0, 4))),
    pages.map((_, place) => place + 1),
  );
  const parts = ['Why there was something to decide', 'What was decided', 'What else was weighed', 'What it costs'];
  for (const { file, text } of pages) assert.deepEqual(sectionsOf(text), parts, file);
});

test('known vulnerabilities of dependencies are checked every week and with each change of the lock file', () => {
  const workflow = read('.github/workflows/audit.yml');
  assert.match(workflow, /^ {4}- cron: '\d+ \d+ \* \* 1'$/m);
  assert.match(workflow, /^ {4}paths: \[package-lock\.json\]$/m);
  assert.match(workflow, /^ {6}- run: npm audit --omit=dev --audit-level=high$/m);
});

function sectionsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
}
