import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { approveRefundRequest, rejectRefundRequest } from '../../src/refunds/decide-refund-request.ts';
import type { RefundRequest } from '../../src/refunds/refund-request.ts';
import {
  insertRefundRequest,
  selectRefundRequest,
  selectRefundRequestsOf,
} from '../../src/refunds/refund-request-queries.ts';
import { atConsole, ConsolePerson, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { actorOf, askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const MINUTE = 60_000;

forEachEngine('a refund above a limit at the console', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openRefundDesk(app);
    const server = await startTestServer(app);
    const as = (user: TestUser, language = 'en') => atConsole(server, { 'accept-language': language, ...user.console });
    const stateOf = async (request: RefundRequest) => (await selectRefundRequest(app.db, request))?.state;
    const at = `/payments/${desk.paid.id}`;
    return { app, desk, server, as, stateOf, at };
  };

  test('is announced before any click: on the form, and in place of the confirmation', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    const { asker, approver } = desk.users;
    const form = (await as(asker, 'es').get(at)).text;
    assert.match(form, /hoy te quedan \$100\.000 CLP\. Una devolución mayor queda como solicitud/);
    assert.doesNotMatch((await as(approver, 'es').get(at)).text, /queda como solicitud/);
    const confirmationOf = async (amount: string) => {
      const { headers } = await as(asker).post(`${at}/refund`, { amount, reason: 'roto' });
      return as(asker).get((headers.get('location') ?? '').replace('/console', ''));
    };
    const within = await confirmationOf('100000');
    assert.match(within.text, /name="key"/);
    const above = await confirmationOf('100001');
    assert.equal(above.status, 200);
    assert.match(above.text, /Ask that another person approve it/);
    assert.doesNotMatch(above.text, /name="key"/);
    assert.deepEqual(await refundsOf(app, desk.paid), []);
  });

  test('says in the list and before the approval that its requester is disabled now', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    const { asker, approver } = desk.users;
    const request = await askForRefund(app, desk);
    const pages = async (language: string) => {
      const paths = ['/refund-requests', at, `${at}/requests/${request.id}/approve`];
      return Promise.all(paths.map(async (path) => (await as(approver, language).get(path)).text));
    };
    for (const page of await pages('en')) assert.doesNotMatch(page, /disabled/);
    const linked = await as(approver, 'en').get(`${at}/requests/${request.id}/approve?reason=from+a+link`);
    assert.doesNotMatch(linked.text, /from a link/);
    await disableUser(app, asker.id, TESTER);
    const [list = '', ...others] = await pages('en');
    assert.ok(list.includes(`${asker.email} (disabled)`));
    for (const page of others) assert.match(page, /That user is disabled now: decide whether the refund is due\./);
    const [lista = '', ...otras] = await pages('es');
    assert.ok(lista.includes(`${asker.email} (deshabilitado)`));
    for (const page of otras) assert.match(page, /Ese usuario está deshabilitado ahora: decide si la devolución/);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const { text } = await as(owner, 'es').get('/attention?kind=refund_request');
    assert.ok(text.includes(`${asker.email} (deshabilitado) pide una devolución`));
    const approval = await approveRefundRequest(app, request, { by: desk.approver, reason: null });
    assert.equal(approval.kind, 'approved');
  });

  test('can be requested, waits on the page of the payment, and is approved there by another person', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    const { asker, approver } = desk.users;
    const wish = { amount: '150000', reason: 'llegó roto' };
    const refused = await as(asker).post(`${at}/refund`, { ...wish, key: 'one' });
    assert.equal(refused.status, 403);
    for (const said of ['$100.000 CLP a day', '$150.000 CLP', 'llegó roto', 'Ask that another person approve it'])
      assert.ok(refused.text.includes(said), said);
    assert.match(refused.text, new RegExp(`action="/console${at}/requests"`));
    assert.match(refused.text, /name="amount" value="150000"><input type="hidden" name="reason" value="llegó roto"/);
    const languageLeadsTo = ({ text }: { text: string }) =>
      /name="next" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const other = await as(asker, 'es').get(languageLeadsTo(refused));
    assert.equal(other.status, 200, 'a change of the language keeps the form');
    assert.ok(other.text.includes('$150.000 CLP') && other.text.includes('llegó roto'));
    const spanish = await as(asker, 'es').post(`${at}/refund`, { ...wish, key: 'one' });
    assert.match(spanish.text, /Puedes devolver \$100\.000 CLP por día/);
    assert.match(spanish.text, /Pedir que otra persona la apruebe/);
    for (let click = 0; click < 2; click++) {
      const made = await as(asker).post(`${at}/requests`, wish);
      assert.equal(made.headers.get('location'), `/console${at}?done=requested`);
    }
    const [request, ...others] = await selectRefundRequestsOf(app.db, desk.paid);
    assert.deepEqual([request?.amount, request?.type, others], [150_000, 'total', []]);
    app.now.advance(5 * MINUTE);
    const own = await as(asker).get(at);
    for (const said of [
      'Refund to approve',
      `${asker.email} asked for it, 5 min`,
      'Another person approves it',
      'Take back',
    ])
      assert.ok(own.text.includes(said), said);
    const path = `${at}/requests/${request?.id}`;
    assert.ok(!own.text.includes(`${path}/approve`));
    assert.match(own.text, /<p>If you take it back, nothing is refunded\. It can be requested again\.<\/p>/);
    const page = await as(approver).get(at);
    assert.ok(page.text.includes(`href="/console${path}/approve"`));
    assert.ok(!page.text.includes(`${path}/withdraw`));
    assert.match(page.text, /If you reject it, nothing is refunded\. It can be requested again\./);
    const without = await as(approver).post(`${path}/reject`, { reason: '' });
    assert.deepEqual(
      [without.status, languageLeadsTo(without)],
      [400, at],
      'the other language leads to the same page',
    );
    assertMarked(without.text, 'reason');
    const asked = await as(approver).get(`${path}/approve`);
    for (const said of [
      'Approve the refund of $150.000 CLP?',
      asker.email,
      'llegó roto',
      'The merchant',
      '-$150.000 CLP',
    ])
      assert.ok(asked.text.includes(said), said);
    const done = await as(approver).post(`${path}/approve`, { reason: 'vi la foto' });
    assert.equal(done.headers.get('location'), `/console${at}?done=approved`);
    const again = await as(approver).post(`${path}/approve`);
    assert.deepEqual([again.status, again.text.includes(`${approver.email} approved it already`)], [409, true]);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, desk.paid), [['completed', 150_000]]);
    const told = (await as(approver).get(at)).text;
    assert.ok(!told.includes('Refund to approve'));
    const titles = [...told.matchAll(/<strong>([^<]+)<\/strong> · \$150\.000 CLP · by ([^\s<]+)/g)];
    assert.deepEqual(
      titles.map(([, title, by]) => [title, by]),
      [
        ['Refund above the limit: waits for another person', asker.email],
        ['Refund above the limit: approved', approver.email],
        ['Refund asked for', asker.email],
      ],
    );
    const { acts } = await listAudit(app, { action: 'refund_request.approved' }, 10);
    assert.deepEqual(
      acts.map(({ who, reason }) => [who.name, reason]),
      [[approver.email, 'vi la foto']],
    );
  });

  test('is listed with its age for an approver, who sees only their own payment services', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const others = await openRefundDesk(app);
    const [request] = [await askForRefund(app, desk), await askForRefund(app, others)];
    app.now.advance(5 * MINUTE);
    const { asker, approver } = desk.users;
    const page = await as(approver, 'es').get('/refund-requests');
    for (const said of ['Devoluciones por aprobar', '150.000', asker.email, 'llegó roto', '5 min'])
      assert.ok(page.text.includes(said), said);
    assert.ok(page.text.includes(`href="/console/payments/${desk.paid.id}"`));
    assert.ok(
      !page.text.includes(`/console/payments/${others.paid.id}"`),
      'a payment of another payment service has no link',
    );
    assert.match((await as(approver).get('/payments')).text, /href="\/console\/refund-requests"/);
    const all = await createTestUser(app, { role: 'auditor', may: [] });
    assert.ok((await as(all).get('/refund-requests')).text.includes(`/console/payments/${others.paid.id}"`));
    await as(approver).post(`/payments/${desk.paid.id}/requests/${request?.id}/reject`, { reason: 'no corresponde' });
    assert.match((await as(approver).get('/refund-requests')).text, /No refund waits for an approval/);
  });

  test('is listed for an approver after it was decided too, with who decided it and why', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    const others = await openRefundDesk(app);
    const { asker, approver } = desk.users;
    const rejected = await askForRefund(app, desk);
    app.now.advance(MINUTE);
    const withdrawn = await askForRefund(app, desk, { amount: 120_000 });
    await askForRefund(app, desk, { amount: 110_000 });
    await askForRefund(app, others);
    await as(approver).post(`${at}/requests/${rejected.id}/reject`, { reason: 'ya se cambió' });
    await as(asker).post(`${at}/requests/${withdrawn.id}/withdraw`, { reason: 'me equivoqué' });
    const list = async (query: string) => {
      const { text } = await as(approver, 'es').get(`/refund-requests?format=csv${query}`);
      return text.split('\r\n').map((line) => line.split(/[;,]/));
    };
    const count = async (query: string) => (await list(query)).filter(([, , id]) => id?.startsWith('rr_')).length;
    assert.deepEqual(
      [await count(''), await count('&state='), await count('&state=rejected'), await count('&state=approved')],
      [1, 3, 2, 0],
    );
    const page = (await as(approver, 'es').get('/refund-requests?state=rejected')).text;
    assert.match(page, /<h1>Devoluciones sobre un límite<\/h1>/);
    assert.match(page, /\$120\.000 CLP[^]*Retirada[^]*me equivoqué[^]*\$150\.000 CLP[^]*Rechazada[^]*ya se cambió/);
    assert.match((await as(approver).get('/refund-requests?state=approved')).text, /Nothing passes the filter/);
  });

  test('is listed for its requester, who sees no request of others, until and after it is decided', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    const { asker, approver } = desk.users;
    const { paymentServiceId } = desk.environment;
    const paymentServices = [paymentServiceId];
    const other = await createTestUser(app, { role: 'support', may: [], paymentServices, refundLimits: { CLP: 1000 } });
    const list = async (language = 'es') => (await as(asker, language).get('/refund-requests')).text;
    assert.match(await list(), /No pediste ninguna devolución sobre tu límite\./);
    assert.match((await as(asker, 'es').get(at)).text, /href="\/console\/refund-requests"[^>]*>Devoluciones pedidas</);
    const request = await askForRefund(app, desk);
    await askForRefund(app, desk, { amount: 2000, by: actorOf(other, 'support') });
    assert.match(await list(), /Devoluciones que pediste[^]*\$150\.000 CLP[^]*Espera a otra persona/);
    assert.doesNotMatch(await list(), /\$2\.000 CLP/);
    await as(approver).post(`${at}/requests/${request.id}/reject`, { reason: 'ya se cambió' });
    const decided = await list();
    for (const said of ['Rechazada', approver.email, 'ya se cambió', `href="/console${at}"`])
      assert.ok(decided.includes(said), said);
    app.now.advance(MINUTE);
    const own = await askForRefund(app, desk, { amount: 120_000 });
    await as(asker).post(`${at}/requests/${own.id}/withdraw`, { reason: 'me equivoqué' });
    assert.match(await list('en'), /Taken back[^]*me equivoqué[^]*Rejected/);
    const developer = await createTestUser(app, { role: 'developer', may: [] });
    assert.equal((await as(developer).get('/refund-requests')).status, 403);
  });

  test('is found by the filter of the list among more requests than the list shows', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const { asker, approver } = desk.users;
    const old = await askForRefund(app, desk);
    await rejectRefundRequest(app, old, { by: desk.approver, reason: 'ya se cambió' });
    await app.db.transaction(async (tx) => {
      for (let amount = 1; amount <= 201; amount++) {
        const row = {
          ...old,
          id: `rr_${amount}`,
          amount,
          type: 'parcial',
          reason: 'talla',
          requested_at: app.now() + 1,
        };
        await insertRefundRequest(tx, { ...row, state: 'waiting' });
      }
    });
    const list = async (user: TestUser, query: string) => (await as(user).get(`/refund-requests?${query}`)).text;
    const service = desk.environment.paymentServiceId;
    const more = /only the first 200 were read/;
    for (const user of [approver, asker]) {
      const all = await list(user, 'state=');
      assert.deepEqual([more.test(all), all.includes('llegó roto')], [true, false]);
      for (const query of ['state=rejected', 'state=&text=llegó', `state=rejected&merchant=${service}`]) {
        const text = await list(user, query);
        assert.deepEqual([more.test(text), text.includes('llegó roto')], [false, true], query);
      }
    }
    assert.match(await list(approver, 'text=talla'), more);
  });

  test('is not approved by the requester, by support, or by a person who does not see the payment service', async () => {
    const { app, desk, server, as, stateOf, at } = await open();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [], refundLimits: { CLP: 1000 } });
    const request = await askForRefund(app, desk, { by: actorOf(owner, 'owner') });
    const path = `${at}/requests/${request.id}`;
    const self = await as(owner).get(at);
    assert.match(self.text, /You cannot approve it: you asked for it yourself/);
    assert.ok(!self.text.includes(`${path}/approve`));
    assert.match((await as(owner, 'es').get(at)).text, /No la puedes aprobar: la pediste tú/);
    assert.equal((await as(owner).get(`${path}/approve`)).status, 409);
    const posted = await as(owner).post(`${path}/approve`);
    assert.deepEqual([posted.status, /you asked for it yourself/.test(posted.text)], [409, true]);
    const support = await createTestUser(app, { role: 'support', may: [] });
    for (const act of ['approve', 'reject'])
      assert.equal((await as(support).post(`${path}/${act}`, { reason: 'no' })).status, 403, act);
    assert.equal((await as(support).get(`${path}/approve`)).status, 403);
    assert.equal(
      (await as(support).post(`${path}/withdraw`, { reason: 'no' })).status,
      403,
      'only the requester may withdraw a request',
    );
    const stranger = await createTestUser(app, { role: 'approver', may: [], paymentServices: [] });
    for (const act of ['approve', 'reject'])
      assert.equal((await as(stranger).post(`${path}/${act}`, { reason: 'no' })).status, 404, act);
    const other = await createPaidTransaction(app, desk.environment);
    const elsewhere = `/payments/${other.id}/requests/${request.id}/approve`;
    assert.equal(
      (await as(desk.users.approver).post(elsewhere)).status,
      404,
      'the address must name the payment of the request',
    );
    assert.equal(await stateOf(request), 'waiting');
    assert.deepEqual(await refundsOf(app, desk.paid), []);
  });

  test('asks the approver for a fresh proof', async () => {
    const { app, desk, server, as, stateOf, at } = await open();
    await using _server = server;
    const request = await askForRefund(app, desk);
    const path = `${at}/requests/${request.id}/approve`;
    app.now.advance(app.config.proofMinutes * MINUTE);
    const wanted = `/console/prove?next=${encodeURIComponent(path)}`;
    assert.equal((await as(desk.users.approver).get(path)).headers.get('location'), wanted);
    assert.equal((await as(desk.users.approver).post(path)).headers.get('location'), wanted);
    const sent = await as(desk.users.approver).post(path, { reason: 'vi la foto' });
    const next = new URL(sent.headers.get('location') ?? '', 'http://localhost').searchParams.get('next') ?? '';
    const proved = new ConsolePerson(server);
    await proved.signIn(desk.users.approver);
    const back = await proved.get(`/console${next}`);
    assert.match(back.text, /name="reason" maxlength="200" value="vi la foto"/, 'the reason is kept');
    assert.equal(await stateOf(request), 'waiting');
  });

  test('asks the approver again when an equal refund was made while the confirmation was open', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const approver = as(desk.users.approver);
    const paid = await createPaidTransaction(app, desk.environment, { reference: 'large', amount: 300_000 });
    const request = await askForRefund(app, { ...desk, paid }, { amount: 120_000 });
    const at = `/payments/${paid.id}`;
    const path = `${at}/requests/${request.id}/approve`;
    const first = valueOf((await approver.get(path)).text, 'equal');
    await acceptedRefund(app, paid, 120_000);
    const asked = await approver.post(path, { equal: first, reason: 'vi la foto' });
    assert.deepEqual([asked.status, /an equal refund/i.test(asked.text)], [200, true]);
    assert.match(asked.text, /name="reason" maxlength="200" value="vi la foto"/);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 120_000]]);
    const second = valueOf(asked.text, 'equal');
    assert.equal((await approver.post(path, { equal: second })).headers.get('location'), `/console${at}?done=approved`);
    assert.equal((await approver.post(path, { equal: second })).status, 409, 'a second click makes no refund');
    assert.equal((await refundsOf(app, paid)).length, 2, 'a person who saw it decides');
  });

  test('keeps waiting while it cannot be refunded, and is rejected or withdrawn with a reason', async () => {
    const { app, desk, server, as, stateOf, at } = await open();
    await using _server = server;
    const { asker, approver } = desk.users;
    const request = await askForRefund(app, desk);
    const path = `${at}/requests/${request.id}`;
    const named = { reason: 'de ana@example.cl' };
    const keptReason = /name="reason"[^>]* value="de ana@example\.cl"/;
    const again = await as(approver).post(`${path}/approve`, named);
    assert.equal(again.status, 400);
    assertMarked(again.text, 'reason');
    assert.match(again.text, keptReason);
    await acceptedRefund(app, desk.paid, 1000);
    for (const act of ['get', 'post'] as const) {
      const refused = await as(approver)[act](`${path}/approve`);
      assert.equal(refused.status, 409, act);
      assert.match(refused.text, /goes on waiting: That is more than what is left of the payment/);
    }
    for (const reason of ['', 'ana@example.cl'])
      assert.equal((await as(approver).post(`${path}/reject`, { reason })).status, 400, reason);
    for (const [user, ending] of [
      [approver, 'reject'],
      [asker, 'withdraw'],
    ] as const) {
      const again = await as(user).post(`${path}/${ending}`, named);
      assert.equal(again.status, 400, ending);
      assertMarked(again.text, 'reason');
      assert.match(again.text, keptReason);
    }
    const unconfirmed = await as(approver).post(`${path}/approve`, named);
    assert.equal(unconfirmed.status, 409, 'a reason that is no reason shows no confirmation of what would be refused');
    assert.match(unconfirmed.text, /goes on waiting: That is more than what is left of the payment/);
    assert.equal(await stateOf(request), 'waiting');
    const rejected = await as(approver).post(`${path}/reject`, { reason: 'ya se cambió' });
    assert.equal(rejected.headers.get('location'), `/console${at}?done=rejected`);
    const late = await as(approver).post(`${path}/reject`, { reason: 'otra' });
    assert.deepEqual([late.status, late.text.includes(`${approver.email} rejected it or took it back`)], [409, true]);
    const own = await askForRefund(app, desk, { amount: 120_000 });
    const withdrawn = await as(asker).post(`${at}/requests/${own.id}/withdraw`, { reason: 'me equivoqué' });
    assert.equal(withdrawn.headers.get('location'), `/console${at}?done=withdrawn`);
    assert.deepEqual([await stateOf(request), await stateOf(own)], ['rejected', 'rejected']);
    const told = (await as(asker, 'es').get(`${at}?done=withdrawn`)).text;
    assert.match(told, /Retirada: no se devuelve nada\./);
    assert.equal(told.match(/Devolución sobre el límite: rechazada/g)?.length, 2);
  });

  test('is requested only if the refund could be made, and within the limit leads to the refund itself', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    const { asker } = desk.users;
    const ask = (amount: string, reason = 'roto') => as(asker).post(`${at}/requests`, { amount, reason });
    assert.equal((await ask('150001')).status, 400);
    assert.equal((await ask('120000', '')).status, 400);
    const within = await ask('100000');
    const question = within.headers.get('location') ?? '';
    assert.equal(/reason|roto/.test(question), false, 'the reason is not in the address');
    assert.match((await as(asker).get(question.slice('/console'.length))).text, /roto[^]*name="amount" value="100000"/);
    app.now.advance(200 * 24 * 60 * MINUTE);
    const user = await createTestUser(app, { role: 'support', may: [] });
    const late = await as(user).post(`${at}/requests`, { amount: '120000', reason: 'roto' });
    assert.deepEqual([late.status, /paid too long ago/.test(late.text)], [409, true]);
    assert.deepEqual(await selectRefundRequestsOf(app.db, desk.paid), []);
  });

  test('is in the attention list, which links to its payment', async () => {
    const { app, desk, server, as, at } = await open();
    await using _server = server;
    await askForRefund(app, desk);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const { text } = await as(owner, 'es').get('/attention?kind=refund_request');
    assert.match(text, new RegExp(`<a href="/console${at}"><span[^>]*>Devolución por aprobar`));
    assert.match(text, /pide una devolución sobre su límite, y otra persona la aprueba: llegó roto/);
  });
});
