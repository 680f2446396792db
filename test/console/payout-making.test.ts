import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { atConsole, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const MINUTE_MS = 60_000;
const CSV = ['rut,banco,cuenta,nombre,monto,id', '12.531.909-2,012,12531909,Ana Núñez,15000,FAC-1', ''].join('\n');

const stateOf = async (app: TestApp, id: string) => (await selectPayoutAnywhere(app.db, id))?.state;

forEachEngine('the screens that make payouts', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const server = await startTestServer(app);
    const as = (user: TestUser, language = 'en') => {
      const headers = { 'accept-language': language, ...user.console };
      return {
        ...atConsole(server, headers),
        upload: async (path: string, fields: Record<string, string>, file?: { name: string; content: string }) => {
          const form = new FormData();
          for (const [name, value] of Object.entries(fields)) form.append(name, value);
          if (file !== undefined) form.append('file', new Blob([file.content]), file.name);
          const request = new Request('http://localhost', { method: 'POST', body: form });
          return server.post(`/console${path}`, {
            headers: {
              'content-type': request.headers.get('content-type') ?? '',
              'sec-fetch-site': 'same-origin',
              ...headers,
            },
            body: await request.text(),
          });
        },
      };
    };
    const maker = as(desk.users.maker);
    return { app, desk, server, as, maker, of: String(desk.environment.id) };
  };

  test('validate an account, keep it with its verdict, change it and pay to it', async () => {
    const { app, desk, server, maker, of } = await open();
    await using _server = server;
    const { text: list } = await maker.get('/recipients');
    assert.match(list, /bin\/rubrica recipient create/);
    assert.match(list, /<option value="012">/);
    assert.doesNotMatch(list, /<option value="(764|882)">/, 'a bank that is not paid cannot be chosen');
    assert.match(
      (await maker.get('/batches')).text,
      /href="\/console\/payouts\/upload"/,
      'the list of batches links the form for a new batch',
    );
    assert.match(
      (await maker.get('/payout-files/new')).text,
      /approves what waits in:<\/p><p><a href="\/console\/payouts\?state=awaiting_approval"/,
      'the page links the waiting payouts, also those without a batch',
    );
    const merchant = desk.environment.paymentServiceId;
    const fields = { rut: '12.531.909-2', bank: '012', account: '12531909', name: 'Ana Núñez', email: '', merchant };
    const bad = await maker.post('/recipients', { ...fields, rut: '12.531.909-3' });
    assert.match(bad.text, /Verdict:.*invalid/);
    assert.ok(!bad.text.includes('name="validation"'), 'an invalid account has no button that stores it');
    const shown = await maker.post('/recipients', fields);
    assert.match(shown.text, /Verdict:.*plausible/);
    const other = await maker.post('/recipients', {
      ...fields,
      account: '12531910',
      validation: valueOf(shown.text, 'validation'),
    });
    assert.equal(other.status, 409, 'the validation of another account stores nothing');
    assert.equal((await app.db.query('select id from recipients')).length, 0);
    const kept = await maker.post('/recipients', { ...fields, validation: valueOf(shown.text, 'validation') });
    const path = /^\/console(\/recipients\/rcp_\w+)\?done=kept$/.exec(kept.headers.get('location') ?? '')?.[1] ?? '';
    assert.notEqual(path, '', kept.text);
    const page = await maker.get(path);
    assert.match(page.text, /Ana Núñez/);
    assert.ok(!page.text.includes('>12531909<'), 'the account is masked');
    const changed = { ...fields, bank: '001', account: '990011223' };
    const found = await maker.post(path, { ...changed, account: ' 99-001-1223' });
    assert.equal(valueOf(found.text, 'account'), '990011223', 'a typed number is repaired as in a file');
    assert.match(found.text, /<p class="quiet">Mended before the validation: Signs between the digits were left out/);
    const done = await maker.post(path, { ...changed, validation: valueOf(found.text, 'validation') });
    assert.equal(done.status, 303, done.text);
    assert.match((await maker.get(path)).text, /Banco de Chile/);
    const pay = { of, amount: '15000', reference: 'FAC-9', message: 'enero' };
    assert.equal((await maker.post(`${path}/pay`, { ...pay, amount: '1.5000' })).status, 400);
    const [first, again] = [await maker.post(`${path}/pay`, pay), await maker.post(`${path}/pay`, pay)];
    const payout = /\/payouts\/(po_\w+)\?done=proposed$/.exec(first.headers.get('location') ?? '')?.[1] ?? '';
    assert.equal(again.headers.get('location'), `/console/payouts/${payout}?done=replayed`);
    assert.equal((await maker.post(`${path}/pay`, { ...pay, amount: '16000' })).status, 409);
    assert.equal(await stateOf(app, payout), 'awaiting_approval');
    const split = await maker.post(`${path}/pay`, { ...pay, amount: '7500000', reference: 'FAC-10' });
    assert.match(
      split.headers.get('location') ?? '',
      /\/console\/batches\/pb_\w+\?done=proposed$/,
      'with its whole sum',
    );
    const versions = (await maker.get(path)).text;
    assert.equal(
      versions.split(`<span class="mail">${desk.users.maker.email}</span>`).length,
      3,
      'each version has its keeper',
    );
    const [, paid = ''] = /href="\/console(\/payouts\?text=rcp_\w+)"/.exec(versions) ?? [];
    assert.match((await maker.get(paid)).text, /FAC-9/);
    assert.doesNotMatch((await maker.get('/payouts?text=rcp_x')).text, /FAC-9/);
    const rows = (query: string) => maker.get(`/recipients?rut=${encodeURIComponent(query)}`);
    assert.match((await rows('12531909-2')).text, /Ana Núñez/);
    assert.doesNotMatch((await rows('11.111.111-1')).text, /Ana Núñez/);
  });

  test('mark the field at fault of an account and of a payout', async () => {
    const { server, maker, of } = await open();
    await using _server = server;
    const account = { rut: '12.531.909-2', bank: '012', account: '12531909', name: 'Ana Núñez', email: '' };
    const checked = await maker.post('/recipients', account);
    assert.doesNotMatch(checked.text, /aria-invalid|refused-/);
    assertMarked((await maker.post('/recipients', { ...account, rut: '12.531.909-3' })).text, 'rut');
    assertMarked((await maker.post('/recipients', { ...account, bank: '' })).text, 'bank');
    const validation = valueOf(checked.text, 'validation');
    for (const bad of [
      { name: 'Ana \u202Ezeñú' },
      { name: 'Ana 4111 1111 1111 1111' },
      { email: 'a\u202E@example.cl' },
    ]) {
      const [field = ''] = Object.keys(bad);
      assertMarked((await maker.post('/recipients', { ...account, ...bad })).text, field);
      const refused = await maker.post('/recipients', { ...account, ...bad, validation });
      assert.deepEqual([refused.status, /cannot be used\. Write it on one line/.test(refused.text)], [422, true]);
    }
    const nameless = await maker.post('/recipients', { ...account, name: ' ', validation });
    assert.deepEqual([nameless.status, /The name is missing\./.test(nameless.text)], [422, true]);
    assertMarked(nameless.text, 'name');
    const kept = await maker.post('/recipients', { ...account, validation });
    const [at = ''] = /\/recipients\/rcp_\w+/.exec(kept.headers.get('location') ?? '') ?? [];
    const other = await maker.post(at, { ...account, account: 'abc' });
    assertMarked(other.text, 'account');
    assert.match(other.text, / name="account"[^>]* value="abc"/, 'the form keeps what was typed');
    assertMarked((await maker.post(at, { ...account, name: 'Ana\u2067' })).text, 'name');
    const pay = { of, amount: '15000', reference: 'FAC-1', message: '' };
    assertMarked((await maker.post(`${at}/pay`, { ...pay, amount: '15.000' })).text, 'amount');
    assertMarked((await maker.post(`${at}/pay`, { ...pay, reference: '' })).text, 'reference');
    assertMarked((await maker.post(`${at}/pay`, { ...pay, message: 'x'.repeat(500) })).text, 'message');
  });

  test('preview a file row by row, and make one batch of the same file', async () => {
    const { app, desk, server, as, maker, of } = await open();
    await using _server = server;
    const file = { name: 'nomina.csv', content: CSV };
    const long = await maker.upload('/payouts/upload', { of, name: '' }, { ...file, name: `${'a'.repeat(300)}.csv` });
    assert.equal(valueOf(long.text, 'name'), 'a'.repeat(200));
    const shown = await maker.upload('/payouts/upload', { of, name: '' }, file);
    for (const said of [
      '1 payout would be made, $15.000 CLP',
      'Ana Núñez',
      'Banco del Estado de Chile',
      'plausible, less than a day old',
      'New recipient',
      'Test shop',
      'To pay out now: $1.000.000',
    ])
      assert.ok(shown.text.includes(said), `${said}: ${shown.text}`);
    const notEnough = /This is not enough/;
    assert.doesNotMatch(shown.text, notEnough);
    const more = { name: 'nomina.csv', content: CSV.replace('15000', '1000001') };
    assert.match((await maker.upload('/payouts/upload', { of, name: '' }, more)).text, notEnough);
    for (const table of ['payouts', 'payout_batches', 'recipients'])
      assert.equal((await app.db.query(`select * from ${table}`)).length, 0, table);
    const confirmed = {
      of,
      name: valueOf(shown.text, 'name'),
      file_name: valueOf(shown.text, 'file_name'),
      content: valueOf(shown.text, 'content'),
      confirm: 'yes',
    };
    const made = await maker.upload('/payouts/upload', confirmed);
    const batch = /\/batches\/(pb_\w+)\?done=proposed$/.exec(made.headers.get('location') ?? '')?.[1] ?? '';
    assert.notEqual(batch, '', made.text);
    for (const again of [
      await maker.upload('/payouts/upload', confirmed),
      await maker.upload('/payouts/upload', { of }, file),
    ])
      assert.equal(again.headers.get('location'), `/console/batches/${batch}?done=replayed`);
    assert.equal((await app.db.query('select id from payouts')).length, 1);
    assert.match((await maker.get(`/batches/${batch}`)).text, /nomina\.csv/);
    const wrong = {
      name: 'x.csv',
      content: `${CSV}12.531.909-3,012,12531909,Ana,1.000,FAC-2\n12.531.909-3,012,1,Ana,1,F3\n`,
    };
    const refused = await as(desk.users.maker, 'es').upload('/payouts/upload', { of, name: 'Marzo' }, wrong);
    assert.equal(refused.status, 422);
    assertMarked(refused.text, 'file');
    assert.match(refused.text, /Línea 3: El monto no se puede pagar[^<]*como 15000, sin puntos ni comas/);
    assert.equal(refused.text.split('El monto no se puede pagar').length, 2, 'the list alone says what is wrong');
    const bare = await maker.upload('/payouts/upload', { of }, { name: 'x.csv', content: `${CSV.split('\n')[0]}\n` });
    const [alert = ''] = /role="alert">[^]*?<\/div>/.exec(bare.text) ?? [];
    assert.deepEqual([bare.status, alert.split('There are 0 payouts.').length], [422, 2], alert);
    assert.match(
      refused.text,
      /Línea 3: El dígito verificador[\s\S]*Línea 4: El dígito/,
      'one refusal names all wrong lines and accounts',
    );
    assert.match(refused.text, /name="name" maxlength="200" value="Marzo"/, 'the form keeps the name of the batch');
    const unnamed = { name: 'x.csv', content: CSV.replace(',012,', ',Banco Inexistente,').replace('FAC-1', 'FAC-77') };
    assert.match(
      (await maker.upload('/payouts/upload', { of, name: '' }, unnamed)).text,
      /Line 2: No operating bank of the list has this name, or several have it\. Write its name as in the list of banks, or its code/,
    );
    const unusable: [string, RegExp][] = [
      ['', /The file is empty/],
      ['x'.repeat(2 * 1024 * 1024 + 1), /more than 2 MB/],
    ];
    for (const [content, said] of unusable) {
      const { status, text } = await maker.upload('/payouts/upload', { of }, { name: 'x.csv', content });
      assert.equal(status, 400);
      assert.match(text, said);
      assertMarked(text, 'file');
    }
    for (const content of ['nothing', 'a;b\n1;2\n'])
      assert.ok(
        [400, 422].includes((await maker.upload('/payouts/upload', { of }, { name: 'x.csv', content })).status),
      );
    const elsewhere = await createTestUser(app, { role: 'finance', may: [], paymentServices: [] });
    assert.equal((await as(elsewhere).upload('/payouts/upload', { of }, file)).status, 404);
  });

  test('mark, before a batch is proposed, the rows that have the RUT and amount of another row or of a recent payout', async () => {
    const { app, desk, server, as, maker, of } = await open();
    await using _server = server;
    const row = (amount: number, id: string) => `12.531.909-2,012,12531909,Ana Núñez,${amount},${id}`;
    const fileOf = (...rows: string[]) => ({
      name: 'nomina.csv',
      content: ['rut,banco,cuenta,nombre,monto,id', ...rows].join('\n'),
    });
    const alone = await maker.upload('/payouts/upload', { of }, fileOf(row(15_000, 'F-1'), row(16_000, 'F-2')));
    assert.doesNotMatch(alone.text, /Same as|before you propose/);
    await propose(app, desk, [wish({ amount: 16_000 })]);
    const rows = [row(14_000, 'F-0'), row(15_000, 'F-1'), row(15_000, 'F-2'), row(16_000, 'F-3')];
    const spanish = as(desk.users.maker, 'es');
    const { text } = await spanish.upload('/payouts/upload', { of }, fileOf(...rows));
    assert.match(text, /role="alert"[^]*revisa 3 pagos: su RUT y su monto/);
    const marked = [...text.matchAll(/>(F-\d)<[^]*?<\/tr>/g)].map(([html, id]) => [
      id,
      /Igual a [^<]+/.exec(html)?.[0],
    ]);
    assert.deepEqual(marked, [
      ['F-1', 'Igual a otra línea'],
      ['F-2', 'Igual a otra línea'],
      ['F-3', 'Igual a un pago reciente'],
      ['F-0', undefined],
    ]);
    app.now.advance(31 * 86_400_000);
    const paymentServices = [desk.environment.paymentServiceId];
    const other = await createTestUser(app, { role: 'finance', may: [], paymentServices });
    const later = await as(other).upload('/payouts/upload', { of }, fileOf(row(16_000, 'F-3')));
    assert.doesNotMatch(later.text, /Same as/);
  });

  test('choose no merchant of several beforehand, and keep what was typed where none was chosen', async () => {
    const { app, desk, server, as, maker } = await open();
    await using _server = server;
    const finance = as(await createTestUser(app, { role: 'finance', may: [] }));
    const unchosen = /<select name="of" required><option value="">Choose a merchant/;
    assert.doesNotMatch((await finance.get('/payouts/upload')).text, unchosen, 'there is one merchant');
    await createTestEnvironment(app);
    for (const path of ['/payouts/upload', '/payout-files/new', '/statements/new']) {
      const { text } = await finance.get(path);
      assert.match(text, unchosen, path);
      assert.doesNotMatch(text, /<select name="of"[^]*? selected[^]*?<\/select>/, path);
      assert.doesNotMatch((await maker.get(path)).text, unchosen, path);
    }
    const file = { name: 'nomina.csv', content: CSV };
    const upload = await finance.upload('/payouts/upload', { of: '', name: 'Enero' }, file);
    const statement = await finance.upload('/statements', { of: '', account: '123456789' }, file);
    const made = await finance.post('/payout-files', { of: '', format: 'santander', account: '123456789' });
    for (const [{ status, text }, typed] of [
      [upload, 'Enero'],
      [statement, '123456789'],
      [made, '123456789'],
    ] as const) {
      assert.equal(status, 400);
      assertMarked(text, 'of');
      assert.ok(text.includes(`value="${typed}"`), typed);
    }
    await propose(app, desk);
    const [recipient] = await app.db.query<{ id: string }>('select id from recipients');
    const pay = await finance.post(`/recipients/${recipient?.id}/pay`, { of: '', amount: '15000', reference: 'FAC-9' });
    assert.deepEqual([pay.status, pay.text.includes('value="FAC-9"')], [400, true]);
  });

  test('choose no format of a bank beforehand, and the merchant only if no other has approved payouts', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const finance = as(await createTestUser(app, { role: 'finance', may: [] }));
    const chosen = async () => {
      const { text } = await finance.get('/payout-files/new');
      return [...text.matchAll(/<option value="([^"]*)" selected/g)].map(([, value]) => value);
    };
    await approved(app, desk);
    const of = String(desk.environment.id);
    assert.deepEqual(await chosen(), [of]);
    const refused = await finance.post('/payout-files', { of, format: '', account: '123456789' });
    assert.equal(refused.status, 400);
    assertMarked(refused.text, 'format');
    await approved(app, await openPayoutDesk(app));
    assert.deepEqual(await chosen(), []);
  });

  test('keep no account without a merchant for a person who sees several', async () => {
    const { app, server, as } = await open();
    await using _server = server;
    await createTestEnvironment(app);
    const finance = as(await createTestUser(app, { role: 'finance', may: [] }));
    assert.match((await finance.get('/recipients')).text, /<select name="merchant" required><option value="">Choose a/);
    const account = { rut: '12.531.909-2', bank: '012', account: '12531909', name: 'Ana Núñez', email: '' };
    const { status, text } = await finance.post('/recipients', { ...account, merchant: '' });
    assert.equal(status, 400);
    assertMarked(text, 'merchant');
    assert.ok(text.includes('Choose a merchant') && text.includes('value="12531909"'));
    assert.deepEqual(await app.db.query('select id from bank_account_validations'), []);
  });

  test('ask no provider for a preview, and store no validation', async () => {
    const asked: unknown[] = [];
    const app = createTestApp(await openTestDatabase());
    const provider = {
      name: 'counting',
      covers: () => true,
      ask: async (question: unknown) => {
        asked.push(question);
        return { kind: 'unavailable' as const };
      },
    };
    Object.assign(app, { validationProvider: provider });
    const desk = await openPayoutDesk(app);
    const { previewPayouts } = await import('../../src/payouts/propose-payouts.ts');
    const batch = { name: 'x', fileSha256: null };
    const preview = await previewPayouts(app, { owner: desk.environment, by: desk.maker, wishes: [wish()], batch });
    assert.ok('planned' in preview && preview.planned[0]?.payee.isNew);
    assert.deepEqual(asked, []);
    assert.equal((await app.db.query('select id from bank_account_validations')).length, 0);
  });

  test('put approved payouts into one file, which can be downloaded again, and preview the bank’s results', async () => {
    const { app, desk, server, as, maker, of } = await open();
    await using _server = server;
    const payouts = await approved(app, desk, [
      wish({ reference: 'FAC-1' }),
      wish({ reference: 'FAC-2', amount: 20_000 }),
    ]);
    const idOf = (wanted: string) => payouts.find(({ reference }) => reference === wanted)?.id ?? '';
    const [first, second] = [idOf('FAC-1'), idOf('FAC-2')];
    const chosen = `/payout-files/new?of=${of}&batch=pb_1`;
    assert.match((await maker.get(chosen)).text, /name="batch" maxlength="100" value="pb_1"/);
    const asked = (await maker.get('/payout-files/new')).text;
    assert.match(asked, /counts as sent and cannot be taken back/);
    assert.match(asked, /What is approved in development is a test/);
    assert.match((await maker.get('/payout-files/new')).text, /13 columns\)[\s\S]*several sources agree/);
    const spanish = (await as(desk.users.maker, 'es').get('/payout-files/new')).text;
    assert.match(spanish, /13 columnas\)[\s\S]*219 caracteres por línea/);
    assert.doesNotMatch(spanish, /columns\)|characters a line/, 'the names of the formats are in Spanish');
    assert.match(spanish, />5\.000</, 'a number of four digits has its point');
    assert.match(asked, />5,000</);
    await createPaymentService(app, 'A first name', TESTER);
    const { text } = await as(await createTestUser(app, { role: 'owner', may: [] })).get('/payout-files/new');
    assert.ok(text.includes(`<option value="${of}" selected>`), 'the merchant with approved payouts is proposed');
    const lacking = await as(desk.users.maker, 'es').post('/payout-files', {
      of,
      format: 'bancochile-masivas',
      account: '1',
    });
    assert.equal(lacking.status, 422);
    assert.match(lacking.text, /No se hizo ningún archivo\. bancochile-masivas pide el RUT de quien paga/);
    assert.doesNotMatch(lacking.text, /Los pagos no son válidos/, 'a form without a RUT is not called invalid payouts');
    const whole = { of, format: 'scotiabank', account: '1', rut: '76111222-8', name: 'Sur', agreement: '1' };
    for (const wrong of [{ format: 'x' }, { account: 'x' }, { rut: '1-1' }, { name: '' }, { agreement: '' }]) {
      const refused = await maker.post('/payout-files', { ...whole, ...wrong });
      assert.equal(refused.status, 422);
      assertMarked(refused.text, ...Object.keys(wrong));
    }
    assertMarked((await maker.post('/payout-files', { ...whole, batch: 'pb_1' })).text, 'batch');
    const made = await maker.post('/payout-files', {
      of,
      format: 'bancoestado-proveedores',
      account: '123456789',
      confirm: 'yes',
    });
    const path = /^\/console(\/payout-files\/pf_\w+)\?done=filed$/.exec(made.headers.get('location') ?? '')?.[1] ?? '';
    assert.notEqual(path, '', made.text);
    assert.equal(await stateOf(app, first), 'sent');
    const filed = (await maker.get(`${path}?done=filed`)).text;
    assert.match(filed, /These payouts are tests, of development\. Do not take the file to a bank/);
    assert.doesNotMatch(filed, /take it to your bank/);
    assert.match(filed, /Sent: 2/);
    const [one, two] = [await maker.get(`${path}/content`), await maker.get(`${path}/content`)];
    assert.match(one.text, /12531909/);
    assert.equal(one.text, two.text);
    assert.equal((await as(desk.users.approver).get(`${path}/content`)).status, 403);
    assert.match((await maker.get(`/payouts/${first}`)).text, /Sent<\/strong> · by/);
    const result = {
      name: 'resultado.csv',
      content: 'id;estado;motivo\nFAC-1;Pagado;\nFAC-2;Rechazado;cuenta 123456789 cerrada\nFAC-7;Pagado;\n',
    };
    const shown = await maker.upload(`${path}/results`, {}, result);
    for (const said of [
      '→ Arrived',
      '→ Refused by the bank',
      'cuenta … cerrada',
      'Without a payout in this file: line 4',
    ])
      assert.ok(shown.text.includes(said), said);
    assert.equal(await stateOf(app, first), 'sent', 'a preview changes nothing');
    assert.doesNotMatch(shown.text, /still without a result/);
    const partial = { name: 'r.csv', content: 'id;estado\nFAC-1;Pagado\n' };
    assert.match(
      (await maker.upload(`${path}/results`, {}, partial)).text,
      /1 payout of this file still without a result: FAC-2\./,
    );
    const unexplained = {
      name: 'r.csv',
      content: 'id;estado\nFAC-1;Raro\nFAC-2;Rechazado\nFAC-7;Pagado\nFAC-8;Pagado\n',
    };
    const inSpanish = (await as(desk.users.maker, 'es').upload(`${path}/results`, {}, unexplained)).text;
    assert.match(
      inSpanish,
      /Sin un pago en este archivo: líneas 4, 5\.[\s\S]*un mismo pago tiene estados distintos o puede ser de cualquiera de varios pagos iguales: línea 2\./,
    );
    assert.match(inSpanish, /el banco no dio un motivo/, 'our own words are in the language of the reader');
    assert.doesNotMatch(inSpanish, /the bank gave no reason/);
    const large = { name: 'r.csv', content: `id;estado\n${'FAC-1;Pagado\n'.repeat(180_000)}` };
    const refused = await maker.upload(`${path}/results`, {}, large);
    assertMarked(refused.text, 'file');
    assert.match(refused.text, /The file has more than 2 MB/, 'its confirmation could not be sent');
    const pdf = { name: 'resultado.pdf', content: '%PDF-1.4' };
    const unread = await as(desk.users.maker, 'es').upload(`${path}/results`, {}, pdf);
    assertMarked(unread.text, 'file');
    assert.match(
      unread.text,
      /No se leyó el archivo de resultados, y nada cambió\. El archivo es un PDF, que no tiene una tabla\. Descarga/,
    );
    assert.doesNotMatch(unread.text, /Los pagos no son válidos/, 'an unreadable file is not called invalid payouts');
    const carried = { content: valueOf(shown.text, 'content'), file_name: 'resultado.csv', confirm: 'yes' };
    const done = await maker.upload(`${path}/results`, carried);
    assert.equal(done.headers.get('location'), `/console${path}?settled=2&already=0&contradicted=0`);
    assert.deepEqual([await stateOf(app, first), await stateOf(app, second)], ['confirmed', 'failed']);
    const repeated = (await maker.upload(`${path}/results`, {}, result)).text;
    assert.match(repeated, /All of this was recorded before/);
    assert.doesNotMatch(repeated, /Take over/, 'there is nothing to take over');
    const against = { name: 'r.csv', content: 'id;estado\nFAC-2;Pagado\n' };
    assert.match(
      (await maker.upload(`${path}/results`, {}, against)).text,
      /Contradicts: Arrived[^]*Take over 1 result</,
    );
    assert.match((await maker.get(`${path}?settled=0&already=0&contradicted=1`)).text, /Contradict what is known: 1\./);
    const page = await maker.get(`/payouts/${first}`);
    assert.match(page.text, /Arrived<\/strong> · by user-/, 'the timeline names the person who imported the result');
    assert.match((await maker.get('/payout-files')).text, /Arrived: 1/);
    assert.match((await as(desk.users.maker, 'es').get('/payout-files')).text, />Creado \(Chile\)</, 'un archivo');
    app.now.advance(16 * MINUTE_MS);
    for (const answer of [
      await maker.get('/payout-files/new'),
      await maker.post('/payout-files', { of, format: 'bci', account: '1' }),
      await maker.upload(`${path}/results`, carried),
    ])
      assert.match(answer.headers.get('location') ?? '', /^\/console\/prove\?next=/);
    const back = new URL(
      (await maker.upload(`${path}/results`, {}, result)).headers.get('location') ?? '',
      'http://host',
    ).searchParams.get('next');
    assert.match((await maker.get(back ?? '')).text, /Choose the file again/);
    const again = await maker.post('/payout-files', { of, format: 'bci', account: '1' });
    assert.match(
      again.headers.get('location') ?? '',
      /new%3Ftyped%3D/,
      'the form keeps the typed text after the second factor',
    );
  });

  test('show the payouts, their sum, the account, the format and the day of a bank file before it is written', async () => {
    const { app, desk, server, as, maker, of } = await open();
    await using _server = server;
    const first = await approved(app, desk, [
      wish({ reference: 'FAC-1' }),
      wish({ reference: 'FAC-2', amount: 20_000 }),
    ]);
    const typed = { of, format: 'bancoestado-proveedores', account: '123456789' };
    const { text, status } = await maker.post('/payout-files', typed);
    assert.equal(status, 200);
    const seen = text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    for (const said of [
      'Write 1 file for the bank?',
      'Payouts 2 payouts, $30.000 CLP',
      'Account that is debited 123456789',
      'Day in the file 2026-01-15',
      'Format BancoEstado',
      'Once they are in a file, these payouts count as sent and cannot be taken back.',
      'These payouts are tests',
    ])
      assert.ok(seen.includes(said), `${said}\n${seen}`);
    assert.match(
      (await as(desk.users.maker, 'es').post('/payout-files', typed)).text,
      /¿Escribir 1 archivo para el banco\?/,
    );
    assert.equal(await stateOf(app, first[0]?.id ?? ''), 'approved', 'a question writes nothing');
    assert.equal((await app.db.query('select id from payout_files')).length, 0);
    const confirmed = { ...typed, shown: valueOf(text, 'shown'), confirm: 'yes' };
    const [more] = await approved(app, desk, [wish({ reference: 'FAC-3' })]);
    const changed = await maker.post('/payout-files', confirmed);
    assert.equal(changed.status, 409);
    assert.match(changed.text, /have changed since they were shown: look at them again/);
    assert.match(changed.text, /name="account"[^>]* value="123456789"/, 'what was typed stays');
    assert.equal(await stateOf(app, more?.id ?? ''), 'approved');
    const again = await maker.post('/payout-files', typed);
    const done = await maker.post('/payout-files', { ...confirmed, shown: valueOf(again.text, 'shown') });
    assert.match(done.headers.get('location') ?? '', /\?done=filed$/);
    assert.equal(await stateOf(app, more?.id ?? ''), 'sent');
  });

  test('store the account type for a bank that requires it', async () => {
    const { app, desk, server, as, maker, of } = await open();
    await using _server = server;
    const payee = { ...wish().payee, bankCode: '001', account: '990011223' };
    const [payout] = await approved(app, desk, [wish({ payee })]);
    const [waiting] = await propose(app, desk, [wish({ payee, reference: 'FAC-9' })]);
    const ask = () => maker.post('/payout-files', { of, format: 'bancochile-v4', account: '1', confirm: 'yes' });
    const refused = await ask();
    assert.equal(refused.status, 422);
    const at = `/payouts/${payout?.id}`;
    const link = String.raw`role="alert">[^]*nobody has said it of <a class="code" href="/console${at}">${payout?.id}</a>`;
    assert.match(refused.text, new RegExp(`${link}[^]*A person who may approve says it on the page`));
    assert.equal((await maker.post(`${at}/account-type`, { type: 'gold' })).status, 422);
    assert.equal((await maker.post(`${at}/account-type`, { type: 'checking' })).status, 403);
    assert.doesNotMatch((await maker.get(at)).text, /<form[^>]*account-type/);
    const approver = as(desk.users.approver);
    assert.match((await approver.get(at)).text, /<form[^>]*account-type/);
    const set = await approver.post(`${at}/account-type`, { type: 'savings' });
    const kept = await approver.get(set.headers.get('location')?.replace('/console', '') ?? '');
    assert.match(kept.text, /role="status"[^]*Saved: the kind of account[^]*Kind of account<\/dt><dd>Savings/);
    assert.match(kept.text, /value="savings" selected/, 'the form proposes what is set');
    assert.match((await approver.get(`/payouts/${waiting?.id}/approve`)).text, /<span class="quiet">Savings/);
    assert.equal((await ask()).status, 303);
    assert.equal(await stateOf(app, payout?.id ?? ''), 'sent');
  });

  test('are all covered by the tests of refused access', () => {
    const rooms = ROUTES.filter(({ access, paths }) => access === 'session' && /payout|batch|recipient/.test(paths[0]));
    // The form of a payout to the merchant is in record-by-hand.test.ts.
    const tested = /^\/console\/(payouts|batches|recipients|payout-files|movements\/payout$)/;
    assert.deepEqual(
      rooms.filter(({ paths }) => !tested.test(paths[0])).map(({ paths }) => paths[0]),
      [],
    );
  });
});
