import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadEnvironment } from '../src/payment-services/find-environment.ts';
import type { Bench } from './support/bench.ts';
import { askOnce } from './support/databases.ts';
import { type Figure, FigureInvalid, type Line, limitLine } from './support/figure.ts';
import { storePaidPayments } from './support/paid-payments.ts';
import { runProgram } from './support/programs.ts';
import { createInstallation, environmentOf, type Installation, startService, withStore } from './support/service.ts';

/** An installation: its database, and the environment of its service. */
type Group = { name: string; folder: string; environment: NodeJS.ProcessEnv; settings: string };

/** The aim of the pause, in seconds. */
const PAUSE_S = 10;
/** How many shops send orders, one after the other, during the move. */
const SHOPS = 4;
const REST_MS = 20;

/**
 * Measures the pause in the move of a payment service with many payments while orders continue: from the embedded store
 * to PostgreSQL, and from there to another PostgreSQL. Afterwards every acknowledged order must exist, and the books
 * must be correct.
 */
export async function measureMove(bench: Bench): Promise<Figure> {
  const count = bench.sizes.moved;
  const postgres = await bench.postgres();
  const first = groupOf(bench, 'SQLite', 1);
  const groups = [first];
  for (const number of [2, 3])
    groups.push(groupOf(bench, 'PostgreSQL', number, await postgres.createDatabase(`move_${number}`)));
  for (const [at, { environment }] of groups.entries())
    await runProgram('node', ['src/main.ts', 'ids', '--from', String(1 + at * 1_000_000_000)], environment);
  const shop = await createInstallation(first.folder, undefined, first.environment);
  bench.say(`  storing ${count} paid payments in SQLite`);
  const paymentServiceId = await withStore(first, async (app) => {
    const environment = await loadEnvironment(app, shop.serviceToken);
    if (environment === null) throw new Error('The payment service of the bench is not there');
    await storePaidPayments(app, environment, count);
    return environment.paymentServiceId;
  });
  const lines: Line[] = [];
  const rows: string[][] = [];
  for (const [at, to] of groups.slice(1).entries()) {
    const from = groups[at] as Group;
    const way = `${from.name} to ${to.name}`;
    bench.say(`  moving from ${way}`);
    // Autovacuum would do this in production; a bench cluster has no autovacuum.
    if (from.name === 'PostgreSQL') await askOnce(`${from.environment['DATABASE_URL']}`, 'vacuum analyze');
    const moved = await moveUnderLoad(from, to, paymentServiceId, shop);
    bench.say(`  ${way}: ${JSON.stringify(moved)}`);
    const what = `pause of a payment service with ${count.toLocaleString('en')} paid payments that moves from ${way}, with orders going on`;
    lines.push(limitLine(what, 's', PAUSE_S, [moved.pauseMs / 1000]));
    rows.push([
      way,
      ...[count, moved.events, moved.orders, moved.waited].map((each) => each.toLocaleString('en')),
      (moved.pauseMs / 1000).toFixed(2),
      moved.minutes.toFixed(1),
    ]);
  }
  const head = [
    'from and to',
    'paid payments',
    'events',
    'orders meanwhile, none lost',
    'refused in the pause',
    'pause, s',
    'minutes in all',
  ];
  return { lines, details: [{ title: 'Moves under orders', head, rows, keyCells: 2 }] };
}

function groupOf(bench: Bench, name: string, number: number, databaseUrl?: string): Group {
  const folder = join(bench.folder, `move-${number}`);
  mkdirSync(folder);
  const shared = { MASTER_KEY: '5a'.repeat(32), PUBLIC_URL: `https://pay-${number}.example.cl` };
  const environment: NodeJS.ProcessEnv = { ...environmentOf(folder, databaseUrl), ...shared };
  const settings = join(folder, 'group.env');
  const names = ['DATA_DIR', 'DATABASE_URL', 'MASTER_KEY', 'PUBLIC_URL'] as const;
  writeFileSync(settings, names.map((each) => `${each}=${environment[each]}\n`).join(''));
  return { name, folder, environment, settings };
}

async function moveUnderLoad(from: Group, to: Group, id: string, shop: Installation) {
  const services = [await startService(from), await startService(to)] as const;
  const orders = startOrders(services[0].port, shop);
  const begun = performance.now();
  const args = ['src/main.ts', 'payment-service', 'move', id, '--to', to.settings, '--json'];
  const moved = JSON.parse(await runProgram('node', args, from.environment)) as {
    events: number;
    pause_ms: number;
  };
  const minutes = (performance.now() - begun) / 60_000;
  const { acknowledged, waited } = await orders.end();
  await Promise.all(services.map((service) => service.stop()));
  const kept = await withStore(to, async (app) => {
    const rows = await app.db.query<{ reference: string }>(
      'select reference from transactions where reference {named $1}',
      [acknowledged],
    );
    return new Set(rows.map(({ reference }) => reference));
  });
  const lost = acknowledged.filter((reference) => !kept.has(reference));
  if (lost.length > 0) throw new FigureInvalid(`${lost.length} acknowledged orders are not there, such as ${lost[0]}`);
  // The program exits with another status if anything is wrong.
  await runProgram('node', ['src/main.ts', 'books', 'verify', '--json'], to.environment);
  return { ...moved, pauseMs: moved.pause_ms, minutes, orders: acknowledged.length, waited };
}

/** Starts shops that send orders until the payment service has gone. */
function startOrders(port: number, { serviceToken, secretToken }: Installation) {
  const acknowledged: string[] = [];
  let [waited, ending] = [0, false];
  const shopping = Array.from({ length: SHOPS }, async (_, shop) => {
    for (let number = 1; !ending; number++) {
      const reference = `MOVING-${port}-${shop}-${number}`;
      const answer = await order(port, { serviceToken, secretToken, reference });
      if (answer.status === 200) acknowledged.push(reference);
      else if (answer.status === 503) waited++;
      else if (answer.status === 421) return;
      else throw new FigureInvalid(`an order is answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
      await sleep(REST_MS);
    }
  });
  return {
    end: async () => {
      ending = true;
      await Promise.all(shopping);
      return { acknowledged, waited };
    },
  };
}

function order(port: number, { serviceToken, secretToken, reference }: Record<string, string>): Promise<Response> {
  const fields = {
    x_account_id: serviceToken,
    x_amount: '12990',
    x_currency: 'CLP',
    x_customer_email: 'compradora@example.cl',
    x_reference: reference,
    x_session_id: 'session-000001',
    x_shop_country: 'CL',
    x_url_callback: 'https://shop.example/callback',
    x_url_cancel: 'https://shop.example/cancel',
    x_url_complete: 'https://shop.example/complete',
  };
  const x_signature = createHmac('sha256', secretToken as string)
    .update(Object.entries(fields).flat().join(''))
    .digest('hex');
  return fetch(`http://127.0.0.1:${port}/trxs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...fields, x_signature }),
  });
}
