import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { tellKind } from '../../src/console/console-texts.ts';
import { KEPT_PLACES } from '../../src/privacy/kept-queries.ts';
import { ConsolePerson } from '../support/console-person.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const EMAIL = 'ana.perez@example.cl';
const AT = '/console/personal-data';

test('every kind of data that stays has a name in both languages', () => {
  for (const { kind } of KEPT_PLACES) {
    for (const language of ['es', 'en'] as const) {
      const name = tellKind(language, 'kept', kind);
      assert.match(name, /^\p{Lu}/u, `${kind} has no name: ${name}`);
    }
  }
});

forEachEngine('personal data in the console', (openTestDatabase) => {
  test('is found, exported and erased with a confirmation and a reason; the audit log does not name the person', async () => {
    const { app, server, owner } = await open(openTestDatabase);
    await using _server = server;
    const found = await owner.post(AT, { who: EMAIL.toUpperCase() });
    assert.match(found.text, /Payments<\/td><td[^>]*>1</);
    assert.match(found.text, /References of orders<\/td><td[^>]*>1<.*it is sealed in a chain/s);
    const exported = await owner.post(AT, { who: EMAIL, do: 'export' });
    assert.match(exported.headers.get('content-disposition') ?? '', /^attachment; filename="personal-data.json"/);
    assert.equal((JSON.parse(exported.text) as { transactions: unknown[] }).transactions.length, 1);

    const emails = async () =>
      (await app.db.query('select customer_email from transactions')).map((row) => row['customer_email']);
    const wish = { who: EMAIL, do: 'erase', confirm: EMAIL, reason: 'she asked, letter 12' };
    for (const wrong of [
      { confirm: 'juana@example.cl' },
      { confirm: '' },
      { reason: '' },
      { reason: `for ${EMAIL}` },
    ]) {
      const refused = await owner.post(AT, { ...wish, ...wrong });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /Nothing was erased/);
      assertMarked(refused.text, ...Object.keys(wrong));
    }
    assert.deepEqual(await emails(), [EMAIL]);
    const erased = await owner.post(AT, wish);
    assert.match(erased.text, /records? (was|were) erased/);
    assert.deepEqual(await emails(), ['']);
    assert.match((await owner.post(AT, { who: EMAIL })).text, /Nothing is kept that can be erased/);
    assert.match((await owner.get('/console/payments/1001')).text, /<dt>Payer<\/dt><dd>—<\/dd>/);
    assert.match((await owner.get('/console/payments')).text, /data-label="Payer">—</);

    const { acts } = await listAudit(app, { action: 'privacy' }, 20);
    const done = acts.find(({ action }) => action === 'privacy.erased');
    assert.deepEqual([done?.who.name, done?.reason], ['owner@example.cl', 'she asked, letter 12']);
    assert.deepEqual(
      new Set(acts.map(({ action }) => action)),
      new Set(['privacy.looked_up', 'privacy.exported', 'privacy.erased']),
    );
    assert.doesNotMatch(JSON.stringify(acts), /ana\.perez/);
  });

  test('needs a fresh proof, and is neither shown nor changed without it', async () => {
    const { app, server, owner } = await open(openTestDatabase);
    await using _server = server;
    app.now.advance(16 * 60_000);
    const wish = { who: EMAIL, confirm: EMAIL, reason: 'x' };
    const form = /^\/console\/prove\?next=%2Fpersonal-data(%3Ftyped%3Dv1[\w.-]+)?$/;
    for (const answer of [
      await owner.get(AT),
      await owner.post(AT, wish),
      await owner.post(AT, { ...wish, do: 'export' }),
      await owner.post(AT, { ...wish, do: 'erase' }),
    ])
      assert.deepEqual([answer.status, form.test(answer.headers.get('location') ?? '')], [303, true]);
    assert.equal((await app.db.query('select id from transactions where customer_email <> $1', [''])).length, 1);
    assert.deepEqual((await listAudit(app, { action: 'privacy' }, 20)).acts, []);
  });

  test('needs a valid RUT or e-mail address, the permission, and access to all merchants', async () => {
    const { app, server, owner, shop } = await open(openTestDatabase);
    await using _server = server;
    for (const who of ['12345678-9', 'ana', '']) {
      const refused = await owner.post(AT, { who });
      assert.equal(refused.status, 400, who);
      assertMarked(refused.text, 'who');
      assert.match(refused.text, new RegExp(`name="who"[^>]* value="${who}"`));
    }
    const operator = await createTestUser(app, { role: 'operator', may: [] });
    const refused = await server.get(AT, operator.console);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /privacy:manage/);
    const some = await createTestUser(app, { role: 'owner', may: [], paymentServices: [shop.paymentServiceId] });
    assert.equal((await server.get(AT, some.console)).status, 404);
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const shop = await createTestEnvironment(app);
  await createPaidTransaction(app, shop, { reference: `ORD ${EMAIL}`, customerEmail: EMAIL });
  const server = await startTestServer(app);
  const owner = new ConsolePerson(server);
  await owner.signIn(await createTestUser(app, { role: 'owner', may: [], email: 'owner@example.cl' }));
  return { app, server, owner, shop };
}
