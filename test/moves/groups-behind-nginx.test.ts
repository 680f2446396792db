import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { type Child, startChild } from '../support/child-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { findFreePort } from '../support/free-port.ts';
import { configOf, twoDatabases, wishOf } from '../support/moving-shop.ts';
import { whyMissing } from '../support/system-programs.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, signedBody } from '../support/test-shop.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/groups/nginx.conf');

const folder = mkdtempSync(join(tmpdir(), 'rubrica-nginx-'));
after(() => rmSync(folder, { recursive: true }));

forEachEngine('two groups behind the nginx example', (openTestDatabase) => {
  test('a shop reaches its group by host name, by path, and after a move', {
    skip: whyMissing('nginx') ?? false,
  }, async () => {
    const two = await twoDatabases(openTestDatabase, await openTestDatabase());
    const from = { ...two.from, config: configOf('pay-1', undefined, '/north') };
    const to = { ...two.to, config: configOf('pay-2', undefined, '/south') };
    const shops = [await createTestEnvironment(from), await createTestEnvironment(to)] as const;
    const [first, second] = shops;
    await using here = await startTestServer(from);
    await using there = await startTestServer(to);
    const { nginx, ask } = await startNginx([here.origin, there.origin]);
    try {
      assert.deepEqual(await ask(order(first, 'A'), {}), { status: 200, code: null });
      assert.deepEqual(await ask(order(second, 'B'), { host: 'pay-2.example.cl' }), { status: 200, code: null });
      assert.deepEqual(await ask(order(second, 'C'), { host: 'pay-1.example.cl' }), {
        status: 401,
        code: 'SIGNATURE_INVALID',
      });
      assert.deepEqual(await ask(order(first, 'D'), { path: '/north/trxs' }), { status: 200, code: null });
      assert.deepEqual(await ask(order(second, 'E'), { path: '/south/trxs' }), { status: 200, code: null });
      await movePaymentService(from, to, wishOf(first));
      from.now.advance(2000);
      assert.deepEqual(await ask(order(first, 'F'), {}), { status: 200, code: null });
      assert.deepEqual(await ask(order(first, 'F'), { host: 'pay-2.example.cl' }), { status: 200, code: null });
      assert.deepEqual(await ask(order(first, 'G'), { path: '/north/trxs' }), {
        status: 421,
        code: 'PAYMENT_SERVICE_MOVED',
      });
      const arrived = (await loadEnvironment(to, first.serviceToken)) as ServiceEnvironment;
      const rows = await to.db.query<{ reference: string }>(
        'select reference from transactions where environment_id = $1 order by reference',
        [arrived.id],
      );
      assert.deepEqual(
        rows.map(({ reference }) => reference),
        ['A', 'D', 'F'],
      );
    } finally {
      await nginx.end();
    }
  });
});

const order = ({ serviceToken, secrets }: ServiceEnvironment, reference: string) =>
  signedBody(serviceToken, secrets[0]?.text ?? '', { x_reference: reference });

type Asked = { host?: string; path?: string };

/** Starts nginx with the file of the example on other ports. Returns a function that posts through it. */
async function startNginx(origins: readonly [string, string]) {
  const port = await findFreePort();
  const [one, other] = origins.map((origin) => new URL(origin).host);
  const file = join(folder, `nginx-${port}.conf`);
  const text = readFileSync(EXAMPLE, 'utf8')
    .replace('127.0.0.1:8081', one as string)
    .replace('127.0.0.1:8082', other as string)
    .replace('127.0.0.1:8080', `127.0.0.1:${port}`);
  writeFileSync(file, text);
  const nginx: Child = await startChild('nginx', ['-p', folder, '-c', file, '-g', 'daemon off;']);
  const ask = (body: unknown, asked: Asked) => post(port, body, asked);
  await comesTrue(async () => {
    if (!nginx.running()) throw new Error(nginx.written().stderr);
    return ask({}, {}).then(
      () => true,
      () => false,
    );
  });
  return { nginx, ask };
}

/** Posts with any Host header; `fetch` would send the host of the address. */
function post(
  port: number,
  body: unknown,
  { host = 'pay.example.cl', path = '/trxs' }: Asked,
): Promise<{ status: number; code: unknown }> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' };
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.once('end', () => {
        const { code = null } = JSON.parse(text) as { code?: unknown };
        resolve({ status: answer.statusCode ?? 0, code });
      });
    });
    asked.once('error', reject);
    asked.end(JSON.stringify(body));
  });
}
