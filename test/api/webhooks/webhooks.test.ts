import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookKey, webhookMatches } from '../../../protocol/webhook-signature.ts';
import { disableUser } from '../../../src/auth/change-user.ts';
import { readConfig } from '../../../src/config.ts';
import { createCallbackDelivery } from '../../../src/outbox/deliver-callbacks.ts';
import { endWebhook, setWebhook } from '../../../src/outbox/webhooks/set-webhook.ts';
import { selectSubscriptions } from '../../../src/outbox/webhooks/webhook-subscription-queries.ts';
import { verifyStore } from '../../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { onQuery } from '../../support/on-query.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';
import { createPaidTransaction } from '../../support/test-books.ts';
import { payOut } from '../../support/test-movements.ts';
import { acceptedRefund } from '../../support/test-refunds.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestEnvironment } from '../../support/test-shop.ts';
import { createTestUser } from '../../support/test-user.ts';
import { untilQueued } from '../../support/until-queued.ts';

const URL_OF_SHOP = 'https://shop.example.cl/webhooks?key=1';

forEachEngine('a subscription to remittances and refunds', (openTestDatabase) => {
  test('delivers signed payout and refund events until it ends', async () => {
    await using shop = await open(openTestDatabase);
    const made = await shop.subscribe({ url: URL_OF_SHOP, method: 'POST', webhook: 'remittances' });
    assert.equal(made.status, 201, made.text);
    const own = jsonOf(await shop.server.get('/users', shop.user.headers));
    assert.deepEqual(
      [own['email'], own['username'], own['idAuth0'], own['status'], own['bloqueo']],
      [shop.user.email, shop.user.email, shop.user.id, 1, false],
    );
    const idUser = own['id'] as number;
    assert.ok(Number.isInteger(idUser));
    const expected = { webhook: 'remittances', url: URL_OF_SHOP, method: 'POST', idUser };
    assert.deepEqual(jsonOf(made)['data'], { ...expected, createdAt: '2026-01-15T12:00:00.000Z' });

    const paid = await createPaidTransaction(shop.app, shop.environment, { amount: 50_000 });
    const { id: refundId } = await acceptedRefund(shop.app, paid, 1000);
    await payOut(shop.app, shop.environment, 20_000, { reference: 'TEF-1' });
    // Posts of different transactions are under way at once, so they arrive in any order.
    const posts = (await shop.deliver()).toSorted((one, other) => (one.type < other.type ? 1 : -1));
    assert.deepEqual(
      posts.map(({ type }) => type),
      ['refund.processing', 'payout.recorded'],
    );
    const [refunded, paidOut] = posts.map(({ data }) => data) as [Record<string, unknown>, Record<string, unknown>];
    assert.equal((refunded['refund'] as { id: string }).id, refundId);
    assert.equal(paidOut['payment_service'], shop.environment.paymentServiceId);
    assert.equal((paidOut['payout'] as { reference: string }).reference, 'TEF-1');
    assert.equal(new Set(posts.map(({ id }) => id)).size, 2);
    const { findings } = await verifyStore(shop.app);
    assert.deepEqual(findings, []);

    const path = `/webhooks/${idUser}/remittances`;
    const list = jsonOf(await shop.server.get(`/webhooks/${idUser}`, shop.user.headers))['data'] as unknown[];
    assert.equal(list.length, 1);
    const moved = { ...expected, url: 'https://shop.example.cl/other', idUser: String(idUser) };
    const put = await shop.server.send('PUT', path, { headers: shop.user.headers, json: moved });
    assert.deepEqual([put.status, (jsonOf(put)['data'] as { url: string }).url], [200, moved.url]);
    await acceptedRefund(shop.app, paid, 500);
    assert.deepEqual(
      (await shop.deliver()).map(({ url }) => url),
      [moved.url],
    );
    const ended = await shop.server.send('DELETE', path, { headers: shop.user.headers, json: moved });
    assert.equal(ended.status, 200);
    assert.equal((await shop.server.send('DELETE', path, { headers: shop.user.headers })).status, 404);
    await acceptedRefund(shop.app, paid, 200);
    assert.deepEqual(await shop.deliver(), []);
    const audit = await shop.app.db.query(
      `select action, actor from audit_log where action like 'webhook%' order by link`,
    );
    assert.deepEqual(
      audit.map(({ action, actor }) => [action, actor]),
      [
        ['webhook.set', shop.user.email],
        ['webhook.set', shop.user.email],
        ['webhook.ended', shop.user.email],
      ],
    );
  });

  test('may name GET: the method is kept and returned, and events are still posted', async () => {
    await using shop = await open(openTestDatabase);
    const wish = { url: URL_OF_SHOP, webhook: 'refunds' };
    const answers = [await shop.subscribe({ ...wish, method: 'GET' })];
    const { idUser } = jsonOf(answers[0] as Answer)['data'] as { idUser: number };
    const path = `/webhooks/${idUser}/refunds`;
    const list = async () => jsonOf(await shop.server.get(`/webhooks/${idUser}`, shop.user.headers))['data'];
    assert.deepEqual([answers[0]?.status, (await list()) as unknown[]], [201, [jsonOf(answers[0] as Answer)['data']]]);
    const paid = await createPaidTransaction(shop.app, shop.environment, { amount: 50_000 });
    await acceptedRefund(shop.app, paid, 1000);
    assert.deepEqual(
      (await shop.deliver()).map(({ url, type }) => [url, type]),
      [[URL_OF_SHOP, 'refund.processing']],
    );
    for (const method of ['POST', 'GET', undefined]) {
      const { headers } = shop.user;
      answers.push(await shop.server.send('PUT', path, { headers, json: { ...wish, ...(method && { method }) } }));
    }
    assert.deepEqual(
      answers.map((answer) => (jsonOf(answer)['data'] as { method: string }).method),
      ['GET', 'POST', 'GET', 'POST'],
    );
    assert.equal((await selectSubscriptions(shop.app.db, shop.user.id)).length, 1);
    await acceptedRefund(shop.app, paid, 500);
    assert.equal((await shop.deliver()).length, 1);
  });

  test('an edited callback of a payout is detected by the verification of the store', async () => {
    await using shop = await open(openTestDatabase);
    await shop.subscribe({ url: URL_OF_SHOP, webhook: 'remittances' });
    await createPaidTransaction(shop.app, shop.environment, { amount: 50_000 });
    await payOut(shop.app, shop.environment, 20_000);
    await shop.app.db.transaction((tx) =>
      tx.query(`update callbacks set body = replace(body, '20000', '90000') where transaction_id = 0`),
    );
    const { findings } = await verifyStore(shop.app);
    assert.deepEqual(
      findings.map(({ finding }) => finding),
      ['callback_changed'],
    );
  });

  test('delivers nothing that the user does not see, and nothing once the user is disabled', async () => {
    await using shop = await open(openTestDatabase);
    await shop.subscribe({ url: URL_OF_SHOP, webhook: 'refunds' });
    const stranger = await createTestEnvironment(shop.app);
    await acceptedRefund(shop.app, await createPaidTransaction(shop.app, stranger), 1000);
    const paid = await createPaidTransaction(shop.app, shop.environment, { amount: 50_000 });
    await payOut(shop.app, shop.environment, 20_000);
    assert.deepEqual(await shop.deliver(), [], 'a subscription to refunds gets no other notices');
    await acceptedRefund(shop.app, paid, 1000);
    assert.equal((await shop.deliver()).length, 1);
    await disableUser(shop.app, shop.user.id, TESTER);
    await acceptedRefund(shop.app, paid, 500);
    assert.deepEqual(await shop.deliver(), []);
  });

  test('is refused for a forbidden address, an unknown method or kind, or another user', async () => {
    await using shop = await open(openTestDatabase, { ALLOW_PRIVATE_CALLBACKS: 'false' });
    for (const [json, status, code] of [
      [{ url: 'https://10.0.0.1/', webhook: 'remittances' }, 422, 'INVALID_BODY'],
      [{ url: 'https://169.254.169.254/', webhook: 'remittances' }, 422, 'INVALID_BODY'],
      [{ url: 'http://shop.example.cl/', webhook: 'remittances' }, 422, 'INVALID_BODY'],
      [{ url: 'https://shop.example.cl/4111111111111111', webhook: 'remittances' }, 422, 'INVALID_BODY'],
      [{ url: URL_OF_SHOP, webhook: 'remittances', method: 'PUT' }, 422, 'INVALID_BODY'],
      [{ url: URL_OF_SHOP, webhook: 'remittances', method: 'get' }, 422, 'INVALID_BODY'],
      [{ url: URL_OF_SHOP, webhook: 'everything' }, 422, 'INVALID_BODY'],
      [{ url: URL_OF_SHOP, webhook: 'remittances', idUser: '1' }, 403, 'NO_PERMISSION'],
    ] as [object, number, string][]) {
      const answer = await shop.subscribe(json);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [status, code], JSON.stringify(json));
    }
    assert.equal((await shop.server.get('/webhooks/1', shop.user.headers)).status, 403);
    assert.equal((await shop.server.post('/webhooks', { json: {} })).status, 401);
    assert.deepEqual(await selectSubscriptions(shop.app.db, null), []);
  });

  test('is created once by concurrent identical requests, and ends while its URL changes', async () => {
    await using shop = await open(openTestDatabase);
    const asked = Array.from({ length: 8 }, () => shop.subscribe({ url: URL_OF_SHOP, webhook: 'remittances' }));
    const answers = await Promise.all(asked);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal((await selectSubscriptions(shop.app.db, shop.user.id)).length, 1);
    const webhook = { userId: shop.user.id, webhook: 'remittances' } as const;
    const onAct = (start: () => void) =>
      onQuery(shop.app, async (sql) => {
        if (!sql.startsWith('update audit_head set hash')) return;
        start();
        await untilQueued(shop.app.db);
      });
    const set = (app: TestApp, url: string) => setWebhook(app, { ...webhook, url, method: 'POST' }, TESTER);
    let ending: ReturnType<typeof endWebhook> | undefined;
    const changing = onAct(() => {
      ending = endWebhook(shop.app, webhook, TESTER);
    });
    const moved = await set(changing, 'https://shop.example.cl/new');
    assert.equal((await ending)?.id, moved.id, 'one that is ended while its URL changes has ended');
    assert.deepEqual(await selectSubscriptions(shop.app.db, shop.user.id), []);
    await set(shop.app, URL_OF_SHOP);
    let setting: ReturnType<typeof setWebhook> | undefined;
    const ends = onAct(() => {
      setting = set(shop.app, 'https://shop.example.cl/last');
    });
    await endWebhook(ends, webhook, TESTER);
    const last = await setting;
    assert.equal((await selectSubscriptions(shop.app.db, shop.user.id))[0]?.id, last?.id);
    const [act] = await shop.app.db.query('select said_before from audit_log order by link desc limit 1');
    assert.equal(act?.['said_before'], null, 'one that is set while another ends replaces nothing');
  });
});

