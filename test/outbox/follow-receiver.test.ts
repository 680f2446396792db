import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { whoEndedWebhook } from '../../src/audit/who-set-webhooks.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { diagnoseEndpoint } from '../../src/outbox/endpoints/diagnose-endpoint.ts';
import { selectTroubled } from '../../src/outbox/endpoints/failing-endpoint-queries.ts';
import { beginListening, reportAttempt, takeNext } from '../../src/outbox/listeners/listen-for-callbacks.ts';
import { listCallbacks, resendCallback, resendCallbacks } from '../../src/outbox/resend-callback.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { endLeftPosts, endWebhook, setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { selectGivenUpPosts } from '../../src/outbox/webhooks/webhook-post-queries.ts';
import { subscriptionOf, type Webhook } from '../../src/outbox/webhooks/webhook-subscription.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const OLD = 'https://old.example.cl/told';
const NEW = 'https://new.example.cl/told';
const HOUR = 60 * 60_000;

forEachEngine('a post that waits for a webhook of a user', (openTestDatabase) => {
  test('is never sent after the webhook has ended, and says so wherever callbacks are listed', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.refund();
    shop.answers.set(OLD, 503);
    assert.deepEqual(await shop.deliver(), [OLD]);
    const [waiting] = await listCallbacks(shop.app, {}, 10);
    const named = { user_id: shop.user.id, webhook: 'refunds', email: shop.user.email };
    assert.deepEqual(waiting?.user_webhook, { ...named, url: OLD });
    const [endpoint] = await selectTroubled(shop.app.db, 10);
    assert.deepEqual(endpoint?.user_webhook, { ...named, url: OLD });
    const diagnosis = await diagnoseEndpoint(shop.app, endpoint?.id ?? 0, 'en', String);
    assert.deepEqual(diagnosis?.user_webhook, { ...named, url: OLD });
    const [item] = await listAttention(shop.app, 'endpoint', 10, 'es');
    assert.match(item?.reason ?? '', new RegExp(`^webhook refunds de ${shop.user.email}: ${OLD} falla`));

    const ended = await endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    assert.equal(ended?.posts_ended, 1);
    const by = await whoEndedWebhook(shop.app, shop.user.id, 'refunds');
    assert.deepEqual([by?.action, by?.who.name], ['webhook.ended', TESTER.name]);
    shop.answers.clear();
    shop.app.now.advance(HOUR);
    assert.deepEqual(await shop.deliver(), []);
    const [callback] = await listCallbacks(shop.app, {}, 10);
    assert.deepEqual([callback?.state, callback?.user_webhook], ['disabled', { ...named, url: null }]);
    assert.deepEqual(await selectTroubled(shop.app.db, 10), [], 'its endpoint needs nobody');
    assert.equal(await resendCallback(shop.app, callback?.id ?? 0, TESTER), 'unwanted');
    assert.equal((await resendCallbacks(shop.app, { endpoint: OLD }, TESTER)).resent, 0);
    const { id: environmentId, paymentServiceId } = shop.environment;
    const replay = { environmentId, paymentServiceId, replay: callback?.id ?? 0 };
    await assert.rejects(beginListening(shop.app, replay, TESTER), { code: 'NOT_FOUND' });
    assert.deepEqual(await listTargets(shop.app), [['disabled', OLD]], 'a listener does not replay it either');
    const [act] = await shop.app.db.query(`select said_after from audit_log where action = 'webhook.ended'`);
    assert.deepEqual(JSON.parse(String(act?.['said_after'])), { posts_ended: 1 });
    assert.deepEqual((await verifyStore(shop.app)).findings, []);
  });

  test('goes to the new URL at once when the user changes it, and never to the former one', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.refund();
    shop.answers.set(OLD, 503);
    await shop.deliver();
    await shop.set(NEW);
    assert.deepEqual(await shop.deliver(), [NEW]);
    const [callback] = await listCallbacks(shop.app, {}, 10);
    assert.deepEqual([callback?.state, callback?.url, callback?.attempts], ['delivered', NEW, 2]);
    assert.deepEqual(await selectTroubled(shop.app.db, 10), []);
    assert.deepEqual((await verifyStore(shop.app)).findings, []);
  });

  test('follows a webhook that changes or ends before its first attempt, or during one', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.refund();
    await shop.set(NEW);
    assert.deepEqual(await shop.deliver(), [NEW]);
    await shop.refund();
    await endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    assert.deepEqual(await shop.deliver(), []);

    await shop.set(OLD);
    await shop.refund();
    shop.answers.set(OLD, 503);
    shop.during.set(OLD, () => endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER));
    assert.deepEqual(await shop.deliver(), [OLD]);
    const states = (await listCallbacks(shop.app, {}, 10)).map(({ state }) => state);
    assert.deepEqual(states, ['disabled', 'disabled', 'delivered']);
    assert.deepEqual(await selectTroubled(shop.app.db, 10), []);
  });

  test('follows a webhook that changes or ends while a listener has the post', async () => {
    const shop = await open(openTestDatabase);
    const { app, environment } = shop;
    const { id: environmentId, paymentServiceId } = environment;
    const listener = await beginListening(app, { environmentId, paymentServiceId, replay: null }, TESTER);
    const take = async () => {
      for (;;) {
        const post = await takeNext(app, listener, 200, () => false);
        if (post !== null) return post;
      }
    };
    const report = async (change: () => Promise<unknown>, status: number, retry: boolean) => {
      const { id, lease } = await take();
      await change();
      const outcome: FetchOutcome = { kind: 'answered', status, retryAfter: null, excerpt: '', durationMs: 1 };
      return reportAttempt(app, listener, { callbackId: id, lease, outcome, retry });
    };
    await shop.set(OLD);
    await shop.refund();
    assert.equal((await report(() => shop.set(NEW), 410, true)).step.kind, 'retry');
    assert.equal((await report(() => shop.set(OLD), 503, false)).step.kind, 'retry');
    assert.deepEqual(await listTargets(app), [['queued', NEW]]);
    const { id, lease, url } = await take();
    assert.equal(url, OLD, 'the post goes where the webhook is, and 410 of its former URL has disabled nothing');
    await endWebhook(app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    const outcome: FetchOutcome = { kind: 'failed', reason: 'connect', detail: 'ECONNREFUSED', durationMs: 1 };
    const { step } = await reportAttempt(app, listener, { callbackId: id, lease, outcome, retry: false });
    assert.equal(step.kind, 'unwanted');
    assert.deepEqual(await listTargets(app), [['disabled', OLD]], 'a post that nobody wants was not given up');
  });

  test('goes to the new URL when the former one answers 410 during the change', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.refund();
    shop.answers.set(OLD, 410);
    shop.during.set(OLD, () => shop.set(NEW));
    assert.deepEqual(await shop.deliver(), [OLD, NEW]);
    assert.deepEqual(await selectTroubled(shop.app.db, 10), []);
  });

  test('ends while its user is disabled or does not see the event, and can be sent again once the user gets it', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.refund();
    await disableUser(shop.app, shop.user.id, TESTER);
    assert.deepEqual(await shop.deliver(), []);
    const [callback] = await listCallbacks(shop.app, {}, 10);
    assert.equal(callback?.state, 'disabled');
    assert.equal(await resendCallback(shop.app, callback?.id ?? 0, TESTER), 'unwanted');
    assert.equal((await whoEndedWebhook(shop.app, shop.user.id, 'refunds'))?.action, 'user.disabled');
    await enableUser(shop.app, shop.user.id, TESTER);
    assert.equal((await resendCallbacks(shop.app, { state: 'disabled' }, TESTER)).resent, 1);
    assert.deepEqual(await shop.deliver(), [OLD]);

    await shop.refund();
    await shop.app.db.transaction((tx) =>
      tx.query('delete from user_payment_services where user_id = $1', [shop.user.id]),
    );
    assert.deepEqual(await shop.deliver(), []);
  });

  test('that was given up ends with its webhook, and a webhook that is set again is sent to after a 410', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.giveUp(OLD);
    const given = () => listAttention(shop.app, 'callback', 10);
    assert.match((await given())[0]?.reason ?? '', /^the webhook refunds of \S+ did not take it in 3 attempts/);
    await endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    assert.deepEqual(await given(), []);

    await shop.set(OLD);
    await shop.giveUp(OLD);
    await shop.set(NEW);
    await endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    assert.deepEqual(await given(), [], 'also those of a former URL');

    shop.answers.clear();
    await shop.set(NEW);
    await shop.refund();
    shop.answers.set(NEW, 410);
    await shop.deliver();
    await endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    shop.answers.clear();
    await shop.set(NEW);
    await shop.refund();
    assert.deepEqual(await shop.deliver(), [NEW]);

    await shop.set(NEW, 'remittances');
    await shop.refund();
    shop.answers.set(NEW, 410);
    await shop.deliver();
    shop.answers.clear();
    await endWebhook(shop.app, { userId: shop.user.id, webhook: 'remittances' }, TESTER);
    await shop.refund();
    assert.deepEqual(await shop.deliver(), [], 'the end of one webhook does not enable the other');
    await shop.set(NEW, 'remittances');
    await shop.refund();
    assert.deepEqual(await shop.deliver(), [NEW, NEW], 'the user says that the URL works again');
  });

  test('is sent after a 410 once the user sets the same URL again, without ending the webhook', async () => {
    const shop = await open(openTestDatabase);
    const { id } = await shop.set(OLD);
    await shop.refund();
    shop.answers.set(OLD, 410);
    assert.deepEqual(await shop.deliver(), [OLD]);
    shop.answers.clear();
    await shop.refund();
    assert.deepEqual(await shop.deliver(), []);
    assert.equal((await shop.set(OLD)).id, id);
    await shop.refund();
    assert.deepEqual(await shop.deliver(), [OLD]);
  });

  test('that was given up is read without the posts of others, of which a store may have many', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.set(NEW, 'remittances');
    await shop.setEventsUrl('https://events.example.cl/told');
    for (const url of [NEW, 'https://events.example.cl/told']) shop.answers.set(url, 400);
    await shop.giveUp(OLD);
    const rows = await shop.app.db.query<{ id: string }>('select id from webhook_subscriptions order by webhook');
    const [refunds = '', remittances = ''] = rows.map(({ id }) => id);
    const eventsOf = shop.environment.id;
    const read = (own: Parameters<typeof selectGivenUpPosts>[1]) =>
      shop.app.db.transaction(async (tx) => (await selectGivenUpPosts(tx, own)).map(subscriptionOf));
    assert.deepEqual(await read({ subscriptions: [refunds], eventsOf: null }), [refunds]);
    assert.deepEqual(await read({ subscriptions: [remittances], eventsOf: null }), [remittances]);
    assert.deepEqual(await read({ subscriptions: [], eventsOf: null }), []);
    const all = await read({ subscriptions: [], eventsOf });
    assert.deepEqual([all.length > 0, all.includes(null)], [true, true], 'the events of the environment');
    await shop.setEventsUrl(null);
    assert.deepEqual(
      (await read({ subscriptions: [], eventsOf })).map((id) => id ?? 'events').sort(),
      [refunds, remittances].sort(),
    );
  });

  test('that was given up after its webhook ended can be ended by the command that attention names', async () => {
    const shop = await open(openTestDatabase);
    await shop.set(OLD);
    await shop.giveUp(OLD);
    await shop.app.db.transaction((tx) => tx.query('update webhook_subscriptions set ended_at = 1'));
    const of = { userId: shop.user.id, webhook: 'refunds' } as const;
    const [item] = await listAttention(shop.app, 'callback', 10);
    assert.equal(item?.command, `bin/rubrica webhook end ${shop.user.email} refunds`);
    assert.equal(await endWebhook(shop.app, of, TESTER), null);
    assert.equal(await endLeftPosts(shop.app, of, TESTER), 1);
    assert.deepEqual(await listAttention(shop.app, 'callback', 10), []);
    assert.equal(await endLeftPosts(shop.app, of, TESTER), 0);
  });

  test('leaves the callbacks of the shop at the same address, and that they were not sent, for a person', async () => {
    const shop = await open(openTestDatabase);
    const { url_callback: url } = await shop.pay();
    shop.answers.set(url, 410);
    assert.deepEqual(await shop.deliver(), [url]);
    const unsent = async () => (await selectTroubled(shop.app.db, 10)).map(({ disabled_at }) => disabled_at !== null);
    await shop.set(url);
    assert.deepEqual(await unsent(), [true], 'after the webhook was set');
    await shop.refund();
    await endWebhook(shop.app, { userId: shop.user.id, webhook: 'refunds' }, TESTER);
    assert.deepEqual(await unsent(), [true], 'after it ended');
    const [item] = await listAttention(shop.app, 'endpoint', 10);
    assert.match(
      item?.command ?? '',
      /^bin\/rubrica callback resend --endpoint /,
      'the end of a webhook sends nothing',
    );
    shop.answers.clear();
    assert.equal((await resendCallbacks(shop.app, { state: 'disabled' }, TESTER)).resent, 1);
    assert.deepEqual(await shop.deliver(), [url]);
  });
});

