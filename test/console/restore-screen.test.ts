import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { findHeld } from '../../src/epochs/hold.ts';
import { removePayoutSender, setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { readRestores } from '../../src/proof/restores/restore.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const PATH = '/console/restore';
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
const PROOF_MS = 15 * 60_000;

forEachEngine('a restore at the console', (openTestDatabase) => {
  /** Restores, after two hours, a store with a paid order, an open refund and a waiting callback. */
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment, { reference: 'ORD-1' });
    await acceptedRefund(app, paid, 1000);
    app.now.advance(2 * 60 * 60_000);
    const { epoch } = await beginEpoch(app, [], 0, TESTER);
    const server = await startTestServer(app);
    const operator = await createTestUser(app, { role: 'operator', may: [], email: 'olga@example.cl' });
    const release = (
      fields: Record<string, string>,
      user: TestUser = operator,
      headers: Record<string, string> = FORM,
    ) => server.post(PATH, { headers: { ...user.console, ...headers }, body: String(new URLSearchParams(fields)) });
    const acts = async () => {
      const { acts: all } = await listAudit(app, { who: 'olga@example.cl' }, 50);
      const ours = all.filter(({ action }) => action.startsWith('store.'));
      return ours.map(({ action, reason }) => `${action}: ${reason}`).toSorted();
    };
    return {
      app,
      server,
      paid,
      operator,
      release,
      acts,
      wish: { epoch: String(epoch), compared: 'yes', reason: 'cotejado' },
    };
  };

  test('shows what to compare, and is released once, under the name of a person and with a reason', async () => {
    const { app, server, paid, operator, release, acts, wish } = await open();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const waits = await server.get('/console/attention?kind=restore', owner.console);
    assert.match(waits.text, /<a href="\/console\/restore">Comparar y liberar<\/a>/);
    assert.doesNotMatch((await server.get(`${PATH}?reason=from+a+link`, operator.console)).text, /from a link/);
    const { status, text } = await server.get(PATH, operator.console);
    assert.equal(status, 200);
    assert.match(text, /, 2 h antes: de lo que pasó desde entonces no sabe nada/);
    assert.match(text, /Devoluciones sin final: antes de pedirlas se le pregunta al medio: 1</);
    assert.match(text, /Callbacks que salen al liberar: [1-9]/);
    assert.ok((await server.get(PATH, owner.console)).text.includes(`/console/payments/${paid.id}"`));
    assert.ok(await findHeld(app));
    const clicks = await Promise.all([release(wish), release(wish)]);
    for (const { status: code, headers } of [...clicks, await release(wish)])
      assert.deepEqual([code, headers.get('location')], [303, PATH]);
    assert.equal(await findHeld(app), null);
    const restores = await readRestores(app);
    assert.deepEqual(
      restores.map(({ accepted }) => [accepted?.by, accepted?.reason]),
      [['olga@example.cl', 'cotejado']],
    );
    assert.deepEqual(await acts(), ['store.released: cotejado', 'store.restore_accepted: cotejado']);
    const after = await server.get(PATH, operator.console);
    assert.match(after.text, /Nada está detenido/);
    assert.match(after.text, /La liberó .+ el /);
  });

  test('counts the approved payouts that the bank may have paid, also for people who may not read payouts', async () => {
    const { app, server, operator } = await open();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    assert.match((await server.get(PATH, operator.console)).text, /<p>Pagos a terceros aprobados: 0<\/p>/);
    const desk = await openPayoutDesk(app);
    await approved(app, desk, [wish({ amount: 15_000 })]);
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    await approved(app, desk, [wish({ amount: 10_000 })]);
    await removePayoutSender(app, desk.environment, desk.maker);
    const waits = 'Pagos a terceros aprobados: 2';
    const rest = '. Suman $25.000 CLP. Al liberar, un proveedor recibe 0 de ellos.</p>';
    assert.ok((await server.get(PATH, operator.console)).text.includes(`<p>${waits}${rest}`));
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    const { text } = await server.get(PATH, owner.console);
    const link = `<a href="/console/payouts?state=approved">${waits}</a>`;
    assert.ok(text.includes(`<p>${link}${rest.replace('0 de', '2 de')}`), text);
  });

  test('is named on every screen of staff until it is released, with a link for people who may read about it', async () => {
    const { app, server, paid, operator, release, wish } = await open();
    await using _server = server;
    const support = await createTestUser(app, { role: 'support', may: [] });
    const service = app.db.query<{ id: string }>('select payment_service_id as id from environments where id = $1', [
      paid.environment_id,
    ]);
    const [{ id: paymentService }] = (await service) as [{ id: string }];
    const merchant = await createTestUser(app, { role: 'merchant', may: [], paymentServices: [paymentService] });
    const saidTo = async (user: TestUser) => {
      const { text } = await server.get('/console/payments', user.console);
      return /La base se restauró: los callbacks, [^<]+\.( <a href="\/console\/restore">)?/.exec(text);
    };
    assert.deepEqual((await saidTo(operator))?.[1], ' <a href="/console/restore">');
    assert.deepEqual((await saidTo(support))?.slice(1), [undefined]);
    assert.equal(await saidTo(merchant), null);
    assert.doesNotMatch((await server.get(PATH, operator.console)).text, /La base se restauró: los callbacks/);
    await release(wish);
    assert.equal(await saidTo(operator), null);
  });

  test('is not released by an invalid form, without permission or fresh proof, from another site or an outdated page', async () => {
    const { app, server, operator, release, acts, wish } = await open();
    await using _server = server;
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    const read = await server.get(PATH, auditor.console);
    assert.deepEqual(
      [read.status, /La libera quien puede crear comercios, [^<]+ \(operación, titular\)/.test(read.text)],
      [200, true],
    );
    assert.doesNotMatch(read.text, /name="compared"/);
    assert.equal(
      (await server.get(PATH, (await createTestUser(app, { role: 'support', may: [] })).console)).status,
      403,
    );
    for (const user of [auditor, finance]) assert.equal((await release(wish, user)).status, 403);
    for (const site of ['cross-site', 'same-site'])
      assert.equal((await release(wish, operator, { ...FORM, 'sec-fetch-site': site })).status, 403);
    const rows: [fields: Record<string, string>, status: number, said: RegExp, field?: string][] = [
      [{ ...wish, compared: '' }, 400, /Marca que lo comparaste/, 'compared'],
      [{ ...wish, reason: ' ' }, 400, /Escribe el motivo/, 'reason'],
      [{ ...wish, reason: 'lo dijo ana@example.cl' }, 400, /Escribe el motivo/, 'reason'],
      [{ ...wish, epoch: '1' }, 409, /Ahora espera otra restauración/],
      [{ ...wish, epoch: '' }, 409, /Ahora espera otra restauración/],
    ];
    for (const [fields, status, said, field] of rows) {
      const refused = await release(fields);
      assert.equal(refused.status, status, JSON.stringify(fields));
      assert.match(refused.text, said);
      assertMarked(refused.text, ...(field === undefined ? [] : [field]));
    }
    assert.match((await release({ ...wish, compared: '' })).text, /name="reason"[^>]* value="cotejado"/);
    app.now.advance(PROOF_MS + 1000);
    for (const answer of [await server.get(PATH, operator.console), await release(wish)])
      assert.match(answer.headers.get('location') ?? '', /^\/console\/(?:prove|sign-in)\?next=/);
    assert.ok(await findHeld(app));
    assert.deepEqual(await acts(), []);
  });
});
