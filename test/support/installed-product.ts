import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { outputOf, startChild } from './child-process.ts';
import type { Program } from './system-programs.ts';

/** The PATH without the repository's tools, as on a machine with the installed product. */
const PATH = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(':');

/** Uses an installed product in a folder outside the repository, so that a missing file fails. */
export async function proveInstalled(command: Program, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const env = { HOME: folder, PATH, DATA_DIR: join(folder, 'data'), PORT: '0', NODE_COMPILE_CACHE: '' };
  const run = (words: string[], more: object = {}) =>
    outputOf(command, words, { cwd: folder, env: { ...env, ...more } });
  assert.match(await run(['demo', '--exit']), /Every step was verified\.\n/);
  assert.doesNotMatch(await run(['--help']), /bin\/rubrica/);

  const service = await startChild(command, ['serve'], { cwd: folder, env });
  const { stdout } = await service.until((written) => written.stdout.includes('"ready"'));
  const { url } = JSON.parse(stdout.split('\n').find((line) => line.includes('"ready"')) ?? '') as { url: string };
  const created = await run(['payment-service', 'create', '--name', 'Tienda', '--json']);
  const { service_token, secret_token } = (JSON.parse(created) as { development: Record<string, string> }).development;
  const order = {
    x_account_id: service_token,
    x_amount: '12990',
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: 'ORD-1',
    x_session_id: 'session-1',
    x_shop_country: 'CL',
    x_url_callback: 'http://127.0.0.1:9/callback',
    x_url_cancel: 'http://127.0.0.1:9/cancel',
    x_url_complete: 'http://127.0.0.1:9/complete',
  };
  const signed = await outputOf(command, ['sign', '--secret-env', 'SECRET'], {
    cwd: folder,
    env: { ...env, SECRET: secret_token },
    input: JSON.stringify(order),
  });
  const post = (x_signature: string) =>
    fetch(`${url}/trxs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...order, x_signature }),
    });
  const answer = await post(signed.trim());
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const { data } = JSON.parse(text) as { data: { idTrx: number; payUrl: { url: string }[] } };
  const pages = [
    '/docs',
    '/docs/sandbox',
    '/docs/es/sandbox',
    '/openapi.json',
    '/console/sign-in',
    '/readyz',
    '/assets/pay.css',
  ];
  for (const page of [data.payUrl[0]?.url ?? '', ...pages.map((path) => url + path)])
    assert.equal((await fetch(page)).status, 200, page);
  // A separate thread writes this explanation; its file must be installed.
  const swapped = await outputOf(command, ['sign', '--secret-env', 'SECRET'], {
    cwd: folder,
    env: { ...env, SECRET: `${secret_token} ` },
    input: JSON.stringify(order),
  });
  const refused = (await (await post(swapped.trim())).json()) as { errors: { code: string }[] };
  assert.ok(refused.errors.length > 0, 'a refused signature is explained');
  assert.equal((await run(['open', 'pay', String(data.idTrx)])).trim(), data.payUrl[0]?.url.replace(/:\d+\//, ':0/'));
  assert.equal((await service.end()).status, 0);
}
