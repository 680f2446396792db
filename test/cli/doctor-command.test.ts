import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ATTENTION_KINDS } from '../../src/attention/attention-kinds.ts';
import type { Config } from '../../src/config.ts';
import { isSafeSqlite, sqliteFindings } from '../../src/health/sqlite-findings.ts';
import { sayIn } from '../../src/lib/language.ts';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestClock } from '../support/test-app.ts';

type Report = {
  ok: boolean;
  findings: { check: string; ok: boolean; says: string; fix: string | null }[];
  settings: { name: string; value: string | null; source: string }[];
};

const VERSIONS: [version: string, safe: boolean][] = [
  ['3.51.2', false],
  ['3.51.3', true],
  ['3.51.10', true],
  ['3.52.0', false],
  ['3.53.0', true],
  ['3.9.0', false],
  ['4.0.0', true],
];
for (const [version, safe] of VERSIONS) {
  test(`SQLite ${version} ${safe ? 'is safe' : 'can damage a store'}`, () => assert.equal(isSafeSqlite(version), safe));
}

test('the free space of the disk has a decimal comma in Spanish', () => {
  const databaseUrl = `sqlite:${join(tmpdir(), 'rubrica.db')}`;
  const findings = sqliteFindings({ config: { databaseUrl } as Config, now: createTestClock() });
  const { says = '' } = findings.find(({ check }) => check === 'disk') ?? {};
  assert.match(sayIn(says, 'es'), /^\d+,\d GiB libres en /);
  assert.match(sayIn(says, 'en'), /^\d+\.\d GiB free in /);
});

suite('doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  after(() => rmSync(folder, { recursive: true }));

  test('finds that there is no store and makes none, and finds no problem in a new one', async () => {
    const before = await report({});
    assert.equal(before.status, 1);
    assert.deepEqual(problems(before), ['database']);
    assert.deepEqual(readdirSync(folder), []);
    await run({}, 'migrate');
    const after = await report({});
    assert.equal(after.status, 0);
    assert.equal(after.ok, true);
    assert.deepEqual(
      after.findings.map(({ check }) => check),
      [
        'node',
        'database',
        'disk',
        'schema',
        'master-key',
        'callbacks',
        ...ATTENTION_KINDS.map(({ kind }) => kind),
        'anchors',
        'audit-log',
        'bank-list',
        'process',
        'public-url',
        'port',
      ],
    );
    const port = after.settings.find(({ name }) => name === 'PORT');
    assert.deepEqual([port?.value, port?.source], ['0', 'environment']);
    assert.equal(after.settings.find(({ name }) => name === 'MASTER_KEY')?.source, 'file');
  });

  test('prints OK or PROBLEM for a person, with the fix under a problem', async () => {
    const { stdout } = await run({ RUBRICA_ENV: 'production', MASTER_KEY: '5a'.repeat(32) }, 'doctor');
    assert.match(stdout, /^OK {7}node {12}v\d/);
    assert.match(
      stdout,
      /\nPROBLEM {2}public-url {6}PUBLIC_URL is not set.*\n {25}Set PUBLIC_URL to the https address/,
    );
    assert.doesNotMatch(stdout, /(?:5a){8}/);
  });

  test('finds a wrong master key, a port in use, an invalid setting and an unusable database', async () => {
    await run({}, 'payment-service', 'create', '--name', 'Tienda');
    assert.deepEqual(problems(await report({ MASTER_KEY: '5a'.repeat(32) })), ['master-key']);
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const taken = await report({ PORT: String((other.address() as AddressInfo).port) });
    other.close();
    assert.deepEqual(problems(taken), ['port']);
    assert.deepEqual(problems(await report({ PORT: 'x' })), ['settings']);
    assert.deepEqual(problems(await report({ SECOND_FACTOR_ROLES: 'owner,boss' })), ['settings']);
    assert.deepEqual(problems(await report({ DATABASE_URL: 'postgres://127.0.0.1:1/none' })), ['database']);
    assert.deepEqual(problems(await report({ DATABASE_URL: `sqlite:${import.meta.filename}` })), ['database']);
  });

  test('says that the port belongs to the service of another store', async (context) => {
    await run({}, 'migrate');
    const other = createHttpServer((_, response) => {
      response.writeHead(200, { 'rubrica-version': '0.1.0' }).end();
    }).listen(0, '127.0.0.1');
    context.after(() => other.close());
    await once(other, 'listening');
    const PORT = String((other.address() as AddressInfo).port);
    const taken = await report({ PORT });
    assert.deepEqual(problems(taken), ['port']);
    const found = taken.findings.find(({ check }) => check === 'port');
    assert.equal(found?.says, `the service of another store runs on 127.0.0.1:${PORT}: no process of this one does`);
    assert.match(found?.fix ?? '', /^Set PORT to another/);
  });

  test('compares its clock with PostgreSQL’s, and names the settings of its durability', {
    skip: process.env['TEST_POSTGRES_URL'] === undefined,
  }, async () => {
    const url = new URL(process.env['TEST_POSTGRES_URL'] as string);
    url.searchParams.set('options', '-c synchronous_commit=local -c default_transaction_isolation=serializable');
    const { findings } = await report({ DATABASE_URL: url.href });
    assert.match(findings.find(({ check }) => check === 'database')?.says ?? '', /clock is \d+ ms (ahead|behind)/);
    const durability = findings.find(({ check }) => check === 'durability');
    assert.match(
      durability?.says ?? '',
      /^fsync (on|off), full_page_writes (on|off).*, synchronous_commit local \(the service commits with on\), isolation serializable \(/,
    );
    // The tests' server may run without fsync, which makes them fast.
    assert.equal(durability?.ok, durability?.says.startsWith('fsync on'));
    assert.equal(durability?.fix?.startsWith('Set fsync = on: ') ?? true, true);
  });

  test('asks for a newer bank list when its own date is older than the setting allows', async () => {
    const old = await report({ BANK_DIRECTORY_MAX_AGE_DAYS: '1' });
    assert.deepEqual(problems(old), ['bank-list']);
    const { says, fix } = old.findings.find(({ check }) => check === 'bank-list') as Report['findings'][number];
    assert.match(`${says} ${fix}`, /^2026\+[0-9a-f]{8}, up to \d+ days old .*bin\/rubrica banks import FILE$/);
    assert.deepEqual(problems(await report({ BANK_DIRECTORY_MAX_AGE_DAYS: '0' })), ['settings']);
  });

  function problems({ findings }: Report): string[] {
    return findings.filter(({ ok, fix }) => !ok && fix !== null).map(({ check }) => check);
  }

  async function report(settings: Record<string, string>): Promise<Report & { status: number | null }> {
    const { status, stdout } = await run(settings, 'doctor', '--json');
    return { ...(JSON.parse(stdout) as Report), status };
  }

  function run(settings: Record<string, string>, ...arguments_: string[]): Promise<Ended> {
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: folder,
      PORT: '0',
      BANK_DIRECTORY_MAX_AGE_DAYS: '36500',
      ...settings,
    };
    return runCommand(arguments_, { env });
  }
});
