import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ensureEndpoint } from '../../src/outbox/endpoints/endpoint-queries.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

forEachEngine('endpoint doctor', (openTestDatabase) => {
  test('says that nothing was sent yet, and asks whether the service runs', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const app = createTestApp(db);
    await createPaidTransaction(app, await createTestEnvironment(app));
    const [callback] = await db.query<{ id: number }>('select id from callbacks');
    for (const words of [
      ['endpoint', 'doctor', '1'],
      ['callback', 'doctor', String(callback?.id)],
    ]) {
      const { stdout } = await runCommand(words, { env });
      assert.match(stdout, /\ncause {8}none yet: nothing was sent there\. Does serve run\? bin\/rubrica doctor\n/);
    }
  });
});

forEachEngine('endpoint test', (openTestDatabase) => {
  test('says that the URL redirects, where to, that callbacks do not follow, and which URL to send', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    let headers: Record<string, string> = { location: '/callback/' };
    const shop = createServer((_request, response) => response.writeHead(301, headers).end());
    await once(shop.listen(0, '127.0.0.1'), 'listening');
    context.after(() => shop.close());
    const address = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const environment = await createTestEnvironment(createTestApp(db));
    const { id } = await db.transaction((tx) => ensureEndpoint(tx, environment.id, `${address}/callback`));
    const ask = async () => (await runCommand(['endpoint', 'test', String(id)], { env })).stdout.split('\n').at(-2);
    assert.equal(
      await ask(),
      `The URL redirects to ${address}/callback/, and callbacks do not follow redirects, so nothing arrives. If the receiver of the shop is at the new URL, the shop sends ${address}/callback/ as x_url_callback.`,
    );
    headers = {};
    assert.match(
      (await ask()) ?? '',
      /^The URL redirects without a new address, and callbacks do not follow redirects/,
    );
  });
});
