import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';
import { CHAOS_CLASSES } from '../../src/chaos/chaos-class.ts';
import { runChaos } from '../../src/chaos/run-chaos.ts';
import { listCallbacks, resendCallback } from '../../src/outbox/resend-callback.ts';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { whyMissing } from '../support/system-programs.ts';
import { TESTER } from '../support/test-actor.ts';
import { startTestService } from '../support/test-service.ts';
import { payOnPage } from '../support/test-shop.ts';
import { changeOrder, files, ORDERS, openShop, SEED, startShop } from '../support/woocommerce-shop.ts';

// Runs in a stand-in for WordPress, with four processes that receive callbacks concurrently.
test('the plugin for WooCommerce neither loses nor duplicates an order, judged by what the shop has stored', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const service = await startTestService(context, 'sqlite::memory:');
  const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
  const environment = (await loadEnvironment(service.app, tokens.service_token)) as ServiceEnvironment;
  const url = await startShop(context, service.url, tokens);
  const stored = async (reference: string): Promise<unknown> =>
    JSON.parse(await (await fetch(`${url}/orders/${reference}`)).text());

  const features: unknown = await (await fetch(`${url}/features`)).json();
  assert.deepEqual(
    features,
    { custom_order_tables: true, cart_checkout_blocks: false },
    'the plugin declares its features, so WooCommerce shows no warning',
  );
  const paid = (await (await fetch(`${url}/pay?order=${ORDERS.length + 1}`)).json()) as { redirect: string };
  await payOnPage([{ url: paid.redirect }]);
  const once = { state: 'processing', deliveries: 1 };
  const isPaid = async () => JSON.stringify(await stored('WC-14-1')) === JSON.stringify(once);
  assert.ok(await comesTrue(isPaid), 'the order is paid');

  for (const orderUrl of [`${url}/orders/{reference}`, `${url}/?wc-api=rubrica_order&reference={reference}`]) {
    const classes = orderUrl.includes('wc-api') ? [] : CHAOS_CLASSES;
    const orders = classes.length === 0 ? [{ reference: 'LAST', amount: 500, currency: 'CLP' }] : ORDERS;
    const plan = { environment, orders, classes, seed: SEED, live: false, patienceMs: 5000 };
    const ran = await runChaos(service.app, { ...plan, receiver: `${url}/?wc-api=rubrica`, orderUrl }, TESTER);
    assert.equal(ran.kind, 'ran', ran.kind === 'ran' ? '' : ran.why);
    const verdicts = ran.kind === 'ran' ? ran.report.classes : [];
    assert.deepEqual(
      verdicts.map(({ class: name, verdict }) => `${name} ${verdict}`),
      classes.map(({ name }) => `${name} passed`),
    );
  }
});

test('an order that changes while it is pending gets a new reference, and can be paid', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { shop } = await openShop(context);
  const order = ORDERS.length + 1;
  const pay = async () => (await (await fetch(`${shop}/pay?order=${order}`)).json()) as { redirect?: string };
  const stored = async (reference: string): Promise<unknown> => (await fetch(`${shop}/orders/${reference}`)).json();
  const older = await pay();
  assert.deepEqual(await pay(), older, 'an unchanged order has the same transaction');
  changeOrder(shop, order, { amount: 9_990 });
  const newer = await pay();
  assert.notEqual(newer.redirect ?? older.redirect, older.redirect);
  await payOnPage([{ url: older.redirect ?? '' }]);
  const isHeld = async () => JSON.stringify(await stored('WC-14-2')).includes('on-hold');
  assert.ok(await comesTrue(isHeld), 'a payment of the order before its change waits for a person');
  await payOnPage([{ url: newer.redirect ?? '' }]);
  const once = JSON.stringify({ state: 'processing', deliveries: 1 });
  assert.ok(await comesTrue(async () => JSON.stringify(await stored('WC-14-2')) === once));
});

