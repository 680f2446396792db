import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createUser } from '../../src/auth/create-user.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { startReceiver, startTestService } from '../support/test-service.ts';
import { withSignature } from '../support/test-shop.ts';

const BROWSER = { accept: 'text/html,*/*;q=0.8', 'content-type': 'application/x-www-form-urlencoded' };

/** The requests and responses of published clients, byte for byte, where clients differ. */
forEachEngine('wire formats of published clients', (openTestDatabase) => {
  test('WooCommerce and OpenCart: one form for each page view, one return page, 302 after the callback', async (context) => {
    const shop = await open(context, (await openTestDatabase()).url, () => 302);
    const view = (session: string) =>
      shop.form({
        x_session_id: session,
        x_url_complete: `${shop.url}/?wc-api=WC_Gateway&complete`,
        x_url_cancel: `${shop.url}/?wc-api=WC_Gateway&cancel`,
      });
    const [first, again] = [await shop.submit(view('20261121a1')), await shop.submit(view('20261121b2'))];
    assert.deepEqual([first.status, again.status], [303, 303]);
    assert.equal(
      again.headers.get('location'),
      first.headers.get('location'),
      'a repeated order leads to the payment of the first',
    );
    const page = await fetch(`${first.headers.get('location')}/cancel`, { method: 'POST', headers: BROWSER });
    const text = await page.text();
    assert.match(text, /<form method="post" action="http:\/\/127\.0\.0\.1:\d+\/\?wc-api=WC_Gateway&amp;cancel"/);
    assert.match(text, /name="x_result" value="failed"/);
    assert.ok(await comesTrue(async () => (await shop.states())[0] === 'redirected'), 'the callback is handled');
    assert.equal(shop.received.length, 1);
  });

  test('PrestaShop 1.6 and 1.7: country es, / as cancel URL, session ids of 64 characters', async (context) => {
    const shop = await open(context, (await openTestDatabase()).url, () => 200);
    const fields = shop.form({
      x_shop_country: 'es',
      x_url_cancel: '/',
      x_session_id: 'c0ffee00'.repeat(8),
      x_url_complete: `${shop.url}/module/validation`,
    });
    const answer = await shop.submit(fields);
    assert.equal(answer.status, 303);
    const cancelled = await fetch(`${answer.headers.get('location')}/cancel`, {
      method: 'POST',
      headers: BROWSER,
      redirect: 'manual',
    });
    assert.deepEqual([cancelled.status, cancelled.headers.get('location')], [303, `${shop.url}/`]);
  });

  test('JavaScript, PHP and .NET: USD amounts are numbers, such as 12.5, and signed as they are sent', async (context) => {
    const shop = await open(context, (await openTestDatabase()).url, () => 200);
    for (const amount of ['12.5', '0.99', '12.50', '7']) {
      const fields = shop.form({ x_amount: amount, x_currency: 'USD', x_reference: `USD-${amount}` });
      // The number without quotes, in the signed characters.
      const body = JSON.stringify(fields).replace(`"x_amount":"${amount}"`, `"x_amount":${amount}`);
      const answer = await fetch(`${shop.service}/trxs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.equal(answer.status, 200, `${amount}: ${await answer.clone().text()}`);
    }
    const rows = await shop.db.query('select amount from transactions order by id');
    assert.deepEqual(
      rows.map(({ amount }) => amount),
      [1250, 99, 1250, 700],
    );
  });

  test('pst-pagofacil, MONAX and btnCobro: loginToken, an unsigned create and the status', async (context) => {
    const shop = await open(context, (await openTestDatabase()).url, () => 200);
    const may = ['payments:create', 'payments:read'] as const;
    const wish = { email: 'shop@example.cl', may, paymentServices: [shop.paymentServiceId] };
    const { api_token } = await createUser(shop.app, wish, TESTER);
    const logged = await fetch(`${shop.service}/loginToken`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_token}` },
    });
    const { access_token_jwt: token } = (await logged.json()) as { access_token_jwt: string };
    const authorization = `Bearer ${token}`;
    const [environment] = await shop.db.query(`select id from environments where environment = 'development'`);
    const order = {
      x_url_callback: `${shop.url}/callback`,
      x_url_cancel: `${shop.url}/cancel`,
      x_url_complete: `${shop.url}/complete`,
      x_customer_email: 'buyer@example.cl',
      x_reference: 'PST-1',
      x_account_id: String(environment?.['id']),
      x_amount: '20000',
    };
    const created = await fetch(`${shop.service}/trxs/create`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams(order),
    });
    assert.equal(created.status, 200);
    const { idTrx, payUrl } = (await created.json()) as { idTrx: number; payUrl: string };
    await fetch(payUrl, { method: 'POST', body: new URLSearchParams({ method: 'simulated' }) });
    const callback = Object.fromEntries(new URLSearchParams((await shop.next()).body));
    assert.deepEqual([callback['x_result'], callback['x_reference']], ['completed', 'PST-1']);
    const { x_signature: _, ...signed } = callback;
    assert.equal(withSignature(signed, shop.secret).x_signature, callback['x_signature']);
    const status = await fetch(`${shop.service}/trxs/status/${idTrx}`, { headers: { authorization } });
    const { amount, status: word } = (await status.json()) as { amount: string; status: string };
    assert.deepEqual([amount, word], ['20000.00', 'completed']);
    const again = await fetch(`${shop.service}/trxs/create`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
    const { error } = (await again.json()) as { error: string };
    assert.deepEqual([again.status, error], [400, 'TRX Ya existe.']);
  });
});

async function open(context: TestContext, databaseUrl: string, answer: () => number) {
  const { app, url: service } = await startTestService(context, databaseUrl);
  const receiver = await startReceiver(context, answer);
  const { id: paymentServiceId, development } = await createPaymentService(app, 'Shop', TESTER);
  const form = (changes: Record<string, string>) =>
    withSignature(
      {
        x_account_id: development.service_token,
        x_amount: '12990',
        x_currency: 'CLP',
        x_customer_email: 'buyer@example.cl',
        x_reference: 'ORD-1',
        x_session_id: 'session-1',
        x_shop_country: 'CL',
        x_url_callback: `${receiver.url}/?callback`,
        x_url_cancel: `${receiver.url}/cancel`,
        x_url_complete: `${receiver.url}/complete`,
        ...changes,
      },
      development.secret_token,
    );
  const submit = (fields: Record<string, string>) =>
    fetch(`${service}/initTransaction?method=WebPayPST`, {
      method: 'POST',
      headers: BROWSER,
      body: new URLSearchParams(fields).toString(),
      redirect: 'manual',
    });
  const states = async () => (await app.db.query('select state from callbacks')).map(({ state }) => state);
  return {
    ...receiver,
    app,
    db: app.db,
    service,
    paymentServiceId,
    secret: development.secret_token,
    form,
    submit,
    states,
  };
}
