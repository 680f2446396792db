import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInTurn } from '../../src/http/read-in-turn.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const STATEMENT = {
  account: '123456789',
  fileName: 'cartola.csv',
  content: Buffer.from('Fecha;Descripción;Cargos;Abonos\n15/01/2026;TEF;15000;').toString('base64'),
};

forEachEngine('uploaded files', (openTestDatabase) => {
  /** Returns a service that reads a file until `end` is called, with `waiting` further files of one person. */
  async function openBusy({ waiting }: { waiting: number }) {
    const app = createTestApp(await openTestDatabase());
    const server = await startTestServer(app);
    const finance = await createTestUser(app, { may: ['movements:record', 'books:read'] });
    const held = Promise.withResolvers<void>();
    const reading = Array.from({ length: 1 + waiting }, () => readInTurn(app, finance, () => held.promise));
    const end = () => {
      held.resolve();
      return Promise.all(reading);
    };
    return { app, server, finance, end };
  }

  test('are read one at a time, and people take turns', async () => {
    const { app, server, finance, end } = await openBusy({ waiting: 2 });
    await using _server = server;
    const read: string[] = [];
    const later = [finance, finance, { id: 'another' }].map(({ id }) =>
      readInTurn(app, { id }, async () => void read.push(id)),
    );
    assert.deepEqual(read, []);
    await end();
    await Promise.all(later);
    assert.deepEqual(read, ['another', finance.id, finance.id]);
  });

  test('are refused with a time to wait when five of the person wait already', async () => {
    const { app, server, finance, end } = await openBusy({ waiting: 5 });
    await using _server = server;
    const reply = await server.post('/bank-statements', { json: STATEMENT, headers: finance.headers });
    assert.deepEqual([reply.status, (jsonOf(reply) as { code: string }).code], [503, 'OVERLOADED']);
    assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
    const form = new FormData();
    form.set('file', new Blob(['a;b']), 'abono.csv');
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const type = { 'content-type': request.headers.get('content-type') ?? '' };
    const shown = await server.post('/console/settlements', {
      headers: { ...type, 'sec-fetch-site': 'same-origin', ...finance.console },
      body: await request.text(),
    });
    assert.equal(shown.status, 503);
    const another = readInTurn(app, { id: 'another' }, async () => 'read');
    await end();
    assert.equal(await another, 'read');
  });
});