test('a payment never fails an order that no longer waits for it, and late money is noted on the order', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { service, shop, pay, fileOf, stateOf, notesOf } = await openShop(context);
  const become = (order: number, state: string) => {
    const kept = JSON.parse(readFileSync(fileOf(order), 'utf8'));
    writeFileSync(fileOf(order), JSON.stringify({ ...kept, state }));
  };
  /** Waits until `count` callbacks are delivered. Returns whether they were. */
  const delivered = (count: number) =>
    comesTrue(async () => {
      const callbacks = await listCallbacks(service.app, {}, 100);
      return callbacks.length === count && callbacks.every(({ state }) => state === 'delivered');
    });

  const [transfer, refunded, older] = [await pay(1), await pay(2), await pay(3)];
  become(1, 'on-hold');
  await fetch(`${transfer}/cancel`, { method: 'POST', body: new URLSearchParams() });
  assert.ok(await delivered(1));
  assert.equal(stateOf(1), 'on-hold', 'an order that waits for a transfer does not fail with an abandoned payment');
  become(1, 'pending');
  const again = await pay(1);
  assert.notEqual(again, transfer, 'the order has a new transaction, because the first one has ended');
  await fetch(`${again}/cancel`, { method: 'POST', body: new URLSearchParams() });
  assert.ok(await delivered(2));
  assert.deepEqual([stateOf(1), notesOf(1)], ['failed', ['El comprador canceló el pago.']]);

  become(2, 'refunded');
  await payOnPage([{ url: refunded }]);
  assert.ok(await delivered(3));
  assert.equal(stateOf(2), 'refunded');
  assert.match(
    notesOf(2).join(),
    /^El comprador pagó [\d.]+ CLP con la transacción \d+ cuando el pedido ya estaba en estado «Reembolsado»/,
  );

  const shipped = await pay(4);
  become(4, 'shipped');
  await payOnPage([{ url: shipped }]);
  assert.ok(await delivered(4));
  assert.equal(stateOf(4), 'shipped', 'a state of another plugin stays');
  assert.match(
    notesOf(4).join(),
    /^El comprador pagó .* y el pedido sigue en estado «shipped», que un pago no cambia: si es su único pago, cambia tú/,
  );

  changeOrder(shop, 3, { amount: 9_990 });
  const newer = await pay(3);
  await payOnPage([{ url: older }]);
  assert.ok(await delivered(5));
  assert.equal(stateOf(3), 'on-hold');
  assert.match(notesOf(3).join(), /^El comprador pagó .* que era del pedido como estaba antes: devuélvelo/);
  become(3, 'processing');
  await payOnPage([{ url: newer }]);
  assert.ok(await delivered(6));
  assert.equal(notesOf(3).length, 2, 'each of two payments leaves a note for a person');
  become(3, 'cancelled');
  for (const { id } of await listCallbacks(service.app, {}, 100)) await resendCallback(service.app, id, TESTER);
  assert.ok(
    await comesTrue(async () => (await listCallbacks(service.app, {}, 100)).every((one) => one.attempts === 2)),
  );
  assert.equal(stateOf(3), 'cancelled', 'a repeated callback does not change the decision of a person');
  assert.equal(notesOf(3).length, 2);
});

test('a payment that another plugin kept from being stored is answered 503, and stored when it is retried', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { shop, pay, fileOf, isAnswered } = await openShop(context);
  const url = await pay(1);
  const broken = `${fileOf(1)}.broken`;
  writeFileSync(broken, '');
  await payOnPage([{ url }]);
  assert.ok(await isAnswered(503));
  rmSync(broken);
  assert.ok(await isAnswered(200));
  const stored = await (await fetch(`${shop}/orders/WC-1-1`)).json();
  assert.deepEqual(stored, { state: 'processing', deliveries: 1 });
});

test('a callback that is repeated after the shop edited the order is accepted without a note', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { service, shop, pay, notesOf } = await openShop(context);
  await payOnPage([{ url: await pay(1) }]);
  const taken = (times: number) => async () =>
    (await listCallbacks(service.app, {}, 1)).some(({ attempts, status }) => attempts === times && status !== null);
  assert.ok(await comesTrue(taken(1)));
  changeOrder(shop, 1, { amount: 9_990 });
  for (const { id } of await listCallbacks(service.app, {}, 1)) await resendCallback(service.app, id, TESTER);
  assert.ok(await comesTrue(taken(2)));
  assert.equal((await listCallbacks(service.app, {}, 1))[0]?.status, 200);
  assert.deepEqual(notesOf(1), []);
});