forEachEngine('remittances as clients of the first API read them', (openTestDatabase) => {
  test('list the payouts of the books, the newest first, for all days or for one', async () => {
    await using shop = await open(openTestDatabase);
    await createPaidTransaction(shop.app, shop.environment, { amount: 50_000 });
    const ask = (path: string, json?: object) => shop.server.post(path, { headers: shop.user.headers, json });
    const none = jsonOf(await ask('/remittances/getRemittances', {}));
    assert.deepEqual(none, { message: 'No se encontraron remittances', remittances: [] });
    await payOut(shop.app, shop.environment, 15_238, { reference: 'TEF-1' });
    shop.app.now.advance(60_000_000);
    await payOut(shop.app, shop.environment, 1000, { reference: 'TEF-2' });
    const referencesOf = (answer: Answer) =>
      assert.equal(answer.status, 200, answer.text) ??
      (jsonOf(answer)['remittances'] as { trxData: { messageToAddressee: string } }[]).map(
        ({ trxData }) => trxData.messageToAddressee,
      );
    assert.deepEqual(referencesOf(await ask('/remittances/getRemittances')), ['TEF-2', 'TEF-1']);
    assert.deepEqual(referencesOf(await ask('/remittances/getRemittances', { limit: '1' })), ['TEF-2']);
    const day = await ask('/remittances/getRemittance/2026-01-15', {});
    const [remittance] = jsonOf(day)['remittances'] as Record<string, unknown>[];
    assert.deepEqual([jsonOf(day)['message'], referencesOf(day)], ['Se encontraron remittances', ['TEF-1']]);
    const { idAuth0, status, amount, timestamp } = remittance ?? {};
    assert.deepEqual([idAuth0, status, amount, timestamp], [shop.user.id, 'completed', 15_238, 1_768_478_400]);
    for (const limit of ['0', '501', '-1', 'x'])
      assert.equal((await ask('/remittances/getRemittances', { limit })).status, 422, limit);
    assert.equal((await ask('/remittances/getRemittance/yesterday')).status, 400);
    const stranger = await createTestUser(shop.app, { paymentServices: [] });
    const foreign = await shop.server.post('/remittances/getRemittances', { headers: stranger.headers, json: {} });
    assert.deepEqual(jsonOf(foreign)['remittances'], []);
  });
});

