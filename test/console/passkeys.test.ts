import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCounts } from '../../src/audit/count-acts.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { selectFactorsOf } from '../../src/auth/factors/factor-queries.ts';
import { credentialsOf, passkeySite } from '../../src/auth/factors/passkey.ts';
import { passkeyFindings } from '../../src/health/process-findings.ts';
import { ConsolePerson, valueOf } from '../support/console-person.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { type Question, SoftPasskey } from '../support/soft-passkey.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { withBrowser } from '../support/test-browser.ts';
import { type Answer, startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const ORIGIN = 'https://pay.example.cl';
const ADD = '/console/account/factors/passkey';
const QUARTER_OF_AN_HOUR = 15 * 60_000;

/** Wrong answers to a question: by a browser, by a site in between, or by a copied key. */
const LIES: [about: string, lie: Parameters<SoftPasskey['get']>[1]][] = [
  ['another site', { origin: 'https://pay.example.cl.evil.example' }],
  ['another port', { origin: `${ORIGIN}:8443` }],
  ['a passkey of another host', { host: 'evil.example' }],
  ['another question', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ['another kind of answer', { type: 'payment.get' }],
];

forEachEngine('a passkey at the console', (openTestDatabase) => {
  const open = () => openConsole(openTestDatabase, ORIGIN);

  test('is added as the first factor, completes a sign-in, and proves again before a protected act', async () => {
    const { app, server, user, signedIn } = await open();
    await using _server = server;
    const key = new SoftPasskey(ORIGIN);
    const person = await signedIn();
    const added = await add(person, key);
    assert.deepEqual([added.status, /recovery codes/.test(added.text)], [200, true]);
    assert.equal((await person.get('/console/payments')).status, 200);
    assert.match((await person.get('/console/account')).text, />Laptop<.*>Passkey</s);
    const again = await signedIn();
    assert.equal((await again.get('/console/payments')).headers.get('location'), '/console/prove?next=%2Fpayments');
    const asked = (await again.get('/console/prove')).text;
    assert.match(asked, /confirm with your passkey\. Without it, write a recovery code[^]*<label>A recovery code</);
    assert.doesNotMatch(asked, /authenticator app|autofocus/, 'the person has no app');
    assert.equal((await prove(again, (question) => key.get(question))).headers.get('location'), '/console/payments');
    app.now.advance(QUARTER_OF_AN_HOUR);
    assert.equal((await again.get(ADD)).status, 303);
    assert.equal((await prove(again, (question) => key.get(question))).status, 303);
    assert.equal((await again.get(ADD)).status, 200);
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { who: user.email, action: 'user.factor_proved' }, 10);
    assert.deepEqual(new Set(acts.map(({ after }) => (after as { factor: string }).factor)), new Set(['passkey']));
  });

  test('is asked for once by two tabs: the second leads on after the first has proved', async () => {
    const { app, server, signedIn } = await open();
    await using _server = server;
    const key = new SoftPasskey(ORIGIN);
    await add(await signedIn(), key);
    const person = await signedIn();
    const { text } = await person.get('/console/prove?next=%2Fpayments');
    const setup = valueOf(text, 'setup');
    const answer = () => ({ setup, answer: key.get(askedOn(text)), next: '/payments' });
    assert.equal((await prove(person, (question) => key.get(question))).status, 303);
    const led = [
      await person.post('/console/prove', answer()),
      await person.post('/console/prove', { code: '000000', next: '/payments' }),
    ];
    for (const { status, headers } of led)
      assert.deepEqual([status, headers.get('location')], [303, '/console/payments']);
    app.now.advance(QUARTER_OF_AN_HOUR);
    assert.equal((await person.get('/console/prove?next=%2Fpayments')).status, 200);
    assert.equal((await person.post('/console/prove', answer())).status, 401, 'an old answer proves nothing later');
  });

  test('of another PUBLIC_URL is not asked for, and doctor counts it', async () => {
    const { app, server, user, signedIn } = await open();
    await using _server = server;
    assert.deepEqual(await passkeyFindings(app), []);
    await add(await signedIn(), new SoftPasskey(ORIGIN));
    assert.deepEqual(await passkeyFindings(app), []);
    const moved = { ...app, config: { ...app.config, publicUrl: 'https://pagos.example.cl' } };
    const [finding] = await passkeyFindings(moved);
    assert.equal(finding?.check, 'passkeys');
    assert.match(JSON.stringify(finding?.says), /another host than pagos\.example\.cl.*: 1"/);
    const rows = await selectFactorsOf(app.db, user.id);
    assert.deepEqual(credentialsOf(rows, { host: 'pagos.example.cl', origin: 'https://pagos.example.cl' }), []);
    assert.equal(credentialsOf(rows, { host: 'pay.example.cl', origin: ORIGIN }).length, 1);
  });

  test('is not added for another challenge, site, person or session, or twice', async () => {
    const { app, server, signedIn } = await open();
    await using _server = server;
    const [person, sibling] = [await signedIn(), await signedIn()];
    const key = new SoftPasskey(ORIGIN);
    for (const [about, lie] of LIES) {
      const refused = await add(person, key, (question) => key.create(question, lie));
      assert.equal(refused.status, 400, about);
    }
    for (const answer of ['', 'x', '{}', 'null', '{"id":"x"}', key.get({ challenge: 'x', rpId: 'pay.example.cl' })])
      assert.equal((await add(person, key, () => answer)).status, 400, answer);
    const { text } = await person.get(ADD);
    const form = { setup: valueOf(text, 'setup'), answer: key.create(askedOn(text)), name: 'Laptop' };
    assertMarked((await person.post(ADD, { ...form, name: '<' })).text, 'name');
    assert.equal((await sibling.post(ADD, form)).status, 400, 'another session of the same person is refused');
    const other = await signedIn(await createTestUser(app, { role: 'support', may: [] }));
    assert.equal((await other.post(ADD, form)).status, 400, 'another person is refused');
    assert.deepEqual(await app.db.query('select id from factors'), []);
    assert.equal((await person.post(ADD, form)).status, 200);
    assert.equal((await person.post(ADD, form)).status, 400, 'a second sending is refused');
    assert.equal((await add(other, key)).status, 400, 'a passkey of another person is refused');
    assert.equal((await app.db.query('select id from factors')).length, 1);
  });

  test('proves nothing with another challenge, site or key, or with a counter that went back', async () => {
    const { app, server, user, signedIn } = await open();
    await using _server = server;
    const key = new SoftPasskey(ORIGIN);
    await add(await signedIn(), key);
    const stranger = await createTestUser(app, { role: 'support', may: [] });
    const theirs = new SoftPasskey(ORIGIN);
    await add(await signedIn(stranger), theirs);
    const thief = await signedIn();
    const refused = async (answer: (question: Question) => string, about: string) => {
      const { status, text } = await prove(thief, answer);
      assert.deepEqual(
        [status, /That passkey did not fit/.test(text), /The code/.test(text)],
        [401, true, false],
        about,
      );
    };
    for (const [about, lie] of LIES) await refused((question) => key.get(question, lie), about);
    await refused((question) => theirs.get(question), "another person's");
    await refused((question) => theirs.get(question).replaceAll(theirs.id, key.id), 'another key by the same name');
    await refused((question) => key.create(question), 'what a new passkey says');
    assert.equal((await prove(thief, (question) => key.get(question))).status, 303, 'the passkey works');
    key.counter -= 1;
    const later = await signedIn();
    assert.equal((await prove(later, (question) => key.get(question))).status, 401, 'a copy of the passkey is refused');
    await writeCounts(app, 'end');
    const { acts } = await listAudit(app, { who: user.email, action: 'user.factor_refused' }, 10);
    assert.ok(acts.length > 0);
  });

  test('proves once and only in the session that asked, even without a counter', async () => {
    const { server, signedIn } = await open();
    await using _server = server;
    const key = new SoftPasskey(ORIGIN);
    await add(await signedIn(), key);
    const [person, thief] = [await signedIn(), await signedIn()];
    const { text } = await person.get('/console/prove');
    // The counter of the next answer is 0 again.
    key.counter = -1;
    const form = { setup: valueOf(text, 'setup'), answer: key.get(askedOn(text)), next: '' };
    assert.equal((await thief.post('/console/prove', form)).status, 401, 'the answer does not work in another session');
    const outcomes = await Promise.all([person.post('/console/prove', form), person.post('/console/prove', form)]);
    const [other, ...more] = outcomes.filter(({ headers }) => headers.get('location') !== '/console');
    assert.deepEqual(
      [other?.headers.get('set-cookie'), more],
      [null, []],
      'one of two concurrent answers opens a session',
    );
    // The first success ends the session that asked. The other answer comes before that, or finds no session.
    assert.ok(
      other?.status === 401 || other?.headers.get('location')?.startsWith('/console/sign-in'),
      `${other?.status}`,
    );
  });

  test('can be replaced by a recovery code without scripts, and stays if it is the only required factor', async () => {
    const { server, signedIn } = await open();
    await using _server = server;
    const person = await signedIn();
    const { text } = await add(person, new SoftPasskey(ORIGIN));
    const [code = ''] = (/<pre class="codes">([^<]*)<\/pre>/.exec(text)?.[1] ?? '').split('\n');
    const again = await signedIn();
    const page = (await again.get('/console/prove')).text;
    assert.match(page, /<form [^>]*data-passkey="get"[^>]* hidden>/);
    assert.equal((await again.post('/console/prove', { code })).status, 303);
    const factor = /name="factor" value="([^"]+)"/.exec((await again.get('/console/account')).text)?.[1] ?? '';
    const last = await again.post('/console/account/factors/remove', { factor });
    assert.equal(last.status, 409, 'a role that needs a second factor keeps its only one');
  });
});