test('a payment that is reported again after a restore of the service is not taken for a second payment', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { service, tokens, shop, pay, notesOf, isAnswered } = await openShop(context);
  changeOrder(shop, 1, { amount: 9_990, currency: 'CLP' });
  await payOnPage([{ url: await pay(1) }]);
  assert.ok(await isAnswered(200));
  const [{ transaction_id: transaction } = { transaction_id: 0 }] = await listCallbacks(service.app, {}, 1);
  for (const id of [`evt_${transaction}_2_1795450000`, `evt_${transaction}_2_1795460000`])
    assert.equal(await tellPaid(`${shop}/?wc-api=rubrica`, tokens, { id, transaction, reference: 'WC-1-1' }), 200);
  assert.deepEqual(notesOf(1), []);
});

/** Posts the callback of a payment of 9990 like the service, and returns the status. */
async function tellPaid(
  url: string,
  { service_token, secret_token }: TokenPair,
  { id, transaction, reference }: { id: string; transaction: number; reference: string },
): Promise<number> {
  const fields: Record<string, string> = {
    x_account_id: service_token,
    x_amount: '9990.00',
    x_currency: 'CLP',
    x_gateway_reference: String(transaction),
    x_message: 'Approved',
    x_reference: reference,
    x_result: 'completed',
    x_test: 'true',
    x_timestamp: '2026-01-15T12:01:30.000Z',
  };
  // The names are already sorted.
  const message = Object.entries(fields).flat().join('');
  const x_signature = computeSignature(message, signingKey(secret_token));
  const body = new URLSearchParams({ ...fields, x_signature }).toString();
  const seconds = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signWebhook(id, seconds, body, webhookKey(secret_token)),
  };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

test('a payment reaches the order and not its copy, and the copy can be paid too', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { shop, pay, fileOf, stateOf, isAnswered } = await openShop(context);
  for (const order of [1, 2]) changeOrder(shop, order, { amount: 9_990, currency: 'CLP' });
  const first = await pay(1);
  cpSync(fileOf(1), fileOf(2));
  await payOnPage([{ url: first }]);
  assert.ok(await isAnswered(200));
  assert.deepEqual([stateOf(1), stateOf(2)], ['processing', 'pending']);
  const second = await pay(2);
  assert.notEqual(second, first);
  await payOnPage([{ url: second }]);
  assert.ok(await comesTrue(async () => stateOf(2) === 'processing'));
});

test('a late payment of an order that has changed goes to that order, not to its copy', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { shop, pay, fileOf, stateOf, isAnswered } = await openShop(context);
  for (const order of [1, 2]) changeOrder(shop, order, { amount: 9_990, currency: 'CLP' });
  const older = await pay(1);
  cpSync(fileOf(1), fileOf(2));
  changeOrder(shop, 1, { amount: 8_990 });
  assert.notEqual(await pay(1), older);
  await payOnPage([{ url: older }]);
  assert.ok(await isAnswered(200));
  assert.deepEqual([stateOf(1), stateOf(2)], ['on-hold', 'pending']);
});

test('a payment of an order whose total is ambiguous is refused with 400, and noted in the shop', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { shop, pay, notesOf, isAnswered } = await openShop(context);
  const url = await pay(1);
  changeOrder(shop, 1, { amount: '9990.500' });
  await payOnPage([{ url }]);
  assert.ok(await isAnswered(400), 'a wrong amount is refused');
  assert.match(notesOf(1).join('\n'), /^Se rechazó un aviso de la transacción \d+ .* could be read in two ways/);
});

