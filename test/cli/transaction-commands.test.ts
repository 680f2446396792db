import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

suite('transaction commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  after(() => rmSync(folder, { recursive: true }));
  before(async () => {
    const db = openDatabase(`sqlite:${join(folder, 'rubrica.db')}`, {
      connections: 1,
      pooler: false,
      onFatal: () => {},
    });
    await migrate(db);
    const app = createTestApp(db);
    const shop = await createTestEnvironment(app);
    await createPaidTransaction(app, shop, { reference: 'ORD-7', amount: 12_990 });
    const detail = JSON.stringify({ authorization_code: '001001', card_last_digits: '6623' });
    await db.transaction((tx) => tx.query('update payment_attempts set detail = $1', [detail]));
    await createTestTransaction(app, shop, { reference: 'ORD-8', amount: 500 });
    await db.close();
  });
  const run = (...args: string[]): Promise<Ended> =>
    runCommand(['transaction', ...args], {
      env: { ...process.env, DATA_DIR: folder, DATABASE_URL: '', PORT: '0', MASTER_KEY: '5a'.repeat(32) },
    });

  test('find names the field that matched', async () => {
    const { stdout } = await run('find', '$12.990');
    assert.match(
      stdout,
      /^ID +REFERENCE +AMOUNT +STATE +CREATED \(CHILE\) +E-MAIL +CARD +MERCHANT +FOUND BY\n1001 {2}ORD-7 .*\$12\.990 CLP {2}completed {2}.*buyer@example\.cl .* amount\n$/,
    );
    const { payments } = JSON.parse((await run('find', 'ORD-7', '--json')).stdout);
    assert.deepEqual([payments.length, payments[0].id, payments[0].found_by], [1, 1001, 'reference']);
    assert.match(
      (await run('find', 'nothing of that kind')).stdout,
      /^There is no such payment\.\nWith the amount and the day:/,
    );
    assert.match((await run('find', 'rd-7')).stdout, /\n1001 {2}ORD-7 .* reference part\n$/);
    assert.match((await run('find', '6623')).stdout, / CARD .*\n1001 {2}ORD-7 .* …6623 .* card\n$/);
    const empty = await run('find', ' ');
    assert.deepEqual([empty.status, empty.stderr.startsWith('INVALID_OPTION: <text> is empty')], [64, true]);
  });

  test('list applies all given filters', async () => {
    const idsOf = async (...args: string[]) =>
      JSON.parse((await run('list', '--json', ...args)).stdout).payments.map(({ id }: { id: number }) => id);
    assert.deepEqual(await idsOf(), [1002, 1001]);
    assert.deepEqual(await idsOf('--state', 'pending', '--email', 'BUYER@example.cl'), [1002]);
    assert.deepEqual(await idsOf('--amount', '12990', '--since', '2026-01-15', '--until', '2026-01-15'), [1001]);
    assert.deepEqual(await idsOf('--until', '2026-01-14'), []);
    assert.deepEqual(
      await idsOf('--since', '2026-01-15 09:00:00 -03:00'),
      [1002, 1001],
      'a time as the list writes it',
    );
    assert.deepEqual(await idsOf('--since', '2026-01-15 09:00:01 -03:00'), []);
    assert.deepEqual(await idsOf('--reference-part', 'RD-7'), [1001]);
    assert.match((await run('list', '--reference-part', ' ')).stderr, /^INVALID_OPTION: --reference-part is empty/);
    assert.deepEqual(await idsOf('--card', '•••• 6623'), [1001]);
    assert.deepEqual(await idsOf('--card', '6624'), []);
    assert.match((await run('list', '--reference', 'RD 7')).stdout, / transaction list --reference-part 'RD 7'\n$/);
    assert.match((await run('list', '--card', '4111111111116623')).stderr, /^INVALID_OPTION: --card is the last four/);
    const refused = await run('list', '--amount', '12.990');
    assert.deepEqual([refused.status, refused.stderr.startsWith('INVALID_AMOUNT: ')], [1, true]);
  });

  test('show prints one timeline', async () => {
    const { stdout } = await run('show', '1001');
    assert.match(stdout, /^transaction {2}1001, completed\namount {7}\$12\.990 CLP\nreference {4}ORD-7\n/);
    assert.match(stdout, /\n2026-01-15 09:00:00 -03:00 {2}event transaction\.created {2,}sequence 1\n/);
    assert.match(
      stdout,
      /\n2026-01-15 09:00:00 -03:00 {2}attempt approved .*authorization code 001001, card last digits 6623\n/,
    );
    assert.match(
      stdout,
      /\n2026-01-15 09:00:00 -03:00 {2}entry payment {2,}\$12\.990 CLP {2}debit method:simulated:receivable/,
    );
    assert.match(stdout, /callback queued .* next attempt 2026-01-15 09:00:00 -03:00\n/);
    assert.deepEqual([(await run('show', '7')).status, (await run('show', '7')).stderr.slice(0, 9)], [1, 'NOT_FOUND']);
    assert.match((await run('show', 'ORD 7')).stderr, / bin\/rubrica transaction find 'ORD 7'\n$/);
  });

  test('find says that payments of any age may be missing while an upgrade makes the index again', async () => {
    assert.equal((await run('find', 'RD-7')).stderr, '');
    const db = openDatabase(`sqlite:${join(folder, 'rubrica.db')}`, { connections: 1, pooler: false, onFatal() {} });
    await db.transaction((tx) =>
      tx.query(`with recursive numbers (n) as (select 3 union all select n + 1 from numbers where n < 1003)
        insert into events (environment_id, transaction_id, sequence, created_at, type)
        select e.environment_id, 1002, n, e.created_at, e.type from events e, numbers
        where e.transaction_id = 1002 and e.sequence = 1`),
    );
    await db.close();
    assert.match(
      (await run('find', 'RD-7')).stderr,
      /^Payments are missing in the index yet, of any age after an upgrade/,
    );
  });
});
