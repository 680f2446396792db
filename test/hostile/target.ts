import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import type { App } from '../../src/app.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { logIn } from '../../src/auth/sign-in/log-in.ts';
import { readConfig } from '../../src/config.ts';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { importPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { buildServer } from '../../src/server/build-server.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { removeTriggers } from '../support/test-books.ts';
import { readCorpus } from './hostile-case.ts';

/** Counts of what a request may leave behind: rows and outbound requests. */
export type Traces = { transactions: number; events: number; callbacks: number; outbound: number };

/** A server under attack, and access to its effects. */
export type Target = {
  port: number;
  /** Counts everything since the last `reset`. */
  traces(): Promise<Traces>;
  /** The log lines since the last `reset`. */
  logLines(): string[];
  /** Deletes transactions, events, callbacks, outbound requests and log lines. */
  reset(): Promise<void>;
  close(): Promise<void>;
};

export const NO_TRACES: Traces = { transactions: 0, events: 0, callbacks: 0, outbound: 0 };

export type ProductTarget = Target & { app: TestApp; accessToken: string; server: Server };

/** Shortened time-outs, settings and parts; everything else is as in the product. */
export type TargetOptions = {
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  settings?: Record<string, string>;
  parts?: Pick<App, 'fetch'>;
};

/**
 * Starts the real server with the real routes on a new SQLite database, on loopback. It has the payment service of the
 * corpus. Private callbacks are refused, as in production. Rate limits are off by default.
 */
export async function startProduct(options: TargetOptions = {}): Promise<ProductTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-hostile-'));
  const db = openDatabase(`sqlite:${join(folder, 'test.db')}`, { connections: 1, pooler: false, onFatal: () => {} });
  await migrate(db);
  // `reset` deletes events, which the service never does.
  await removeTriggers(db);
  const lines: string[] = [];
  const config = readConfig({
    MASTER_KEY: '5a'.repeat(32),
    ALLOW_PRIVATE_CALLBACKS: 'false',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'info',
    ...options.settings,
  });
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(line) });
  const app = createTestApp(db, { config, log, ...options.parts });
  const { account, secret } = readCorpus().vectors;
  await importPaymentService(app, 'Hostile', 'development', { service_token: account, secret_token: secret }, TESTER);
  const accessToken = await logInNewUser(app);
  const server = buildServer(app, ROUTES);
  if (options.headersTimeoutMs !== undefined) server.server.headersTimeout = options.headersTimeoutMs;
  if (options.requestTimeoutMs !== undefined) server.server.requestTimeout = options.requestTimeoutMs;
  // Node reads this when the server starts to listen; its types lack it.
  Object.assign(server.server, { connectionsCheckingInterval: 50 });
  await server.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    accessToken,
    server: server.server,
    port: (server.server.address() as AddressInfo).port,
    traces: async () => ({ ...(await countRows(app)), outbound: app.sent.length }),
    logLines: () => lines,
    reset: async () => {
      lines.length = 0;
      app.sent.length = 0;
      await db.transaction(async (tx) => {
        for (const table of ['callbacks', 'events', 'transactions']) await tx.query(`delete from ${table}`);
      });
    },
    close: async () => {
      await server.close();
      await db.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns the access token of a new user with payouts. */
async function logInNewUser(app: App): Promise<string> {
  const { email, password } = await createUser(
    app,
    {
      email: 'payouts@example.cl',
      may: ['payments:read', 'events:read', 'books:read', 'refunds:create', 'accounts:validate'],
      paymentServices: 'all',
    },
    TESTER,
  );
  return (await logIn(app, { email, password, address: '127.0.0.1' })).text;
}

async function countRows(app: App): Promise<Omit<Traces, 'outbound'>> {
  const [counts] = await app.db.query<{ transactions: number; events: number; callbacks: number }>(
    `select (select count(*) from transactions) as transactions, (select count(*) from events) as events,
            (select count(*) from callbacks) as callbacks`,
  );
  if (counts === undefined) throw new Error('There is nothing to count');
  return { ...counts };
}
