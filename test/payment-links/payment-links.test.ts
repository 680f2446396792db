import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import { Problem } from '../../src/error-catalogue.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../src/payment-links/end-payment-link.ts';
import { findPaymentLink, listPaymentLinks } from '../../src/payment-links/find-payment-link.ts';
import { payPaymentLink } from '../../src/payment-links/pay-payment-link.ts';
import { type LinkWish, linkStateOf } from '../../src/payment-links/payment-link.ts';
import type { PaymentMethod, PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { disablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { setMethodSettings } from '../../src/payment-services/method-settings.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { approved, readAttempt, readStates, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';
import { untilVisible } from '../support/until-visible.ts';

const HOUR = 3_600_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const WISH: LinkWish = {
  amount: 12_990,
  currency: 'CLP',
  subject: 'Curso de <cerámica>',
  uses: 'one',
  expiresAt: null,
  urlCallback: null,
};

forEachEngine('a payment link', (openTestDatabase) => {
  test('is not paid by orders of shops or by the payment of another link, whatever their references', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const make = async () => (await createPaymentLink(app, environment.id, WISH, TESTER)).link;
    const links = [await make(), await make(), await make()];
    for (const reference of ['A-1', 'z-1', `${links[1]?.id}-1`]) {
      await createPaidTransaction(app, environment, { reference });
    }
    const found = await Promise.all(links.map(({ id }) => findPaymentLink(app, id)));
    assert.deepEqual(
      found.map((one) => one?.state),
      ['open', 'used', 'open'],
    );
  });

  test('is paid once like a normal order, without a callback, and the books verify', async () => {
    await using shop = await openLink(openTestDatabase);
    const page = await shop.server.get(shop.path);
    assert.equal(page.status, 200);
    assert.match(page.text, /<title>Pagar \$12\.990 a Test shop<\/title>/);
    assert.match(page.text, /<p class="order">Curso de &lt;cerámica&gt;<\/p>/);
    assert.deepEqual(await shop.transactions(), [], 'opening the link creates no transaction');
    const pay = await shop.press();
    assert.match(
      (await shop.server.get(pay)).text,
      /<li><span>Curso de &lt;cerámica&gt;<\/span><span>\$12\.990<\/span><\/li>/,
    );
    await shop.server.post(pay, { headers: FORM, body: 'method=simulated' });
    const receipt = (await shop.server.get(pay)).text;
    assert.match(receipt, /<h1>Pago aprobado<\/h1>/);
    // The receipt of a link names no shop, order or id of the link.
    assert.doesNotMatch(receipt, /tienda|Orden|data-submit-after|pl_[0-9a-z]{20}-1/);
    assert.match(receipt, /<dt>Concepto<\/dt><dd>Curso de &lt;cerámica&gt;<\/dd>/);
    assert.deepEqual(await shop.app.db.query('select id from callbacks'), []);
    const again = await shop.server.post(pay, { headers: FORM, body: 'method=simulated' });
    assert.match(again.text, /<h1>Pago aprobado<\/h1>/, 'a second click shows the receipt');
    const used = await shop.server.get(shop.path);
    assert.deepEqual([used.status, /<h1>([^<]+)/.exec(used.text)?.[1]], [410, 'Este enlace ya se pagó']);
    // It stays true after a refund.
    assert.match(used.text, /No se puede pagar otra vez/);
    assert.equal((await shop.server.post(shop.path)).status, 410);
    await untilVisible(shop.app);
    const found = await verifyStore(shop.app);
    assert.ok(found.ok, JSON.stringify([found.problems, found.findings]));
    const [listed] = await listPaymentLinks(shop.app, null, { limit: 10 });
    assert.deepEqual([listed?.state, listed?.paid, listed?.name], ['used', 1, 'Test shop']);
  });

  test('is not paid again by a second payer who opened it before the payment', async () => {
    await using shop = await openLink(openTestDatabase);
    const pay = await shop.press();
    const seen = await findPaymentLink(shop.app, shop.path.slice('/link/'.length));
    assert.ok(seen);
    await shop.server.post(pay, { headers: FORM, body: 'method=simulated' });
    const transaction = await payPaymentLink(shop.app, seen);
    assert.ok(transaction !== 'held');
    assert.deepEqual(
      (await shop.transactions()).map((one) => [one.id, one.state]),
      [[transaction.id, 'completed']],
    );
  });

  test('starts a new payment after two cancelled ones, though a payer who opened it before them pressed late', async () => {
    await using shop = await openLink(openTestDatabase);
    const seen = await findPaymentLink(shop.app, shop.path.slice('/link/'.length));
    assert.ok(seen);
    for (let nth = 0; nth < 2; nth++) {
      await shop.press();
      await cancelTransaction(shop.app, (await shop.transactions())[nth] as Transaction);
    }
    await payPaymentLink(shop.app, seen);
    await shop.press();
    assert.deepEqual(
      await shop.references(),
      [1, 2, 3].map((number) => `${shop.link.id}-${number}`),
    );
  });

  test('is linked from the pages of its cancelled and expired payments', async () => {
    await using shop = await openLink(openTestDatabase, { uses: 'many' });
    const cancelled = await shop.press();
    const [first] = await shop.transactions();
    await cancelTransaction(shop.app, first as Transaction);
    const expired = await shop.press();
    shop.app.now.advance(2 * HOUR);
    await expireTransactions(shop.app, 10);
    for (const path of [cancelled, expired]) {
      const page = (await shop.server.get(path)).text;
      assert.match(page, /abre el enlace otra vez|Abre el enlace otra vez/, path);
      assert.match(page, new RegExp(`href="http://127.0.0.1:8080${shop.path}">Volver al enlace<`));
      assert.doesNotMatch(page, /tienda/);
    }
  });

  test('for one use gives all payers the same transaction, and a new one after an end without payment', async () => {
    await using shop = await openLink(openTestDatabase);
    const [first, ...others] = await Promise.all([shop.press(), shop.press(), shop.press()]);
    assert.deepEqual([...new Set(others)], [first]);
    assert.deepEqual(await shop.references(), [`${shop.link.id}-1`]);
    const [transaction] = await shop.transactions();
    await cancelTransaction(shop.app, transaction as Transaction);
    const cancelled = (await shop.server.get(first)).text;
    assert.ok(cancelled.includes(`href="http://127.0.0.1:8080${shop.path}"`), 'the way back leads to the link');
    const second = await shop.press();
    assert.notEqual(second, first);
    shop.app.now.advance(2 * HOUR);
    assert.equal(await shop.press(), second, 'the link keeps its open payment until the worker has ended it');
    await expireTransactions(shop.app, 10);
    assert.notEqual(await shop.press(), second);
    assert.deepEqual(
      await shop.references(),
      [1, 2, 3].map((number) => `${shop.link.id}-${number}`),
    );
  });

  test('for one use charges only the first payer, and tells the second nothing about the first one’s card', async () => {
    const answers: PaymentOutcome[] = [
      { kind: 'declined', detail: { reason: 'insufficient_funds', card_last_digits: '6623' } },
      { kind: 'unknown' },
    ];
    const method = scriptMethod({ start: async () => answers.shift() ?? approved });
    await using shop = await openLink(openTestDatabase, {}, [method]);
    const [first, second] = [await shop.press(), await shop.press()];
    const pay = (path: string) => shop.server.post(path, { headers: FORM, body: 'method=scripted' });
    await pay(first);
    const declined = (await shop.server.get(second)).text;
    assert.match(declined, /No hay saldo o cupo suficiente\./);
    assert.doesNotMatch(declined, /6623/);
    await pay(first);
    const refused = await pay(second);
    assert.deepEqual([refused.status, /Ya hay un pago en curso/.test(refused.text)], [409, true]);
    const [transaction] = (await shop.transactions()) as [Transaction];
    await settlePayment(shop.app, (await selectLatestAttempt(shop.app.db, transaction)) as PaymentAttempt, approved);
    await pay(second);
    assert.deepEqual((await readStates(shop.app)).attempts.sort(), ['approved', 'declined']);
    // The second payer sees this too, and did not pay.
    const receipt = (await shop.server.get(second)).text;
    assert.match(receipt, /Test shop ya tiene el pago/);
    assert.doesNotMatch(receipt, /tu pago|6623/);
  });

  test('for one use asks before a cancel without speaking of an order', async () => {
    await using shop = await openLink(openTestDatabase);
    const { text } = await shop.server.get(`${await shop.press()}/cancel`);
    assert.match(text, /Si anulas y después quieres pagar, abre el enlace otra vez/);
    assert.doesNotMatch(text, /[Oo]rden|tienda/);
  });

  test('for one use cannot be paid again while a late payment is in suspense, or after it was kept', async () => {
    for (const [decision, state, paid] of [
      ['kept', 'used', 1],
      ['returned', 'open', 0],
    ] as const) {
      const method = scriptMethod({ start: async () => ({ kind: 'aborted', detail: {} }) });
      await using shop = await openLink(openTestDatabase, {}, [method]);
      await shop.press();
      const [transaction] = (await shop.transactions()) as [Transaction];
      await startPayment(shop.app, transaction, 'scripted');
      await cancelTransaction(shop.app, transaction);
      const listed = async () => (await listPaymentLinks(shop.app, null, { limit: 10 }))[0];
      assert.equal((await listed())?.state, 'open');
      const second = await shop.press();
      await settlePayment(shop.app, await readAttempt(shop.app), approved);
      const pay = () => shop.server.post(second, { headers: FORM, body: 'method=scripted' });
      const refused = await pay();
      const link = `http://127.0.0.1:8080${shop.path}`;
      assert.deepEqual([refused.status, refused.headers.get('location')], [303, link]);
      await readAttempt(shop.app);
      assert.equal((await shop.server.post(shop.path)).status, 410, 'a link with money in suspense is closed');
      const decided = { decision, reason: 'asked the payer', by: TESTER };
      assert.equal((await resolveSuspense(shop.app, transaction.id, decided)).kind, 'resolved');
      assert.deepEqual([(await listed())?.state, (await listed())?.paid], [state, paid]);
      assert.equal((await pay()).headers.get('location') === link, decision === 'kept');
      assert.equal((await shop.server.post(shop.path)).status, state === 'open' ? 303 : 410);
    }
  });

  test('for one use starts no new payment while a restore is held, because the payment that used it may be lost', async () => {
    await using shop = await openLink(openTestDatabase);
    const { link: many } = await createPaymentLink(shop.app, shop.environment.id, { ...WISH, uses: 'many' }, TESTER);
    shop.app.now.advance(1000);
    await beginEpoch(shop.app, [], 0, TESTER);
    const held = await shop.server.post(shop.path);
    assert.deepEqual([held.status, /<h1>([^<]+)/.exec(held.text)?.[1]], [503, 'Estamos revisando este enlace']);
    assert.deepEqual(await shop.transactions(), []);
    assert.equal((await shop.server.post(`/link/${many.id}`)).status, 303);
    const { link: later } = await createPaymentLink(shop.app, shop.environment.id, WISH, TESTER);
    assert.equal(
      (await shop.server.post(`/link/${later.id}`)).status,
      303,
      'a link from after the restore is not held',
    );
    await releaseEpoch(shop.app, TESTER, 'compared');
    await shop.press();
  });

  test('for many uses makes a transaction for each payer, also concurrently', async () => {
    await using shop = await openLink(openTestDatabase, { uses: 'many', urlCallback: 'https://shop.example.cl/cb' });
    const paths = await Promise.all([shop.press(), shop.press(), shop.press()]);
    assert.equal(new Set(paths).size, 3);
    for (const path of paths.slice(1)) await shop.server.post(path, { headers: FORM, body: 'method=simulated' });
    const [listed] = await listPaymentLinks(shop.app, null, { limit: 10 });
    assert.deepEqual([listed?.state, listed?.paid], ['open', 2]);
    assert.equal((await shop.server.get(shop.path)).status, 200);
    const told = await shop.app.db.query<{ url: string }>('select url from callbacks');
    assert.deepEqual(
      told.map(({ url }) => url),
      ['https://shop.example.cl/cb', 'https://shop.example.cl/cb'],
    );
  });

  test('ends by its expiry, by a person with access and with its payment service', async () => {
    await using shop = await openLink(openTestDatabase, { expiresAt: Date.UTC(2026, 0, 16) });
    assert.equal(await endPaymentLink(shop.app, shop.link.id, new Set([shop.environment.id + 1]), TESTER), 'unknown');
    const title = async () => /<h1>([^<]+)/.exec((await shop.server.get(shop.path)).text)?.[1];
    shop.app.now.advance(24 * HOUR);
    assert.equal(await title(), 'Este enlace venció');
    assert.equal(await endPaymentLink(shop.app, shop.link.id, new Set([shop.environment.id]), TESTER), 'ended');
    assert.equal(await endPaymentLink(shop.app, shop.link.id, null, TESTER), 'already');
    assert.equal(await title(), 'Este enlace ya no se puede pagar');
    assert.equal((await shop.server.post(shop.path)).status, 410);
    const { link: other } = await createPaymentLink(shop.app, shop.environment.id, WISH, TESTER);
    await disablePaymentService(shop.app, shop.environment.paymentServiceId, TESTER);
    const listed = await listPaymentLinks(shop.app, null, { limit: 10 });
    assert.deepEqual(
      new Set(listed.map(({ state }) => state)),
      new Set(['ended']),
      'every list shows the link as ended',
    );
    shop.app.now.advance(2000);
    assert.equal((await shop.server.post(`/link/${other.id}`)).status, 410);
    assert.deepEqual(await shop.transactions(), []);
  });

  test('is not created for a disabled payment service, because nobody could pay it; its key returns an earlier one', async () => {
    await using shop = await openLink(openTestDatabase);
    const wish = { ...WISH, idempotencyKey: 'invoice-7' };
    const { link } = await createPaymentLink(shop.app, shop.environment.id, wish, TESTER);
    await disablePaymentService(shop.app, shop.environment.paymentServiceId, TESTER);
    await assert.rejects(createPaymentLink(shop.app, shop.environment.id, WISH, TESTER), (error) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.code, 'INVALID_BODY');
      assert.equal(error.extras.errors?.[0]?.pointer, '/payment_service');
      return true;
    });
    assert.equal((await shop.app.db.query('select id from payment_links where id <> $1', [shop.link.id])).length, 1);
    const again = await createPaymentLink(shop.app, shop.environment.id, wish, TESTER);
    assert.deepEqual([again.kind, again.link.id], ['replayed', link.id]);
  });

  test('is created and ended in the console by users of its merchant only', async () => {
    await using shop = await openLink(openTestDatabase);
    const { app, server } = shop;
    const own = shop.environment.paymentServiceId;
    const other = await createPaymentService(app, 'Ferreteria Sur', TESTER);
    const ana = await createTestUser(app, { role: 'merchant', may: [], paymentServices: [own] });
    const ben = await createTestUser(app, { role: 'merchant', may: [], paymentServices: [other.id] });
    const eva = await createTestUser(app, { role: 'support', may: [], paymentServices: [own] });
    const at = `/console/merchants/${own}/links`;
    const post = (user: TestUser, path: string, fields: Record<string, string>) =>
      server.post(path, {
        headers: { ...FORM, 'sec-fetch-site': 'same-origin', ...user.console },
        body: String(new URLSearchParams(fields)),
      });
    const wish = {
      subject: 'Cuota',
      amount: '25.000',
      currency: 'CLP',
      uses: 'many',
      valid: '7d',
      environment: 'production',
    };
    const dotted = await post(ana, at, wish);
    assert.equal(dotted.status, 400, 'an ambiguous amount is refused');
    assertMarked(dotted.text, 'amount');
    for (const kept of ['value="Cuota"', '<option value="many" selected>', '<option value="7d" selected>'])
      assert.ok(dotted.text.includes(kept), kept);
    for (const wrong of [{ subject: ' ' }, { currency: 'XXY' }, { currency: 'USD' }, { amount: '499' }]) {
      const refused = await post(ana, at, { ...wish, amount: '25', ...wrong });
      assert.equal(refused.status, 400);
      assertMarked(refused.text, ...Object.keys(wrong));
    }
    assert.equal((await post(ana, at, { ...wish, amount: '25000' })).status, 303);
    const page = (await server.get(at, ana.console)).text;
    // The two links have the same time, so their order is not fixed.
    const id = (await listPaymentLinks(app, null, { limit: 10 })).find(({ subject }) => subject === 'Cuota')?.id ?? '';
    assert.ok(id !== '' && page.includes(id));
    assert.match(page, /<summary>Cerrar…<\/summary><p>Ya no se podrá pagar, y no se vuelve a abrir\.<\/p>/);
    assert.match(page, /Cuota[\s\S]+25\.000 CLP/);
    assert.deepEqual(
      [(await server.get(at, ben.console)).status, (await server.get(at, eva.console)).status],
      [404, 403],
    );
    assert.equal((await post(ben, at, { ...wish, amount: '1' })).status, 404);
    assert.equal((await post(ben, `/console/merchants/${other.id}/links/end`, { link: id })).status, 404);
    assert.equal((await post(eva, `${at}/end`, { link: id })).status, 403);
    assert.equal((await server.get(`/link/${id}`)).status, 200);
    assert.equal((await post(ana, `${at}/end`, { link: id })).status, 303);
    assert.equal((await server.get(`/link/${id}`)).status, 410);
    const { acts } = await listAudit(app, { subject: id }, 10);
    assert.deepEqual(
      acts.map(({ action, who }) => [action, who.name]),
      [
        ['payment_link.ended', ana.email],
        ['payment_link.created', ana.email],
      ],
    );
  });

  test('is created once by two clicks; another wish from the same form is another link', async () => {
    await using shop = await openLink(openTestDatabase);
    const { app, server } = shop;
    const own = shop.environment.paymentServiceId;
    const ana = await createTestUser(app, { role: 'merchant', may: [], paymentServices: [own] });
    const at = `/console/merchants/${own}/links`;
    const [, key = ''] = /name="key" value="([^"]+)"/.exec((await server.get(at, ana.console)).text) ?? [];
    const make = (subject: string, currency = 'CLP') =>
      server.post(at, {
        headers: { ...FORM, 'sec-fetch-site': 'same-origin', ...ana.console },
        body: String(
          new URLSearchParams({
            subject,
            amount: '25000',
            currency,
            uses: 'one',
            valid: '7d',
            environment: 'production',
            key,
          }),
        ),
      });
    const count = async () =>
      (await listPaymentLinks(app, null, { limit: 10 })).filter(({ id }) => id !== shop.path.slice(6)).length;
    const clicks = await Promise.all([make('Cuota'), make('Cuota')]);
    app.now.advance(5);
    clicks.push(await make('Cuota'));
    assert.deepEqual([clicks.map(({ status }) => status), await count()], [[303, 303, 303], 1]);
    await make('Otra cuota');
    assert.equal(await count(), 2);
    const dollars = await make('Otra cuota', 'USD');
    assert.deepEqual([dollars.status, /Ningún medio de pago cobra en esta moneda/.test(dollars.text)], [400, true]);
    assert.equal(await count(), 2);
  });

  test('is not made, also in the console, while no payment method has settings in its environment', async () => {
    await using shop = await openLink(openTestDatabase);
    const { app, server } = shop;
    const production = await createTestEnvironment(app, 'production');
    const made = () => createPaymentLink(app, production.id, WISH, TESTER);
    await assert.rejects(made, { code: 'NO_PAYMENT_METHOD' });
    const ana = await createTestUser(app, { role: 'owner', may: [] });
    const at = `/console/merchants/${production.paymentServiceId}/links`;
    const wish = {
      environment: 'production',
      amount: '25000',
      currency: 'CLP',
      subject: 'Cuota',
      uses: 'one',
      valid: '',
    };
    const refused = await server.post(at, {
      headers: { ...FORM, 'sec-fetch-site': 'same-origin', ...ana.console },
      body: String(new URLSearchParams(wish)),
    });
    assert.deepEqual(
      [refused.status, /No hay un medio de pago configurado que pueda cobrarlo/.test(refused.text)],
      [400, true],
    );
    assert.equal((await listPaymentLinks(app, null, { limit: 10 })).length, 1);
    await collectPesos(app, production);
    assert.equal((await made()).kind, 'created');
  });

  test('has a QR code and a poster, and is listed only for users who may see it', async () => {
    await using shop = await openLink(openTestDatabase);
    const code = await shop.server.get(`${shop.path}/qr.svg`);
    assert.equal(code.headers.get('content-type'), 'image/svg+xml');
    assert.match(code.text, /^<svg [^>]+>/);
    const poster = (await shop.server.get(`${shop.path}/poster`)).text;
    assert.ok(poster.includes(`src="${shop.path}/qr.svg"`) && poster.includes(`http://127.0.0.1:8080${shop.path}`));
    assert.equal((await shop.server.get('/link/pl_00000000000000000000')).status, 404);
    const { id } = shop.environment;
    assert.equal((await listPaymentLinks(shop.app, [id], { limit: 10 })).length, 1);
    assert.deepEqual(await listPaymentLinks(shop.app, [id + 1], { limit: 10 }), []);
    assert.deepEqual(await listPaymentLinks(shop.app, [], { limit: 10 }), []);
  });

  test('is listed by its age among those of all environments of a user, page by page, and none of others', async () => {
    const app = createTestApp(await openTestDatabase());
    const shops = [
      await createTestEnvironment(app),
      await createTestEnvironment(app),
      await createTestEnvironment(app),
    ];
    const made: string[] = [];
    for (let at = 0; at < 9; at++) {
      // Some are made at the same moment.
      if (at % 4 !== 0) app.now.advance(1);
      const { id } = shops[at % 3] as ServiceEnvironment;
      const { link } = await createPaymentLink(app, id, WISH, TESTER);
      if (at % 3 !== 2) made.push(link.id);
    }
    const seen = shops.slice(0, 2).map(({ id }) => id);
    const [all, found] = [await listPaymentLinks(app, seen, { limit: 10 }), [] as string[]];
    let after: { created_at: number; id: string } | null = null;
    for (let pages = 0; pages < 4; pages++) {
      const page = await listPaymentLinks(app, seen, { after, limit: 2 });
      found.push(...page.map(({ id }) => id));
      after = page.at(-1) ?? after;
    }
    assert.deepEqual(
      found,
      all.map(({ id }) => id),
    );
    assert.deepEqual(found.toSorted(), made.toSorted());
    const everywhere = (await listPaymentLinks(app, null, { limit: 10 })).map(({ id }) => id);
    assert.deepEqual(
      found,
      everywhere.filter((id) => made.includes(id)),
    );
  });
});

