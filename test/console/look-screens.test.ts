import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { StorageError } from '../../src/db/database.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { selectPayerAttempts, selectReceipts } from '../../src/payment-services/payment-service-queries.ts';
import { readLook, setLook } from '../../src/payment-services/set-look.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { pngOf } from '../support/make-image.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const LOOK = {
  colour: '#1F6F4A',
  site: 'https://casaverde.example.cl',
  contact: 'ayuda@casaverde.example.cl',
  legalName: 'Casa Verde SpA',
  rut: '76.111.222-8',
  terms: 'https://casaverde.example.cl/terminos',
  payerAttempts: '2',
  receipts: 'en',
};

forEachEngine('the pay page of a merchant in the console', (openTestDatabase) => {
  test('is set by people of the merchant, and the audit log has it', async () => {
    await using desk = await openDesk(openTestDatabase);
    assert.equal((await desk.save(desk.ana, LOOK, pngOf(88, 44))).status, 303);
    const form = (await desk.get(desk.ana, '?done=saved')).text;
    for (const part of ['value="#1f6f4a"', 'value="Casa Verde SpA"', 'value="76111222-8"', 'name="noLogo"', 'Saved.']) {
      assert.ok(form.includes(part), `${part} is not in the form`);
    }
    const { logo, ...look } = await readLook(desk.app.db, desk.id);
    assert.equal(logo?.width, 88);
    assert.deepEqual(Object.values(look).includes(null), false);
    const { app, id } = desk;
    assert.deepEqual([await selectPayerAttempts(app.db, id), await selectReceipts(app.db, id)], [2, 'en']);
    const { acts } = await listAudit(desk.app, { subject: desk.id }, 10);
    assert.deepEqual(
      acts
        .filter(({ who }) => who.name === desk.ana.email)
        .map(({ action }) => action)
        .sort(),
      ['payment_service.look_set', 'payment_service.payer_attempts_set', 'payment_service.receipts_set'],
    );
  });

  test('says that it may have been saved when the database fails after a part of it was', async () => {
    const db = await openTestDatabase();
    const { failing, faults } = failingStore(db);
    await using desk = await openDesk(async () => ({ ...db, ...failing }));
    const raise = () => new StorageError('STORAGE_UNAVAILABLE', null);
    const countActs = async () => (await listAudit(desk.app, { subject: desk.id }, 100)).acts.length;
    let parts = 0;
    for (let at = 1; ; at++) {
      const before = await countActs();
      Object.assign(faults, { at, points: 0, raise });
      const { status, text } = await desk.save(desk.ana, LOOK);
      if (status === 303) break;
      if ((await countActs()) === before) continue;
      parts++;
      assert.match(text, /It may have been done/);
    }
    assert.ok(parts > 0);
  });

  test('ignores an unchanged form, loses emptied fields, and keeps the logo unless it is removed', async () => {
    await using desk = await openDesk(openTestDatabase);
    await desk.save(desk.ana, LOOK, pngOf(88, 44));
    const acts = async () => (await listAudit(desk.app, { subject: desk.id }, 20)).acts.length;
    const before = await acts();
    await desk.save(desk.ana, LOOK);
    assert.equal(await acts(), before, 'nothing changed, so nothing is in the audit log');
    await desk.save(desk.ana, { ...LOOK, site: '' });
    assert.deepEqual(
      [(await readLook(desk.app.db, desk.id)).site, (await readLook(desk.app.db, desk.id)).logo?.width],
      [null, 88],
    );
    const form = (await desk.get(desk.ana)).text;
    const shown = (/name="shown" value="([^"]+)"/.exec(form)?.[1] ?? '').replaceAll('&quot;', '"');
    await setLook(desk.app, desk.id, { contact: 'otro@casaverde.example.cl' }, TESTER);
    await desk.save(desk.ana, { ...(JSON.parse(shown) as typeof LOOK), colour: '#5b2a86', shown });
    const { colour, contact, legalName } = await readLook(desk.app.db, desk.id);
    assert.deepEqual(
      [colour, contact, legalName],
      ['#5b2a86', 'otro@casaverde.example.cl', LOOK.legalName],
      'what another person changed since the form was shown stays',
    );
    await desk.save(desk.ana, { ...LOOK, noLogo: '1' });
    assert.equal((await readLook(desk.app.db, desk.id)).logo, null);
  });

  test('refuses an invalid form as a whole, with an explanation and what was typed', async () => {
    await using desk = await openDesk(openTestDatabase);
    for (const [changes, said] of [
      [{ colour: '#ffcc00' }, /#ffcc00 has a contrast of 1\.5 with white.*#8f7200 would do/],
      [{ site: 'http://casaverde.example.cl' }, /The address of the shop is an https address/],
      [{ contact: 'call us' }, /The contact is an e-mail address/],
      [{ rut: '76111222-9' }, /The RUT is not valid/],
      [{ terms: 'javascript:alert(1)' }, /The address of the terms is an https address/],
      [{ payerAttempts: '0' }, /a number from 1 to 50/],
    ] as const) {
      const answer = await desk.save(desk.ana, { ...LOOK, ...changes });
      assert.equal(answer.status, 400);
      assert.match(answer.text, said);
      assertMarked(answer.text, ...Object.keys(changes));
      assert.ok(answer.text.includes('value="Casa Verde SpA"'), 'the form keeps the typed text');
    }
    const two = await desk.save(desk.ana, { ...LOOK, rut: '76111222-9', colour: '#ffcc00', payerAttempts: '0' });
    assertMarked(two.text, 'colour', 'rut', 'payerAttempts');
    const svg = await desk.save(desk.ana, LOOK, Buffer.from('<svg onload="alert(1)"/>'), 'es');
    assert.match(svg.text, /El logo no es un archivo PNG, JPEG ni WebP/);
    assertMarked(svg.text, 'logo');
    const large = await desk.save(desk.ana, LOOK, Buffer.concat([pngOf(88, 88), Buffer.alloc(65_536)]));
    assert.match(large.text, /at most 65536 are taken/);
    assert.deepEqual(Object.values(await readLook(desk.app.db, desk.id)), [null, null, null, null, null, null, null]);
  });

  test('has a preview of each stage, in which nothing can be paid', async () => {
    await using desk = await openDesk(openTestDatabase);
    await desk.save(desk.ana, LOOK, pngOf(88, 44));
    for (const [query, said] of [
      ['', 'Maceta de barro × 2'],
      ['?stage=declined', 'There are not enough funds.'],
      ['?stage=completed', 'Payment approved'],
      ['?stage=other', 'Maceta de barro × 2'],
    ] as const) {
      const { status, text } = await desk.get(desk.ana, `/preview${query}`);
      assert.deepEqual([status, text.includes(said)], [200, true], `${query}: ${text}`);
      assert.doesNotMatch(text, /method="post"|\/pay\/|x_signature/, 'the preview has no form, pay link or signature');
      assert.match(text, /href="\/looks\/1f6f4a\.css"/);
      assert.doesNotMatch(text, /<script|http-equiv="refresh"/);
    }
    assert.deepEqual(await desk.app.db.query('select id from transactions'), []);
  });

  test('is not changed by another merchant, without the permission, by a developer or from another site', async () => {
    await using desk = await openDesk(openTestDatabase);
    const other = await createPaymentService(desk.app, 'Ferreteria Sur', TESTER);
    const ben = await createTestUser(desk.app, { role: 'merchant', may: [], paymentServices: [other.id] });
    const eva = await createTestUser(desk.app, { role: 'support', may: [], paymentServices: [desk.id] });
    const dora = await createTestUser(desk.app, { role: 'developer', may: [], paymentServices: [desk.id] });
    for (const [user, seen, saved] of [
      [ben, 404, 404],
      [eva, 403, 403],
      [dora, 200, 404],
    ] as const) {
      const answers = [await desk.get(user), await desk.get(user, '/preview')].map(({ status }) => status);
      assert.deepEqual(answers, [seen, seen]);
      assert.equal((await desk.save(user, LOOK)).status, saved);
    }
    assert.match((await desk.get(eva)).text, /tokens:manage/);
    assert.match((await desk.get(dora)).text, /Only a person who sees the production/);
    const foreign = await desk.server.post(desk.path, {
      headers: { ...desk.ana.console, origin: 'https://elsewhere.example' },
      body: '',
    });
    assert.ok(foreign.status >= 400, 'a form of another site is refused');
    assert.equal((await readLook(desk.app.db, desk.id)).colour, null);
    const olga = await createTestUser(desk.app, { role: 'operator', may: [] });
    assert.equal((await desk.save(olga, LOOK)).status, 303);
  });
});

async function openDesk(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const environment = await createTestEnvironment(app);
  const server = await startTestServer(app);
  const id = environment.paymentServiceId;
  const path = `/console/merchants/${id}/look`;
  const ana = await createTestUser(app, { role: 'merchant', may: [], paymentServices: [id] });
  return {
    app,
    environment,
    server,
    id,
    path,
    ana,
    get: (user: TestUser, rest = '') => server.get(path + rest, { ...user.console, 'accept-language': 'en' }),
    /** Sends the form like a browser: missing fields are empty. */
    save: async (user: TestUser, fields: Record<string, string>, logo?: Buffer, language = 'en') => {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set(
        'logo',
        new Blob(logo === undefined ? [] : [new Uint8Array(logo)]),
        logo === undefined ? '' : 'logo.png',
      );
      const sent = new Request('http://localhost', { method: 'POST', body: form });
      const headers = {
        ...user.console,
        'accept-language': language,
        'sec-fetch-site': 'same-origin',
        'content-type': sent.headers.get('content-type') ?? '',
      };
      const answer = await fetch(server.origin + path, {
        method: 'POST',
        redirect: 'manual',
        headers,
        body: await sent.arrayBuffer(),
      });
      return { status: answer.status, text: await answer.text() };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
