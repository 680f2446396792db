import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { createTestApp } from '../support/test-app.ts';
import { type Answer, startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const AT = '/console/bank-accounts';

/** One valid row, one repaired row with a space too many, and two rows with a wrong check character. */
const FILE =
  'rut;banco;cuenta\n11111111-1;012;11111111\n 12345678-5;001;1234567\n12345678-9;001;1234567\n12345678-9;037;7654321\n';

forEachEngine('bank accounts in the console', (openTestDatabase) => {
  test('are validated from a file, with causes and a repaired file, and stored without RUT and number', async () => {
    const { app, user, send, server } = await open(openTestDatabase);
    await using _server = server;
    const { status, text } = await send({}, FILE);
    assert.equal(status, 200);
    assert.match(text, /accounts\.csv: 4 rows/);
    assert.match(text, />2<\/td><td[^>]*>The check character does not fit.*RUT_CHECK_DIGIT_MISMATCH/);
    assert.match(text, /Mended by rule: 1 row</);
    const [repaired, changes, results] = [...text.matchAll(/href="data:text\/csv;base64,([^"]+)"/g)].map(
      ([, base64 = '']) => Buffer.from(base64, 'base64').toString('utf8'),
    );
    assert.equal(repaired, FILE.replace(' 12345678-5', '12345678-5'));
    assert.match(changes ?? '', /SPACES/);
    assert.equal(results?.trim().split('\n').length, 5);
    const kept = await app.db.query('select * from bank_account_validations');
    assert.deepEqual(
      kept.map((row) => row['actor']),
      Array(4).fill(user.id),
    );
    assert.doesNotMatch(JSON.stringify(kept), /12345678-5|1234567/);
  });

  test('are validated one at a time, with verdict and checks', async () => {
    const { send, server } = await open(openTestDatabase);
    await using _server = server;
    const { status, text } = await send({ of: 'account', rut: '12.345.678-9', bank: '001', account: '1234567' });
    assert.equal(status, 200);
    assert.match(text, /invalid<\/span>/);
    assert.match(text, /wrong<\/span><\/td><td[^>]*>The check character does not fit/);
    assert.doesNotMatch(text, /345\.678|1234567</);
    const without = await send({ of: 'account', rut: '1-9', bank: '', account: '1' });
    assert.equal(without.status, 400);
    assertMarked(without.text, 'bank');
    const lacking = await send({ of: 'account', rut: '12.345.678-5', bank: '001', account: ' ' });
    assertMarked(lacking.text, 'account');
    assert.match(lacking.text, /name="rut"[^>]* value="12\.345\.678-5"/);
    assert.match(lacking.text, /<option value="001" selected>/);
  });

  test('are repaired when they are typed as they are in a file, and the page says how', async () => {
    const { send, server } = await open(openTestDatabase);
    await using _server = server;
    const typed = { of: 'account', rut: ' 12345678-5', bank: '001', account: '00-123-45678-90' };
    const { text } = await send(typed);
    assert.match(text, /plausible<\/span>/);
    assert.equal([...text.matchAll(/Mended before the validation: /g)].length, 2);
    const { text: untouched } = await send({ ...typed, rut: '12345678-5', account: '001234567890' });
    assert.doesNotMatch(untouched, /Mended/);
  });

  test('have their bank chosen from a list by name, as the accounts of recipients have', async () => {
    const { user, server } = await open(openTestDatabase);
    await using _server = server;
    const namesAt = async (path: string) => {
      const { text } = await server.get(path, user.console);
      return [...text.matchAll(/<option value="\d{3}">([^<]*) \(\d{3}\)<\/option>/g)].map(([, name = '']) => name);
    };
    for (const path of [AT, '/console/recipients']) {
      const names = await namesAt(path);
      assert.ok(names.length > 10, path);
      assert.deepEqual(
        names,
        names.toSorted((one, other) => one.localeCompare(other, 'es')),
        path,
      );
    }
  });

  test('are refused in a missing, unreadable or too long file, and nothing is validated', async () => {
    const { app, send, server } = await open(openTestDatabase);
    await using _server = server;
    const row = '11111111-1;012;11111111\n';
    const long = await send({}, `rut;banco;cuenta\n${row.repeat(5001)}`);
    assert.equal(long.status, 400);
    assert.match(long.text, /more than 5000 rows.*bin\/rubrica validate FILE/);
    for (const content of ['\u0000\u0001', 'a;b\n1;2\n', undefined]) {
      const refused = await send({}, content);
      assert.equal(refused.status, 400);
      assertMarked(refused.text, 'file');
    }
    assert.equal((await send({}, 'x'.repeat(300 * 1024))).status, 413);
    assert.deepEqual(await app.db.query('select * from bank_account_validations'), []);
  });

  test('need the permission accounts:validate', async () => {
    const { app, server } = await open(openTestDatabase);
    await using _server = server;
    const support = await createTestUser(app, { role: 'support', may: [] });
    const refused = await server.get(AT, support.console);
    assert.equal(refused.status, 403);
    assert.match(refused.text, /accounts:validate/);
  });
});

async function open(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const server = await startTestServer(app);
  const user = await createTestUser(app, { role: 'finance', may: [] });
  const send = async (fields: Record<string, string>, content?: string): Promise<Answer> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (content !== undefined) form.append('file', new File([content], 'accounts.csv'));
    const encoded = new Response(form);
    return server.post(AT, {
      headers: {
        ...user.console,
        'sec-fetch-site': 'same-origin',
        'accept-language': 'en',
        'content-type': encoded.headers.get('content-type') ?? '',
      },
      body: await encoded.text(),
    });
  };
  return { app, server, user, send };
}
