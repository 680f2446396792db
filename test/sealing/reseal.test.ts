import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { type FactorRow, selectFactorsOf } from '../../src/auth/factors/factor-queries.ts';
import { openFactor } from '../../src/auth/factors/seal-factor.ts';
import { issueAccessToken, readAccessToken } from '../../src/auth/tokens/access-token.ts';
import { eraseValidations } from '../../src/bank-validation/erase-validations.ts';
import { exportValidations } from '../../src/bank-validation/export-validations.ts';
import { findValidation } from '../../src/bank-validation/find-validation.ts';
import { settleDueValidations } from '../../src/bank-validation/holder/settle-validations.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { validateOnce } from '../../src/bank-validation/validate-once.ts';
import { prepareStore } from '../../src/cli/prepare-store.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { SEALED_KINDS } from '../../src/health/sealed-kinds.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import { findMethodKey, setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { SECRET_TOKENS } from '../../src/payment-services/seal-secret.ts';
import { findPayoutFile } from '../../src/payouts/files/find-payout-file.ts';
import { insertPayoutFile } from '../../src/payouts/files/payout-file-queries.ts';
import { openContent, sealContent } from '../../src/payouts/files/seal-payout-file.ts';
import { selectSenderInUse } from '../../src/payouts/payout-sender-queries.ts';
import { findRecipient } from '../../src/payouts/recipients/find-recipient.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { openSender, setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { countSeals, reseal } from '../../src/sealing/reseal.ts';
import { createSimulatedProvider } from '../../src/validation-providers/simulated-provider.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { createTestUser } from '../support/test-user.ts';

const OLD = { MASTER_KEY: '0a'.repeat(32) };
const NEW = { MASTER_KEY: '0b'.repeat(32) };
const BOTH = { ...NEW, MASTER_KEY_PREVIOUS: OLD.MASTER_KEY };
const SENDER = { kind: 'http', url: 'https://provider.example/transfers', key: 'the-provider-key' } as const;
const USER = { id: 'user_a' };
const INPUT = { rut: '11111111-1', bankCode: '001', account: '1234509876' };
const PENDING = { ...INPUT, account: '900000000006' };

forEachEngine('replacing the master key', (openTestDatabase, engine) => {
  test('covers every column with sealed texts', async () => {
    const db = await openTestDatabase();
    const columns = await db.query(engine === 'sqlite' ? SQLITE_COLUMNS : POSTGRES_COLUMNS);
    const named = columns.map((row) => `${row['place']}`).sort();
    assert.deepEqual(named, SEALED_KINDS.map(({ table, column }) => `${table}.${column}`).sort());
  });

  test('keeps every sealed text readable before, during and after, and then without the previous key', async () => {
    const db = await openTestDatabase();
    const stored = await fill(appWith(db, OLD));
    await readsAll(appWith(db, BOTH), stored);
    assert.deepEqual(await countAll(appWith(db, BOTH)), { current: 0, previous: 12, unknown: 0 });

    const app = appWith(db, BOTH);
    const fresh = await createPaymentService(app, 'Made meanwhile', TESTER);
    const counts = await Promise.all(
      SEALED_KINDS.map(async (kind) => [kind.name, (await reseal(app, kind, TESTER, () => {})).resealed]),
    );
    assert.deepEqual(Object.fromEntries(counts), {
      'secret-tokens': 2,
      'payment-method-keys': 1,
      'validation-questions': 1,
      recipients: 1,
      'payout-files': 1,
      'payout-sender-keys': 1,
      factors: 1,
      'kept-keys': 4,
    });
    assert.deepEqual(await countAll(app), { current: 14, previous: 0, unknown: 0 });
    await readsAll(appWith(db, BOTH), stored);

    const after = appWith(db, NEW);
    await readsAll(after, stored);
    assert.ok(await loadEnvironment(after, fresh.production.service_token));
    after.now.advance(60_000);
    assert.equal(await settleDueValidations(after, 10), 1);
    assert.equal((await findValidation(after, USER, stored.pending.id))?.verdict, 'confirmed');
  });

  test('keeps the export and erasure of a person’s data and their idempotency keys working', async () => {
    const db = await openTestDatabase();
    const before = await validateOnce(appWith(db, OLD), USER, INPUT, 'key-1');
    for (const kind of SEALED_KINDS) await reseal(appWith(db, BOTH), kind, TESTER, () => {});
    const app = appWith(db, NEW);
    const again = await validateOnce(app, USER, INPUT, 'key-1');
    assert.deepEqual([again.replayed, again.validation.id], [true, before.validation.id]);
    await validateBankAccount(app, USER, INPUT);
    assert.equal((await exportValidations(app, INPUT.rut))?.validations.length, 2);
    assert.equal((await eraseValidations(app, INPUT.rut))?.erased, 2);
    assert.equal((await exportValidations(app, INPUT.rut))?.validations.length, 0);
  });

  test('reads the key of the hashes once for concurrent callers, and again after a failure', async () => {
    const db = await openTestDatabase();
    let reads = 0;
    const query: Database['query'] = (sql, values) =>
      reads++ === 0 ? Promise.reject(new Error('away')) : db.query(sql, values);
    const app = createTestApp({ ...db, query });
    await assert.rejects(identityHashes(app), /away/);
    await Promise.all(Array.from({ length: 100 }, () => identityHashes(app)));
    assert.equal(reads, 2);
  });

  test('continues after an interruption, and two processes reseal each text once', async () => {
    const db = await openTestDatabase();
    await fill(appWith(db, OLD));
    for (let n = 0; n < 60; n++) await createPaymentService(appWith(db, OLD), `Shop ${n}`, TESTER);
    const ended = reseal(appWith(db, BOTH), SECRET_TOKENS, TESTER, () => {
      throw new Error('ended');
    });
    await assert.rejects(ended, /ended/);
    const app = appWith(db, BOTH);
    assert.deepEqual(await countSeals(app, SECRET_TOKENS), { current: 100, previous: 22, unknown: 0 });
    const [first, second] = await Promise.all([1, 2].map(() => reseal(app, SECRET_TOKENS, TESTER, () => {})));
    assert.equal((first?.resealed ?? 0) + (second?.resealed ?? 0), 22);
    assert.deepEqual(await countSeals(app, SECRET_TOKENS), { current: 122, previous: 0, unknown: 0 });
  });

  test('reseals all other texts when more than it reads at once were tampered with', async () => {
    const db = await openTestDatabase();
    await fill(appWith(db, OLD));
    for (let n = 0; n < 110; n++) await createPaymentService(appWith(db, OLD), `Shop ${n}`, TESTER);
    const copied = 'select sealed from secret_tokens where id = (select max(id) from secret_tokens)';
    await db.transaction((tx) =>
      tx.query(
        `update secret_tokens set sealed = (${copied}) where id in (select id from secret_tokens order by id limit 101)`,
      ),
    );
    const app = appWith(db, BOTH);
    const { previous: before } = await countSeals(app, SECRET_TOKENS);
    const outcome = await reseal(app, SECRET_TOKENS, TESTER, () => {});
    assert.deepEqual(outcome, { resealed: before - 101, broken: 101 });
    assert.equal((await countSeals(app, SECRET_TOKENS)).previous, 101);
    // A commit that could decrypt none is no act.
    const { acts } = await listAudit(app, { action: 'master_key.rotated' }, 10);
    const counts = acts.map(({ after }) => (after as { texts: number }).texts);
    assert.ok(!counts.includes(0), String(counts));
  });

  test('reads on after the last text, and finds a text that an older process has sealed behind it', async () => {
    const db = await openTestDatabase();
    await fill(appWith(db, OLD));
    for (let n = 0; n < 60; n++) await createPaymentService(appWith(db, OLD), `Shop ${n}`, TESTER);
    const before = await db.query<{ id: number; sealed: string }>('select id, sealed from secret_tokens order by id');
    const [first, last] = [before[0], before.at(-1)];
    const places: unknown[] = [];
    const query: Database['query'] = async (sql, values) => {
      if (!sql.includes('order by id limit')) return db.query(sql, values);
      places.push(values?.[2] ?? null);
      if (places.length === 2) {
        const put = 'update secret_tokens set sealed = $2 where id = $1';
        await db.transaction((tx) => tx.query(put, [first?.id ?? 0, first?.sealed ?? '']));
      }
      return db.query(sql, values);
    };
    const app = { ...appWith(db, BOTH), db: { ...db, query } };
    const outcome = await reseal(app, SECRET_TOKENS, TESTER, () => {});
    assert.deepEqual(outcome, { resealed: before.length + 1, broken: 0 });
    assert.deepEqual(places, [null, before[99]?.id, last?.id, null, first?.id, null]);
    assert.equal((await countSeals(app, SECRET_TOKENS)).previous, 0);
  });

  test('makes a process without the new key fail with the setting that it needs, and changes nothing', async () => {
    const db = await openTestDatabase();
    const { service } = await fill(appWith(db, OLD));
    for (const kind of SEALED_KINDS) await reseal(appWith(db, BOTH), kind, TESTER, () => {});
    const sealed = () => db.query('select id, sealed from secret_tokens order by id');
    const before = await sealed();
    const late = appWith(db, OLD);
    const toSet = (error: unknown) => error instanceof ConfigError && /MASTER_KEY_PREVIOUS/.test(error.message);
    await assert.rejects(loadEnvironment(late, service.production.service_token), toSet);
    await assert.rejects(validateBankAccount(late, USER, INPUT), toSet);
    await assert.rejects(prepareStore(late, TESTER), toSet);
    assert.deepEqual(await sealed(), before);
    assert.equal((await countAll(late)).unknown, 12);
  });

  test('is refused on a store that this version has never served with one key', async () => {
    const db = await openTestDatabase();
    const neverServed = (error: unknown) =>
      error instanceof ConfigError && /without MASTER_KEY_PREVIOUS/.test(error.message);
    await assert.rejects(prepareStore(appWith(db, BOTH), TESTER), neverServed);
    await prepareStore(appWith(db, OLD), TESTER);
    await prepareStore(appWith(db, BOTH), TESTER);
    await assert.rejects(prepareStore(appWith(db, NEW), TESTER), /encrypted with a different master key/);
  });

  test('invalidates access tokens signed with the previous key', async () => {
    const db = await openTestDatabase();
    const id = `ses_${'a'.repeat(20)}`;
    const now = Date.now();
    const kind = 'password' as const;
    const times = { created_at: now, expires_at: now + 3_600_000, proved_at: null };
    const session = { id, user_id: 'user_a', kind, ...times };
    const { text } = await issueAccessToken(appWith(db, OLD), session);
    assert.equal((await readAccessToken(appWith(db, OLD), text))?.sessionId, id);
    assert.equal(await readAccessToken(appWith(db, BOTH), text), null);
  });
});

const SQLITE_COLUMNS = `select m.name || '.' || c.name as place from sqlite_master m, pragma_table_info(m.name) c
  where m.type = 'table' and c.name like 'sealed%'`;
const POSTGRES_COLUMNS = `select table_name || '.' || column_name as place from information_schema.columns
  where table_schema = 'public' and column_name like 'sealed%'`;

/** Returns a separate app, as in another process. */
function appWith(db: TestDatabase, settings: Record<string, string>) {
  const now = createTestClock();
  const config = readConfig({ ...settings, LOG_LEVEL: 'silent' });
  return createTestApp(db, { config, now, validationProvider: createSimulatedProvider(now) });
}

type Stored = Awaited<ReturnType<typeof fill>>;

/** Seals one text of each kind, and two Secret Tokens. */
async function fill(app: App) {
  const service = await createPaymentService(app, 'Shop', TESTER);
  const environment = await loadEnvironment(app, service.production.service_token);
  const target = { paymentServiceId: service.id, environment: 'production', method: 'webpay' } as const;
  await setMethodSettings(app, target, { account: '597012345678', key: 'the-api-key' }, TESTER);
  const pending = await validateBankAccount(app, USER, PENDING);
  const { id: validationId } = await validateBankAccount(app, USER, INPUT);
  const kept = { validationId, account: INPUT, name: 'Ana Díaz', email: null, paymentServiceId: null };
  const recipient = await keepRecipient(app, { ...USER, environmentIds: new Set<number>() }, null, kept, {
    ...TESTER,
    userId: USER.id,
  });
  const environmentId = environment?.id ?? 0;
  const place = { id: 'pf_1', environment_id: environmentId, sha256: 'ab' };
  const made = { format: 'bice', name: 'bice.csv', created_at: 1, made_by: 'test', payouts: 1, total: 1 };
  const sealed_content = sealContent(app, place, Buffer.from('the file'));
  await app.db.transaction((tx) => insertPayoutFile(tx, { ...place, ...made, sealed_content }));
  if (environment !== null) await setPayoutSender(app, environment, SENDER, TESTER);
  const user = await createTestUser(app);
  await addTotp(app, user, 'Phone', TESTER);
  return { service, environmentId, pending, recipient, user };
}

async function readsAll(app: App, { service, environmentId, recipient, user }: Stored): Promise<void> {
  for (const { service_token, secret_token } of [service.development, service.production]) {
    const environment = await loadEnvironment(app, service_token);
    assert.equal(environment?.secrets[0]?.text, secret_token);
  }
  assert.equal(await findMethodKey(app, environmentId, 'webpay', '597012345678'), 'the-api-key');
  const [read] = await findRecipient(app, { ...USER, environmentIds: new Set<number>() }, recipient.id);
  assert.equal(read.name, 'Ana Díaz');
  assert.equal(String(openContent(app, await findPayoutFile(app, null, 'pf_1'))), 'the file');
  const environment = await loadEnvironment(app, service.production.service_token);
  const row = await selectSenderInUse(app.db, environmentId);
  assert.ok(environment !== null && row !== null);
  assert.equal(openSender(app, environment, row).code, 'http');
  const [factor] = await selectFactorsOf(app.db, user.id);
  assert.match(openFactor(app, factor as FactorRow), /^[A-Z2-7]{32}$/);
}

async function countAll(app: App) {
  const counts = await Promise.all(SEALED_KINDS.map((kind) => countSeals(app, kind)));
  const sum = (by: 'current' | 'previous' | 'unknown') => counts.reduce((total, count) => total + count[by], 0);
  return { current: sum('current'), previous: sum('previous'), unknown: sum('unknown') };
}