const SITES: [publicUrl: string | null, host: string | null][] = [
  ['https://pay.example.cl', 'pay.example.cl'],
  ['https://pay.example.cl:8443', 'pay.example.cl'],
  ['http://localhost:8080', 'localhost'],
  ['http://pay.example.cl', null],
  ['https://10.0.0.1', null],
  ['https://[::1]', null],
  [null, null],
];

for (const [publicUrl, host] of SITES) {
  test(`passkeys at ${publicUrl ?? 'no PUBLIC_URL'} belong to ${host ?? 'no site'}`, () => {
    const { config } = createTestApp({} as TestApp['db']);
    assert.equal(passkeySite({ config: { ...config, publicUrl } })?.host ?? null, host);
  });
}

withBrowser('a passkey in a browser', (openVisitor) => {
  forEachEngine('of a person', (openTestDatabase, engine) => {
    // The browser does not depend on the engine.
    const once = { skip: engine === 'postgres' };

    test(
      'is created once for a device, completes a sign-in, and is refused when it has none, under the content policy',
      once,
      async (context) => {
        const { app, server, user } = await openConsole(openTestDatabase, null);
        context.after(() => server[Symbol.asyncDispose]());
        const origin = server.origin.replace('127.0.0.1', 'localhost');
        app.config.publicUrl = origin;
        const { context: browser, page, complaints } = await openVisitor();
        const devtools = await browser.newCDPSession(page);
        await devtools.send('WebAuthn.enable');
        const options = {
          protocol: 'ctap2',
          transport: 'internal',
          isUserVerified: true,
          hasUserVerification: true,
        } as const;
        const device = { ...options, hasResidentKey: true, automaticPresenceSimulation: true };
        const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options: device });
        const signIn = async () => {
          await page.goto(`${origin}/console/sign-in`);
          await page.getByLabel('E-mail').fill(user.email);
          await page.getByLabel('Password').fill(user.password);
          await page.getByRole('button', { name: 'Sign in' }).click();
        };
        await signIn();
        await page.goto(`${origin}${ADD}`);
        await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
        await page.getByRole('button', { name: 'Add this device' }).click();
        await page.getByText('The browser made no passkey. Try again, or add an authenticator app.').waitFor();
        await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
        await page.getByRole('button', { name: 'Add this device' }).click();
        await page.getByRole('link', { name: 'I kept them, go on' }).click();
        await page.goto(`${origin}${ADD}`);
        await page.getByRole('button', { name: 'Add this device' }).click();
        await page.getByText('This device has a passkey of yours already').waitFor();
        await page.goto(`${origin}/console/account`);
        await page.getByRole('cell', { name: 'Passkey' }).waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await signIn();
        await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
        await page.getByRole('navigation').waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await devtools.send('WebAuthn.clearCredentials', { authenticatorId });
        await signIn();
        await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
        await page.getByText('The browser gave no passkey').waitFor();
        assert.deepEqual(complaints, []);
      },
    );
  });
});

