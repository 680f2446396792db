import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { atConsole } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';

forEachEngine('explaining a line of a statement', (openTestDatabase) => {
  test('reads that line alone, in suspense or called unrelated before', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const lines = [2, 3, 4, 5, 6].map((line) => ({ line, day: dayOf(app.now()), amount: -1000, text: `X ${line}` }));
    const evidence = { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };
    const { paymentServiceId: merchant } = desk.environment;
    const account = { environment: 'development' as const, paymentServiceId: merchant, account: '123456789' };
    const { id } = await importStatement(app, { ...account, evidence, by: desk.maker }, { lines, proof: 'balance' });
    const statementId = id ?? '';
    for (const fileLine of [2, 3, 4, 5])
      await resolveLine(app, { statementId, fileLine, is: { use: 'other' }, reason: 'arriendo', by: desk.maker });
    let read = 0;
    const query: TestApp['db']['query'] = async (sql, parameters) => {
      const rows = await app.db.query(sql, parameters);
      if (sql.startsWith('select * from bank_statement_lines')) read += rows.length;
      return rows as never;
    };
    const server = await startTestServer({ ...app, db: { ...app.db, query } });
    await using _server = server;
    const maker = atConsole(server, { 'accept-language': 'en', ...desk.users.maker.console });
    for (const [line, use] of [
      ['3', 'other'],
      ['6', 'suspense'],
    ] as const) {
      read = 0;
      const done = await maker.post(`/statements/${id}/uses`, {
        line,
        use,
        is: 'to-merchant',
        merchant,
        reason: 'cargo',
        confirm: 'yes',
      });
      assert.match(done.headers.get('location') ?? '', /resolved=1$/, done.text);
      assert.equal(read, 1);
    }
  });
});