async function open(openTestDatabase: OpenTestDatabase, settings: Record<string, string> = {}) {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings });
  const app = createTestApp(await openTestDatabase(), { config });
  const environment = await createTestEnvironment(app);
  const user = await createTestUser(app, { paymentServices: [environment.paymentServiceId] });
  const server = await startTestServer(app);
  /** Delivers the due notices, checks each signature and returns the notices. */
  const deliver = async () => {
    app.sent.length = 0;
    const delivery = createCallbackDelivery(app);
    await delivery.poll();
    await delivery.drain();
    const posts = app.sent.filter(({ headers }) => headers['content-type'] === 'application/json');
    return posts.map(({ url, body: sent, headers }) => {
      const body = String(sent);
      const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
        (name) => headers[name] as string,
      );
      const keys = environment.secrets.map(({ text }) => webhookKey(text));
      const signed = { id: id as string, timestamp: timestamp as string, signature: signature as string };
      assert.ok(webhookMatches(signed, Buffer.from(body), keys), 'the signature is valid');
      const { type, data } = JSON.parse(body) as { type: string; data: Record<string, unknown> };
      return { url, id, type, data };
    });
  };
  const subscribe = (json: object) => server.post('/webhooks', { headers: user.headers, json });
  return {
    app,
    environment,
    user,
    server,
    deliver,
    subscribe,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
