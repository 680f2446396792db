import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { giveUpAttention, takeAttention } from '../../src/attention/take-attention.ts';
import type { Actor } from '../../src/audit/actor.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { acceptDifferences } from '../../src/movements/accept-difference.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { FORM } from '../support/form-headers.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

const MINUTE_MS = 60_000;
const ANA: Actor = { ...TESTER, name: 'ana@example.cl' };
const BEN: Actor = { ...TESTER, name: 'ben@example.cl' };

const keep = async (app: TestApp, text: string, environment: 'development' | 'production' = 'development') => {
  const settlement = await readSettlement(Readable.from([Buffer.from(`fecha;orden de compra;monto\n${text}`)]));
  const evidence = { name: 'abono.csv', sha256: String(text.length).padStart(64, '0') };
  const scope = { environment, paymentServiceId: null, method: 'simulated' };
  const kept = await keepSettlement(app, scope, settlement, { evidence, by: TESTER });
  assert.equal(kept.kind, 'kept');
  return kept;
};

forEachEngine('taking an item of the attention list', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    return { app, shop };
  };

  test('a settlement waits until the last of its differences is accepted', async () => {
    const { app } = await open();
    const { id } = await keep(app, '2026-01-15;1;7000\n2026-01-15;2;500\n');
    const [row, ...others] = await listAttention(app, 'settlement', 10);
    assert.deepEqual(others, []);
    assert.deepEqual([row?.id, row?.amount, row?.currency, row?.age], [id, 7500, 'CLP', 0]);
    assert.equal(row?.reason, 'abono.csv differs from the books: 2 differences are not accepted');
    assert.match(row?.command ?? '', new RegExp(`settlement accept ${id} `));
    const wish = { settlementId: id, cause: null, number: null, reason: 'x', by: TESTER };
    await acceptDifferences(app, { ...wish, line: 2 });
    const [left] = await listAttention(app, 'settlement', 10, 'es');
    assert.equal(left?.reason, 'abono.csv difiere de los libros: 1 diferencia no está aceptada');
    await acceptDifferences(app, { ...wish, line: 3 });
    assert.deepEqual(await listAttention(app, 'settlement', 10), []);
  });

  test('waits for anybody while the person in charge is disabled', async () => {
    const { app } = await open();
    const { id } = await keep(app, '2026-01-15;1;7000\n');
    const { email } = await createTestUser(app, { role: 'finance', may: [], email: ANA.name });
    await takeAttention(app, { id }, ANA);
    const owner = async () => (await listAttention(app, null, 10))[0]?.taken_by;
    assert.equal(await owner(), email);
    await disableUser(app, email, TESTER);
    assert.equal(await owner(), null);
    await enableUser(app, email, TESTER);
    assert.equal(await owner(), email);
  });

  test('names the person in charge until another takes it over or gives it up; the audit log has each act', async () => {
    const { app } = await open();
    const { id } = await keep(app, '2026-01-15;1;7000\n');
    let other: Promise<unknown> | undefined;
    const taking = onQuery(app, async (sql) => {
      if (!sql.startsWith('update audit_head set hash')) return;
      other = takeAttention(app, { id }, BEN);
      await untilQueued(app.db);
    });
    assert.equal((await takeAttention(taking, { id }, ANA)).taken_by, 'ana@example.cl');
    await other;
    const [row] = await listAttention(app, null, 10);
    assert.deepEqual([row?.taken_by, row?.taken_at], ['ben@example.cl', app.now()]);
    assert.equal((await giveUpAttention(app, { id }, ANA)).taken_by, null);
    await giveUpAttention(app, { id }, ANA);
    assert.equal((await listAttention(app, null, 10))[0]?.taken_by, null);
    const { acts } = await listAudit(app, { action: 'attention' }, 10);
    assert.deepEqual(
      acts.map(({ action, who, before, after, subject }) => [action, who.name, before, after, subject.kind]),
      [
        ['attention.given_up', 'ana@example.cl', { taken_by: 'ben@example.cl' }, null, 'settlement'],
        [
          'attention.taken',
          'ben@example.cl',
          { taken_by: 'ana@example.cl' },
          { taken_by: 'ben@example.cl' },
          'settlement',
        ],
        ['attention.taken', 'ana@example.cl', null, { taken_by: 'ana@example.cl' }, 'settlement'],
      ],
    );
  });

  test('refuses an unknown item, and asks for the payment service when several items have the same id', async () => {
    const { app, shop } = await open();
    const unknown = { code: 'NOT_FOUND' };
    await assert.rejects(takeAttention(app, { id: 'nothing' }, ANA), unknown);
    const other = await createTestEnvironment(app);
    await createLatePayment(app, shop);
    await createLatePayment(app, other);
    const rows = await listAttention(app, 'suspense', 10);
    const [first, second] = rows;
    assert.equal(first?.id, second?.id, 'each environment numbers its own entries');
    const id = first?.id ?? '';
    await assert.rejects(takeAttention(app, { id }, ANA), { code: 'INVALID_PARAMETER' });
    await takeAttention(app, { id, payment_service: other.paymentServiceId }, ANA);
    const waiting = await listAttention(app, 'suspense', 10);
    assert.deepEqual(Object.fromEntries(waiting.map((row) => [row.payment_service, row.taken_by])), {
      [shop.paymentServiceId]: null,
      [other.paymentServiceId]: 'ana@example.cl',
    });
  });

  test('ends with the item: when it waits again, nobody is in charge', async () => {
    const { app } = await open();
    const { id } = await keep(app, '2026-01-15;1;7000\n');
    await takeAttention(app, { id }, ANA);
    app.now.advance(MINUTE_MS);
    await app.db.transaction((tx) => tx.query('update settlements set kept_at = $2 where id = $1', [id, app.now()]));
    assert.equal((await listAttention(app, 'settlement', 10))[0]?.taken_by, null);
  });

  test('works in the console, but not from another site or without access to the payment service', async () => {
    const { app } = await open();
    const { id } = await keep(app, '2026-01-15;1;7000\n');
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [], email: 'ada@example.cl' });
    const page = await server.get('/console/attention?kind=settlement&sort=-since', user.console);
    assert.ok(page.text.includes('action="/console/attention/take"'));
    const [row] = await listAttention(app, null, 1);
    const { payment_service = '', environment = '' } = row ?? {};
    const kept = valueOf(page.text, 'kept').replaceAll('&amp;', '&');
    const body = String(new URLSearchParams({ kind: 'settlement', id, payment_service, environment, kept }));
    const send = (act: string, site: string) =>
      server.post(`/console/attention/${act}`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': site, ...user.console },
        body,
      });
    assert.equal((await send('take', 'cross-site')).status, 403);
    assert.equal((await listAttention(app, null, 1))[0]?.taken_by, null);
    const filtered = '/console/attention?kind=settlement&sort=-since';
    assert.equal((await send('take', 'same-origin')).headers.get('location'), filtered);
    const taken = await server.get('/console/attention', user.console);
    assert.ok(taken.text.includes('action="/console/attention/give-up"') && taken.text.includes('ada@example.cl'));
    assert.equal((await send('give-up', 'same-origin')).status, 303);
    assert.equal((await listAttention(app, null, 1))[0]?.taken_by, null);
    const support = await createTestUser(app, { role: 'support', may: ['books:read'], email: 'olga@example.cl' });
    const bare = { headers: { ...FORM, ...support.console }, body };
    assert.ok(!(await server.get('/console/attention', support.console)).text.includes('action="/console/attention/'));
    for (const act of ['take', 'give-up'])
      assert.equal((await server.post(`/console/attention/${act}`, bare)).status, 403, `${act}: cannot end it`);
    assert.equal((await listAttention(app, null, 1))[0]?.taken_by, null);
    await takeAttention(app, { id }, { ...ANA, name: 'olga@example.cl' });
    for (const act of ['take', 'give-up'])
      assert.equal((await server.post(`/console/attention/${act}`, bare)).status, 303, `${act}: the owner`);
    assert.equal((await listAttention(app, null, 1))[0]?.taken_by, null);
    const other = await createTestUser(app, { role: 'finance', may: [], paymentServices: [] });
    const hidden = await server.post('/console/attention/take', { headers: { ...FORM, ...other.console }, body });
    assert.equal(hidden.status, 404);
  });
});
