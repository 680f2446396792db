import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pino from 'pino';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { type Finding, sayFinding } from '../../src/health/finding.ts';
import { secretFindings } from '../../src/health/secret-findings.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { authenticateRequest } from '../../src/payment-services/authenticate-request.ts';
import {
  addSecretToken,
  createPaymentService,
  importPaymentService,
  ServiceTokenTaken,
} from '../../src/payment-services/create-payment-service.ts';
import { disablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { refuseHeldSecret } from '../../src/payment-services/find-secret-holder.ts';
import { endHandover, handOverTokens, type NewHandover } from '../../src/payment-services/hand-over-tokens.ts';
import { selectHandover, updateOpened } from '../../src/payment-services/handover-queries.ts';
import { listPaymentServices } from '../../src/payment-services/list-payment-services.ts';
import { NO_LOOK } from '../../src/payment-services/look.ts';
import { removeMethodSettings, setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { noteSecretUse, storeSecretUse } from '../../src/payment-services/note-secret-use.ts';
import { openHandover } from '../../src/payment-services/open-handover.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { readLook, setLook } from '../../src/payment-services/set-look.ts';
import { setPayerAttempts } from '../../src/payment-services/set-payer-attempts.ts';
import { setReceipts } from '../../src/payment-services/set-receipts.ts';
import { setRequestLimit } from '../../src/payment-services/set-request-limit.ts';
import { forEachEngine } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { untilQueued } from '../support/until-queued.ts';

const MESSAGE = 'x_amount1000';

forEachEngine('payment services', (openTestDatabase) => {
  test('have separate tokens for each environment, and those of one never sign for the other', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development, production } = await createPaymentService(app, 'Shop', TESTER);
    assert.match(development.service_token, /^[0-9a-f]{64}$/);
    assert.equal(new Set([...Object.values(development), ...Object.values(production)]).size, 4);
    assert.equal((await signs(app, development.service_token, development.secret_token))?.environment, 'development');
    assert.equal((await signs(app, production.service_token, production.secret_token))?.environment, 'production');
    assert.equal(await signs(app, development.service_token, production.secret_token), null);
    assert.equal(await signs(app, production.service_token, development.secret_token), null);
  });

  test('store no Secret Token in clear text', async () => {
    const app = createTestApp(await openTestDatabase());
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    const rows = JSON.stringify(await app.db.query('select * from secret_tokens'));
    assert.ok(!rows.includes(development.secret_token));
  });

  test('can be imported once with tokens that clients already have', async () => {
    const app = createTestApp(await openTestDatabase());
    const pair = { service_token: 'short-old-token', secret_token: 'ñandú secret' };
    await importPaymentService(app, 'Old shop', 'production', pair, TESTER);
    assert.equal((await signs(app, pair.service_token, pair.secret_token))?.environment, 'production');
    await assert.rejects(importPaymentService(app, 'Again', 'production', pair, TESTER), ServiceTokenTaken);
    assert.equal((await listPaymentServices(app)).length, 1);
  });

  test('are imported with one Service Token once only, and two commands at the same time end as one after the other', async () => {
    const app = createTestApp(await openTestDatabase());
    for (const environment of ['development', 'production'] as const) {
      const pair = { service_token: `token-of-${environment}`, secret_token: `secret of ${environment}` };
      let other: Promise<unknown> | undefined;
      const quicker = onQuery(app, async (sql) => {
        if (other !== undefined || !sql.startsWith('update audit_head set hash')) return;
        other = importPaymentService(app, 'Later', environment, pair, TESTER);
        other.catch(() => undefined);
        await untilQueued(app.db);
      });
      await importPaymentService(quicker, 'Quicker', environment, pair, TESTER);
      await assert.rejects(other as Promise<unknown>, ServiceTokenTaken);
    }
    assert.deepEqual(
      (await listPaymentServices(app)).map(({ name }) => name),
      ['Quicker', 'Quicker'],
    );
  });

  test('are found by a Secret Token that they have or had, among any number', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop', TESTER);
    const [environment] = await app.db.query<{ id: number }>('select max(id) as id from environments');
    await app.db.transaction(async (tx) => {
      for (let at = 0; at < 501; at++) await addSecretToken(app, tx, environment?.id ?? 0, `many ${at}`, app.now());
    });
    await rotateSecretToken(app, id, 'development', 0, TESTER);
    for (const secret of [development.secret_token, 'many 0', 'many 500'])
      await assert.rejects(refuseHeldSecret(app, app.db, secret), { holder: id });
    await refuseHeldSecret(app, app.db, 'nobody’s');
  });

  test('are imported with one Secret Token once only, also by two commands at the same time', async () => {
    const app = createTestApp(await openTestDatabase());
    const ended = await Promise.allSettled(
      ['one', 'two', 'three'].map((name) => {
        const pair = { service_token: `token-of-${name}`, secret_token: 'shared' };
        return importPaymentService(app, name, 'production', pair, TESTER);
      }),
    );
    assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
    const listed = await listPaymentServices(app);
    assert.equal(listed.length, 1);
    for (const one of ended) if (one.status === 'rejected') assert.equal(one.reason.holder, listed[0]?.id);
  });

  test('are reported while they share a Secret Token that one of them can sign with', async () => {
    const app = createTestApp(await openTestDatabase());
    const [one, two] = [await createPaymentService(app, 'One', TESTER), await createPaymentService(app, 'Two', TESTER)];
    assert.deepEqual(await secretFindings(app), []);
    const idOf = async (id: string) =>
      (
        await app.db.query<{ id: number }>(
          `select id from environments where payment_service_id = $1 and environment = 'production'`,
          [id],
        )
      )[0]?.id ?? 0;
    const environmentId = await idOf(two.id);
    await app.db.transaction((tx) => addSecretToken(app, tx, environmentId, one.development.secret_token, app.now()));
    const [finding, ...others] = await secretFindings(app);
    assert.deepEqual(others, []);
    const { says, fix } = sayFinding(finding as Finding, 'en');
    assert.ok(says.includes(`${one.id} (development)`) && says.includes(`${two.id} (production)`), says);
    for (const command of [`${one.id} --environment development`, `${two.id} --environment production`])
      assert.ok(fix?.includes(`payment-service rotate ${command}`), fix ?? '');
    assert.ok(!JSON.stringify(finding).includes(one.development.secret_token));
    await rotateSecretToken(app, one.id, 'development', 0, TESTER);
    assert.ok(!sayFinding((await secretFindings(app))[0] as Finding, 'en').fix?.includes(one.id));
    await rotateSecretToken(app, two.id, 'production', 0, TESTER);
    assert.deepEqual(await secretFindings(app), []);
  });

  test('that moved away are changed at the new address, and their Secret Tokens count as closed here', async () => {
    const app = createTestApp(await openTestDatabase());
    const [one, two] = [await createPaymentService(app, 'One', TESTER), await createPaymentService(app, 'Two', TESTER)];
    const environments = await app.db.query<{ id: number; owner: string }>(
      `select id, payment_service_id as owner from environments where environment = 'development' order by id`,
    );
    const idOf = (id: string) => environments.find(({ owner }) => owner === id)?.id ?? 0;
    const { secret_token: secret } = one.development;
    await app.db.transaction((tx) => addSecretToken(app, tx, idOf(two.id), secret, app.now()));
    await leaveFor(app, { id: idOf(one.id), paymentServiceId: one.id });
    const target = { paymentServiceId: one.id, environment: 'development' } as const;
    for (const refused of [
      () => rotateSecretToken(app, one.id, 'development', 0, TESTER),
      () => handOverTokens(app, target, 1000, TESTER),
      () => disablePaymentService(app, one.id, TESTER),
      () => setFee(app, { ...target, method: 'simulated', currency: 'CLP' }, { rate_ppm: 0, fixed: 0 }, TESTER),
      () => setFundsRule(app, { ...target, currency: 'CLP' }, { kept_back: 1 }, TESTER),
      () => setLook(app, one.id, { legalName: 'Otra' }, TESTER),
      () => setReceipts(app, one.id, 'en', TESTER),
      () => setRequestLimit(app, one.id, 10, TESTER),
      () => setPayerAttempts(app, one.id, 2, TESTER),
      () => setMethodSettings(app, { ...target, method: 'webpay' }, { account: '5', key: 'k' }, TESTER),
      () => removeMethodSettings(app, { ...target, method: 'webpay' }, TESTER),
      () => setEventsUrl(app, target, 'https://new.example.cl/', TESTER),
    ])
      await assert.rejects(refused, (error: Problem) => {
        assert.deepEqual([error.code, error.extras.movedTo], ['PAYMENT_SERVICE_MOVED', 'https://pay-2.example.cl']);
        return true;
      });
    const [finding] = await secretFindings(app);
    const { fix } = sayFinding(finding as Finding, 'en');
    assert.ok(fix?.includes(two.id) && !fix.includes(one.id), fix ?? '');
    await rotateSecretToken(app, two.id, 'development', 0, TESTER);
    assert.deepEqual(await secretFindings(app), []);
  });

  test('accept a rotated Secret Token next to the new one until it closes', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop', TESTER);
    const outcome = await rotateSecretToken(app, id, 'development', 60_000, TESTER);
    assert.ok(outcome.kind === 'rotated');
    const { service_token: token, secret_token: fresh } = outcome.rotation;
    assert.ok(await signs(app, token, development.secret_token));
    assert.ok(await signs(app, token, fresh));
    app.now.advance(60_000);
    assert.equal(await signs(app, token, development.secret_token), null);
    assert.ok(await signs(app, token, fresh));
  });

  test('close a Secret Token in the millisecond of its end, also in a process that read it before', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop', TESTER);
    const { service_token: token, secret_token: old } = development;
    await rotated(app, id, 500);
    const answers = [await signs(app, token, old)];
    app.now.advance(499);
    answers.push(await signs(app, token, old));
    app.now.advance(1);
    answers.push(await signs(app, token, old));
    assert.deepEqual(
      answers.map((answer) => answer !== null),
      [true, true, false],
    );
  });

  test('have at most two open Secret Tokens: the next rotation waits or closes all earlier ones', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop', TESTER);
    const { service_token: token, secret_token: first } = development;
    const second = await rotated(app, id, 60_000);
    const closesAt = app.now() + 60_000;
    assert.deepEqual(await rotateSecretToken(app, id, 'development', 60_000, TESTER), {
      kind: 'overlapping',
      closesAt,
    });
    assert.equal((await rotateSecretToken(app, id, 'production', 60_000, TESTER)).kind, 'rotated');
    assert.ok((await signs(app, token, first)) && (await signs(app, token, second)));

    const third = await rotated(app, id, 0);
    app.now.advance(1000);
    assert.deepEqual([await signs(app, token, first), await signs(app, token, second)], [null, null]);
    assert.ok(await signs(app, token, third));

    const fourth = await rotated(app, id, 60_000);
    app.now.advance(60_000);
    await rotated(app, id, 60_000);
    assert.equal(await signs(app, token, third), null);
    assert.ok(await signs(app, token, fourth));
    assert.deepEqual(await rotateSecretToken(app, 'ps_unknown', 'development', 0, TESTER), { kind: 'unknown' });
  });

  test('refuse one of two concurrent rotations', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    const outcomes = await Promise.all([1, 2].map(() => rotateSecretToken(app, id, 'development', 60_000, TESTER)));
    assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['overlapping', 'rotated']);
  });

  test('keep every change made at the same time, and each act records what it replaced', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    const look = {
      colour: '#1f6f4a',
      site: 'https://a.example.cl',
      contact: 'a@a.cl',
      legalName: 'A',
      terms: 'https://t.cl',
    };
    await Promise.all([
      ...Object.entries(look).map(([part, value]) => setLook(app, id, { [part]: value }, TESTER)),
      ...[1, 2, 3, 4, 5].map((most) => setRequestLimit(app, id, most, TESTER)),
    ]);
    assert.deepEqual(await readLook(app.db, id), { ...NO_LOOK, ...look });
    for (const action of ['payment_service.look_set', 'payment_service.limit_set']) {
      const acts = await app.db.query('select said_before, said_after from audit_log where action = $1 order by link', [
        action,
      ]);
      const replaced = acts.slice(1).map(({ said_before }) => said_before);
      assert.deepEqual(
        replaced,
        acts.slice(0, -1).map(({ said_after }) => said_after),
      );
    }
  });

  test('replace no other Secret Token when a rotation that names one is repeated', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    const { secret_id: named = '' } = (await selectHandover(app.db, (await handOver(app, id)).id)) ?? {};
    const rotate = (overlapMs: number) => rotateSecretToken(app, id, 'development', overlapMs, TESTER, named);
    assert.deepEqual([(await rotate(60_000)).kind, (await rotate(0)).kind], ['rotated', 'replaced']);
  });

  test('show the tokens of a link to one of two concurrent readers, before its end, and only while they are current', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    const set = (link: NewHandover, change: string, meanwhile = async () => {}) =>
      app.db.transaction(async (tx) => {
        await tx.query(`update token_handovers set ${change} where id = $1`, [link.id]);
        await meanwhile();
      });
    const read = ({ link }: NewHandover) => openHandover(app, link, '192.0.2.1');
    const first = await handOver(app, id);
    let readers: ReturnType<typeof read>[] = [];
    await set(first, 'ended_at = ended_at', async () => {
      readers = [read(first), read(first)];
      await untilQueued(app.db, 2);
    });
    assert.equal((await Promise.all(readers)).filter((tokens) => tokens !== null).length, 1);

    const prolonged = await handOver(app, id);
    await set(prolonged, 'ends_at = ends_at + 1');
    assert.equal(await read(prolonged), null);

    const replaced = await handOver(app, id);
    await rotated(app, id, 60_000);
    assert.equal((await selectHandover(app.db, replaced.id))?.ended_at, app.now());
    await set(replaced, 'ended_at = null');
    assert.equal(await read(replaced), null);
  });

  test('end a link once: nobody ends it again, no rotation moves its end, and nobody opens it', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createPaymentService(app, 'Shop', TESTER);
    const link = await handOver(app, id);
    const endedAt = app.now();
    assert.equal(await endHandover(app, link, TESTER), true);
    app.now.advance(1);
    assert.equal(await endHandover(app, link, TESTER), false);
    await rotated(app, id, 0);
    assert.equal(await app.db.transaction((tx) => updateOpened(tx, link.id, app.now(), '192.0.2.1')), false);
    assert.equal((await selectHandover(app.db, link.id))?.ended_at, endedAt);
    const ends = await app.db.query("select link from audit_log where action = 'tokens.link_ended'");
    assert.equal(ends.length, 1);
  });

  test('do the same work for an unknown account as for a known one', async () => {
    const db = await openTestDatabase();
    let opened = 0;
    let statements = 0;
    const query: typeof db.query = (sql, values) => {
      statements++;
      return db.query(sql, values);
    };
    // The log has a line for each seal that does not open, so it shows how many were tried.
    const log = pino({}, { write: (line) => void (opened += line.includes('secret_does_not_open') ? 1 : 0) });
    const app = createTestApp({ ...db, query }, { log });
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    assert.equal(await signs(app, 'unknown', development.secret_token), null);
    assert.deepEqual([statements, opened], [1, 0]);
    await db.transaction((tx) => tx.query("update secret_tokens set id = 'moved' || id"));
    assert.equal(await signs(app, 'unknown', development.secret_token), null);
    await assert.rejects(signs(app, development.service_token, development.secret_token));
    assert.deepEqual([statements, opened], [3, 2]);
  });

  test('answer valid requests while a wrong signature makes them read the store again', async () => {
    const db = await openTestDatabase();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let isHeld = false;
    const query: typeof db.query = async (sql, values) => {
      if (isHeld) await held;
      return db.query(sql, values);
    };
    const app = createTestApp({ ...db, query });
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    assert.ok(await signs(app, development.service_token, development.secret_token));
    isHeld = true;
    const wrong = signs(app, development.service_token, 'another secret');
    let isServed = false;
    const own = signs(app, development.service_token, development.secret_token).then(() => {
      isServed = true;
    });
    await nextTurn();
    assert.ok(isServed);
    release();
    assert.equal(await wrong, null);
    await own;
  });

  test('stop within a second when disabled, cached or not', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, development } = await createPaymentService(app, 'Shop', TESTER);
    assert.ok(await signs(app, development.service_token, development.secret_token));
    assert.equal(await disablePaymentService(app, id, TESTER), 'changed');
    assert.equal(await disablePaymentService(app, id, TESTER), 'already');
    app.now.advance(1000);
    assert.equal(await signs(app, development.service_token, development.secret_token), null);
  });

  test('show the last use of each Secret Token, also if the database did not respond at first', async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const app = createTestApp(failing);
    const { development } = await createPaymentService(app, 'Shop', TESTER);
    await signs(app, development.service_token, development.secret_token);
    Object.assign(faults, { at: 1, points: 0 });
    await assert.rejects(storeSecretUse(app));
    await storeSecretUse(app);
    const [listed] = await listPaymentServices(app);
    const uses = listed?.tokens.map(({ environment, last_used_at }) => [environment, last_used_at]);
    assert.deepEqual(uses, [
      ['development', app.now()],
      ['production', null],
    ]);
  });

  test('store the uses of Secret Tokens in one order, so that two processes do not deadlock', async () => {
    const { app, all } = listenToStatements(createTestApp(await openTestDatabase()));
    for (const id of ['st_b', 'st_a', 'st_c']) noteSecretUse(app, id);
    await storeSecretUse(app);
    const stored = all
      .filter(({ sql }) => sql.startsWith('update secret_tokens'))
      .map(({ parameters }) => parameters[0]);
    assert.deepEqual(stored, ['st_a', 'st_b', 'st_c']);
  });
});

/** Creates a link to the tokens of the development environment. */
async function handOver(app: TestApp, id: string): Promise<NewHandover> {
  const made = await handOverTokens(app, { paymentServiceId: id, environment: 'development' }, 3_600_000, TESTER);
  assert.ok(made);
  return made;
}

/** Rotates the Secret Token of the development environment. Returns the new one. */
async function rotated(app: TestApp, id: string, overlapMs: number): Promise<string> {
  const outcome = await rotateSecretToken(app, id, 'development', overlapMs, TESTER);
  assert.ok(outcome.kind === 'rotated');
  return outcome.rotation.secret_token;
}

function signs(app: TestApp, serviceToken: string, secret: string) {
  return authenticateRequest(app, serviceToken, MESSAGE, computeSignature(MESSAGE, signingKey(secret)));
}
