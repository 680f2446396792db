import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totpCode } from '../../src/auth/factors/totp.ts';
import { atConsole, ConsolePerson, valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const EMAIL = 'ana@example.cl';

forEachEngine('what is typed in the console', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    return { app, owner, server: await startTestServer(app) };
  };

  test('is not in the address of the page when it is an e-mail address or a RUT', async () => {
    const { app, server, owner } = await open();
    await using _server = server;
    await payOrders(app);
    const find = async (fields: Record<string, string>) => {
      const { status, headers } = await atConsole(server, owner.console).post('/find', fields);
      assert.equal(status, 303);
      return headers.get('location') ?? '';
    };
    const home = await server.get('/console/payments', owner.console);
    const forms = [...home.text.matchAll(/<form[^>]*action="\/console\/find"[^>]*>[^]*?name="list" value="([^"]+)"/g)];
    assert.deepEqual(
      forms.map(([form, list]) => [form.includes('method="post"'), list]),
      [
        [true, '/payments'],
        [true, '/payments'],
      ],
    );
    for (const fields of [{ q: EMAIL }, { email: EMAIL, state: 'completed', since: '' }] as Record<string, string>[]) {
      const at = await find({ list: '/payments', ...fields });
      assert.match(at, /^\/console\/payments\?(state=completed&)?typed=v1\.[\w.-]+$/);
      const { text } = await server.get(at, owner.console);
      assert.ok(text.includes('ORD-1') && text.includes('ORD-2') && !text.includes('OTHER-1'));
      assert.match(text, /value="ana@example\.cl"/, 'the text stays in its field');
      // A browser stores the title with the address.
      assert.doesNotMatch(/<title>[^<]*/.exec(text)?.[0] ?? '', /ana@/);
      const addresses = [...text.matchAll(/(?:href|action)="([^"]+)"|name="next" value="([^"]+)"/g)].map(
        ([, a, b]) => a ?? b,
      );
      assert.deepEqual(
        addresses.filter((address) => /ana(@|%40)/.test(address ?? '')),
        [],
      );
      const csv = /href="([^"]*format=csv)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      assert.equal((await server.get(csv, owner.console)).text.trim().split('\r\n').length, 3);
    }
    const shown = (await server.get(await find({ list: '/payments', q: EMAIL }), owner.console)).text;
    const next = valueOf(shown, 'next');
    const wish = { to: 'en', next: next.replaceAll('&amp;', '&') };
    const language = await atConsole(server, owner.console).post('/language', wish);
    assert.match(language.headers.get('location') ?? '', /typed=v1\./, 'the other language keeps the search');
    for (const list of ['/recipients', '/payouts']) {
      const at = await find({ list, rut: '12.531.909-2', text: '12531909-2' });
      assert.match(at, new RegExp(`^/console${list}\\?typed=v1`));
      assert.match((await server.get(at, owner.console)).text, /value="12\.?531\.?909-2"/);
    }
    // Spaces and tabs around the text must neither put it into the address nor prevent a match.
    for (const [q, shown] of [
      [' 12.531.909-2 ', '12.531.909-2'],
      [`${EMAIL}\t`, EMAIL],
    ] as const) {
      const at = await find({ list: '/payments', q, email: q });
      assert.match(at, /^\/console\/payments\?typed=v1\.[\w.-]+$/);
      const byAddress = await server.get(await find({ list: '/payments', email: q }), owner.console);
      assert.ok(byAddress.text.includes(`value="${shown}"`));
      assert.equal(byAddress.text.includes('ORD-1'), shown === EMAIL);
    }
    const led = await server.get(await find({ list: '/payments', q: '12.531.909-2' }), owner.console);
    assert.match(led.headers.get('location') ?? '', /^\/console\/recipients\?typed=v1/);
    assert.equal(
      await find({ list: '/payments', q: 'ORD-1', state: '' }),
      '/console/payments?q=ORD-1',
      'a search for an order is in the address, so it can be shared',
    );
    assert.equal(await find({ list: '//elsewhere.example', q: '12990' }), '/console/payments?q=12990');
    const other = await createTestUser(app, { role: 'support', may: [] });
    const foreign = await server.get(await find({ list: '/payments', q: EMAIL }), other.console);
    assert.match(foreign.text, /OTHER-1/, 'the address does not restrict the list of another person');
    // A number of 8 digits may be a RUT, so it is not in the address. A colleague who opens the address must not see
    // every payment as a match.
    const reader = await createTestUser(app, { role: 'owner', may: [] });
    for (const list of ['/payments', '/recipients', '/payouts']) {
      const at = await find({ list, q: '12345678', rut: '12345678', text: '12345678' });
      assert.match((await server.get(at, reader.console)).text, /busca un dato que solo abre quien lo escribió/, list);
      assert.doesNotMatch((await server.get(at, owner.console)).text, /solo abre quien lo escribió/, list);
    }
  });

  test('is searched for after the sign-in, when the session had ended', async () => {
    const { app, server, owner } = await open();
    await using _server = server;
    await payOrders(app);
    const person = new ConsolePerson(server);
    await person.signIn(owner);
    const { secret } = await person.enrol(app);
    await person.post('/console/sign-out');
    const asked = await person.post('/console/find', { list: '/payments', q: EMAIL });
    assert.equal(asked.status, 401);
    assert.match(asked.text, /Your session has ended/);
    assert.doesNotMatch(asked.text, /ana@|ana%40/, 'the sign-in page does not show the search');
    const search = valueOf(asked.text, 'search');
    const next = valueOf(asked.text, 'next');
    assert.equal(next, '/sign-in', 'the other language leads to an existing page');
    const spanish = await person.post('/console/language', { to: 'es', next, search });
    assert.match(spanish.text, /Tu sesión (?:ha )?termin/);
    assert.equal(valueOf(spanish.text, 'search'), search, 'the other language keeps the search');
    await person.post('/console/language', { to: 'en', next });
    const wrong = await person.post('/console/sign-in', { email: owner.email, password: 'no', search });
    assert.equal(valueOf(wrong.text, 'search'), search, 'a wrong password keeps the search');
    const signIn = (fields: Record<string, string>) =>
      person.post('/console/sign-in', { email: owner.email, password: owner.password, ...fields });
    const first = (await signIn({ search })).headers.get('location') ?? '';
    assert.match(first, /^\/console\/payments\?typed=v1\.[\w.-]+$/);
    assert.ok(!first.includes(search), 'the address has a value that only this person can open');
    const toProof = (await person.get(first)).headers.get('location') ?? '';
    assert.match(toProof, /^\/console\/prove\?next=/);
    const question = new URLSearchParams(toProof.split('?')[1]).get('next') ?? '';
    assert.ok((await person.get(toProof)).text.includes(`name="next" value="${question}"`));
    app.now.advance(30_000);
    const proof = { code: await totpCode(secret, app.now()), next: question };
    const last = (await person.post('/console/prove', proof)).headers.get('location') ?? '';
    const { text } = await person.get(last);
    assert.ok(text.includes('ORD-1') && !text.includes('OTHER-1'));
    // A tab from before the sign-in still has the search box, and the second factor is missing.
    await person.post('/console/sign-out');
    await signIn({});
    const early = (await person.post('/console/find', { list: '/payments', q: EMAIL })).headers.get('location') ?? '';
    const proofOfEarly = (await person.get(early)).headers.get('location');
    assert.equal(proofOfEarly, `/console/prove?next=${encodeURIComponent(early.slice('/console'.length))}`);
    // No value leads to another site, and an invented value is not a search.
    for (const [kept, to] of [
      [
        valueOf(
          (await new ConsolePerson(server).post('/console/find', { list: '//evil.example', q: 'x' })).text,
          'search',
        ),
        '/console/payments?q=x',
      ],
      ['//evil.example', '/console'],
      [first.split('typed=')[1] ?? '', '/console'],
    ] as const)
      assert.equal((await signIn({ search: kept })).headers.get('location'), to);
    const foreign = new ConsolePerson(server, { 'sec-fetch-site': 'cross-site' });
    const refused = await foreign.post('/console/find', { list: '/payments', q: EMAIL });
    assert.equal(refused.headers.get('location'), '/console/sign-in');
  });

  test('is kept when the language is changed on the page of a refused refund', async () => {
    const { app, server, owner } = await open();
    await using _server = server;
    const paid = await createPaidTransaction(app, await createTestEnvironment(app), { reference: 'ORD-1' });
    const { post } = atConsole(server, owner.console);
    const refused = await post(`/payments/${paid.id}/refund`, { amount: '99999999', reason: 'llegó roto' });
    assert.equal(refused.status, 400);
    const next = valueOf(refused.text, 'next');
    assert.doesNotMatch(next, /roto/);
    const chosen = await post('/language', { to: 'en', next });
    const again = await server.get(chosen.headers.get('location') ?? '', { ...owner.console, 'accept-language': 'en' });
    assert.match(again.text, /Write the amount/);
    assert.match(again.text, /name="amount"[^>]* value="99999999"/);
    assert.match(again.text, /name="reason"[^>]* value="llegó roto"/);
    const calm = await server.get(`/console/payments/${paid.id}`, owner.console);
    assert.match(calm.text, new RegExp(`name="next" value="/payments/${paid.id}"`));
  });
});

/** Creates two orders of the person and one without a payer. */
async function payOrders(app: TestApp): Promise<void> {
  const environment = await createTestEnvironment(app);
  for (const reference of ['ORD-1', 'ORD-2'])
    await createPaidTransaction(app, environment, { reference, customerEmail: EMAIL });
  await createPaidTransaction(app, environment, { reference: 'OTHER-1' });
}
