import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { CHAOS_CLASSES } from '../../src/chaos/chaos-class.ts';
import { ordersOf } from '../../src/chaos/chaos-order.ts';
import { listCallbacks } from '../../src/outbox/resend-callback.ts';
import { createPaymentService, type TokenPair } from '../../src/payment-services/create-payment-service.ts';
import { startChild } from './child-process.ts';
import { comesTrue } from './comes-true.ts';
import { findFreePort } from './free-port.ts';
import { TESTER } from './test-actor.ts';
import { startTestService } from './test-service.ts';

export const SEED = 7;
/** The orders of a shop; two more follow. */
export const ORDERS = ordersOf(SEED, CHAOS_CLASSES.length + 1);
const tests = join(import.meta.dirname, '../../clients/woocommerce/tests');

/** The file of each shop's orders, by the shop's URL. */
export const files = new Map<string, string>();

/** Changes an order in the shop. */
export function changeOrder(shop: string, order: number, changes: object): void {
  const file = files.get(shop) ?? '';
  const orders = JSON.parse(readFileSync(file, 'utf8')) as object[];
  writeFileSync(file, JSON.stringify(orders.with(order - 1, { ...orders[order - 1], ...changes })));
}

/** The worker processes of PHP's server besides the first. */
const FURTHER = 4;

/** Returns the ids of its processes, which each prints at its start. */
function startedIn(stderr: string): number[] {
  return [...stderr.matchAll(/^\[(\d+)\] .* started$/gm)].map(([, pid]) => Number(pid));
}

/**
 * Opens a shop with its own service, and readers for both. The state and notes of an order are those that the shop
 * stored.
 */
export async function openShop(context: TestContext) {
  const service = await startTestService(context, 'sqlite::memory:');
  const { development: tokens } = await createPaymentService(service.app, 'Shop', TESTER);
  const shop = await startShop(context, service.url, tokens);
  const fileOf = (order: number) => join(dirname(files.get(shop) ?? ''), `order-${order}.json`);
  const pay = async (order: number): Promise<string> =>
    ((await (await fetch(`${shop}/pay?order=${order}`)).json()) as { redirect: string }).redirect;
  const stateOf = (order: number): string => JSON.parse(readFileSync(fileOf(order), 'utf8')).state;
  const notesOf = (order: number): string[] => {
    const notes = `${fileOf(order)}.notes`;
    return existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [];
  };
  /** Waits until the shop answers a callback with a status; false if it never does. */
  const isAnswered = (wanted: number) =>
    comesTrue(async () => (await listCallbacks(service.app, {}, 1)).some(({ status }) => status === wanted));
  return { service, tokens, shop, pay, fileOf, stateOf, notesOf, isAnswered };
}

/** Starts a shop in the stand-in for WordPress, with four more processes. Returns its URL. */
export async function startShop(context: TestContext, serviceUrl: string, tokens: TokenPair): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-woocommerce-'));
  const file = join(folder, 'orders.json');
  const further = [
    { amount: 12_990, currency: 'CLP' },
    { reference: 'LAST', amount: 500, currency: 'CLP' },
  ];
  writeFileSync(file, JSON.stringify([...ORDERS, ...further]));
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  files.set(url, file);
  const env = {
    ...process.env,
    PHP_CLI_SERVER_WORKERS: `${FURTHER}`,
    RUBRICA_URL: serviceUrl,
    SHOP_URL: url,
    SERVICE_TOKEN: tokens.service_token,
    SECRET_TOKEN: tokens.secret_token,
    ORDERS_FILE: file,
    ORDERS_FOLDER: folder,
  };
  const child = await startChild('php', ['-S', `127.0.0.1:${port}`, 'stand-in.php'], { cwd: tests, env });
  context.after(async () => {
    // PHP's server does not end its worker processes.
    for (const pid of startedIn(child.written().stderr).filter((one) => one !== child.pid)) process.kill(pid);
    await child.end();
    rmSync(folder, { recursive: true });
  });
  // A worker that started after the end of the test stayed alive, and its open output kept the test waiting for ever.
  await child.until(({ stderr }) => startedIn(stderr).length === FURTHER + 1);
  return url;
}
