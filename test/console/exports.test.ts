import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import type { Database } from '../../src/db/database.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('files that people export', (openTestDatabase) => {
  test('are made one at a time, in turns of the people, and pages do not wait for them', async () => {
    const made = createTestApp(await openTestDatabase());
    const { db } = made;
    const [ana, bea] = [
      await createTestUser(made, { role: 'owner', may: [] }),
      await createTestUser(made, { role: 'owner', may: [] }),
    ];
    const exporting: string[] = [];
    const gate = Promise.withResolvers<void>();
    let most = 0;
    let open = 0;
    // Only an export reads so many rows of the audit log.
    const query = (async (sql, parameters = []) => {
      if (!sql.includes('from audit_log') || Number(parameters[0]) < 10_000) return db.query(sql, parameters);
      most = Math.max(most, ++open);
      exporting.push(/ana|bea/.exec(JSON.stringify(parameters))?.[0] ?? '');
      await gate.promise;
      return db.query(sql, parameters).finally(() => open--);
    }) as Database['query'];
    await using server = await startTestServer({ ...made, db: { ...db, query } });
    const file = (who: 'ana' | 'bea') =>
      server.get(`/console/audit?subject=${who}&format=csv`, {
        ...(who === 'ana' ? ana : bea).console,
        'accept-language': 'en',
      });
    const first = file('ana');
    await comesTrue(() => exporting.length === 1);
    const ofAna = [first, ...Array.from({ length: 11 }, () => file('ana'))];
    const ofBea = Array.from({ length: 11 }, () => file('bea'));
    // Ten files of a person may wait. Where one more is refused, all others of that person wait.
    for (const answers of [ofAna, ofBea]) {
      const refused = await Promise.race(answers);
      assert.equal(refused.status, 503);
      assert.match(refused.text, /too much waits already/);
    }
    assert.equal((await server.get('/console/audit', ana.console)).status, 200, 'a page does not wait');
    gate.resolve();
    for (const [answers, made] of [
      [ofAna, 11],
      [ofBea, 10],
    ] as const) {
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, made);
      assert.equal(statuses.filter((status) => status === 503).length, 1);
    }
    assert.equal(most, 1);
    assert.equal(exporting.join(), ['ana', ...Array(10).fill('ana,bea')].join(), 'people take turns');
  });

  test('do not wait for an open stream, whose address may ask for a file too', async () => {
    const app = createTestApp(await openTestDatabase());
    const { console: headers } = await createTestUser(app, { role: 'owner', may: [] });
    await using server = await startTestServer(app);
    const live = { ...headers, accept: 'text/event-stream' };
    assert.equal((await server.head('/console/live', live)).status, 200, 'HEAD does not wait for the end of a stream');
    const { origin } = server;
    const stream = request(`${origin}/console/live?format=csv`, { headers: live });
    stream.on('error', () => {});
    stream.end();
    const [opened] = (await once(stream, 'response')) as [IncomingMessage];
    assert.equal(opened.statusCode, 200);
    assert.equal((await server.get('/console/audit?format=csv', headers)).status, 200);
    assert.equal(opened.complete, false, 'the stream is still open');
    stream.destroy();
  });
});
