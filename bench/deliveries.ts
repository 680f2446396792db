import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { composeApp, type RunningApp } from '../src/compose-app.ts';
import { readConfig } from '../src/config.ts';
import { enqueueCallback } from '../src/outbox/enqueue-callback.ts';
import { loadEnvironment } from '../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../src/payment-services/payment-service.ts';
import { alternate, type Bench, roundsAgainst } from './support/bench.ts';
import { type Figure, type Line, ratioLine } from './support/figure.ts';
import { runProgram } from './support/programs.ts';
import { createInstallation, type Installation, startService } from './support/service.ts';

/** The concurrent requests of the service to one endpoint; the bare loop gets as many connections. */
const PER_ENDPOINT = 4;

/**
 * Measures callbacks per second with every attempt recorded durably, against a loop that only posts the same bodies.
 */
export async function measureDeliveries(bench: Bench): Promise<Figure> {
  const lines: Line[] = [];
  const onSqlite = await createInstallation(join(bench.folder, 'deliveries'));
  lines.push(await compare(bench, 'SQLite', onSqlite, 1), await compare(bench, 'SQLite', onSqlite, 16));
  const url = await (await bench.postgres()).createDatabase('deliveries');
  const onPostgres = await createInstallation(join(bench.folder, 'deliveries-postgres'), url);
  lines.push(await compare(bench, 'PostgreSQL', onPostgres, 16));
  return { lines, details: [] };
}

async function compare(bench: Bench, engine: string, installation: Installation, endpoints: number): Promise<Line> {
  const receiver = await startReceiver(endpoints);
  const outbox = await openOutbox(installation, receiver.urls);
  const service = await startService(installation);
  const file = join(bench.folder, 'posts.json');
  writeFileSync(file, JSON.stringify(await outbox.fill(bench.sizes.callbacks)));
  await outbox.emptied();
  const rows = await alternate(bench, {
    'the service': async () => {
      receiver.begin();
      await outbox.fill(bench.sizes.callbacks);
      await outbox.emptied();
      return (bench.sizes.callbacks / (performance.now() - receiver.firstAt())) * 1000;
    },
    'bare delivery loop': async () =>
      Number(await runProgram('node', [loop, file, String(endpoints), String(PER_ENDPOINT)])),
  });
  await service.stop();
  await outbox.close();
  receiver.close();
  const measured = `callbacks delivered/s, attempts recorded durably, ${engine}, ${endpoints} endpoint${endpoints === 1 ? '' : 's'}`;
  return ratioLine(measured, 'bare delivery loop', { atLeast: 0.6 }, roundsAgainst(rows, 1));
}

const loop = new URL('./peers/bare-delivery-loop.ts', import.meta.url).pathname;

/** `urls`: one for each endpoint. */
type Receiver = { urls: readonly string[]; begin(): void; firstAt(): number; close(): void };

/**
 * Starts a receiver that answers 200 to everything and records the first request of each round. Each endpoint has a
 * separate host, like a shop.
 */
async function startReceiver(endpoints: number): Promise<Receiver> {
  let first = 0;
  const servers = Array.from({ length: endpoints }, () =>
    createServer((request, response) => {
      if (first === 0) first = performance.now();
      request.resume();
      request.on('end', () => {
        response.writeHead(200, { 'content-length': 2 });
        response.end('OK');
      });
    }),
  );
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    urls: servers.map((server, at) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop/${at}`),
    begin: () => {
      first = 0;
    },
    firstAt: () => first,
    close: () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

type Outbox = {
  /** Inserts callbacks into the outbox in one commit, and returns their URLs and bodies. */
  fill(count: number): Promise<{ url: string; body: string }[]>;
  /** Resolves when no callback waits. */
  emptied(): Promise<void>;
  close(): Promise<void>;
};

/**
 * Opens the same installation in another process, as a replica would. It fills the outbox with the product's own
 * operation.
 */
async function openOutbox(installation: Installation, urls: readonly string[]): Promise<Outbox> {
  const app = composeApp({ ...readConfig(installation.environment), logLevel: 'error' }, () => {});
  const environment = (await loadEnvironment(app, installation.serviceToken)) as ServiceEnvironment;
  return {
    fill: (count) =>
      fill(
        app,
        environment,
        Array.from({ length: count }, (_, at) => urls[at % urls.length] as string),
      ),
    emptied: async () => {
      const waiting = `select 1 as waiting from callbacks where state = 'queued' limit 1`;
      while ((await app.db.query(waiting)).length > 0) await pause(20);
    },
    close: () => app.close(),
  };
}

let transactions = 1_000_000;

async function fill(
  app: RunningApp,
  environment: ServiceEnvironment,
  urls: readonly string[],
): Promise<{ url: string; body: string }[]> {
  const first = transactions;
  transactions += urls.length;
  const content = { amount: 12_990, currency: 'CLP', result: 'completed', message: 'Approved', sequence: 2 } as const;
  await app.db.transaction(async (tx) => {
    for (const [at, url] of urls.entries()) {
      const transactionId = first + at;
      await enqueueCallback(tx, environment, {
        ...content,
        url,
        transactionId,
        reference: `bench-${transactionId}`,
        timestamp: app.now(),
      });
    }
  });
  return app.db.query(`select url, body from callbacks where transaction_id >= $1 and transaction_id < $2`, [
    first,
    transactions,
  ]);
}
