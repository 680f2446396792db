import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { ROUTE_ROWS, type World } from './route-rows.ts';
import { createWorld } from './route-world.ts';

/** Characters that begin a new line for a reader of the log, or control a terminal. */
const BREAKS = ['\r', '\n', '\u001b[2J', '\u0085', '\u2028', '\u2029'];

/** Has U+2028 as UTF-8 bytes, the only one of these that a header can carry. */
const USER_AGENT = Buffer.from('a\u2028b').toString('latin1');
const FORGED = '{"level":30,"msg":"forged"}';
/** All breaks in one text, each followed by a forged line. */
const HOSTILE = BREAKS.map((text) => `a${text}${FORGED}`).join('');

forEachEngine('log lines', (openTestDatabase) => {
  test('are one line of JSON for each event, whatever a field, a name, an address or a header contains', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace', base: null }, { write: (line) => void lines.push(line) });
    const app = createTestApp(await openTestDatabase(), { log });
    await using server = await startTestServer(app);
    const world = await createWorld(app, server);
    lines.length = 0;

    let asked = 0;
    for (const endpoint of ROUTES) {
      for (const body of bodiesWith(HOSTILE, world, endpoint)) {
        const headers = { ...world.ana.user.headers, 'user-agent': USER_AGENT };
        const path = endpoint.paths[0].replace(/:\w+/g, encodeURIComponent(HOSTILE));
        const target = `${path}?after=${encodeURIComponent(HOSTILE)}`;
        for (const to of [endpoint.paths[0].replace(/:\w+/g, '1'), path, target]) {
          asked++;
          if (endpoint.method === 'GET') await server.get(to, headers);
          else
            await server.send(endpoint.method, to, {
              headers: { ...headers, 'content-type': endpoint.consumes?.[0] ?? 'text/plain' },
              body,
            });
        }
      }
    }
    assert.ok(asked > 1_000, `${asked} requests`);
    assert.equal(lines.filter((line) => line.includes('"msg":"answered"')).length, asked);
    for (const line of lines) {
      assert.ok(line.endsWith('}\n') && !/[\r\n\u001b\u0085\u2028\u2029]/.test(line.slice(0, -1)), line);
      assert.notEqual((JSON.parse(line) as { msg: string }).msg, 'forged');
    }
  });
});

/**
 * Returns bodies with the text as each value and each name in turn, or one empty body for an endpoint without a body.
 */
function bodiesWith(hostile: string, world: World, { method, paths, consumes = [] }: Endpoint): string[] {
  const body = ROUTE_ROWS[`${method} ${paths[0]}`]?.body?.(world);
  if (body === undefined) return [''];
  const entries = Object.entries(body);
  const changed = entries.flatMap(([name], at) => [
    Object.fromEntries(entries.with(at, [name, hostile])),
    Object.fromEntries(entries.with(at, [hostile, 'a'])),
  ]);
  return changed.flatMap((members) =>
    consumes.map((type) =>
      type === 'application/json'
        ? JSON.stringify(members)
        : new URLSearchParams(members as Record<string, string>).toString(),
    ),
  );
}
