import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { StorageError } from '../../src/db/database.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import { type CheckoutCase, openCheckout, readAttempt, readStates, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

/** Sends the form with the file like a browser. */
async function sendTo(server: TestServer, path: string, user: TestUser, file: Buffer, fields: Record<string, string>) {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)]), 'abono.csv');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const type = request.headers.get('content-type') ?? '';
  return server.post(path, {
    headers: { 'content-type': type, 'sec-fetch-site': 'same-origin', ...user.console },
    body: Buffer.from(await request.arrayBuffer()) as never,
  });
}

forEachEngine('settlement lines that the books lack', (openTestDatabase) => {
  /** Opens a settlement with a payment in doubt and a payment without a transaction, compared with the books. */
  const open = async () => {
    const method = scriptMethod({ start: async () => ({ kind: 'unknown' }) });
    const opened = await openCheckout(openTestDatabase, { method });
    await startPayment(opened.app, opened.transaction, 'scripted');
    const { id: attempt } = await readAttempt(opened.app);
    const text = `fecha;orden_compra;codigo_autorizacion;monto\n15/01/2026;${attempt};1213;12990\n15/01/2026;nadie;1;7000\n`;
    return keep(opened, Buffer.from(text));
  };

  /** Stores this file of all merchants for the same service. */
  const keep = async ({ app, environment }: CheckoutCase, content: Buffer) => {
    const evidence = describeEvidence('abono.csv', content);
    const scope = { environment: environment.environment, paymentServiceId: null, method: 'scripted' };
    const read = await readSettlement(Readable.from([content]));
    const kept = await keepSettlement(app, scope, read, { evidence, by: TESTER });
    assert.ok(kept.kind === 'kept');
    const server = await startTestServer(app);
    const send = (user: TestUser, file: Buffer, fields: Record<string, string> = {}) =>
      sendTo(server, `/console/settlements/${kept.id}/book`, user, file, fields);
    const merchant = environment.paymentServiceId;
    return { app, server, send, content, merchant, path: `/console/settlements/${kept.id}` };
  };

  test('are previewed from the same file, and booked once after a confirmation', async () => {
    const { app, server, send, content, merchant, path } = await open();
    await using _server = server;
    const finance = await createTestUser(app, { role: 'finance', may: [], email: 'fina@example.cl' });
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    const link = `href="${path}/book"`;
    assert.ok(!(await server.get(path, auditor.console)).text.includes(link));
    for (const answer of [
      await server.get(`${path}/book`, auditor.console),
      await send(auditor, content, { merchant }),
    ])
      assert.equal(answer.status, 403);
    const shown = await server.get(path, finance.console);
    assert.ok(shown.text.includes(link));
    // Without these options the command would use the first method and the environment of the program.
    assert.match(shown.text, /payment import abono\.csv --payment-service ID --environment \w+ --method scripted</);
    const asked = await server.get(`${path}/book`, finance.console);
    assert.equal(asked.status, 200);
    assert.ok(asked.text.includes(`<option value="${merchant}" selected>`), 'the only merchant is chosen');
    assert.ok(asked.text.includes('<option value="">Elige un comercio</option>'), 'an empty choice says what to do');
    const other = Buffer.from(`${String(content)}15/01/2026;otro;2;8000\n`);
    for (const [file, fields, said] of [
      [other, { merchant }, /No es el mismo archivo/],
      [content, {}, /Elige el comercio/],
      [content, { merchant: 'ps_none' }, /Elige el comercio/],
      [Buffer.alloc(0), { merchant }, /El archivo está vacío/],
      [Buffer.alloc(2 * 1024 * 1024 + 1, 'x'), { merchant }, /más de 2 MB/],
    ] as const) {
      const refused = await send(finance, file, { ...fields, confirm: 'yes' });
      assert.equal(refused.status, 400);
      assert.match(refused.text, said);
      assertMarked(refused.text, String(said).includes('comercio') ? 'merchant' : 'file');
    }
    const preview = await send(finance, content, { merchant });
    assert.ok(preview.text.includes(` · ${merchant} · `), 'the preview names the merchant');
    assert.match(preview.text, /Un pago en duda queda pagado[^<]*<\/td><td[^>]*>1<\/td><td[^>]*>\$12\.990 CLP</);
    assert.match(preview.text, /dinero sin dueño[^<]*<\/td><td[^>]*>1<\/td><td[^>]*>\$7\.000 CLP</);
    assert.match(preview.text, /Asentar 2 líneas: \$19\.990 CLP/);
    assert.deepEqual((await readStates(app)).attempts, ['unknown'], 'a preview changes nothing');
    const form = Object.fromEntries(
      [...preview.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const stale = await send(finance, Buffer.alloc(0), { ...form, shown: 'what the books lacked before' });
    assert.equal(stale.status, 409);
    assert.match(stale.text, /No se asentó nada: algo cambió desde que se mostró[^]*Asentar 2 líneas/);
    assert.deepEqual((await readStates(app)).attempts, ['unknown'], 'nothing is booked that was not shown');
    const done = await send(finance, Buffer.alloc(0), form);
    const to = done.headers.get('location') ?? '';
    assert.match(to, /^\/console\/settlements\/sf_\w+\?booked=2$/);
    const page = await server.get(to, finance.console);
    assert.match(page.text, /Asentado: 2 líneas/);
    const written = ['booked', 'accepted', 'declined'].map((name) => `${name}=muchas`).join('&');
    const forged = await server.get(`${to.split('?')[0]}?${written}`, finance.console);
    assert.doesNotMatch(forged.text, /: muchas|class="notice/, 'a count is a whole number');
    assert.doesNotMatch(page.text, /Pagos que los libros no tienen/);
    assert.deepEqual((await readStates(app)).attempts, ['approved']);
    const { acts } = await listAudit(app, { who: 'fina@example.cl' }, 10);
    assert.deepEqual(
      acts.map(({ action }) => action).filter((action) => !action.startsWith('user.')),
      ['settlement.kept', 'payment.imported', 'payment.decided'],
    );
    const [transaction] = await app.db.query<{ id: number }>('select id from transactions');
    for (const screen of [`/console/payments/${transaction?.id}`, '/console/audit']) {
      const inSpanish = (await server.get(screen, finance.console)).text;
      assert.match(inSpanish, />línea 2 del archivo del adquirente</, screen);
      assert.doesNotMatch(inSpanish, /of the acquirer/);
      const english = { ...finance.console, 'accept-language': 'en' };
      assert.match((await server.get(screen, english)).text, />line 2 of the acquirer(&#39;|')s file</, screen);
    }
    const { problems, records, balances } = await verifyBooks(app);
    assert.deepEqual([problems, records, balances], [[], [], []]);
    const newest = to.split('?')[0];
    for (const again of [
      await send(finance, content, { merchant, confirm: 'yes' }),
      await server.get(`${path}/book`, finance.console),
    ])
      assert.equal(again.headers.get('location'), newest, 'a settlement that was compared again leads to the newest');
  });

  test('are booked and compared by the second click if the database fails anywhere during the first', async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const app = createTestApp(failing);
    const { paymentServiceId: merchant } = await createTestEnvironment(app);
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    await using server = await startTestServer(app);
    const countOf = async (table: string) => (await app.db.query(`select id from ${table}`)).length;
    const raise = () => new StorageError('STORAGE_UNAVAILABLE', null);
    let isHit = true;
    for (let at = 1; isHit; at += 3) {
      Object.assign(faults, { at: 0 });
      const lines = [1, 2].map((line) => `15/01/2026;nadie-${at}-${line};${at}${line};7000`).join('\n');
      const content = Buffer.from(`fecha;orden_compra;codigo_autorizacion;monto\n${lines}\n`);
      const evidence = describeEvidence('abono.csv', content);
      const scope = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
      const kept = await keepSettlement(app, scope, await readSettlement(Readable.from([content])), {
        evidence,
        by: TESTER,
      });
      assert.ok(kept.kind === 'kept');
      const click = () =>
        sendTo(server, `/console/settlements/${kept.id}/book`, finance, content, { merchant, confirm: 'yes' });
      const before = await countOf('imported_payments');
      Object.assign(faults, { at, points: 0, raise });
      const first = await click();
      isHit = faults.points >= at;
      const isPart = (await countOf('imported_payments')) > before;
      // The import itself finds a line whose commit took effect without an answer.
      if (first.status === 503 && isPart) assert.match(first.text, /Puede que se haya hecho/);
      else assert.equal(first.status, isPart ? 303 : 503, first.text);
      const second = await click();
      assert.equal(second.status, 303, second.text);
      assert.equal(await countOf('imported_payments'), before + 2);
      const page = await server.get(second.headers.get('location') ?? '', finance.console);
      assert.doesNotMatch(page.text, /Pagos que los libros no tienen|Asentar lo que/, `at ${at}`);
    }
    assert.deepEqual((await verifyBooks(app)).problems, []);
  });

  test('are booked for one merchant without known payments of another, and chargebacks with their payment', async () => {
    const method = scriptMethod({ start: async () => ({ kind: 'approved', detail: { authorization_code: '4321' } }) });
    const opened = await openCheckout(openTestDatabase, { method });
    const other = await createTestEnvironment(opened.app);
    await startPayment(opened.app, await createTestTransaction(opened.app, other), 'scripted');
    const { id } = await readAttempt(opened.app);
    const sales = '15/01/2026;;4321;12990;Venta\n15/01/2026;;999;7000;Venta\n';
    const text = `fecha;orden_compra;codigo_autorizacion;monto;tipo\n${sales}20/02/2026;${id};4321;5000;Contracargo\n20/02/2026;otra;7;300;Contracargo\n21/02/2026;${id};4321;-9000;Comisión\n`;
    const { app, server, send, content, merchant, path } = await keep(opened, Buffer.from(text));
    await using _server = server;
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    const shown = (await server.get(path, finance.console)).text;
    assert.match(shown, /se pueden asentar los contracargos.*\n.*\/book"/);
    assert.doesNotMatch((await server.get(`${path}/book`, finance.console)).text, / selected/, 'none of two is chosen');
    const preview = (await send(finance, content, { merchant })).text;
    assert.match(preview, /Asentar 2 líneas: \$2\.000 CLP/);
    const why = 'un contracargo cuya orden de compra no es de ningún pago de aquí';
    assert.match(preview, new RegExp(`>5</td>.*>otra</td>.*-\\$300 CLP</td><td[^>]*>${why}<`));
    assert.match(preview, /-\$9\.000 CLP<\/td><td[^>]*>dinero que se devolvió, quizás por una devolución de aquí</);
    const done = await send(finance, content, { merchant, confirm: 'yes' });
    assert.match(done.headers.get('location') ?? '', /\?booked=2$/);
    const imported = await app.db.query<{ environment_id: number; amount: number }>(
      'select environment_id, amount from imported_payments order by file_line',
    );
    assert.deepEqual(
      imported.map((one) => [one.environment_id, one.amount]),
      [
        [opened.environment.id, 7000],
        [other.id, 5000],
      ],
    );
    const { transaction_id: paid } = await readAttempt(app);
    const answer = async () => (await server.get(`/console/payments/${paid}`, finance.console)).text;
    const told = String.raw`\n\$5\.000 CLP: Un medio de pago devolvió dinero que ninguna devolución pedía, como en un contracargo\.`;
    assert.match(await answer(), new RegExp(`${told} En revisión\\.`));
    assert.match(await answer(), /Contracargo: el banco del pagador recuperó el dinero/);
    await resolveSuspense(app, paid, { decision: 'kept', reason: 'contracargo perdido', by: TESTER });
    assert.match(await answer(), new RegExp(`${told} Lo paga el comercio, como tras un contracargo perdido\\.`));
  });

  test('are asked for again, with their merchant, after a fresh proof', async () => {
    const { app, server, send, content, merchant, path } = await open();
    await using _server = server;
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    app.now.advance(15 * 60_000);
    const asked = (await send(finance, content, { merchant })).headers.get('location') ?? '';
    app.now.advance(-15 * 60_000);
    const next = new URL(asked, 'http://host').searchParams.get('next') ?? '';
    const { text } = await server.get(`/console${next}`, { ...finance.console, 'accept-language': 'en' });
    assert.ok(next.startsWith(`${path.slice('/console'.length)}/book?typed=v1`));
    assert.ok(text.includes(`<option value="${merchant}" selected>`));
    assert.match(text, /choose it again/);
  });

  test('are booked only until the person is disabled, and another person goes on', async () => {
    const { app, environment, ...opened } = await openCheckout(openTestDatabase, { method: scriptMethod({}) });
    const [finance, other] = [
      await createTestUser(app, { role: 'finance', may: [] }),
      await createTestUser(app, { role: 'finance', may: [] }),
    ];
    const countImported = async () => (await app.db.query('select id from imported_payments')).length;
    let isDisabled = false;
    const transaction: typeof app.db.transaction = async (work, kind) => {
      const done = await app.db.transaction(work, kind);
      if (isDisabled || (await countImported()) !== 1) return done;
      isDisabled = true;
      await disableUser(app, finance.id, TESTER);
      return done;
    };
    const disabling = { ...app, db: { ...app.db, transaction } };
    const lines = [1, 2, 3].map((at) => `15/01/2026;nadie-${at};${at};${at}000`).join('\n');
    const text = `fecha;orden_compra;codigo_autorizacion;monto\n${lines}\n`;
    const { server, send, content, merchant } = await keep(
      { ...opened, app: disabling, environment },
      Buffer.from(text),
    );
    await using _server = server;
    assert.equal((await send(finance, content, { merchant, confirm: 'yes' })).status, 401);
    assert.equal(await countImported(), 1);
    assert.equal((await send(other, content, { merchant, confirm: 'yes' })).status, 303);
    const imported = await app.db.query('select imported_by, amount from imported_payments order by amount');
    assert.deepEqual(
      imported.map(({ imported_by, amount }) => [imported_by, amount]),
      [
        [finance.email, 1000],
        [other.email, 2000],
        [other.email, 3000],
      ],
    );
  });

  test('are booked once by concurrent clicks, and none of these fails', async () => {
    const { app, server, send, content, merchant } = await open();
    await using _server = server;
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    const answers = await Promise.all([1, 2, 3].map(() => send(finance, content, { merchant, confirm: 'yes' })));
    assert.deepEqual(
      answers.map(({ status }) => status).filter((status) => ![200, 303, 404].includes(status)),
      [],
    );
    assert.equal((await app.db.query('select id from imported_payments')).length, 2);
    const { problems, records, balances } = await verifyBooks(app);
    assert.deepEqual([problems, records, balances], [[], [], []]);
  });
});