forEachEngine('a post that waits for the events URL of a merchant', (openTestDatabase) => {
  test('goes to the new URL at once when it changes, and nowhere once it is removed', async () => {
    const shop = await open(openTestDatabase);
    await shop.setEventsUrl(OLD);
    await shop.refund();
    shop.answers.set(OLD, 503);
    assert.deepEqual(await shop.deliver(), [OLD]);
    await shop.setEventsUrl(NEW);
    assert.deepEqual(await shop.deliver(), [NEW]);
    const { paymentServiceId: payment_service, environment } = shop.environment;
    const events_url = { payment_service, environment, url: NEW };
    const [taken] = await listCallbacks(shop.app, {}, 10);
    assert.deepEqual(
      [taken?.state, taken?.url, taken?.events_url, taken?.user_webhook],
      ['delivered', NEW, events_url, null],
    );

    await shop.refund();
    shop.answers.set(NEW, 410);
    shop.during.set(NEW, () => shop.setEventsUrl(OLD));
    shop.answers.delete(OLD);
    assert.deepEqual(await shop.deliver(), [NEW, OLD], 'a 410 of the former URL ends nothing');
    shop.during.clear();

    await shop.giveUp(OLD);
    await shop.refund();
    shop.answers.set(OLD, 503);
    await shop.deliver();
    assert.match(
      (await listAttention(shop.app, 'callback', 10, 'es'))[0]?.reason ?? '',
      /^la URL de eventos no lo recibió/,
    );
    await shop.setEventsUrl(null);
    shop.app.now.advance(HOUR);
    assert.deepEqual(await shop.deliver(), []);
    assert.deepEqual([await selectTroubled(shop.app.db, 10), await listAttention(shop.app, 'callback', 10)], [[], []]);
    const [ended] = await listCallbacks(shop.app, {}, 10);
    assert.deepEqual([ended?.state, ended?.events_url?.url], ['disabled', null]);
    assert.equal(await resendCallback(shop.app, ended?.id ?? 0, TESTER), 'unwanted');
    assert.deepEqual((await verifyStore(shop.app)).findings, []);
  });

  test('changes before its first attempt, and is sent to a URL that is set again after a 410', async () => {
    const shop = await open(openTestDatabase);
    await shop.setEventsUrl(OLD);
    await shop.refund();
    await shop.setEventsUrl(NEW);
    shop.answers.set(NEW, 410);
    assert.deepEqual(await shop.deliver(), [NEW]);
    shop.answers.clear();
    await shop.setEventsUrl(NEW);
    await shop.refund();
    assert.deepEqual(await shop.deliver(), [NEW]);
    await shop.refund();
    await shop.setEventsUrl(null);
    assert.deepEqual(await shop.deliver(), []);
  });
});