async function openConsole(openTestDatabase: OpenTestDatabase, publicUrl: string | null) {
  const made = createTestApp(await openTestDatabase());
  const app: TestApp = { ...made, config: { ...made.config, publicUrl, secondFactorRoles: ['support'] } };
  const server = await startTestServer(app);
  const user = await createTestUser(app, { role: 'support', may: [] });
  const signedIn = async (who: TestUser = user) => {
    const person = new ConsolePerson(server);
    await person.signIn(who);
    return person;
  };
  return { app, server, user, signedIn };
}

/** Returns the question of a page to a passkey. */
function askedOn(page: string): Question {
  const options = /data-options="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"');
  return JSON.parse(options ?? '{"challenge":""}') as Question;
}

async function add(
  person: ConsolePerson,
  key: SoftPasskey,
  answer: (question: Question) => string = (question) => key.create(question),
): Promise<Answer> {
  const { text } = await person.get(ADD);
  return person.post(ADD, { setup: valueOf(text, 'setup'), answer: answer(askedOn(text)), name: 'Laptop' });
}

async function prove(person: ConsolePerson, answer: (question: Question) => string): Promise<Answer> {
  const { text } = await person.get('/console/prove?next=%2Fpayments');
  const fields = { setup: valueOf(text, 'setup'), answer: answer(askedOn(text)), next: '/payments' };
  return person.post('/console/prove', fields);
}
