import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../../src/audit/list-audit.ts';
import shippedList from '../../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { currentDirectory, shippedBankDirectory } from '../../../src/bank-validation/directory/current-directory.ts';
import {
  type ImportOutcome,
  importBankDirectory,
} from '../../../src/bank-validation/directory/import-bank-directory.ts';
import { validateBankAccount } from '../../../src/bank-validation/validate-bank-account.ts';
import { forEachEngine } from '../../support/engines.ts';
import { foundIn } from '../../support/found-by-hand.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp, createTestClock } from '../../support/test-app.ts';
import { readingThrough, undone } from '../../support/test-books.ts';

const INPUT = { rut: '12345678-5', bankCode: '750', account: '1234509876' };

forEachEngine('importing a bank list', (openTestDatabase) => {
  test('the list of the release is used until another one is imported', async () => {
    const app = createTestApp(await openTestDatabase());
    assert.equal(await currentDirectory(app), shippedBankDirectory);
  });

  test('a newer list is used on every replica within a second, and records name its version', async () => {
    const db = await openTestDatabase();
    const now = createTestClock(Date.UTC(2027, 2, 1));
    const [app, replica] = [createTestApp(db, { now }), createTestApp(db, { now })];
    assert.equal((await validateBankAccount(replica, { id: 'u' }, INPUT)).verdict, 'undetermined');

    const outcome = await importBankDirectory(app, newerList(), TESTER);
    assert.ok('version' in outcome);
    assert.deepEqual(
      [outcome.asOf, outcome.added, outcome.removed, outcome.changed],
      ['2027-03', ['750'], ['882'], ['053']],
    );

    now.advance(1000);
    const { verdict, bank, checks } = await validateBankAccount(replica, { id: 'u' }, INPUT);
    assert.deepEqual([verdict, bank?.name], ['plausible', 'Prepago Nuevo S.A.']);
    assert.equal(checks.find(({ id }) => id === 'bank.known')?.provenance.version, outcome.version);
    const rows = await db.query('select directory_version from bank_account_validations order by id');
    assert.deepEqual(
      rows.map((row) => row['directory_version']),
      [shippedBankDirectory.version, outcome.version],
    );

    assert.equal(await foundIn(app), '');
    const changed = async (...sql: string[]) =>
      undone(app, async (tx) => {
        for (const one of sql) await tx.query(one);
        return foundIn(readingThrough(app, tx));
      });
    assert.match(
      await changed(`update bank_directories set content = replace(content, 'Prepago Nuevo', 'Otro')`),
      /^bank list \S+: its banks were changed$/,
    );
    assert.match(await changed('delete from bank_directories'), /^bank list \S+ was deleted$/);
    assert.match(
      await changed(
        'insert into bank_directories (imported_at, version, content) select imported_at + 1, version, content from bank_directories',
      ),
      /^bank list \S+: it was never imported by this service$/,
    );
  });

  test('a list with a known wrong pair changes nothing', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const banks = shippedList.banks.map((bank) => (bank.code === '037' ? { ...bank, name: 'Banco Itaú' } : bank));
    const outcome = await importBankDirectory(app, { ...shippedList, banks }, TESTER);
    assert.ok('problems' in outcome);
    assert.equal(outcome.problems[0]?.code, 'BANK_LIST_WRONG_PAIR');
    assert.equal((await db.query('select * from bank_directories')).length, 0);
  });

  test('a list with a future or invalid date is refused', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { now: createTestClock(Date.UTC(2026, 0, 15)) });
    for (const asOf of ['2026-01-16', '2026-02', '2027', '2026-13', '2025-12-99']) {
      const outcome = await importBankDirectory(app, { ...shippedList, meta: { asOf } }, TESTER);
      assert.ok('problems' in outcome, asOf);
      assert.match(outcome.problems[0]?.message ?? '', new RegExp(`of ${asOf}, which is .*--as-of`));
    }
    assert.equal((await db.query('select * from bank_directories')).length, 0);
    for (const asOf of ['2026-01-15', '2026-01', '2026'])
      assert.ok('version' in (await importBankDirectory(app, { ...shippedList, meta: { asOf } }, TESTER)), asOf);
  });

  test('an import of the same list again changes nothing', async () => {
    const app = createTestApp(await openTestDatabase());
    const outcome = await importBankDirectory(app, shippedList, TESTER);
    assert.ok('version' in outcome);
    assert.deepEqual(outcome, {
      version: shippedBankDirectory.version,
      asOf: '2026',
      added: [],
      removed: [],
      changed: [],
      changes: [],
      missing: [],
      source: null,
    });
  });

  test('the imported list that is in use is not stored again, and the same banks of a later date are', async () => {
    const app = createTestApp(await openTestDatabase(), { now: createTestClock(Date.UTC(2027, 5, 1)) });
    const later = { ...newerList(), meta: { asOf: '2027-04' } };
    const first = await importBankDirectory(app, newerList(), TESTER);
    for (const list of [newerList(), later, later]) {
      const outcome = await importBankDirectory(app, list, TESTER);
      assert.deepEqual(outcome, { ...first, version: versionOf(outcome), asOf: list.meta.asOf, ...NOTHING_NEW });
    }
    const rows = await app.db.query('select version from bank_directories order by id');
    assert.deepEqual(
      rows.map(({ version }) => String(version).slice(0, 7)),
      ['2027-03', '2027-04'],
    );
    assert.equal((await listAudit(app, { action: 'bank_list.imported' }, 10)).acts.length, 2);
  });
});

const NOTHING_NEW = { added: [], removed: [], changed: [], changes: [] };

function versionOf(outcome: ImportOutcome): string {
  assert.ok('version' in outcome);
  return outcome.version;
}

function newerList() {
  const added = {
    code: '750',
    name: 'Prepago Nuevo S.A.',
    kind: 'prepaid_issuer',
    status: 'active',
    transferReachable: 'yes',
    confidence: 'medium',
  };
  const banks = shippedList.banks
    .filter(({ code }) => code !== '882')
    .map((bank) => (bank.code === '053' ? { ...bank, status: 'closed', transferReachable: 'no' } : bank));
  return { ...shippedList, meta: { asOf: '2027-03' }, banks: [...banks, added] };
}