async function listTargets(app: TestApp) {
  return (await listCallbacks(app, {}, 10)).map(({ state, url }) => [state, url]);
}

async function open(openTestDatabase: OpenTestDatabase) {
  const sent: string[] = [];
  const answers = new Map<string, number>();
  const during = new Map<string, () => Promise<unknown>>();
  const app = createTestApp(await openTestDatabase(), {
    fetch: async ({ url }): Promise<FetchOutcome> => {
      sent.push(url);
      await during.get(url)?.();
      return { kind: 'answered', status: answers.get(url) ?? 200, retryAfter: null, excerpt: '', durationMs: 1 };
    },
  });
  const environment = await createTestEnvironment(app);
  const user = await createTestUser(app, { paymentServices: [environment.paymentServiceId] });
  const paid = await createPaidTransaction(app, environment, { amount: 50_000 });
  await app.db.transaction((tx) => tx.query('delete from callbacks'));
  // A refund of the same amount would count as the same refund.
  let amount = 100;
  /** Delivers what is due and returns the URLs. */
  const deliver = async () => {
    sent.length = 0;
    const delivery = createCallbackDelivery(app);
    while ((await delivery.poll()) > 0) await delivery.settled();
    return [...sent];
  };
  return {
    app,
    environment,
    user,
    answers,
    during,
    refund: () => acceptedRefund(app, paid, amount++),
    pay: () => createPaidTransaction(app, environment, { amount: 50_000 }),
    set: (url: string, webhook: Webhook = 'refunds') =>
      setWebhook(app, { userId: user.id, webhook, url, method: 'POST' }, TESTER),
    setEventsUrl: async (url: string | null) => {
      assert.equal(await setEventsUrl(app, environment, url, TESTER), true);
      // Environments are cached for a second.
      app.now.advance(2000);
    },
    deliver,
    /** A refund whose post the URL refuses until it is given up. */
    giveUp: async (url: string) => {
      await acceptedRefund(app, paid, amount++);
      answers.set(url, 400);
      for (let attempt = 0; attempt < 3; attempt++) {
        await deliver();
        app.now.advance(HOUR);
      }
    },
  };
}
