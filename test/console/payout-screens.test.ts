import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { ROLES, type Role } from '../../src/auth/permission.ts';
import type { Tx } from '../../src/db/database.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { NO_LIMITS, upsertPayoutLimits, upsertPersonLimit } from '../../src/payouts/approval/payout-limit-queries.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { previewPayouts, proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { settleOutcomes } from '../../src/payouts/settling/settle-outcomes.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { atConsole, ConsolePerson, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { formHeaders } from '../support/form-headers.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { payOut } from '../support/test-movements.ts';
import { ANA, approved, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const MINUTE_MS = 60_000;

const stateOf = async (app: TestApp, id: string) => (await selectPayoutAnywhere(app.db, id))?.state;

forEachEngine('the payout screens', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const server = await startTestServer(app);
    const as = (user: TestUser, headers: Record<string, string> = {}) =>
      atConsole(server, { 'accept-language': 'en', ...user.console, ...headers });
    return { app, desk, server, as };
  };

  test('greet who may approve payouts of a merchant with those that wait for a signature, and nobody else', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const { approver, maker } = desk.users;
    const other = await createPaymentService(app, 'Otra', TESTER);
    const stranger = await createTestUser(app, { role: 'approver', may: [], paymentServices: [other.id] });
    const everybody = [approver, maker, stranger, await createTestUser(app, { role: 'approver', may: [] })];
    const greeted = async () =>
      Promise.all(
        everybody.map(async (user) => /class="notice"><p>(\d.*?)<\/p>/.exec((await as(user).get('')).text)?.[1]),
      );
    assert.deepEqual(await greeted(), [undefined, undefined, undefined, undefined]);
    const made = await propose(app, desk, [wish(), wish({ amount: 5_000 })]);
    const [own, ofMaker, ofStranger, ofAll] = await greeted();
    assert.match(own ?? '', /^2 payouts wait for a signature, \$15\.000 CLP in total; the oldest since 20/);
    assert.deepEqual([ofMaker, ofStranger, ofAll], [undefined, undefined, own]);
    const ids = made.map(({ id }) => id);
    await approvePayouts(app, { owner: desk.environment, named: { ids }, by: desk.approver, reason: null });
    assert.deepEqual(await greeted(), [undefined, undefined, undefined, undefined]);
  });

  test('greet with the tests apart from the real payouts, so that no sum has both', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const real = await openPayoutDesk(app, { mode: 'production', money: 0 });
    await propose(app, desk, [wish()]);
    await propose(app, real, [wish({ amount: 700 }), wish({ amount: 800 })]);
    const greeted = async (user: TestUser) =>
      [...(await as(user).get('')).text.matchAll(/<p>([^<]*for a signature, [^;]*);/g)].map(([, said]) => said);
    const tests = '1 payout waits for a signature, $10.000 CLP in total';
    const reals = 'Production: 2 payouts wait for a signature, $1.500 CLP in total';
    assert.deepEqual(await greeted(await createTestUser(app, { role: 'approver', may: [] })), [reals, tests]);
    assert.deepEqual(await greeted(desk.users.approver), [tests]);
    assert.deepEqual(await greeted(real.users.approver), [reals]);
  });

  test('are found by the search box, with a payout, a batch or a RUT, but not without the permission', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const [made] = await propose(app, desk, [wish({ reference: 'FAC-1' })]);
    const { id = '', batch_id: batch, recipient_id: recipient } = made ?? {};
    const led = async (user: TestUser, text: string) =>
      (await as(user).get(`/payments?${String(new URLSearchParams({ q: text }))}`)).headers.get('location');
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    assert.equal(await led(owner, id), `/console/payouts/${id}`);
    assert.equal(await led(owner, String(batch)), `/console/batches/${batch}`);
    assert.equal(await led(owner, String(recipient)), `/console/recipients/${recipient}`);
    for (const rut of ['12531909-2', '12.531.909-2', '125319092']) {
      const place = (await led(owner, rut)) ?? '';
      assert.match(place, /^\/console\/recipients\?typed=v1/, rut);
      assert.match((await as(owner).get(place.slice('/console'.length))).text, /value="12531909-2"/, rut);
    }
    assert.match((await as(owner).get('/recipients?rut=12531909-2')).text, /Ana Núñez/);
    const support = await createTestUser(app, { role: 'support', may: [] });
    for (const text of [id, '12531909-2']) assert.equal(await led(support, text), null, text);
  });

  test('name a batch without a name by its id', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const [owner, by, wishes] = [desk.environment, desk.maker, [wish(), wish()]];
    const { batch } = await proposePayouts(app, { owner, by, wishes, batch: { name: '', fileSha256: null } });
    const { text } = await as(desk.users.approver).get(`/batches/${batch?.id}`);
    assert.ok(text.includes(`<title>${batch?.id} · Rúbrica</title>`) && text.includes(`<h1>${batch?.id}</h1>`));
  });

  test('show a batch with its warnings and entries, and let another person approve it', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const [first, second] = await propose(app, desk, [wish({ reference: 'FAC-1' }), wish({ reference: 'FAC-2' })]);
    const { id = '', batch_id: batch } = first ?? {};
    const boss = as(desk.users.approver);
    const page = await boss.get(`/batches/${batch}`);
    assert.equal(page.status, 200);
    for (const said of ['FAC-1', 'Ana Núñez', '12531909-2', 'Same RUT and amount', '$20.000 CLP', 'Approve… (2)'])
      assert.ok(page.text.includes(said), said);
    const linked = await boss.get(`/batches/${batch}/approve?reason=from+a+link`);
    assert.doesNotMatch(linked.text, /from a link/);
    const asked = await boss.get(`/batches/${batch}/approve`);
    assert.match(
      asked.text,
      new RegExp(`Test shop · Development · <a href="/console/batches/${batch}">Proveedores</a>`),
    );
    for (const reference of ['FAC-1', 'FAC-2'])
      assert.match(
        asked.text,
        new RegExp(
          `>${reference}</a></td>[^]*?Ana Núñez<br>[^]*?12531909-2[^]*?Banco del Estado de Chile<br>[^]*?1909</span>`,
        ),
      );
    const alike = new RegExp(`Same RUT and amount as <a class="code" href="/console/payouts/${second?.id}">`);
    for (const { text } of [page, asked, await boss.get(`/payouts/${id}`)]) assert.match(text, alike);
    for (const said of ['Approve 2 payouts, $20.000 CLP?', 'The merchant', 'reserved for payouts', '$980.000 CLP'])
      assert.ok(asked.text.includes(said), said);
    const { environment: owner, users } = desk;
    const limits: [set: (tx: Tx, perDay: number | null) => Promise<void>, said: string][] = [
      [
        (tx, per_day) => upsertPayoutLimits(tx, owner.id, { ...NO_LIMITS, per_day }),
        'may be approved for this merchant',
      ],
      [(tx, perDay) => upsertPersonLimit(tx, users.approver.id, perDay), 'You may approve $19.999 CLP a day'],
    ];
    for (const [set, said] of limits) {
      await app.db.transaction((tx) => set(tx, 19_999));
      const { status, text } = await boss.get(`/batches/${batch}/approve`);
      assert.deepEqual(
        [status, text.includes(said), text.includes(`action="/console/batches/${batch}/approve"`)],
        [409, true, false],
      );
      await app.db.transaction((tx) => set(tx, null));
    }
    const keep = (kept_back: number) => setFundsRule(app, { ...owner, currency: 'CLP' }, { kept_back }, TESTER);
    for (const [path, asked, left] of [
      [`/batches/${batch}/approve`, '$20.000', '$19.999'],
      [`/payouts/${id}/approve`, '$10.000', '$9.999'],
    ] as const) {
      await keep(1_000_000 - Number(left.replaceAll(/\D/g, '')));
      for (const [language, said] of [
        ['en', `${asked} CLP are to be paid, and ${left} CLP are available.`],
        ['es', `Hay que pagar ${asked} CLP, y hay ${left} CLP disponibles.`],
      ] as const) {
        const { status, text } = await as(users.approver, { 'accept-language': language }).get(path);
        assert.deepEqual([status, text.includes(said), text.includes(`action="/console${path}"`)], [409, true, false]);
      }
    }
    await keep(0);
    const done = await boss.post(`/batches/${batch}/approve`, { reason: 'facturas de enero' });
    assert.equal(done.headers.get('location'), `/console/batches/${batch}?done=approved`);
    assert.equal(await stateOf(app, id), 'approved');
    assert.equal(await stateOf(app, second?.id ?? ''), 'approved');
    assert.match(
      (await boss.get(`/batches/${batch}`)).text,
      /Proposed<\/strong> · 2 payouts · by user-[\s\S]*Approved<\/strong> · 2 payouts · by user-\S+<br><span class="quiet">facturas de enero/,
    );
    const next = `/console/payout-files/new?of=${desk.environment.id}&amp;batch=${batch}`;
    assert.ok(
      (await as(desk.users.maker).get(`/batches/${batch}`)).text.includes(next),
      'the batch links the next step',
    );
    assert.ok(!(await boss.get(`/batches/${batch}`)).text.includes(next), 'an approver has no link to make a file');
    const again = await boss.post(`/batches/${batch}/approve`);
    assert.equal(again.status, 409, 'a second click changes nothing');
    const { acts } = await listAudit(app, { action: 'payout.approved' }, 10);
    assert.deepEqual(
      acts.map(({ who, reason, subject }) => [who.name, reason, subject.id]),
      [[desk.users.approver.email, 'facturas de enero', batch]],
    );
    app.now.advance(MINUTE_MS);
    for (const to of ['sent', 'confirmed', 'returned'] as const) {
      await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, { ids: [id], to, at: app.now() }));
      app.now.advance(MINUTE_MS);
    }
    const { text } = await boss.get(`/payouts/${id}`);
    const titles = [...text.matchAll(/<\/time>\s*<strong>([^<]+)<\/strong>/g)].map(([, title]) => title);
    assert.deepEqual(titles, [
      'Proposed',
      'Approved',
      'In the books: reserved',
      'Sent',
      'In the books: paid to the recipient',
      'Came back',
      'In the books: came back from the bank',
    ]);
    assert.match(text, /facturas de enero/);
    assert.match(text, /plausible, by a verdict less than a day old/);
  });

  test('mark a recipient to whom nothing was paid yet, for whoever proposes a payout and whoever approves it', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const boss = as(desk.users.approver);
    const [first] = await propose(app, desk, [wish()]);
    const marked = () =>
      Promise.all(
        ['', '/approve'].map(async (page) =>
          (await boss.get(`/batches/${first?.batch_id}${page}`)).text.includes('>New recipient<'),
        ),
      );
    assert.deepEqual(await marked(), [true, true]);
    const ids = (await approved(app, desk)).map(({ id }) => id);
    assert.deepEqual(await marked(), [true, true], 'an approved payout has not left yet');
    const sent = { ids, to: 'sent', at: app.now() } as const;
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent));
    assert.deepEqual(await marked(), [false, false]);
    const preview = await previewPayouts(app, {
      owner: desk.environment,
      by: desk.maker,
      wishes: [wish()],
      batch: null,
    });
    assert.deepEqual('planned' in preview && preview.planned.map(({ payee }) => payee.isFirst), [false]);
  });

  test('approve nothing if a payout or an account type has changed since the approver saw it, until it is seen', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const made = await propose(app, desk, [wish({ reference: 'FAC-1' }), wish({ reference: 'FAC-2' })]);
    const [first, second] = made.map(({ id }) => id) as [string, string];
    const batch = `/batches/${made[0]?.batch_id}`;
    const [boss, maker] = [as(desk.users.approver), as(desk.users.maker)];
    const look = async (path: string) => ({ shown: valueOf((await boss.get(`${path}/approve`)).text, 'shown') ?? '' });
    const seen = { batch: await look(batch), payout: await look(`/payouts/${second}`) };
    assert.equal((await maker.post(`/payouts/${first}/cancel`, { reason: 'repetido' })).status, 303);
    const fewer = await boss.post(`${batch}/approve`, seen.batch);
    assert.deepEqual(
      [fewer.status, /role="alert">[^<]*have changed since they were shown/.test(fewer.text)],
      [409, true],
    );
    const form = (page: string) => /<select name="type"[^]*?<\/select>/.exec(page)?.[0] ?? '';
    const unset = form((await maker.get(`/payouts/${second}`)).text);
    assert.match(
      unset,
      /^<select name="type" required><option value="">Not set<\/option>/,
      'none is chosen beforehand',
    );
    assert.equal((await maker.post(`/payouts/${second}/account-type`, { type: 'savings' })).status, 303);
    assert.match(form((await maker.get(`/payouts/${second}`)).text), /required><option value="checking">/);
    const typed = await boss.post(`/payouts/${second}/approve`, seen.payout);
    assert.deepEqual(
      [typed.status, /role="alert">[^<]*have changed since they were shown/.test(typed.text)],
      [409, true],
    );
    assert.equal(await stateOf(app, second), 'awaiting_approval');
    assert.equal((await boss.post(`${batch}/approve`, await look(batch))).status, 303);
    assert.equal(await stateOf(app, second), 'approved');
  });

  test('tell the requester that another person approves, and refuse the requester’s approval', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const [payout] = await propose(app, { ...desk, maker: { ...desk.maker, userId: owner.id, name: owner.email } });
    const { id = '', batch_id: batch } = payout ?? {};
    const self = as(owner);
    for (const path of [`/payouts/${id}`, `/batches/${batch}`]) {
      const page = await self.get(path);
      assert.match(page.text, /You cannot approve it: you made it yourself/, path);
      assert.ok(!page.text.includes(`${path}/approve"`), path);
      assert.equal((await self.get(`${path}/approve`)).status, 409, path);
      assert.ok([403, 409].includes((await self.post(`${path}/approve`)).status), path);
    }
    const spanish = await as(owner, { 'accept-language': 'es' }).post(`/payouts/${id}/approve`);
    assert.match(spanish.text, /lo propusiste tú: lo aprueba otra persona/);
    assert.equal(await stateOf(app, id), 'awaiting_approval');
    const maker = await as(desk.users.maker).get(`/payouts/${id}`);
    const boss = desk.users.approver.email;
    assert.ok(maker.text.includes(`Another person approves it. Today 1 person may do it: ${boss}.`));
  });

  test('name everybody who may sign, also by a permission beside the role, and count them for who reads no people', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const paymentServices = [desk.environment.paymentServiceId];
    const may = ['payouts:approve', 'payouts:create', 'recipients:read'] as const;
    const granted = await createTestUser(app, { role: 'support', may, paymentServices, email: 'dada@example.cl' });
    await createTestUser(app, { role: 'approver', may: [], paymentServices: [] });
    await createTestUser(app, { role: 'developer', may, paymentServices: 'all' });
    await createTestUser(app, { role: 'integration', may, paymentServices: 'all' });
    const real = await openPayoutDesk(app, { mode: 'production', money: 0 });
    await createTestUser(app, { role: 'developer', may, paymentServices: [real.environment.paymentServiceId] });
    const named = [desk.users.approver.email, granted.email].toSorted();
    const both = 'Lo aprueba otra persona. Hoy 3 personas pueden hacerlo: ';
    const [payout] = await propose(app, desk);
    const { id = '', batch_id: batch } = payout ?? {};
    const spanish = { 'accept-language': 'es' };
    for (const path of [`/payouts/${id}`, `/batches/${batch}`]) {
      const maker = await as(desk.users.maker, spanish).get(path);
      const said = /Lo aprueba otra persona[^<]*/.exec(maker.text)?.[0] ?? '';
      assert.ok(said.startsWith(both), said);
      for (const email of named) assert.ok(said.includes(email), said);
      const reader = await createTestUser(app, { role: 'support', may: ['recipients:read'], paymentServices });
      assert.match((await as(reader, spanish).get(path)).text, /Hoy 3 personas pueden hacerlo\.</);
    }
    const [ofReal] = await propose(app, real);
    const page = await as(real.users.maker, spanish).get(`/payouts/${ofReal?.id}`);
    assert.ok(page.text.includes(`Hoy 1 persona puede hacerlo: ${real.users.approver.email}.`), 'no developer');
    const made = { ...desk, maker: { ...desk.maker, userId: granted.id, name: granted.email } };
    const [own] = await propose(app, made);
    const self = await as(granted, spanish).get(`/payouts/${own?.id}`);
    assert.match(self.text, /No lo puedes aprobar: lo propusiste tú[^]*Hoy 2 personas pueden hacerlo\./);
  });

  test('ask for a fresh second factor before an approval, and approve nothing without it', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const [payout] = await propose(app, desk);
    const { id = '', batch_id: batch } = payout ?? {};
    const boss = as(desk.users.approver);
    app.now.advance(16 * MINUTE_MS);
    for (const path of [`/payouts/${id}/approve`, `/batches/${batch}/approve`]) {
      for (const answer of [await boss.get(path), await boss.post(path)]) {
        assert.equal(answer.status, 303);
        assert.equal(answer.headers.get('location'), `/console/prove?next=${encodeURIComponent(path)}`);
      }
    }
    assert.equal(await stateOf(app, id), 'awaiting_approval');
  });

  test('keep the reason of an approval while the person proves the second factor again', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const [payout] = await propose(app, desk);
    const { id = '', batch_id: batch } = payout ?? {};
    app.now.advance(16 * MINUTE_MS);
    const proved = new ConsolePerson(server);
    await proved.signIn(desk.users.approver);
    for (const path of [`/payouts/${id}/approve`, `/batches/${batch}/approve`]) {
      const sent = await as(desk.users.approver).post(path, { reason: 'facturas de «enero»' });
      const next = new URL(sent.headers.get('location') ?? '', 'http://localhost').searchParams.get('next') ?? '';
      assert.ok(next.startsWith(`${path}?typed=`), next);
      const { status, text } = await proved.get(`/console${next}`);
      assert.equal(status, 200);
      assert.match(text, /name="reason" maxlength="200" value="facturas de «enero»"/);
      assert.doesNotMatch(text, /role="alert"/);
      assert.match((await as(desk.users.approver).get(next)).headers.get('location') ?? '', /typed/);
    }
    assert.equal(await stateOf(app, id), 'awaiting_approval');
  });

  test('require a reason to reject or cancel a payout', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const [first, second] = await propose(app, desk, [wish(), wish()]);
    const boss = as(desk.users.approver);
    const asked = (await boss.get(`/payouts/${first?.id}`)).text;
    assert.match(
      asked,
      /What waits for approval is not paid\. To pay it, somebody proposes it again with another reference\./,
    );
    for (const reason of ['', 'a@b.cl', 'x'.repeat(201), 'tarjeta 4051 8856 0044 6623']) {
      const refused = await boss.post(`/payouts/${first?.id}/reject`, { reason });
      assert.equal(refused.status, 400, reason);
      assertMarked(refused.text, 'reason');
      assert.ok(refused.text.includes(`value="${reason}"`), 'the form keeps what was typed');
    }
    const batch = `/batches/${first?.batch_id}`;
    assertMarked((await boss.post(`${batch}/reject`, { reason: '' })).text, 'reason');
    const approving = await boss.post(`${batch}/approve`, { reason: 'a@b.cl' });
    assert.deepEqual([approving.status, await stateOf(app, first?.id ?? '')], [400, 'awaiting_approval']);
    assertMarked(approving.text, 'reason');
    assert.match(approving.text, /value="a@b\.cl"/);
    assert.equal((await boss.post(`/payouts/${first?.id}/reject`, { reason: 'no corresponde' })).status, 303);
    assert.equal(await stateOf(app, first?.id ?? ''), 'rejected');
    const maker = as(desk.users.maker);
    assert.equal((await maker.post(`/batches/${first?.batch_id}/cancel`, { reason: 'error' })).status, 303);
    assert.equal(await stateOf(app, second?.id ?? ''), 'cancelled');
    assert.equal((await maker.post(`/payouts/${second?.id}/cancel`, { reason: 'error' })).status, 409);
  });

  test('list payouts in pages, find them by what people know, and export what is shown', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const wishes = Array.from({ length: 60 }, (_, at) => wish({ reference: `FAC-${at}`, amount: 1_000 + at }));
    const [payout] = await propose(app, desk, wishes);
    const maker = as(desk.users.maker);
    const rows = async (query: string) =>
      [...(await maker.get(`/payouts${query}`)).text.matchAll(/<a class="code"[^>]*>([^<]+)</g)].map(([, one]) => one);
    assert.equal((await rows('')).length, 50);
    const next = /href="\/console(\/payouts\?after=[^"]+)"/.exec((await maker.get('/payouts')).text)?.[1] ?? '';
    const older = await rows(next.slice('/payouts'.length));
    assert.equal(older.length, 10);
    assert.equal(new Set([...(await rows('')), ...older]).size, 60);
    for (const text of [payout?.id ?? '', payout?.reference ?? '']) {
      assert.deepEqual(await rows(`?text=${text}`), [payout?.reference]);
    }
    assert.equal((await rows(`?text=${encodeURIComponent('12.531.909-2')}&state=awaiting_approval`)).length, 50);
    assert.deepEqual(await rows('?state=confirmed'), []);
    assert.deepEqual(await rows('?until=2020-01-01'), []);
    for (const [amount, count] of [
      ['$1.010', 1],
      ['1010 CLP', 1],
      ['1.060', 0],
      ['diez', 0],
    ] as const)
      assert.equal((await rows(`?amount=${encodeURIComponent(amount)}`)).length, count, amount);
    const csv = await maker.get(`/payouts?format=csv&text=${payout?.reference}`);
    assert.match(csv.text, /FAC-\d+,po_\w+,Ana Núñez,12531909-2,/);
    assert.equal(csv.text.trim().split('\r\n').length, 2);
  });

  test('list the payouts of one merchant and environment, also from its account', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    await propose(app, desk, [wish({ reference: 'FAC-1' })]);
    await propose(app, await openPayoutDesk(app), [wish({ reference: 'OTRA-1' })]);
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    const get = async (path: string) => (await owner.get(path)).text;
    const merchant = desk.environment.paymentServiceId;
    const account = await get(`/accounts/${merchant}`);
    const link = `/payouts?state=awaiting_approval&merchant=${merchant}&environment=development`;
    assert.ok(account.includes(`/console${link.replaceAll('&', '&amp;')}`), 'the account links its own payouts');
    const found = await owner.get('/payments?q=FAC-1');
    assert.deepEqual([found.status, found.headers.get('location')], [303, '/console/payouts?text=FAC-1']);
    const support = as(await createTestUser(app, { role: 'support', may: [] }));
    assert.match((await support.get('/payments?q=FAC-1')).text, /There is no such payment/);
    const own = await get(link);
    assert.ok(own.includes('FAC-1') && !own.includes('OTRA-1'), own);
    assert.doesNotMatch(await get(`/payouts?merchant=${merchant}&environment=production`), /FAC-1/);
  });

  test('of a merchant lead from its account to who recorded them, for people who see every merchant', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const recorded = await payOut(app, desk.environment, 5000, { reference: 'TEF-A1' });
    const id = 'movement' in recorded ? recorded.movement.id : '';
    const path = `/accounts/${desk.environment.paymentServiceId}`;
    const link = `<a href="/console/movements?text=${id}"><span class="code">TEF-A1</span></a>`;
    const auditor = as(await createTestUser(app, { role: 'auditor', may: [] }));
    assert.ok((await auditor.get(path)).text.includes(link));
    const { status, text } = await auditor.get(`/movements?text=${id}`);
    assert.equal(status, 200);
    assert.match(text, /TEF-A1<[^]*tester@test/);
    // The maker does not see all payment services, and so not the list of movements.
    const paymentServices = [desk.environment.paymentServiceId];
    for (const user of [desk.users.maker, await createTestUser(app, { role: 'merchant', may: [], paymentServices })]) {
      const page = (await as(user).get(path)).text;
      assert.ok(
        page.includes('TEF-A1') && !/console\/movements(?!\/(?:deposit|payout))/.test(page),
        'no closed screen',
      );
    }
  });

  test('say the same amount to pay out in the account and the approval, without what is kept back', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const { environment: owner, users } = desk;
    await setFundsRule(app, { ...owner, currency: 'CLP' }, { kept_back: 100_000 }, TESTER);
    const [payout] = await propose(app, desk);
    const maker = as(users.maker);
    for (const path of ['/accounts', `/accounts/${owner.paymentServiceId}`]) {
      const { text } = await maker.get(path);
      assert.match(text, /data-label="Available" class="number">\$1\.000\.000 CLP</, path);
      assert.match(text, /data-label="To pay out" class="number">\$900\.000 CLP</, path);
    }
    const asked = await as(users.approver).get(`/payouts/${payout?.id}/approve`);
    assert.match(asked.text, /The merchant will have \$890\.000 CLP to pay out afterwards/);
  });

  test('show and change nothing for another merchant, without the permission or from another site', async () => {
    const { app, desk, server } = await open();
    await using _server = server;
    const [payout] = await propose(app, desk, [wish({ reference: 'SECRETA-1' })]);
    const other = await createPaymentService(app, 'Other', TESTER);
    const screens = ROUTES.filter(
      ({ access, paths }) =>
        access === 'session' && /^\/console\/(payouts|batches|recipients|payout-files)/.test(paths[0]),
    );
    const filed = await approved(app, desk, [wish({ reference: 'SECRETA-2' })]);
    const { environment: owner, maker: by } = desk;
    const payer = { account: '1', rut: '', name: '', agreement: '' };
    const [made] = await makePayoutFiles(app, {
      owner,
      by,
      format: 'santander',
      payer,
      batchId: filed[0]?.batch_id ?? '',
    });
    const ids: Record<string, string> = {
      payouts: payout?.id ?? '',
      batches: payout?.batch_id ?? '',
      recipients: payout?.recipient_id ?? '',
      'payout-files': made?.file.id ?? '',
    };
    const before = await app.db.query('select * from payouts');
    const strangers: [Role, TestUser][] = [];
    for (const role of Object.keys(ROLES) as Role[]) {
      strangers.push([role, await createTestUser(app, { role, may: [], paymentServices: [other.id] })]);
    }
    const visitor = await createTestUser(app, { role: 'owner', may: [] });
    for (const screen of screens) {
      const { method, paths, needed } = screen;
      const path = paths[0].replace(':id', ids[paths[0].split('/')[2] ?? ''] ?? '');
      for (const [role, user] of strangers) {
        const answer = await server.send(method, path, {
          headers: { ...formHeaders(screen), ...user.console },
          ...(method === 'POST' && { body: 'reason=x' }),
        });
        const about = `${role} at ${method} ${path}: ${answer.status}`;
        assert.doesNotMatch(answer.text, /SECRETA|Ana N|12531909/, about);
        if (paths[0].includes(':id')) assert.ok([403, 404].includes(answer.status), about);
        if (answer.status === 403) assert.ok(answer.text.includes(needed?.[0] ?? ''), about);
      }
      if (method !== 'POST') continue;
      const headers = { ...formHeaders(screen), 'sec-fetch-site': 'cross-site', ...visitor.console };
      const answer = await server.post(path, { headers, body: 'reason=x' });
      assert.equal(answer.status, 403, path);
    }
    assert.deepEqual(await app.db.query('select * from payouts'), before);
  });

  test('show the service’s own reasons in Spanish on a Spanish page', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const { environment: owner, maker: by } = desk;
    const admin = as(await createTestUser(app, { role: 'owner', may: [] }), { 'accept-language': 'es' });
    const single = await proposePayouts(app, { owner, by: desk.program, wishes: [wish()], batch: null });
    const waits = await admin.get(`/payouts/${single.payouts[0]?.id}`);
    assert.match(waits.text, /espera a una persona: no está permitida ninguna aprobación automática/);
    assert.doesNotMatch(waits.text, /waits for a person/);
    const csv = await admin.get(`/payouts?format=csv&text=${single.payouts[0]?.id}&columns=reason`);
    assert.match(csv.text, /espera a una persona/);
    await setPayoutSender(app, owner, { kind: 'simulated', url: null, key: null }, by);
    const [lost] = await approved(app, desk, [wish({ amount: 6006 })]);
    const [other] = await approved(app, desk, [wish({ amount: 6007 })]);
    await carryOutPayouts(app, 10);
    const told = (await admin.get(`/payouts/${lost?.id}`)).text;
    assert.match(told, /el proveedor no respondió/);
    assert.match(told, / · El comercio → reservado para pagos a terceros/, 'the accounts have their names');
    assert.match((await admin.get(`/payouts/${other?.id}`)).text, /se dijo «monto 6008», y no puede ser/);
    const late = await admin.post(`/payouts/${other?.id}/cancel`, { reason: 'error' });
    assert.equal(late.status, 409);
    assert.ok(
      late.text.includes(
        `${other?.id} está en «Enviado» (sent): solo un pago en «Borrador» (draft) o «Espera aprobación» (awaiting_approval) o «Aprobado» (approved) puede pasar`,
      ),
    );
  });

  test('lead from a payout that the bank refused to its recipient, unless its money may have left again', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const { environment: owner, maker: by } = desk;
    const finance = as(await createTestUser(app, { role: 'finance', may: [] }), { 'accept-language': 'es' });
    await setPayoutSender(app, owner, { kind: 'simulated', url: null, key: null }, by);
    const luis = { ...ANA, rut: '11.111.111-1', account: '11111111', name: 'Luis Soto' };
    const wishes = [wish({ amount: 6001 }), wish({ amount: 6001, payee: luis })];
    const [refused, contradicted] = await approved(app, desk, wishes);
    await carryOutPayouts(app, 10);
    const page = async (id = '') => (await finance.get(`/payouts/${id}`)).text;
    for (const payout of [refused, contradicted]) {
      const text = await page(payout?.id);
      assert.match(text, /<h2>Pagar otra vez<\/h2>\n<p class="quiet">El dinero está disponible de nuevo\./);
      assert.match(text, new RegExp(`<a class="button" href="/console/recipients/${payout?.recipient_id}">`));
    }
    await propose(app, desk, [wish({ amount: 6001 })]);
    assert.doesNotMatch(await page(refused?.id), /Pagar otra vez/, 'it was proposed again');
    const said = [{ id: contradicted?.id ?? '', outcome: 'confirmed' as const, reason: null }];
    await app.db.transaction((tx) => settleOutcomes(tx, owner, said, { at: app.now() }));
    assert.doesNotMatch(await page(contradicted?.id), /Pagar otra vez/, 'perhaps its money left');
  });

  test('name the rule for programs as the approver of an automatic approval', async () => {
    const { app, desk, server, as } = await open();
    await using _server = server;
    const { environment: owner, program: by } = desk;
    const rule = { ...NO_LIMITS, automatic_per_payout: 10_000 };
    await app.db.transaction((tx) => upsertPayoutLimits(tx, owner.id, rule));
    const [made] = (await proposePayouts(app, { owner, by, wishes: [wish()], batch: null })).payouts;
    assert.equal(made?.approved_by, 'automatic');
    app.now.advance(MINUTE_MS);
    const ids = [made?.id ?? ''];
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids, to: 'sent', at: app.now() }));
    const admin = as(await createTestUser(app, { role: 'owner', may: [] }), { 'accept-language': 'es' });
    const page = await admin.get(`/payouts/${made?.id}`);
    assert.match(page.text, /<strong>Aprobado<\/strong> · por la regla para programas/);
    for (const { text } of [page, await admin.get('/payouts')]) {
      assert.match(text, /la regla para programas/);
      assert.doesNotMatch(text, /automatic/);
    }
  });
});