for (const [uses, expires_at, ended_at, isPaid, expected] of [
  ['one', null, null, false, 'open'],
  ['one', null, null, true, 'used'],
  ['one', 5, 5, true, 'used'],
  ['many', null, null, true, 'open'],
  ['many', 11, null, false, 'open'],
  ['many', 10, null, true, 'expired'],
  ['one', 5, 7, false, 'ended'],
] as const) {
  test(`a link for ${uses} that expires at ${expires_at}, ended at ${ended_at}, paid: ${isPaid}, is ${expected} at 10`, () => {
    assert.equal(linkStateOf({ uses, expires_at, ended_at }, { isPaid, isEnabled: true }, 10), expected);
    const disabled = linkStateOf({ uses, expires_at, ended_at }, { isPaid, isEnabled: false }, 10);
    assert.equal(
      disabled,
      expected === 'open' ? 'ended' : expected,
      'an open link of a disabled payment service is ended',
    );
  });
}

/** Collects only pesos, like Webpay. */
const PESOS_ALONE: PaymentMethod = {
  ...simulatedMethod,
  code: 'pesos',
  accepts: ({ currency, configured }) => configured && currency === 'CLP',
};

/** Sets up the pesos method in production. */
async function collectPesos(app: TestApp, { paymentServiceId }: ServiceEnvironment): Promise<void> {
  const target = { paymentServiceId, environment: 'production', method: 'pesos' } as const;
  await setMethodSettings(app, target, { account: '597000000001', key: 'key' }, TESTER);
  // Other processes would notice it after a second.
  app.now.advance(1000);
}

async function openLink(
  openTestDatabase: OpenTestDatabase,
  changes: Partial<LinkWish> = {},
  paymentMethods: readonly PaymentMethod[] = [simulatedMethod, PESOS_ALONE],
) {
  const app = createTestApp(await openTestDatabase(), { paymentMethods });
  const environment = await createTestEnvironment(app);
  await collectPesos(app, environment);
  const { link } = await createPaymentLink(app, environment.id, { ...WISH, ...changes }, TESTER);
  const server = await startTestServer(app);
  const path = `/link/${link.id}`;
  const transactions = () => app.db.query<Transaction>('select * from transactions order by id');
  return {
    app,
    environment,
    link,
    server,
    path,
    transactions,
    references: async () => (await transactions()).map(({ reference }) => reference),
    /** Presses Pay. Returns the path of the pay page. */
    press: async () => {
      const answer = await server.post(path);
      assert.equal(answer.status, 303, answer.text);
      return URL.parse(answer.headers.get('location') ?? '')?.pathname ?? '';
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
