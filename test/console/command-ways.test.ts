import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { takeAttention } from '../../src/attention/take-attention.ts';
import { permissionFor } from '../../src/console/command-ways.ts';
import { forEachEngine } from '../support/engines.ts';
import { createConsoleApp, fillConsole } from '../support/full-console.ts';
import { TESTER } from '../support/test-actor.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const DAY_MS = 86_400_000;

forEachEngine('the commands of the attention list', (openTestDatabase) => {
  test('have a link to the screen with the same act, for a person who may do it', async () => {
    const app = createConsoleApp(await openTestDatabase());
    await using server = await startTestServer(app);
    await fillConsole(app, server);
    app.now.advance(2 * DAY_MS);
    // A new user, because a session lasts one day.
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const { text } = await server.get('/console/attention', owner.console);
    const ways = waysIn(text);
    assert.deepEqual([...new Set(ways.map(({ path }) => path.replace(/\w\w_\w+|\d+/g, 'ID')))].sort(), [
      '/console/batches/ID/approve',
      '/console/callbacks/ID',
      '/console/mails?sort=since',
      '/console/payments/ID/attempts/ID/settle',
      '/console/payments/ID/refunds/IDID/settle',
      '/console/payments/ID/requests/ID/approve',
      '/console/restore',
      '/console/settlements/ID',
      '/console/statements/ID?use=suspense&amp;line=ID#explain',
      '/console/suspense/tID-ID.ID',
      '/console/verification',
    ]);
    for (const { path } of ways) {
      const opened = await server.get(path.replaceAll('&amp;', '&'), owner.console);
      assert.equal(opened.status, 200, path);
    }
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    const read = await server.get('/console/attention', auditor.console);
    assert.deepEqual(
      waysIn(read.text).map(({ path }) => path),
      ['/console/verification'],
      'an auditor gets no link to any other act',
    );
    const waiting = await listAttention(app, null, 100);
    for (const { command } of waiting) assert.notEqual(permissionFor(command), null, command);
    const approver = await createTestUser(app, { role: 'approver', may: [] });
    const offered = async ({ console }: TestUser) => takenIn((await server.get('/console/attention', console)).text);
    assert.deepEqual(
      await offered(approver),
      ['approval', 'refund_request'],
      'who cannot end an item does not take it',
    );
    assert.equal((await offered(owner)).length, waiting.length);
    assert.deepEqual(await offered(auditor), []);
    const said =
      'Lo termina quien puede registrar abonos, depósitos y decisiones, e importar archivos (finanzas, titular).';
    const shown = (await server.get('/console/attention', approver.console)).text;
    for (const { text } of [{ text: shown }, read]) assert.ok(text.includes(said));
    const [other] = waiting.filter(({ kind }) => kind === 'settlement');
    await takeAttention(app, { id: other?.id ?? '', kind: 'settlement' }, { ...TESTER, name: approver.email });
    assert.match(
      (await server.get('/console/attention', approver.console)).text,
      /action="\/console\/attention\/give-up"/,
      'who took an item and may no longer end it gives it up',
    );
    assert.match(read.text, /<code>bin\/rubrica refund approve rr_\w+ --as EMAIL<\/code>/);
    const health = await server.get('/console/health', owner.console);
    assert.match(health.text, /<a href="\/console\/attention\?kind=settlement">Ver lo que espera<\/a>/);
    const operator = await createTestUser(app, { role: 'operator', may: [] });
    const seen = (await server.get('/console/health', operator.console)).text;
    assert.deepEqual(
      waysIn(seen).map(({ path, command }) => [command.split(' --kind ')[1], path]),
      [
        ['restore', '/console/restore'],
        ['endpoint', '/console/callbacks'],
        ['mail', '/console/mails'],
      ],
      'an operator does not see the attention list, and finds the screens that end what it may end',
    );
    const csv = await server.get('/console/attention?format=csv', owner.console);
    assert.match(csv.text, /,bin\/rubrica settlement accept sf_\w+ --cause CAUSE/);
  });
});

/** Returns the kind of each item that the page offers to take. */
function takenIn(page: string): string[] {
  return [...page.matchAll(/attention\/take"><input type="hidden" name="kind" value="(\w+)">/g)]
    .map(([, kind = '']) => kind)
    .sort();
}

function waysIn(page: string): { path: string; command: string }[] {
  return [
    ...page.matchAll(/<a href="([^"]+)">[^<]+<\/a><details><summary>o en una terminal<\/summary><code>([^<]+)</g),
  ].map(([, path = '', command = '']) => ({ path, command }));
}
