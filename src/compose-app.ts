import pino from 'pino';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { type OpenOptions, openDatabase } from './db/open-database.ts';
import { createOutage } from './db/outage.ts';
import { systemClock } from './lib/clock.ts';
import { errorForLog } from './lib/error-for-log.ts';
import { createLogOutput } from './lib/log-output.ts';
import type { OwnPlaces } from './lib/network/address-filter.ts';
import { limitLookUps } from './lib/network/limit-look-ups.ts';
import { createMailer } from './lib/network/mailer.ts';
import { ownPlaces } from './lib/network/own-places.ts';
import { createNameResolver } from './lib/network/resolve-name.ts';
import { createSafeFetch } from './lib/network/safe-fetch.ts';
import { createMetrics } from './metrics.ts';
import { simulatedMethod, simulatedTransfer } from './payment-methods/simulated-method.ts';
import { createWebpayMethod } from './payment-methods/webpay-method.ts';
import { findMethodKey } from './payment-services/method-settings.ts';
import { payoutSenders } from './payout-senders/open-payout-sender.ts';
import { composeValidationProvider } from './validation-providers/compose-validation-provider.ts';

export type RunningApp = App & {
  /** Tells the process to stop: it takes no new work and finishes the work under way. */
  stop(): void;
  /** Resolves when all log lines are written, or nobody reads them. Await it before `process.exit`. */
  logWritten: () => Promise<void>;
  /** Closes what the app opened. Call it after the server and the worker have ended. */
  close(): Promise<void>;
};

/** The time-out of an app's reads. */
export type Reading = Pick<OpenOptions, 'readsWithinMs'>;

/**
 * Builds the app from its settings. Only this function chooses adapters. `onFatal` is called when the store fails in a
 * way that this process must not survive.
 */
export function composeApp(config: Config, onFatal: (error: unknown) => void, reading: Reading = {}): RunningApp {
  const stopping = new AbortController();
  const now = systemClock();
  const output = createLogOutput(config);
  const metrics = createMetrics();
  const outage = createOutage(now, metrics.databaseUnavailable, {
    begun: (err) => log.error({ alarm: 'database_unavailable', err }, 'the database does not answer'),
    ended: (says) => log.warn(says, 'the database answers again'),
  });
  const logging: pino.LoggerOptions = {
    level: config.logLevel,
    base: null,
    serializers: { err: errorForLog },
    // Pino calls `timestamp` at its creation, and the first anchor cannot set back a clock that was already read.
    timestamp: false,
    hooks: {
      logMethod(line, write) {
        const [about] = line as unknown[];
        if (!outage.covers((about as { err?: unknown } | undefined)?.err)) write.apply(this, line);
      },
    },
    mixin: () => ({ time: new Date(now()).toISOString() }),
  };
  const log = pino(logging, output.stream);
  // Computed with the first request, because the port is known only once the service listens.
  let places: OwnPlaces | null = null;
  const findOwnPlaces = () => (places ??= ownPlaces(config));
  const proxy = config.egressProxy;
  const outbound = createSafeFetch({
    ownPlaces: findOwnPlaces,
    resolve: limitLookUps(createNameResolver(), now),
    proxy,
  });
  // Requests to merchants' URLs share no connections with requests to the acquirer and the provider.
  const acquirer = createSafeFetch({ ownPlaces: findOwnPlaces, proxy });
  const provider = createSafeFetch({ ownPlaces: findOwnPlaces, proxy });
  const { databaseConnections: connections, databasePooler: pooler } = config;
  const db = openDatabase(config.databaseUrl, { connections, pooler, ...reading, onFatal });
  const webpay = createWebpayMethod({
    fetch: acquirer.fetch,
    now,
    baseUrl: config.webpayBaseUrl,
    keyOf: (environmentId, code) => findMethodKey({ config, db, now }, environmentId, 'webpay', code),
    onUnreadRefusal: (attempt, text) => log.warn({ attempt, text }, UNREAD_REFUSAL),
  });
  return {
    config,
    db,
    log,
    now,
    fetch: outbound.fetch,
    mailer: config.smtp && createMailer(config.smtp),
    metrics,
    outage,
    random: Math.random,
    paymentMethods: [simulatedMethod, simulatedTransfer, webpay],
    validationProvider: composeValidationProvider(config, provider.fetch, now),
    openPayoutSender: payoutSenders(provider.fetch, now),
    stopping: stopping.signal,
    stop: () => stopping.abort(),
    logWritten: output.written,
    close: async () => {
      await db.close();
      await Promise.all([outbound, acquirer, provider].map((each) => each.close()));
    },
  };
}

const UNREAD_REFUSAL = 'Webpay refused a commit with an unknown text; the payment waits until its end is certain';
