import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { selectMovements } from '../../src/movements/movement-queries.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { returnDeposit } from '../../src/statements/return-deposit.ts';
import { atConsole } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM } from '../support/form-headers.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const PATH = '/movements/deposit';
const PAID = '/movements/payout';
const PROOF_MS = 15 * 60_000;

forEachEngine('the forms of deposits and payouts that no bank statement shows', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app, { money: 10_000 });
    const server = await startTestServer(app);
    const as = (user: TestUser, language = 'es') => atConsole(server, { 'accept-language': language, ...user.console });
    const { environment } = desk;
    const typed = {
      of: String(environment.id),
      from: 'method simulated',
      amount: '9000',
      commission: '300',
      currency: 'CLP',
      reference: 'ABONO-0115-A',
    };
    const deposits = async () =>
      (await selectMovements(app.db, 'deposit', 10)).map(({ amount, commission, payment_method, reference }) =>
        [amount, commission, payment_method, reference].join(' '),
      );
    return { app, desk, server, as, typed, deposits };
  };

  test('show what the books will say, and record a deposit once in the name of the person', async () => {
    const { app, desk, server, as, typed, deposits } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const { paymentServiceId, environment } = desk.environment;
    const account = await maker.get(`/accounts/${paymentServiceId}?environment=${environment}`);
    const way = `href="/console${PATH}?of=${desk.environment.id}"`;
    assert.ok(account.text.includes(way));
    const everything = as(await createTestUser(app, { role: 'finance', may: [] }));
    assert.ok((await everything.get('/movements')).text.includes(`href="/console${PATH}"`));
    const form = await maker.get(`${PATH}?of=${desk.environment.id}`);
    assert.ok(form.text.includes(`<option value="${desk.environment.id}" selected>`));
    const asked = await maker.post(PATH, typed);
    assert.match(asked.text, /¿Registrar un depósito de \$9\.000 CLP\?/);
    const rows = [...asked.text.matchAll(/data-label="(?:Asiento|Debe|Haber|Monto)"[^>]*>([^<]+)</g)].map(
      ([, cell]) => cell,
    );
    assert.deepEqual(rows, [
      'depósito',
      'el banco',
      'por cobrar a Simulador',
      '$9.000 CLP',
      'comisión del medio',
      'comisiones de los adquirentes',
      'por cobrar a Simulador',
      '$300 CLP',
    ]);
    assert.match(asked.text, /Después Simulador todavía debe \$700 CLP/);
    assert.deepEqual(await deposits(), [], 'a question records nothing');
    const sent = Object.fromEntries(
      [
        ...asked.text.slice(asked.text.indexOf(`action="/console${PATH}"`)).matchAll(/name="(\w+)" value="([^"]*)"/g),
      ].map(([, name = '', value = '']) => [name, value]),
    );
    assert.deepEqual(sent, { ...typed, confirm: 'yes' });
    const to = (await maker.post(PATH, sent)).headers.get('location') ?? '';
    assert.match(to, /^\/console\/movements\/mv_\w+\?done=recorded$/);
    assert.match((await maker.get(to.slice('/console'.length))).text, /Registrado: está en los libros/);
    const again = await maker.post(PATH, sent);
    assert.equal(again.headers.get('location'), to.replace('recorded', 'replayed'), 'a second click');
    assert.deepEqual(await deposits(), ['9000 300 simulated ABONO-0115-A']);
    const { acts } = await listAudit(app, { action: 'deposit.recorded' }, 10);
    assert.deepEqual(
      acts.map(({ who }) => who.name),
      [desk.users.maker.email],
    );
  });

  test('record what the merchant paid in, of any amount, without a commission', async () => {
    const { desk, server, as, typed, deposits } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const paidIn = { ...typed, from: 'merchant', amount: '500000', reference: 'TRF-1' };
    assertMarked((await maker.post(PATH, paidIn)).text, 'commission');
    const asked = await maker.post(PATH, { ...paidIn, commission: '' });
    assert.match(asked.text, /El comercio lo depositó[^]*Al comercio le quedan \$510\.000 CLP disponibles/);
    await maker.post(PATH, { ...paidIn, commission: '', confirm: 'yes' });
    assert.deepEqual(await deposits(), ['500000 0  TRF-1']);
  });

  test('refuse wrong fields, more than the method owes and another use of a reference, and keep what was typed', async () => {
    const { app, desk, server, as, typed, deposits } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const other = await createTestEnvironment(app);
    const wrong = [
      [{ of: '' }, 'of'],
      [{ of: String(other.id) }, 'of'],
      [{ from: '' }, 'from'],
      [{ from: 'method none' }, 'from'],
      [{ currency: 'XXZ' }, 'currency'],
      [{ amount: '9.000' }, 'amount'],
      [{ amount: '0' }, 'amount'],
      [{ commission: 'poco' }, 'commission'],
      [{ reference: 'ñandú' }, 'reference'],
    ] as const;
    for (const [change, field] of wrong) {
      for (const confirm of [{}, { confirm: 'yes' }]) {
        const { status, text } = await maker.post(PATH, { ...typed, ...change, ...confirm });
        assert.equal(status, 400, field);
        assertMarked(text, field);
      }
    }
    for (const confirm of [{}, { confirm: 'yes' }]) {
      const { status, text } = await maker.post(PATH, { ...typed, amount: '9701', ...confirm });
      assert.deepEqual([status, /Simulador debe solo \$10\.000 CLP: no se registró nada/.test(text)], [409, true]);
      assertMarked(text, 'amount');
      assert.ok(text.includes('value="ABONO-0115-A"'));
    }
    assert.deepEqual(await deposits(), []);
    await maker.post(PATH, { ...typed, confirm: 'yes' });
    const known = (await maker.post(PATH, typed)).headers.get('location') ?? '';
    assert.ok(known.endsWith('?done=replayed'), 'the look says it too');
    for (const confirm of [{}, { confirm: 'yes' }]) {
      const different = await maker.post(PATH, { ...typed, amount: '400', ...confirm });
      assert.deepEqual([different.status, /ya hay uno de \$9\.000 CLP/.test(different.text)], [409, true]);
    }
    const wish = { reference: typed.reference, reason: 'never came', by: desk.maker };
    await returnDeposit(app, desk.environment, wish);
    for (const confirm of [{}, { confirm: 'yes' }]) {
      const returned = await maker.post(PATH, { ...typed, ...confirm });
      assert.deepEqual([returned.status, /se deshizo: registra el nuevo con otra/.test(returned.text)], [409, true]);
    }
  });

  test('record a payout to the merchant once, and never more than can be paid to it', async () => {
    const { app, desk, server, as, typed } = await open();
    await using _server = server;
    await setFundsRule(app, { ...desk.environment, currency: 'CLP' }, { kept_back: 1000, overdraft: 0 }, TESTER);
    const maker = as(desk.users.maker);
    const { of, currency } = typed;
    const paid = { of, currency, amount: '9000', reference: 'TEF-9' };
    const way = `href="/console${PAID}"`;
    assert.ok((await as(await createTestUser(app, { role: 'finance', may: [] })).get('/movements')).text.includes(way));
    const { text } = await maker.get(`${PAID}?of=${of}`);
    assert.ok(text.includes(`<option value="${of}" selected>`) && !text.includes('name="commission"'));
    for (const confirm of [{}, { confirm: 'yes' }]) {
      const more = await maker.post(PAID, { ...paid, amount: '9001', ...confirm });
      assert.deepEqual([more.status, /Hay solo \$9\.000 CLP para pagarle al comercio/.test(more.text)], [409, true]);
      assertMarked(more.text, 'amount');
    }
    const asked = await maker.post(PAID, paid);
    assert.match(
      asked.text,
      /¿Registrar un pago al comercio de \$9\.000 CLP\?[^]*>pago al comercio<[^]*El comercio[^]*el banco/,
    );
    assert.match(asked.text, /Al comercio le quedan \$1\.000 CLP disponibles después/);
    for (const done of ['recorded', 'replayed']) {
      const to = (await maker.post(PAID, { ...paid, confirm: 'yes' })).headers.get('location') ?? '';
      assert.ok(to.endsWith(`?done=${done}`), to);
    }
    const payouts = await selectMovements(app.db, 'payout', 10);
    assert.deepEqual(
      payouts.map(({ amount, reference, recorded_by }) => [amount, reference, recorded_by]),
      [[9000, 'TEF-9', desk.users.maker.email]],
    );
    const { acts } = await listAudit(app, { action: 'payout.recorded' }, 10);
    assert.equal(acts.length, 1);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('are closed without the permission, the factor or the payment service, and to another site', async () => {
    const { app, desk, server, as, typed, deposits } = await open();
    await using _server = server;
    const confirmed = { ...typed, confirm: 'yes' };
    for (const role of ['support', 'operator', 'auditor', 'approver'] as const) {
      const user = as(await createTestUser(app, { role, may: [] }));
      for (const path of [PATH, PAID])
        for (const answer of [await user.get(path), await user.post(path, confirmed)])
          assert.equal(answer.status, 403, role);
      if (role === 'auditor') assert.ok(!(await user.get('/movements')).text.includes(PATH));
    }
    const elsewhere = await server.post(`/console${PATH}`, {
      headers: { ...FORM, 'sec-fetch-site': 'cross-site', ...desk.users.maker.console },
      body: String(new URLSearchParams(confirmed)),
    });
    assert.equal(elsewhere.status, 403);
    app.now.advance(PROOF_MS + 1);
    const maker = as(desk.users.maker);
    const to = (await maker.post(PATH, confirmed)).headers.get('location') ?? '';
    assert.match(to, /^\/console\/prove\?next=/);
    const next = new URLSearchParams(to.split('?')[1]).get('next') ?? '';
    assert.match(next, /^\/movements\/deposit\?typed=/);
    assert.deepEqual(await deposits(), []);
    const fresh = await createTestUser(app, { role: 'finance', may: [] });
    await leaveFor(app, desk.environment);
    assert.equal((await as(fresh).post(PATH, confirmed)).status, 421);
    assert.deepEqual(await deposits(), []);
  });
});
