import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type Child, type Ended, startChild } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

suite('restore on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-restored-'));
  const store = join(folder, 'rubrica.db');
  const backup = join(folder, 'backup.db');
  after(() => rmSync(folder, { recursive: true }));
  before(async () => {
    await run(['payment-service', 'create', '--name', 'Kept']);
    const service = await serve();
    await run(['backup', backup]);
    await service.end();
    await run(['payment-service', 'create', '--name', 'Lost']);
  });

  test('refuses an unusable backup with the cause, and leaves the store unchanged', async () => {
    const bytes = readFileSync(store);
    const damaged = readFileSync(backup);
    damaged.fill(0xff, 4096 * 3, 4096 * 20);
    writeFileSync(join(folder, 'damaged.db'), damaged);
    writeFileSync(join(folder, 'text.db'), 'no store at all, but long enough to be taken for something');
    writeFileSync(join(folder, 'empty.db'), '');
    writeFileSync(join(folder, 'cut.db'), readFileSync(backup).subarray(0, 200_000));
    writeFileSync(join(folder, 'short.db'), readFileSync(backup).subarray(0, -50));
    const cases: [string, RegExp, Record<string, string>?][] = [
      ['damaged.db', /^FILE_UNUSABLE: .*damaged\.db cannot be restored: it (is damaged|cannot be read)/],
      [
        'text.db',
        /^FILE_UNUSABLE: .*text\.db cannot be restored: it cannot be read \(file is not a database\)\. Nothing/,
      ],
      ['cut.db', /^FILE_UNUSABLE: .*cut\.db cannot be restored: it cannot be read \(.*malformed\)\. Nothing/],
      ['short.db', /^FILE_UNUSABLE: .*short\.db cannot be restored: it is cut off within a page\. Nothing/],
      ['empty.db', /^FILE_UNUSABLE: .*it is not a store of Rúbrica/],
      ['none.db', /^FILE_UNUSABLE: There is no file/],
      [
        'backup.db',
        /^INVALID_SETTING: The stored Secret Tokens were .* different master key.* replaced after this backup, set MASTER_KEY_PREV/,
        { MASTER_KEY: '7b'.repeat(32) },
      ],
      ['backup.db', /^INVALID_OPTION: .*after-restore/, { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }],
    ];
    for (const [file, says, settings] of cases) {
      const refused = await run(['restore', join(folder, file)], settings);
      assert.equal(refused.status, 1, file);
      assert.match(refused.stderr, says, file);
    }
    const elsewhere = join(folder, 'elsewhere');
    const keyless = await run(['restore', backup], { DATA_DIR: elsewhere, MASTER_KEY: '' });
    assert.match(keyless.stderr, /^INVALID_SETTING: .*put back master\.key in DATA_DIR/);
    assert.ok(!existsSync(join(elsewhere, 'master.key')), 'a new key would be taken for the one that is missing');
    const wrongKey = await run(['restore', backup], { DATA_DIR: elsewhere, MASTER_KEY: '7b'.repeat(32) });
    assert.match(wrongKey.stderr, /^INVALID_SETTING: The stored Secret Tokens were .* different master key/);
    assert.deepEqual(readdirSync(elsewhere), [], 'a refused command leaves nothing');
    assert.deepEqual(readFileSync(store), bytes);
    assert.deepEqual(
      readdirSync(folder).filter((name) => /restoring|replaced/.test(name)),
      [],
    );
  });

  test('is refused while the service runs, and so is after-restore', async () => {
    const service = await serve();
    for (const command of [['restore', backup], ['after-restore']])
      assert.match(
        (await run(command)).stderr,
        /^ALREADY_SERVED: Another service runs on \S+rubrica\.db\. Stop it first; start/,
      );
    await service.end();
  });

  test('replaces the store by the backup, keeps the old store, and holds what would leave until the release', async () => {
    assert.match((await run(['release'])).stderr, /^ALREADY_DONE: Nothing is held/);
    const restored = await run(['restore', backup, '--ids-above', '500000000', '--json']);
    assert.equal(restored.status, 0, restored.stderr);
    const { epoch, replaced, first_transaction_id, held } = JSON.parse(restored.stdout) as Record<string, unknown>;
    assert.equal(first_transaction_id, 500_000_001);
    assert.equal(held, true);
    assert.equal(replaced, `${store}.replaced-${String(epoch)}`);
    assert.ok(existsSync(replaced));
    for (const file of [store, replaced]) assert.equal(statSync(file).mode & 0o77, 0, file);
    const names = (await run(['payment-service', 'list'])).stdout;
    assert.match(names, /Kept/);
    assert.doesNotMatch(names, /Lost/);
    assert.match(
      (await run(['doctor'])).stdout,
      /\nOK {7}process {9}no running/,
      'nor is the service of the backup listed',
    );

    const service = await serve();
    assert.match((await run(['attention', 'list'])).stdout, /held after restore/);
    const doctor = JSON.parse((await run(['doctor', '--json'])).stdout) as {
      findings: { check: string; ok: boolean }[];
    };
    assert.equal(doctor.findings.find(({ check }) => check === 'restore')?.ok, false);
    const looked = await run(['release']);
    assert.deepEqual([looked.status, looked.stdout.includes('Nothing was released')], [1, true]);
    // Only events show the age of a store, and the backup has none.
    assert.match(looked.stdout, /The store has no event, so nothing shows how old it is: compare everything/);
    const released = await run(['release', '--yes', '--json']);
    assert.equal((JSON.parse(released.stdout) as { released: boolean }).released, true);
    assert.equal((await run(['release', '--yes'])).status, 1);
    await service.end();
  });

  test('takes the .restoring file of an interrupted restore as a backup, and keeps its content', async () => {
    const left = `${store}.restoring`;
    const bytes = readFileSync(backup);
    writeFileSync(left, bytes);
    const refused = await run(['restore', left], { MASTER_KEY: '7b'.repeat(32) });
    assert.match(
      refused.stderr,
      /^INVALID_SETTING: The stored Secret Tokens were encrypted with a different master key/,
    );
    assert.deepEqual(readFileSync(left), bytes);
    const restored = await run(['restore', left]);
    assert.equal(restored.status, 0, restored.stderr);
    assert.match((await run(['payment-service', 'list'])).stdout, /Kept/);
    assert.deepEqual(readFileSync(left), bytes);
    rmSync(left);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('restoring')),
      [],
    );
    assert.equal((await run(['release', '--yes'])).status, 0);
  });

  test('lets books verify pass after the release, with who accepted it, and anchors continue after the lost ones', async () => {
    const anchors = join(folder, 'anchors');
    const settings = { ANCHOR_DIR: anchors };
    const later = join(folder, 'later.db');
    const verify = () => run(['books', 'verify'], settings);
    await run(['books', 'anchor'], settings);
    await run(['backup', later]);
    await run(['payment-service', 'create', '--name', 'Lost again']);
    await run(['books', 'anchor'], settings);
    assert.match((await verify()).stdout, /every hash and every record is right/);
    const restored = await run(['restore', later, '--json'], settings);
    assert.ok(Array.isArray((JSON.parse(restored.stdout) as { heads: unknown }).heads), restored.stderr);

    const red = await verify();
    assert.equal(red.status, 1);
    assert.match(
      red.stdout,
      /the store was restored at .* \(epoch \d+\): 1 anchor, of .*, speaks of entries that were lost/,
    );
    assert.match((await run(['release'], settings)).stdout, /Anchors: the store was restored at [\d: -]+ -0[34]:00 /);
    const released = await run(['release', '--yes', '--reason', 'compared with the bank'], settings);
    assert.equal(released.status, 0, released.stderr);

    const green = await verify();
    assert.equal(green.status, 0, green.stdout);
    assert.match(
      green.stdout,
      /The store was restored at .*Accepted by command line: \S+@\S+ at .*: compared with the bank\./,
    );
    assert.match((await run(['books', 'anchor'], settings)).stdout, /is in .*anchors/);
    assert.equal((await verify()).status, 0);
    const [file] = readdirSync(anchors);
    const lines = readFileSync(join(anchors, file as string), 'utf8')
      .trim()
      .split('\n');
    const kept = lines.map((line) => JSON.parse(line) as { number: number; epoch: number });
    const [lost, accepting, next] = kept.slice(-3);
    assert.deepEqual([accepting?.number, next?.number], [lost?.number, (lost?.number ?? 0) + 1]);
    assert.deepEqual([(accepting?.epoch ?? 0) > (lost?.epoch ?? 0), next?.epoch], [true, accepting?.epoch]);
  });

  test('serve refuses a store that was replaced by hand, with status 78, so that a supervisor stops', async () => {
    const early = join(folder, 'early.db');
    // The service misses a replaced store only if that store has given out an id.
    assert.match(
      (await run(['after-restore'])).stdout,
      /\nWhat was ended after the backup works again, such as API tokens/,
    );
    await run(['backup', early]);
    const service = await serve();
    await run(['payment-service', 'create', '--name', 'Seen']);
    await service.end();
    for (const file of [`${store}-wal`, `${store}-shm`]) rmSync(file, { force: true });
    copyFileSync(early, store);
    const { status, stderr } = await run(['serve']);
    assert.deepEqual([status, stderr.split(':', 1)[0]], [78, 'STORE_IS_OLDER']);
  });

  async function serve(): Promise<Child> {
    const child = await startChild('node', [MAIN, 'serve'], { env: environment() });
    await child.until(({ stdout }) => stdout.includes('"ready"'));
    return child;
  }

  function run(arguments_: string[], settings: Record<string, string> = {}): Promise<Ended> {
    return runCommand(arguments_, { env: environment(settings) });
  }

  function environment(settings: Record<string, string> = {}): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', ...settings };
  }
});