test('an order whose reference is already used gets a new reference, and can be paid', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const service = await startTestService(context, 'sqlite::memory:');
  const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
  const [before, restored] = [
    await startShop(context, service.url, tokens),
    await startShop(context, service.url, tokens),
  ];
  const order = ORDERS.length + 1;
  const pay = async (shop: string) =>
    (await (await fetch(`${shop}/pay?order=${order}`)).json()) as { result: string; redirect?: string };
  await pay(before);
  assert.deepEqual(await pay(restored), { result: 'failure' });
  const { redirect = '' } = await pay(restored);
  await payOnPage([{ url: redirect }]);
  const once = JSON.stringify({ state: 'processing', deliveries: 1 });
  const stored = async () => (await fetch(`${restored}/orders/WC-14-2`)).text();
  assert.ok(await comesTrue(async () => (await stored()) === once));
});

test('a wrong service address in the settings gives the shop a note in Spanish', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const tokens = { service_token: 'a-service', secret_token: 'a-secret' };
  const url = await startShop(context, 'https://', tokens);
  assert.deepEqual(await (await fetch(`${url}/pay?order=1`)).json(), { result: 'failure' });
  const notes = join(dirname(files.get(url) ?? ''), 'order-1.json.notes');
  assert.match(readFileSync(notes, 'utf8'), /^No se pudo iniciar el pago\. Detalle técnico: /);
});

test('a payer who cancels and pays again before the callback arrives gets a new payment', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { service, pay, isAnswered } = await openShop(context);
  const cancel = (url: string) => fetch(`${url}/cancel`, { method: 'POST', body: new URLSearchParams() });
  await cancel(await pay(2));
  assert.ok(await isAnswered(200));
  await service.app.db.transaction((tx) => tx.query('update endpoints set disabled_at = 1'));
  const first = await pay(1);
  const ended = await cancel(first);
  const page = await (await fetch(first)).text();
  const [, action = ''] = /<form [^>]*action="([^"]+rubrica_return[^"]*)"/.exec(page) ?? [];
  assert.ok(ended.status < 400 && action !== '', page);
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
  await fetch(action.replaceAll('&amp;', '&'), { method: 'POST', body, redirect: 'manual' });
  assert.notEqual(await pay(1), first);
});

test('a payer who comes back from an ended payment leaves a newer payment of the order as it is', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { service, pay, fileOf } = await openShop(context);
  await service.app.db.transaction((tx) => tx.query('update endpoints set disabled_at = 1'));
  const first = await pay(1);
  await fetch(`${first}/cancel`, { method: 'POST', body: new URLSearchParams() });
  const page = await (await fetch(first)).text();
  const [, action = ''] = /<form [^>]*action="([^"]+rubrica_return[^"]*)"/.exec(page) ?? [];
  const fields = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const body = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
  const order = JSON.parse(readFileSync(fileOf(1), 'utf8')) as { meta: Record<string, unknown> };
  const newer = { ...order, meta: { ...order.meta, _rubrica_reference: 'NEWER', _rubrica_asked: 'newer' } };
  writeFileSync(`${fileOf(1)}.meanwhile`, JSON.stringify(newer));
  const back = await fetch(action.replaceAll('&amp;', '&'), { method: 'POST', body, redirect: 'manual' });
  assert.equal(back.status, 302);
  assert.deepEqual(JSON.parse(readFileSync(fileOf(1), 'utf8')), newer);
});

test('an e-mail address that the service refuses gives the payer a notice to check it', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const { shop, notesOf } = await openShop(context);
  changeOrder(shop, 1, { email: 'ana.@example.cl' });
  const answer = await fetch(`${shop}/pay?order=1`);
  assert.deepEqual(await answer.json(), { result: 'failure' });
  const said = decodeURIComponent(answer.headers.get('x-notice') ?? '');
  assert.equal(said, 'Revisa tu correo electrónico: no es una dirección válida.');
  assert.match(notesOf(1).join(), /x_customer_email is not an e-mail address/);
});

test('while the service does not answer, the payer waits for only one attempt', {
  skip: whyMissing('php') ?? false,
}, async (context) => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  context.after(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const tokens = { service_token: 'a-service', secret_token: 'a-secret' };
  const shop = await startShop(context, `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, tokens);
  assert.deepEqual(await (await fetch(`${shop}/pay?order=1`)).json(), { result: 'failure' });
  assert.equal(sockets.length, 1, 'the plugin sent one request and then let the payer try again');
});
