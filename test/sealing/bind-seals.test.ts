import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import type { App } from '../../src/app.ts';
import { VALIDATION_QUESTIONS } from '../../src/bank-validation/holder/seal-question.ts';
import { settleDueValidations } from '../../src/bank-validation/holder/settle-validations.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { prepareStore } from '../../src/cli/prepare-store.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import type { Database, SqlRow } from '../../src/db/database.ts';
import { SEALED_KINDS } from '../../src/health/sealed-kinds.ts';
import { authenticateRequest } from '../../src/payment-services/authenticate-request.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { findEnvironmentById } from '../../src/payment-services/find-environment.ts';
import { SECRET_TOKENS } from '../../src/payment-services/seal-secret.ts';
import { bindSeals } from '../../src/sealing/bind-seals.ts';
import { countSeals } from '../../src/sealing/reseal.ts';
import { openAs, type SealedKind, sealAs } from '../../src/sealing/sealed-kind.ts';
import { createSimulatedProvider } from '../../src/validation-providers/simulated-provider.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';

const MESSAGE = 'x_account_idAx_amount500';
const PENDING = { rut: '11111111-1', bankCode: '001', account: '900000000006' };

forEachEngine('a seal bound to its owner', (openTestDatabase) => {
  test('signs nothing when its Secret Token was moved to another environment, and the other tokens still work', async () => {
    const app = appWith(await openTestDatabase());
    const [victim, thief] = [
      await createPaymentService(app, 'Victim', TESTER),
      await createPaymentService(app, 'Thief', TESTER),
    ];
    const target = victim.production.service_token;
    await app.db.transaction((tx) =>
      tx.query(
        `update secret_tokens set environment_id = (select id from environments where service_token = $1)
         where environment_id = (select id from environments where service_token = $2)`,
        [target, thief.development.service_token],
      ),
    );
    assert.equal(await signs(app, target, thief.development.secret_token), false);
    assert.equal(await signs(app, target, victim.production.secret_token), true);
    assert.equal(await signs(app, thief.production.service_token, thief.production.secret_token), true);
  });

  test('does not keep processes from starting when the newest one was altered', async () => {
    const app = appWith(await openTestDatabase());
    const shop = await createPaymentService(app, 'Shop', TESTER);
    app.now.advance(1000);
    await createPaymentService(app, 'Newest', TESTER);
    await app.db.transaction((tx) =>
      tx.query(`update secret_tokens set sealed = (select min(sealed) from secret_tokens)
        where created_at = (select max(created_at) from secret_tokens)`),
    );
    await prepareStore(app, TESTER);
    assert.equal(await signs(app, shop.production.service_token, shop.production.secret_token), true);
    const another = createTestApp(app.db, { config: readConfig({ MASTER_KEY: '0c'.repeat(32), LOG_LEVEL: 'silent' }) });
    await assert.rejects(prepareStore(another, TESTER), ConfigError);
  });

  test('of a development token does not open in production of the same payment service', async () => {
    const app = appWith(await openTestDatabase());
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    const sealed = `(select s.sealed from secret_tokens s join environments e on e.id = s.environment_id
      where e.service_token = $1)`;
    await app.db.transaction((tx) =>
      tx.query(
        `update secret_tokens set sealed = ${sealed}
         where environment_id = (select id from environments where service_token = $2)`,
        [development.service_token, production.service_token],
      ),
    );
    await assert.rejects(signs(app, production.service_token, development.secret_token));
  });

  test('replaces an earlier unbound one once, at the start, and works as before', async () => {
    const db = await openTestDatabase();
    const app = appWith(db);
    const service = await createPaymentService(app, 'Shop', TESTER);
    await validateBankAccount(app, { id: 'user_a' }, PENDING);
    await unbind(app);
    await prepareStore(app, TESTER);
    assert.deepEqual(await countSeals(app, SECRET_TOKENS), { current: 2, previous: 0, unknown: 0 });
    assert.deepEqual(await countSeals(app, VALIDATION_QUESTIONS), { current: 1, previous: 0, unknown: 0 });
    assert.equal(await signs(app, service.production.service_token, service.production.secret_token), true);
    app.now.advance(60_000);
    assert.equal(await settleDueValidations(app, 10), 1);
    assert.equal(await bindSeals(app, SEALED_KINDS), 0);
  });

  test('is made once by two processes that start at once', async () => {
    const db = await openTestDatabase();
    const apps = [appWith(db), appWith(db)] as const;
    await createPaymentService(apps[0], 'Shop', TESTER);
    await unbind(apps[0]);
    const bound = await Promise.all(apps.map((app) => bindSeals(app, SEALED_KINDS)));
    assert.deepEqual(
      bound.toSorted((one, other) => one - other),
      [0, 2],
    );
  });

  test('is the only form accepted after the binding: the earlier form opens nowhere, moved or not', async () => {
    const app = appWith(await openTestDatabase());
    const [victim, thief] = [
      await createPaymentService(app, 'Victim', TESTER),
      await createPaymentService(app, 'Thief', TESTER),
    ];
    const bound = await sealsOf(app, SECRET_TOKENS);
    await unbind(app);
    const old = await sealsOf(app, SECRET_TOKENS);
    await prepareStore(app, TESTER);
    // An attacker restores the older text from a backup: in its own row, then in the victim's environment.
    await app.db.transaction(async (tx) => {
      for (const { id, sealed } of old)
        await tx.query('update secret_tokens set sealed = $2 where id = $1', [id, sealed]);
      await tx.query(
        `update secret_tokens set environment_id = (select id from environments where service_token = $1)
         where environment_id = (select id from environments where service_token = $2)`,
        [victim.production.service_token, thief.development.service_token],
      );
    });
    await assert.rejects(signs(app, victim.production.service_token, thief.development.secret_token), ConfigError);
    await assert.rejects(signs(app, thief.production.service_token, thief.production.secret_token), ConfigError);
    await assert.rejects(prepareStore(app, TESTER), ConfigError);
    assert.equal((await countSeals(app, SECRET_TOKENS)).unknown, bound.length);
  });

  test('is not made again after the record of the binding was removed: the start is refused', async () => {
    const app = appWith(await openTestDatabase());
    await createPaymentService(app, 'Shop', TESTER);
    await app.db.transaction((tx) => tx.query('delete from seals_bound'));
    await assert.rejects(prepareStore(app, TESTER), /seals_bound/);
    await assert.rejects(prepareStore(app, TESTER), /seals_bound/);
    const keys = { MASTER_KEY: '0b'.repeat(32), MASTER_KEY_PREVIOUS: '5a'.repeat(32) };
    const replacing = createTestApp(app.db, { config: readConfig({ ...keys, LOG_LEVEL: 'silent' }) });
    await assert.rejects(bindSeals(replacing, SEALED_KINDS), /seals_bound/);
  });

  test('is not made with another master key, and can still be made with the right one', async () => {
    const db = await openTestDatabase();
    const app = appWith(db);
    const service = await createPaymentService(app, 'Shop', TESTER);
    await unbind(app);
    const other = appWith(db, '0b');
    await assert.rejects(prepareStore(other, TESTER), /Secret Tokens were encrypted with a different master key/);
    await assert.rejects(bindSeals(other, SEALED_KINDS), /The stored secrets were encrypted with a different master/);
    await prepareStore(app, TESTER);
    assert.equal(await signs(app, service.production.service_token, service.production.secret_token), true);
  });

  test('is made for all other texts when one has another master key', async () => {
    const app = appWith(await openTestDatabase());
    await createPaymentService(app, 'Shop', TESTER);
    await unbind(app);
    await app.db.transaction((tx) =>
      tx.query(`update secret_tokens set sealed = substr(sealed, 1, 3) || '00000000' || substr(sealed, 12)
        where id = (select min(id) from secret_tokens)`),
    );
    assert.equal(await bindSeals(app, SEALED_KINDS), 1);
    assert.deepEqual(await countSeals(app, SECRET_TOKENS), { current: 1, previous: 0, unknown: 1 });
  });

  test('opens only in its own row and with its own owner, for every kind', async () => {
    const app = appWith(await openTestDatabase());
    for (const kind of SEALED_KINDS) {
      const columns = [...kind.key, ...kind.owner];
      const place: SqlRow = Object.fromEntries(columns.map((column) => [column, `${column} one`]));
      const sealed = sealAs(app, kind, place, 'secret');
      assert.equal(openAs(app, kind, place, sealed), 'secret');
      for (const column of columns) {
        assert.throws(
          () => openAs(app, kind, { ...place, [column]: 'other' }, sealed),
          `${kind.name} without ${column}`,
        );
      }
    }
  });
});

