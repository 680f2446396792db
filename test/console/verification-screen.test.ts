import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readVerification } from '../../src/proof/ask-verification.ts';
import { noteVerification, runVerification, type Verify } from '../../src/proof/run-verification.ts';
import { reportOf } from '../../src/proof/verification-report.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction, removeTriggers } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const PATH = '/console/verification';
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

const here: Verify = async (app) => reportOf(app, await verifyStore(app));

forEachEngine('the verification of the books at the console', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    const server = await startTestServer(app);
    const auditor = await createTestUser(app, { role: 'auditor', may: [], email: 'ada@example.cl' });
    const press = (user: TestUser, headers: Record<string, string> = FORM) =>
      server.post(PATH, { headers: { ...user.console, ...headers }, body: '' });
    const read = async (user: TestUser, language = 'es') => {
      const { status, text } = await server.get(PATH, { ...user.console, 'accept-language': language });
      assert.equal(status, 200);
      return text.slice(text.indexOf('<main'));
    };
    return { app, paid, server, auditor, press, read };
  };

  test('is started by an auditor, once, and says that it runs and how far it is', async () => {
    const { app, server, auditor, press, read } = await open();
    await using _server = server;
    assert.match(await read(auditor), /Los libros todavía no se verifican/);
    const first = await press(auditor);
    assert.deepEqual([first.status, first.headers.get('location')], [303, PATH]);
    const waits = await read(auditor);
    assert.match(waits, /ada@example\.cl pidió verificar el 2026-01-15 09:00 -03:00/);
    assert.doesNotMatch(waits, /method="post"/);
    const again = await press(auditor);
    assert.equal(again.status, 409);
    assert.match(again.text, /No se pidió otra: ya hay una verificación en curso/);
    await runVerification(app, async (inside, onProgress, signal) => {
      await onProgress({ what: 'events of the feed', rows: 1234, part: 0.257 });
      const runs = await read(auditor);
      assert.match(runs, /Se está verificando desde el 2026-01-15 09:00 -03:00\. La pidió ada@example\.cl/);
      assert.match(runs, /Va en: eventos de la lista, 1\.234 \(25 %\)/);
      assert.match(await read(auditor, 'en'), /It is reading: events of the feed, 1,234 \(25 %\)/);
      return here(inside, onProgress, signal);
    });
    const ended = await read(auditor);
    assert.match(ended, /Todo está como se registró/);
    assert.match(ended, /<dt>Asientos<\/dt><dd>1 en 1 cadena<\/dd>/);
    assert.match(ended, /No se comparó con nada fuera de la base/);
    assert.match(ended, /Verificar ahora/);
    const audit = await server.get('/console/audit?who=ada@example.cl', auditor.console);
    assert.match(audit.text, /Se pidió verificar los libros/);
  });

  test('shows what was found in both languages, and is where the attention list and the health page lead', async () => {
    const { app, paid, server, auditor, read } = await open();
    await using _server = server;
    await app.db.transaction(async (tx) => {
      await tx.query("update callbacks set body = body || 'x'");
      await tx.query('update transactions set amount = amount + 1 where id = $1', [paid.id]);
    });
    const report = await here(app, async () => {}, app.stopping);
    const outside = [{ source: '/var/anchors', anchors: 3, first_day: '2026-01-01', last_day: '2026-01-14' }];
    const many = { ...report.found, callback_changed: 1207 };
    const fee = 'fee of webpay 597055555532 CLP: rate_ppm was 29500, is 31000; fixed was 50, is 0';
    const changed = { kind: 'fee_changed', environment_id: null, since: null, en: fee, es: null } as const;
    await noteVerification(app, { ...report, lines: [...report.lines, changed], outside, found: many });
    const spanish = await read(auditor);
    assert.match(spanish, /1\.208 lugares no están como se registraron\./);
    assert.match(spanish, new RegExp(`>transacción ${paid.id}: no es lo que dice su asiento`));
    assert.match(spanish, /Se cambió un callback: 1\.207/);
    assert.match(spanish, /<span lang="en">callback 1 \(evt_/);
    const said = 'comisión de webpay 597055555532 CLP: tasa en millonésimas (rate_ppm) era 29500, es 31000';
    assert.ok(spanish.includes(`>${said}; monto fijo (fixed) era 50, es 0<`));
    assert.match(spanish, /En esta página: 1\. Todos: <code>bin\/rubrica books verify --json/);
    assert.match(spanish, /3 en \/var\/anchors, del 2026-01-01 al 2026-01-14/);
    assert.doesNotMatch(spanish, /No se comparó con nada fuera/);
    const english = await read(auditor, 'en');
    assert.match(english, new RegExp(`>transaction ${paid.id} is not what its entry says`));
    assert.match(english, /A callback was changed: 1,207/);
    const attention = await server.get('/console/attention?kind=books', auditor.console);
    assert.match(attention.text, /<a href="\/console\/verification">Ver qué se encontró<\/a>/);
    assert.match((await server.get('/console/health', auditor.console)).text, /<a href="\/console\/verification">/);
  });

  test('shows what was found where somebody wrote a time that no calendar has, and so does the payment', async () => {
    const { app, paid, server, auditor, read } = await open();
    await using _server = server;
    await removeTriggers(app.db);
    const sql = 'update events set created_at = 9000000000000000 where transaction_id = $1';
    await app.db.transaction((tx) => tx.query(sql, [paid.id]));
    await noteVerification(app, await here(app, async () => {}, app.stopping));
    assert.match(await read(auditor), />9000000000000000</);
    const payment = await server.get(`/console/payments/${paid.id}`, auditor.console);
    assert.match(payment.text, />\s*9000000000000000/);
  });

  test('can be read by who runs the service and started only with the permission to audit, from our page', async () => {
    const { app, server, auditor, press, read } = await open();
    await using _server = server;
    const operator = await createTestUser(app, { role: 'operator', may: [] });
    assert.doesNotMatch(await read(operator), /Verificar ahora/);
    assert.equal((await press(operator)).status, 403);
    const support = await createTestUser(app, { role: 'support', may: [] });
    assert.equal((await server.get(PATH, support.console)).status, 403);
    const some = await createTestUser(app, { role: 'auditor', may: [], paymentServices: [] });
    assert.equal((await press(some)).status, 404, 'an auditor of some payment services');
    assert.equal((await press(auditor, { ...FORM, 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await readVerification(app)).asked, null);
  });

  test('says that it was given up, and why to look', async () => {
    const { app, server, auditor, press, read } = await open();
    await using _server = server;
    await press(auditor);
    for (let tries = 0; tries < 3; tries++) {
      await assert.rejects(runVerification(app, () => Promise.reject(new Error('no memory'))));
      app.now.advance(60_000);
    }
    await runVerification(app, here);
    assert.match(await read(auditor), /no pudo terminar, y se dejó de intentar el 2026-01-15 09:03/);
    assert.equal((await press(auditor)).status, 303);
  });
});
