import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import { formatDeadline } from '../../src/checkout/format-for-payer.ts';
import { lookUpPayments } from '../../src/checkout/look-up-payments.ts';
import type { PaymentAttempt } from '../../src/checkout/payment-attempt.ts';
import { selectLatestAttempt } from '../../src/checkout/payment-attempt-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { StorageError } from '../../src/db/database.ts';
import type { PaymentOutcome } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod, simulatedTransfer } from '../../src/payment-methods/simulated-method.ts';
import { environmentOf } from '../../src/payment-services/find-environment.ts';
import type { Environment } from '../../src/payment-services/payment-service.ts';
import { setLook } from '../../src/payment-services/set-look.ts';
import { payToken, type Transaction, type TransactionInput } from '../../src/transactions/transaction.ts';
import { approved, declined, readAttempt, readStates, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

type Visit = { app: TestApp; server: TestServer; transaction: Transaction; path: string };

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ENGLISH = { 'accept-language': 'en' };

forEachEngine('the pay page', (openTestDatabase) => {
  const open = async (
    changes: Partial<TransactionInput> = {},
    parts: Partial<App> & { environment?: Environment } = {},
  ): Promise<Visit & AsyncDisposable> => openVisit(openTestDatabase, changes, parts);

  test('shows amount, merchant, reference, method, time limit and that it is a test', async () => {
    await using visit = await open();
    const answer = await visit.server.get(visit.path, ENGLISH);
    assert.equal(answer.status, 200);
    for (const text of ['CLP', '12,990', 'Test shop', 'ORD-1', 'Pay with Simulator', 'Test</p>']) {
      assert.ok(answer.text.includes(text), `the page has ${text}`);
    }
    assert.match(answer.text, new RegExp(`<form method="post" action="${visit.path}"`));
    assert.match(answer.text, /<button name="method" value="simulated"/);
    assert.match(answer.text, /<html lang="en">/);
    assert.equal(answer.text.match(/<h1>/g)?.length, 1);
    const end = formatDeadline('en', visit.transaction.expires_at, visit.app.now());
    assert.ok(answer.text.includes(`<p class="quiet">You can pay until ${end}.</p>`));
  });

  test('of a production token shows no test badge', async () => {
    await using visit = await open({}, { environment: 'production', paymentMethods: [scriptMethod()] });
    const { text } = await visit.server.get(visit.path, ENGLISH);
    assert.doesNotMatch(text, /badge|This is a test/);
    assert.match(text, /Pay with Scripted/);
  });

  test('is in Spanish unless the browser accepts other languages only', async () => {
    await using visit = await open();
    for (const [header, tag] of [
      ['es-CL,es;q=0.9', 'es-CL'],
      ['', 'es-CL'],
      ['fr-FR', 'en'],
    ] as const) {
      const { headers, text } = await visit.server.get(visit.path, { 'accept-language': header });
      assert.equal(headers.get('content-language'), tag);
      assert.equal(headers.get('vary'), 'Accept-Language');
      assert.match(text, new RegExp(`<html lang="${tag}">`));
    }
  });

  test('pays nothing and changes nothing on GET, even with a method in the URL', async () => {
    await using visit = await open();
    const before = await readStates(visit.app);
    for (const query of ['', '?method=simulated', '?method=simulated&method=simulated', '?method=nothing']) {
      assert.equal((await visit.server.get(visit.path + query)).status, 200);
    }
    assert.equal((await visit.server.get(`${visit.path}/cancel`)).status, 200);
    assert.deepEqual(await readStates(visit.app), before);
  });

  test('puts the method that the shop chose first', async () => {
    const other = { ...simulatedMethod, code: 'other', name: 'Other method' };
    await using visit = await open({}, { paymentMethods: [simulatedMethod, other] });
    const codesOf = ({ text }: Answer) => [...text.matchAll(/name="method" value="(\w+)"/g)].map(([, code]) => code);
    assert.deepEqual(codesOf(await visit.server.get(visit.path)), ['simulated', 'other']);
    assert.deepEqual(codesOf(await visit.server.get(`${visit.path}?method=other`)), ['other', 'simulated']);
    assert.deepEqual(codesOf(await visit.server.get(`${visit.path}?method=none`)), ['simulated', 'other']);
  });

  test('escapes text from the shop', async () => {
    await using visit = await open({ reference: `"><script>alert('1')</script>` });
    const { text } = await visit.server.get(visit.path);
    assert.ok(text.includes('&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;'));
    assert.doesNotMatch(text, /<script>/);
  });

  test('has the security headers of a payment page', async () => {
    await using visit = await open();
    const { headers } = await visit.server.get(visit.path);
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; report-to csp; report-uri /csp-reports",
    );
    for (const [name, value] of [
      ['content-type', 'text/html; charset=utf-8'],
      ['cache-control', 'no-store'],
      ['cross-origin-opener-policy', 'same-origin'],
      ['reporting-endpoints', 'csp="/csp-reports"'],
      ['x-frame-options', 'DENY'],
      ['origin-agent-cluster', '?1'],
      ['referrer-policy', 'no-referrer'],
      ['x-content-type-options', 'nosniff'],
      ['x-robots-tag', 'noindex'],
    ] as const) {
      assert.equal(headers.get(name), value, name);
    }
  });

  test('has no inline script or style, and loads nothing from elsewhere', async () => {
    await using visit = await open();
    await visit.server.post(visit.path, pay('simulated'));
    const { text } = await visit.server.get(visit.path);
    assert.doesNotMatch(text, /\sstyle=|<style|\son\w+=|javascript:/);
    for (const [, address] of text.matchAll(/<(?:script|link|img)[^>]*?(?:src|href)="([^"]*)"/g)) {
      assert.match(address as string, /^\/assets\/[\w.-]+(\?v=[0-9a-f]{12})?$/);
      const asset = await visit.server.get(address as string);
      assert.equal(asset.status, 200);
    }
  });

  test('pays by POST, redirects to itself, and then posts the signed fields to the shop', async () => {
    await using visit = await open({ urlComplete: 'https://shop.example.cl/done?a=1&b=%20' });
    const paid = await visit.server.post(visit.path, pay('simulated'));
    assert.deepEqual([paid.status, paid.headers.get('location')], [303, visit.path]);
    const { status, text, headers } = await visit.server.get(visit.path, ENGLISH);
    assert.equal(status, 200);
    assert.match(text, /Payment approved/);
    assert.match(
      text,
      /<form method="post" action="https:\/\/shop\.example\.cl\/done\?a=1&amp;b=%20" accept-charset="utf-8" data-submit-after="9000">/,
    );
    const [callback] = await visit.app.db.query<{ body: string }>('select body from callbacks');
    assert.equal(new URLSearchParams(hiddenFields(text)).toString(), callback?.body);
    assert.match(
      headers.get('content-security-policy') as string,
      /; form-action 'self' https:\/\/shop\.example\.cl https:; /,
    );
  });

  test('refuses a second payment and shows the state of the first', async () => {
    await using visit = await open(
      {},
      { paymentMethods: [scriptMethod({ start: async () => ({ kind: 'pending' }) })] },
    );
    await visit.server.post(visit.path, pay('scripted'));
    const again = await visit.server.post(visit.path, { ...pay('scripted'), headers: { ...FORM, ...ENGLISH } });
    assert.equal(again.status, 409);
    assert.match(again.headers.get('content-type') as string, /^text\/html/);
    assert.match(again.text, /role="alert">A payment is already in progress/);
    assert.match(again.text, /We are confirming your payment/);
    assert.match(again.text, new RegExp(`<meta http-equiv="refresh" content="3; url=${visit.path}">`));
  });

  test('asks a payer who starts over and over to wait, and still offers the payment', async () => {
    const method = scriptMethod({ start: async () => ({ kind: 'aborted', detail: { reason: 'turned_back' } }) });
    await using visit = await open({}, { paymentMethods: [method] });
    for (let attempt = 0; attempt < 20; attempt++)
      assert.equal((await visit.server.post(visit.path, pay('scripted'))).status, 303);
    const answer = await visit.server.post(visit.path, pay('scripted'));
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '600']);
    assert.match(answer.text, /Hubo demasiados intentos seguidos. No se cobró nada ahora/);
    assert.match(answer.text, /name="method" value="scripted"/);
    assert.equal(method.started.length, 20);
  });

  test('refuses a payment after the end and shows the end', async () => {
    await using visit = await open();
    await visit.server.post(visit.path, pay('simulated'));
    const again = await visit.server.post(visit.path, { ...pay('simulated'), headers: { ...FORM, ...ENGLISH } });
    assert.equal(again.status, 409);
    assert.match(again.text, /This payment can no longer be made or cancelled/);
    // The same words stand above a payment that took no money: "no other charge" would speak of a first.
    assert.match(again.text, /Nothing was charged now/);
    assert.match(again.text, /Payment approved/);
    assert.deepEqual((await readStates(visit.app)).attempts, ['approved']);
  });

  for (const body of [
    '',
    'method=',
    'method=none',
    'method=simulated&method=simulated',
    'method=simulated&x=1',
    'x=1',
    'method=%zz',
  ]) {
    test(`refuses the form ${JSON.stringify(body)} with a page, and nothing is paid`, async () => {
      await using visit = await open();
      const answer = await visit.server.post(visit.path, { headers: FORM, body });
      assert.equal(answer.status, 400);
      assert.match(answer.headers.get('content-type') as string, /^text\/html/);
      assert.ok(answer.text.includes(visit.path), 'the page links the payment');
      assert.deepEqual((await readStates(visit.app)).attempts, []);
    });
  }

  test('sends the payer to a redirect method by a form whose policy allows no other site, and brings them back', async () => {
    const redirect = {
      kind: 'redirect',
      externalId: 'b1',
      url: 'https://bank.example/form?x=1',
      fields: { token: 'a"b' },
    } as const;
    const method = scriptMethod({ start: async () => redirect });
    await using visit = await open({}, { paymentMethods: [method] });
    const { status, text, headers } = await visit.server.post(visit.path, {
      ...pay('scripted'),
      headers: { ...FORM, ...ENGLISH },
    });
    assert.equal(status, 200);
    assert.match(text, /Taking you to Scripted/);
    assert.match(text, /action="https:\/\/bank\.example\/form\?x=1" accept-charset="utf-8" data-submit-after="0"/);
    assert.match(text, /<input type="hidden" name="token" value="a&quot;b">/);
    assert.match(
      headers.get('content-security-policy') as string,
      /form-action 'self' https:\/\/bank\.example https:;/,
    );

    // The payer returns with any parameters of the method, and the method is asked for the outcome.
    const back = await visit.server.get(`${visit.path}/return?token_ws=abc&x=1`);
    assert.deepEqual([back.status, back.headers.get('location')], [303, visit.path]);
    assert.equal(method.lookedUp[0]?.externalId, 'b1');
    assert.equal((await readStates(visit.app)).transaction, 'completed');
    const posted = await visit.server.post(`${visit.path}/return`, { headers: FORM, body: 'TBK_TOKEN=abc' });
    assert.deepEqual([posted.status, posted.headers.get('location')], [303, visit.path]);
    assert.equal(method.lookedUp.length, 1);
  });

  test('asks before it cancels, then returns to the shop with its query unchanged', async () => {
    await using visit = await open({ urlCancel: 'https://shop.example.cl/cancel?order=1&q=%C3%B1&x=a+b' });
    const question = await visit.server.get(`${visit.path}/cancel`, ENGLISH);
    assert.match(question.text, /Cancel this payment\?/);
    assert.match(question.text, new RegExp(`<form method="post" action="${visit.path}/cancel">`));
    assert.match(
      question.headers.get('content-security-policy') as string,
      /form-action 'self' https:\/\/shop\.example\.cl https:;/,
    );
    const answer = await visit.server.post(`${visit.path}/cancel`, { headers: FORM, body: '' });
    assert.deepEqual(
      [answer.status, answer.headers.get('location')],
      [303, 'https://shop.example.cl/cancel?order=1&q=%C3%B1&x=a+b'],
    );
    const after = await visit.server.get(visit.path, ENGLISH);
    assert.match(after.text, /Payment cancelled/);
    assert.match(after.text, /href="https:\/\/shop\.example\.cl\/cancel\?order=1&amp;q=%C3%B1&amp;x=a\+b"/);
    assert.doesNotMatch(after.text, /<form/);
    const moved = await visit.server.get(`${visit.path}/cancel`);
    assert.deepEqual([moved.status, moved.headers.get('location')], [303, visit.path]);
  });

  test('posts the signed result after a cancel when the shop has one page for both ends', async () => {
    await using visit = await open({ urlCancel: 'https://shop.example.cl/complete?status=cancel&order=1' });
    const answer = await visit.server.post(`${visit.path}/cancel`, { headers: { ...FORM, ...ENGLISH }, body: '' });
    assert.equal(answer.status, 200);
    assert.match(
      answer.text,
      /<form method="post" action="https:\/\/shop\.example\.cl\/complete\?status=cancel&amp;order=1"/,
    );
    for (const field of ['name="x_result" value="failed"', 'name="x_message" value="Cancelled"', 'name="x_signature"'])
      assert.ok(answer.text.includes(field), field);
    assert.match(
      answer.headers.get('content-security-policy') as string,
      /form-action 'self' https:\/\/shop\.example\.cl https:;/,
    );
    const [callback] = await visit.app.db.query('select returned_at from callbacks');
    assert.notEqual(
      callback?.['returned_at'],
      null,
      'the return is recorded, so a 400 to the callback raises no alarm',
    );
  });

  test('accepts WebPayPST, the name in the old service, for webpay', async () => {
    const methods = ['scripted', 'webpay'].map((code) => ({ ...scriptMethod(), code, name: code }));
    await using visit = await open({}, { paymentMethods: methods });
    const firstOf = async (query: string) =>
      /<button name="method" value="(\w+)"/.exec((await visit.server.get(visit.path + query)).text)?.[1];
    assert.equal(await firstOf(''), 'scripted');
    for (const name of ['webpay', 'WebPayPST', 'WebpayPST']) assert.equal(await firstOf(`?method=${name}`), 'webpay');
    assert.equal(await firstOf('?method=Khipu'), 'scripted');
  });

  test('refuses to cancel while a payment is in progress', async () => {
    await using visit = await open({ amount: 5002 });
    await visit.server.post(visit.path, pay('simulated'));
    const answer = await visit.server.post(`${visit.path}/cancel`, { headers: { ...FORM, ...ENGLISH }, body: '' });
    assert.equal(answer.status, 409);
    assert.match(answer.text, /already in progress/);
    assert.equal((await readStates(visit.app)).transaction, 'pending');
  });

  for (const [amount, title, reason] of [
    [5001, 'Tu banco rechazó el pago', 'El medio de pago no dijo por qué.'],
    [5011, 'Tu banco rechazó el pago', 'No hay saldo o cupo suficiente en la tarjeta terminada en 6623.'],
    [5012, 'El pago no se completó', 'Tu banco no respondió a tiempo.'],
    [5013, 'Tu banco rechazó el pago', 'Tu banco no pudo confirmar que eres tú'],
    [5014, 'El pago no se completó', 'Se canceló en la página de tu banco.'],
  ] as const) {
    test(`explains decline ${amount} in the payer’s words and offers another try`, async () => {
      await using visit = await open({ amount });
      await visit.server.post(visit.path, pay('simulated'));
      const { text } = await visit.server.get(visit.path);
      assert.match(text, new RegExp(`role="alert"><strong>${title}</strong>\\s*<p>${reason}`));
      assert.match(text, /No se cobró nada. Puedes intentarlo otra vez/);
      assert.match(text, /<button name="method" value="simulated"/);
      assert.doesNotMatch(text, /data-submit-after/);
    });
  }

  test('returns a payer who gives up after a decline with the signed result, as after a decline', async () => {
    await using visit = await open({ amount: 5011 });
    await visit.server.post(visit.path, pay('simulated'));
    const answer = await visit.server.post(`${visit.path}/cancel`, { headers: { ...FORM, ...ENGLISH }, body: '' });
    assert.equal(answer.status, 200);
    assert.match(answer.text, /Payment declined/);
    assert.match(answer.text, /There are not enough funds/);
    assert.match(answer.text, /name="x_message" value="Declined"/);
    assert.deepEqual((await readStates(visit.app)).transaction, 'failed');
  });

  test('reloads at expiry, says that the time is over and offers a way back', async () => {
    await using visit = await open();
    const { transaction, app, server, path } = visit;
    const before = await server.get(path);
    assert.match(before.text, new RegExp(`<meta http-equiv="refresh" content="3601; url=${path}">`));
    app.now.advance(transaction.expires_at - app.now());
    const after = await server.get(path, ENGLISH);
    assert.equal(after.status, 200);
    assert.match(after.text, /The time to pay is over/);
    assert.match(after.text, /href="https:\/\/shop\.example\.cl\/cancel\?order=1"/);
    assert.equal((await server.post(path, pay('simulated'))).status, 409);
  });

  test('reloads a payment in progress at growing intervals until it ends', async () => {
    await using visit = await open({ amount: 5003 });
    const { app, server, path } = visit;
    await server.post(path, pay('simulated'));
    assert.match((await server.get(path)).text, /<h1>Estamos averiguando qué pasó con tu pago<\/h1>/);
    assert.match((await server.get(path, ENGLISH)).text, /<h1>We are finding out what happened to your payment<\/h1>/);
    assert.match((await server.get(path, ENGLISH)).text, /You can close it and open this link later/);
    const pauseOf = ({ text }: Answer) => Number(/http-equiv="refresh" content="(\d+);/.exec(text)?.[1]);
    const pauses = [];
    for (const seconds of [0, 30, 270]) {
      app.now.advance(seconds * 1000);
      pauses.push(pauseOf(await server.get(path)));
    }
    assert.deepEqual(pauses, [3, 10, 60]);
    await lookUpPayments(app, 10);
    app.now.advance(60_000);
    await lookUpPayments(app, 10);
    assert.match((await server.get(path, ENGLISH)).text, /Payment approved/);
  });

  test('leads from a payment in progress to the shop, to no address that says paid or cancelled', async () => {
    await using visit = await open({ amount: 5003 });
    const { app, server, path, transaction } = visit;
    await server.post(path, pay('simulated'));
    const { text } = await server.get(path);
    assert.match(text, /<a class="secondary" href="https:\/\/shop\.example\.cl">Volver a la tienda<\/a>/);
    assert.doesNotMatch(text, /shop\.example\.cl\/c/);
    const { paymentServiceId } = await environmentOf(app, transaction);
    await setLook(app, paymentServiceId, { site: 'https://casa.example.cl/' }, TESTER);
    assert.match((await server.get(path)).text, /<a class="secondary" href="https:\/\/casa\.example\.cl\/">Volver/);
  });

  test('leads from a payment under review to the same address while its order is open', async () => {
    const pending: PaymentOutcome = { kind: 'pending' };
    const answers = [declined, pending];
    const method = scriptMethod({ start: async () => answers.shift() ?? pending });
    await using visit = await open({}, { paymentMethods: [method] });
    const { app, server, path, transaction } = visit;
    await server.post(path, pay('scripted'));
    const first = await readAttempt(app);
    app.now.advance(1000);
    await server.post(path, pay('scripted'));
    const second = await selectLatestAttempt(app.db, transaction);
    await settlePayment(app, first, approved);
    await settlePayment(app, second as PaymentAttempt, declined);
    assert.equal((await readStates(app)).transaction, 'pending');
    const { text } = await server.get(path);
    assert.match(text, /<h1>Estamos revisando tu pago<\/h1>/);
    assert.match(text, /<a class="primary" href="https:\/\/shop\.example\.cl">Volver a la tienda<\/a>/);
    assert.doesNotMatch(text, /shop\.example\.cl\/c/);
  });

  test('does not say that nothing was charged when the money came too late', async () => {
    await using visit = await open({ amount: 5001 });
    const { app, server, path } = visit;
    await server.post(path, pay('simulated'));
    await server.post(`${path}/cancel`, { headers: FORM, body: '' });
    await settlePayment(app, await readAttempt(app), approved);
    const { text } = await server.get(path, ENGLISH);
    assert.match(text, /We are reviewing your payment/);
    assert.doesNotMatch(text, /[Nn]othing was charged/);
    assert.doesNotMatch(text, /data-submit-after/);
  });

  test('shows the same 404 page for an unknown link and a wrong secret', async () => {
    await using visit = await open();
    const [id] = payToken(visit.transaction).split('-');
    const secret = 'A'.repeat(22);
    const wrong = [
      `/pay/${id}-1-${secret}`,
      `/pay/${id}-2-${secret}`,
      `/pay/${id}-${secret}`,
      '/pay/zz-1-AAAAAAAAAAAAAAAAAAAAAA',
      '/pay/zz-AAAAAAAAAAAAAAAAAAAAAA',
      '/pay/x',
    ];
    const texts = new Set<string>();
    for (const path of wrong) {
      const answer = await visit.server.get(path, ENGLISH);
      assert.equal(answer.status, 404);
      texts.add(answer.text);
      assert.equal((await visit.server.post(path, pay('simulated'))).status, 404);
      assert.equal((await visit.server.post(`${path}/cancel`)).status, 404);
      assert.equal((await visit.server.get(`${path}/return`)).status, 404);
    }
    assert.equal(texts.size, 1);
    assert.match([...texts][0] as string, /This payment link does not exist/);
    assert.match([...texts][0] as string, /If you have already paid, do not pay again/);
  });

  test('shows a failure as a page that says to look before paying again', async () => {
    await using visit = await open();
    const broken = {
      ...visit.app,
      db: {
        ...visit.app.db,
        transaction: () => Promise.reject(new StorageError('OUTCOME_UNKNOWN', new Error('disk'))),
      },
    };
    await using server = await startTestServer(broken);
    const answer = await server.post(visit.path, { ...pay('simulated'), headers: { ...FORM, ...ENGLISH } });
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.match(answer.text, /Before you pay again, reload your payment/);
    assert.ok(answer.text.includes(answer.headers.get('x-request-id') as string));
    assert.doesNotMatch(answer.text, /disk|StorageError/);
  });

  test('works below a base path, and its links stay there', async () => {
    const { config } = createTestApp(await openTestDatabase());
    await using visit = await open(
      {},
      {
        config: { ...config, publicUrl: 'https://pay.example.cl', basePath: '/pagos', basePaths: ['/pagos'] },
        paymentMethods: [simulatedMethod, simulatedTransfer],
      },
    );
    const path = `/pagos${visit.path}`;
    const { text } = await visit.server.get(path);
    assert.match(text, new RegExp(`action="${path}"`));
    assert.match(text, /href="\/pagos\/assets\/pay\.css\?v=/);
    assert.match(text, /src="\/pagos\/assets\/simulated-method\.svg"/);
    const paid = await visit.server.post(path, pay('simulated'));
    assert.equal(paid.headers.get('location'), path);
  });

  test('HEAD answers as GET does, with its length and without a body', async () => {
    await using visit = await open();
    const page = await visit.server.get(visit.path);
    const response = await visit.server.head(visit.path);
    assert.deepEqual([response.status, response.text], [200, '']);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(response.headers.get('content-length'), String(Buffer.byteLength(page.text)));
  });
});

async function openVisit(
  openTestDatabase: OpenTestDatabase,
  changes: Partial<TransactionInput>,
  { environment: name = 'development', ...parts }: Partial<App> & { environment?: Environment },
): Promise<Visit & AsyncDisposable> {
  const app = createTestApp(await openTestDatabase(), parts as Partial<TestApp>);
  const environment = await createTestEnvironment(app, name);
  const transaction = await createTestTransaction(app, environment, changes);
  const server = await startTestServer(app);
  const path = `/pay/${payToken(transaction)}`;
  return { app, server, transaction, path, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function pay(method: string): { headers: Record<string, string>; body: string } {
  return { headers: FORM, body: `method=${method}` };
}

function hiddenFields(text: string): [string, string][] {
  return [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
    name as string,
    (value as string).replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
  ]);
}