function appWith(db: Database, key = '5a') {
  const now = createTestClock();
  const config = readConfig({ MASTER_KEY: key.repeat(32), LOG_LEVEL: 'silent' });
  return createTestApp(db, { config, now, validationProvider: createSimulatedProvider(now) });
}

async function signs(app: App, serviceToken: string, secretToken: string): Promise<boolean> {
  const signature = computeSignature(MESSAGE, signingKey(secretToken));
  const environment = await authenticateRequest(app, serviceToken, MESSAGE, signature);
  if (environment !== null) assert.ok(await findEnvironmentById(app, environment.id));
  return environment !== null;
}

type Sealed = SqlRow & { id: string; sealed: string };

function sealsOf(app: App, { table, column, owner, where }: SealedKind): Promise<Sealed[]> {
  return app.db.query(`select ${['id', ...owner].join(', ')}, ${column} as sealed from ${table} where ${where}`);
}

/** Rewrites the store to the form of an earlier version. */
async function unbind(app: App): Promise<void> {
  for (const kind of SEALED_KINDS.filter(({ unbound }) => unbound !== undefined)) {
    const before: SealedKind = { ...kind, ...kind.unbound };
    for (const row of await sealsOf(app, kind)) {
      const sealed = sealAs(app, before, row, openAs(app, kind, row, row.sealed));
      await app.db.transaction((tx) =>
        tx.query(`update ${kind.table} set ${kind.column} = $2 where id = $1`, [row.id, sealed]),
      );
    }
  }
  await app.db.transaction((tx) => tx.query('delete from seals_bound'));
}
