import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { typedQuery } from '../../src/console/kept-typing.ts';
import { keepProcess } from '../../src/health/keep-process.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { showPayment } from '../../src/search/show-payment.ts';
import { DEFAULT_PAYER_ATTEMPTS } from '../../src/transactions/transaction-state.ts';
import { valueOf } from '../support/console-person.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM } from '../support/form-headers.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('callbacks in the console', (openTestDatabase) => {
  test('the list has failing endpoints with cause and fix in the language of the person, filters and exports', async () => {
    const { server, headers, sent } = await openFailing(openTestDatabase);
    await using _server = server;
    const page = await server.get('/console/callbacks', headers);
    assert.match(page.text, /No existe esa página \(404\)/);
    assert.match(page.text, /href="\/console\/callbacks\/1"/);
    const english = await server.get('/console/callbacks', { ...headers, 'accept-language': 'en' });
    assert.match(english.text, /There is no such page \(404\)/);
    const nothing = await server.get('/console/callbacks?text=elsewhere', headers);
    assert.match(nothing.text, /Ninguna dirección que falla cumple el filtro/);
    const csv = await server.get('/console/callbacks?format=csv&sort=-waiting', headers);
    assert.match(csv.headers.get('content-disposition') ?? '', /callbacks\.csv/);
    assert.equal(csv.text.trim().split('\r\n').length, 2);
    assert.match(csv.text, new RegExp(`^${sent[0]?.url.split('?')[0]?.replaceAll('.', '\\.')},`, 'm'));
    assert.match((await server.get('/console/callbacks?sort=waiting', headers)).text, /aria-sort="ascending"/);
  });

  test('every screen begins the cause of a failed callback with a capital, in both languages', async () => {
    const { app, environment, server } = await openFailing(openTestDatabase);
    await using _server = server;
    const [paid] = await app.db.query<{ id: number }>('select id from transactions');
    const owner = (await createTestUser(app, { role: 'owner', may: [] })).console;
    const merchant = `/console/merchants/${environment.paymentServiceId}`;
    const payment = `/console/payments/${paid?.id}`;
    for (const path of [payment, '/console/callbacks', '/console/callbacks/1', merchant]) {
      for (const [language, cause] of [
        ['es', /<strong>No existe esa página \(404\)/],
        ['en', /<strong>There is no such page \(404\)/],
      ] as const)
        assert.match((await server.get(path, { ...owner, 'accept-language': language })).text, cause, path);
    }
    const ofMerchant = await createTestUser(app, {
      role: 'support',
      may: [],
      paymentServices: [environment.paymentServiceId],
    });
    const today = (await server.get('/console', ofMerchant.console)).text;
    assert.match(today, /<strong>No existe esa página \(404\)\.<\/strong> La tienda/);
    const { text } = await server.get('/console/callbacks/1', owner);
    assert.match(text, /<div>No existe esa página \(404\)<details>/, 'in the table of the answers too');
  });

  test('the diagnosis of an address that gets posts about payouts names no transaction 0', async () => {
    const { app, server, headers } = await openFailing(openTestDatabase);
    await using _server = server;
    await app.db.transaction((tx) => tx.query('update callbacks set transaction_id = 0'));
    const { text } = await server.get('/console/callbacks/1', headers);
    assert.match(text, /No existe esa página \(404\)/);
    assert.doesNotMatch(text, /payments\/0|Transacción: 0/);
  });

  test('the answer that support sends to a shop says in words that the connection failed', async () => {
    const outcome: FetchOutcome = { kind: 'failed', reason: 'connect', detail: 'ECONNREFUSED', durationMs: 1 };
    const { app, server, headers } = await openFailing(openTestDatabase, outcome);
    await using _server = server;
    const [paid] = await app.db.query<{ id: number }>('select id from transactions');
    const { text } = await server.get(`/console/payments/${paid?.id}`, headers);
    assert.match(text, /Último callback, 2026-01-15 09:00:00 -03:00: La tienda no respondió: no hay conexión\./);
  });

  test('the answer that support sends to a shop names the declined attempt of a pending payment', async () => {
    const { app, server, headers, environment } = await openFailing(openTestDatabase);
    await using _server = server;
    const transaction = await createTestTransaction(app, environment, { reference: 'ORD-9', amount: 5001 });
    const answer = async () =>
      /<pre>([^<]*)/.exec((await server.get(`/console/payments/${transaction.id}`, headers)).text)?.[1];
    const pending = `Orden ORD-9, transacción ${transaction.id}, $5.001 CLP: pendiente.`;
    assert.equal(await answer(), pending);
    await startPayment(app, transaction, 'simulated');
    assert.equal(await answer(), `${pending}\nÚltimo intento, 2026-01-15 09:00:00 -03:00: Simulador: rechazado.`);
    await cancelTransaction(app, transaction);
    assert.doesNotMatch((await answer()) ?? '', /Último intento/);
  });

  test('the page of a declined payment says why, in the words of the pay page, also in the answer to the shop', async () => {
    const { app, server, headers, environment } = await openFailing(openTestDatabase);
    await using _server = server;
    const transaction = await createTestTransaction(app, environment, { reference: 'ORD-9', amount: 5011 });
    for (let tried = 0; tried < DEFAULT_PAYER_ATTEMPTS; tried += 1) await startPayment(app, transaction, 'simulated');
    const { text } = await server.get(`/console/payments/${transaction.id}`, headers);
    const why = 'En la página de pago: «No hay saldo o cupo suficiente en la tarjeta terminada en 6623.»';
    assert.match(text, new RegExp(`Simulador: rechazado</strong><br><span class="quiet">${why}`));
    assert.match(
      text,
      new RegExp(
        `\\$5\\.011 CLP: rechazado\\.\nÚltimo intento, 2026-01-15 09:00:00 -03:00: Simulador: rechazado\\. ${why}`,
      ),
    );
  });

  test('the timeline of a payment says the next attempt of a callback in Chilean time', async () => {
    const { app, server, headers } = await openFailing(openTestDatabase);
    await using _server = server;
    const [paid] = await app.db.query<{ id: number }>('select id from transactions');
    const { text } = await server.get(`/console/payments/${paid?.id}`, headers);
    assert.match(text, /espera<\/strong> · próximo intento <time [^>]+>2026-01-15 [\d:]+ -03:00<\/time>/);
  });

  test('every screen says that an attempt is under way and since when, and names no end of a lease', async () => {
    const { app, server, headers } = await openFailing(openTestDatabase);
    await using _server = server;
    const [paid] = await app.db.query<{ id: number }>('select id from transactions');
    const operator = (await createTestUser(app, { role: 'operator', may: [] })).console;
    app.now.advance(600_000);
    const answer = Promise.withResolvers<FetchOutcome>();
    const delivery = createCallbackDelivery({ ...app, fetch: () => answer.promise });
    assert.equal(await delivery.poll(), 1);
    app.now.advance(5_000);
    const [claimed, leaseEnd] = ['2026-01-15 09:10', '2026-01-15 09:11'];
    const timeline = (await server.get(`/console/payments/${paid?.id}`, headers)).text;
    assert.match(timeline, new RegExp(`espera</strong> · en curso desde <time [^>]+>${claimed}:00 -03:00</time>`));
    const list = (await server.get('/console/callbacks', headers)).text;
    assert.match(list, new RegExp(`en curso desde <time [^>]+>${claimed}</time>`));
    const health = (await server.get('/console/health', operator)).text;
    assert.match(health, new RegExp(`espera 1, hay un intento en curso desde el ${claimed}:00 -03:00; no existe`));
    const inEnglish = (await server.get('/console/health', { ...operator, 'accept-language': 'en' })).text;
    assert.match(inEnglish, new RegExp(`1 waits, an attempt has been under way since ${claimed}:00 -03:00; there is`));
    for (const text of [timeline, list, health, inEnglish]) assert.ok(!text.includes(leaseEnd), 'the end of the lease');
    const shown = await showPayment(app, String(paid?.id), null);
    const facts = shown?.timeline.find(({ kind }) => kind === 'callback')?.facts;
    assert.deepEqual([facts?.['under_way_since'], facts?.['next_attempt']], ['2026-01-15T12:10:00.000Z', undefined]);
    answer.resolve(NOT_FOUND);
    await delivery.drain();
    assert.match(
      (await server.get(`/console/payments/${paid?.id}`, headers)).text,
      /espera<\/strong> · próximo intento/,
    );
  });

  test('the health page uses the singular for one callback, and Chilean time in Spanish', async () => {
    const { app, server } = await openFailing(openTestDatabase);
    await using _server = server;
    const operator = await createTestUser(app, { role: 'operator', may: [] });
    const get = async (language: string) =>
      (await server.get('/console/health', { ...operator.console, 'accept-language': language })).text;
    assert.match(
      await get('es'),
      /falla desde 2026-01-15 [\d:]+ -03:00: espera 1, el próximo intento es el 2026-01-15 [\d:]+ -03:00; no existe/,
    );
    assert.match(
      await get('en'),
      /has failed since [\d: -]+ -0[34]:00: 1 waits, the next attempt is at [\d: -]+ -0[34]:00; there is/,
    );
  });

  test('the health page names its checks in words, not by their codes, in both languages', async () => {
    const { app, server } = await openFailing(openTestDatabase);
    await using _server = server;
    await keepProcess(app);
    const operator = await createTestUser(app, { role: 'operator', may: [] });
    for (const [language, known] of [
      ['es', 'Devoluciones por aprobar'],
      ['en', 'Refunds to approve'],
    ] as const) {
      const { text } = await server.get('/console/health', { ...operator.console, 'accept-language': language });
      const cells = text.matchAll(/<td data-label="(?:Qué se mira|What is looked at)">([^<]*)</g);
      const names = [...cells].map(([, name = '']) => name);
      assert.ok(names.length > 20 && names.includes(known), names.join());
      assert.deepEqual(
        names.filter((name) => name !== 'Node.js' && /^[a-z]|[_.]/.test(name)),
        [],
      );
    }
  });

  test('the first page counts an endpoint that answered 410 as failing', async () => {
    const gone: FetchOutcome = { kind: 'answered', status: 410, retryAfter: null, excerpt: '', durationMs: 1 };
    const { app, server } = await openFailing(openTestDatabase, gone);
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const { text } = await server.get('/console', { ...owner.console, 'accept-language': 'en' });
    assert.match(text, /failing endpoints: 1/);
    assert.doesNotMatch(text, /no endpoint makes them wait/);
  });

  test('the first page does not count the redirect of a moved shop as received', async () => {
    const answer = { kind: 'answered', status: 302, retryAfter: null, excerpt: '', durationMs: 1 } as const;
    const shareOf = async (location: string) => {
      const { app, server } = await openFailing(openTestDatabase, { ...answer, location });
      await using _server = server;
      const owner = await createTestUser(app, { role: 'owner', may: [] });
      return /Callbacks recibidos<\/p><strong>([^<]*)</.exec((await server.get('/console', owner.console)).text)?.[1];
    };
    assert.equal(await shareOf('/thanks'), '100%');
    assert.equal(await shareOf('https://moved.example/callback'), '0%');
  });

  test('the attention list and the audit log have filters, and export what they show', async () => {
    const { app, server } = await openFailing(openTestDatabase);
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [], email: 'olga@example.cl' });
    const headers = owner.console;
    const attention = await server.get('/console/attention?format=csv', headers);
    assert.match(attention.text, /Dirección que falla|callback resend --endpoint/);
    assert.match(attention.text, /falla: no existe esa página \(404\); espera 1 callback/, 'the page is in Spanish');
    assert.match(
      (await server.get('/console/attention?kind=refund', headers)).text,
      /Nada espera a una persona|class="card empty"/,
    );
    const acts = await server.get('/console/audit?format=csv&action=user&who=', headers);
    assert.match(acts.text, /user\.created/);
    assert.doesNotMatch(acts.text, /payment_service\.created/);
    const today = await server.get('/console', { ...headers, 'accept-language': 'en' });
    assert.match(today.text, /Callbacks taken<\/p><strong>0%<\/strong>/);
    assert.match(today.text, /data-label="Approved"><span>100%<svg class="share good"/);
    assert.match(today.text, /data-label="Half answer within">[\d,]+ ms</);
    assert.match(today.text, /<a href="\/console\/callbacks\/1"><span class="badge warn">Failing endpoint/);
    await app.db.transaction((tx) => tx.query("update callbacks set state = 'dead'"));
    const later = await server.get('/console', { ...headers, 'accept-language': 'en' });
    const waiting = /Callbacks waiting<\/p><strong>0<\/strong><p>no endpoint makes them wait</;
    assert.match(later.text, waiting, 'an endpoint whose callbacks were given up is not called healthy');
  });

  test('the page of an endpoint has cause, code and message; its test and resend are in the audit log', async () => {
    const { app, server, user, headers } = await openFailing(openTestDatabase);
    await using _server = server;
    const page = await server.get('/console/callbacks/1', headers);
    for (const part of [/No existe esa página/, /Route::post\(&#39;/, /Mensaje para el comercio/, /no such page/]) {
      assert.match(page.text, part);
    }
    const post = (path: string, body: string) => server.post(path, { headers: { ...headers, ...FORM }, body });
    const tested = await post('/console/callbacks/1/test', '');
    assert.match(tested.text, /Con firma correcta respondió 404; con firma falsa, 404/);
    assert.equal(valueOf(page.text, 'id'), '1');
    const resend = (days: string) => post('/console/callbacks/resend', `id=1${days}`);
    const wrong = await resend('&since=2026-02-01&until=2026-01-01');
    assert.equal(wrong.status, 400);
    assertMarked(wrong.text, 'since');
    assert.match(wrong.text, /<h1 class="code">[^]*name="since" value="2026-02-01"[^]*name="until" value="2026-01-01"/);
    assert.equal((await resend('&since=01-02-2026')).status, 400);
    assert.equal((await resend('&since=2026-02-01')).headers.get('location'), '/console/callbacks?resent=0');
    assert.equal(
      (await resend('&since=2026-01-15&until=2026-01-15')).headers.get('location'),
      '/console/callbacks?resent=1',
    );
    assert.doesNotMatch((await server.get('/console/callbacks?resent=muchos', headers)).text, /class="notice done/);
    const rest = { id: '1', since: '2026-01-15', until: '', behind: '7' };
    const pageAfter = async (query: string) =>
      (await server.get(`/console/callbacks?resent=1000&${query}`, headers)).text;
    assert.doesNotMatch(await pageAfter(String(new URLSearchParams(rest))), /name="behind"/, 'a link asks for nothing');
    const more = await pageAfter(typedQuery({ app, user }, rest));
    for (const [name, value] of [
      ['id', '1'],
      ['since', '2026-01-15'],
      ['behind', '7'],
    ] as const)
      assert.ok(more.includes(`<input type="hidden" name="${name}" value="${value}">`), name);
    assert.equal((await resend('&behind=999999')).headers.get('location'), '/console/callbacks?resent=0');
    for (const action of ['endpoint.tested', 'callback.resent']) {
      const { acts } = await listAudit(app, { action }, 10);
      assert.deepEqual(
        acts.map(({ who }) => who.name),
        ['sonia@example.cl'],
        action,
      );
    }
  });

  test('resending from the page of an endpoint leaves out another merchant with the same address', async () => {
    const { app, server, headers, environment } = await openFailing(openTestDatabase);
    await using _server = server;
    const other = await createTestEnvironment(app);
    await createPaidTransaction(app, other, { reference: 'ORD-8' });
    await app.db.transaction((tx) => tx.query("update callbacks set state = 'dead'"));
    const addresses = await app.db.query('select distinct address from endpoints');
    assert.equal(addresses.length, 1);
    const address = String(addresses[0]?.['address']);
    const resend = (fields: Record<string, string>) =>
      server.post('/console/callbacks/resend', {
        headers: { ...headers, ...FORM },
        body: String(new URLSearchParams(fields)),
      });
    for (const fields of [{ endpoint: address }, { endpoint: address, id: '99' }, { id: 'x' }])
      assert.equal((await resend(fields)).status, 404, 'an address names the endpoints of every merchant');
    const answer = await resend({ id: '1', endpoint: 'https://elsewhere.example.cl', of: String(other.id) });
    assert.equal(answer.headers.get('location'), '/console/callbacks?resent=1');
    const kept = await app.db.query('select environment_id, state from callbacks order by id');
    assert.deepEqual(
      kept.map((row) => [row['environment_id'], row['state']]),
      [
        [environment.id, 'queued'],
        [other.id, 'dead'],
      ],
    );
  });

  test('resending for a payment service that has moved away is refused', async () => {
    const { app, server, headers, environment } = await openFailing(openTestDatabase);
    await using _server = server;
    await leaveFor(app, environment);
    app.now.advance(1_000);
    const post = { headers: { ...headers, ...FORM }, body: 'id=1' };
    assert.equal((await server.post('/console/callbacks/resend', post)).status, 421);
  });

  test('an endpoint is not found by a person of some payment services, and neither is an unknown one', async () => {
    const { app, server, headers, environment } = await openFailing(openTestDatabase);
    await using _server = server;
    const limited = await createTestUser(app, {
      role: 'owner',
      may: [],
      paymentServices: [environment.paymentServiceId],
    });
    const own = limited.console;
    const ask = [
      () => server.get('/console/callbacks', own),
      () => server.get('/console/callbacks/1', own),
      () => server.post('/console/callbacks/1/test', { headers: { ...own, ...FORM }, body: '' }),
      () => server.get('/console/callbacks/99', headers),
      () => server.get('/console/callbacks/x', headers),
    ];
    for (const one of ask) assert.equal((await one()).status, 404);
    assert.doesNotMatch((await server.get('/console', own)).text, /href="\/console\/callbacks"/);
  });

  test('Spanish pages explain a failed callback, a refused address and a permission in Spanish', async () => {
    const { app, environment, server, headers } = await openFailing(openTestDatabase);
    await using _server = server;
    const operator = (await createTestUser(app, { role: 'operator', may: [] })).console;
    const at = `/console/merchants/${environment.paymentServiceId}`;
    assert.match((await server.get(at, operator)).text, /No existe esa página \(404\)/);
    const body = String(new URLSearchParams({ environment: environment.environment, url: 'http://user@x' }));
    const refused = await server.post(`${at}/events-url`, { headers: { ...FORM, ...operator }, body });
    assert.match(refused.text, /Esa dirección no se puede usar: La URL lleva un usuario o una contraseña\. Quita /);
    const { text } = await server.get('/console/audit', headers);
    assert.match(
      text,
      /Te falta audit:read\. Pide esto a quien puede leer la auditoría y, sin cambiar nada, [^<]* verificar/,
    );
    assert.match(text, /verificar los libros \(finanzas, auditoría, titular\)\./, 'the roles that may');
    assert.match(text, /El permiso lo da quien puede crear usuarios y decir qué pueden hacer \(titular\), en /);
  });
});

const NOT_FOUND: FetchOutcome = {
  kind: 'answered',
  status: 404,
  retryAfter: null,
  excerpt: '<h1>no such page</h1>',
  durationMs: 1,
};

/** Opens a shop that answers with `outcome`, so that one callback waits. */
async function openFailing(openTestDatabase: OpenTestDatabase, outcome = NOT_FOUND) {
  const sent: { url: string }[] = [];
  const app = createTestApp(await openTestDatabase(), {
    fetch: async (request) => {
      sent.push(request);
      return outcome;
    },
  });
  const environment = await createTestEnvironment(app);
  await createPaidTransaction(app, environment, { reference: 'ORD-7' });
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
  const support = await createTestUser(app, { role: 'support', may: [], email: 'sonia@example.cl' });
  const headers = support.console;
  return { app, environment, server: await startTestServer(app), user: support, headers, sent };
}
