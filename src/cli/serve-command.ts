import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { checkFactorRoles } from '../auth/factors/factor.ts';
import { composeApp, type RunningApp } from '../compose-app.ts';
import { type Config, privateCallbacksProblem, publicOrigin, readConfig } from '../config.ts';
import { StorageError } from '../db/database.ts';
import { holdStore } from '../db/hold-store.ts';
import { whyStoreIsOlder } from '../epochs/check-mark.ts';
import { findHeld } from '../epochs/hold.ts';
import { watchStore } from '../epochs/watch-store.ts';
import { publicUrlProblem } from '../health/public-url-problem.ts';
import { forgetLoading } from '../lib/forget-loading.ts';
import { measureProcess } from '../lib/meters.ts';
import { withinTime } from '../lib/within-time.ts';
import { releaseClaims } from '../outbox/deliver-callbacks.ts';
import { buildServer } from '../server/build-server.ts';
import { listenForMetrics } from '../server/listen-for-metrics.ts';
import { ROUTES } from '../server/routes.ts';
import { describeSettings } from '../settings.ts';
import { startWorker } from '../worker.ts';
import { commandLineActor } from './find-actor.ts';
import { greetingOf } from './greeting.ts';
import { prepareStore, requireFeedHere } from './prepare-store.ts';
import { CommandError, EXIT_FINAL } from './print.ts';

const HELD = 'the store was restored: callbacks and refunds wait until bin/rubrica release';
/** Time for requests and deliveries under way once a stop is asked for, and for requests alone: then what they did is sealed. */
const DRAIN_MS = 8_000;
const ANSWER_MS = 6_000;
/** On an open connection the next request may be under way when a stop is asked for; so long one is answered, and told to close. */
const LINGER_MS = 500;
const SWEEP_MS = 50;
/** The reader of the log may have stopped reading. */
const LOG_WRITTEN_MS = 1_000;
/** EX_SOFTWARE: after this the next start has to look, and perhaps a person. */
const EXIT_UNFIT = 70;

/** `serve`. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description(
      'run the service (HTTP and worker); migrates the store first; SIGTERM drains, a second SIGTERM stops at once',
    )
    .action(serve);
}

async function serve(): Promise<void> {
  forgetLoading();
  const starting = startService(readConfig());
  let stopping = false;
  const end = async (status: number) => {
    stopping = true;
    const running = await starting;
    await running.stop();
    await withinTime(running.app.logWritten(), LOG_WRITTEN_MS).catch(() => {});
    process.exit(status);
  };
  const onSignal = async () => {
    if (!stopping) return end(0);
    // Somebody is in a hurry: first the waiting ends, then everything.
    const { closeNow } = await starting;
    if (!closeNow()) process.exit(1);
  };
  // At once, because the reader of `ready` may stop it in the same moment.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void onSignal().catch(() => process.exit(1)));
  }
  const { app, unfit, closeNow } = await starting;
  if (app.config.logFormat === 'text' && app.log.isLevelEnabled('info')) process.stdout.write(await greetingOf(app));
  void unfit.then(() => {
    closeNow();
    return stopping ? undefined : end(EXIT_UNFIT).catch(() => process.exit(EXIT_UNFIT));
  });
}

export type RunningService = {
  app: RunningApp;
  url: string;
  /**
   * Says so to the balancer, listens on for as long as DRAIN_DELAY says, then takes no more connections and resolves when what
   * was under way has ended.
   */
  stop(): Promise<void>;
  /** Ends that waiting, also one that has not begun. Answers whether there was any. */
  closeNow: () => boolean;
  /** Resolves, if ever, when this process must work on its store no longer. The log says why. */
  unfit: Promise<void>;
};

const HELD_ADVICE =
  'Stop it first, give this one a DATA_DIR of its own, or share a PostgreSQL: DATABASE_URL=postgres://…';

/**
 * Starts the service and answers when it listens. With port 0 the app's config names the port that was chosen.
 * Throws `StoreHeldError` when another process serves the same embedded store: nearly always somebody forgot to stop it,
 * and the commits of two would wait for each other in the thread that answers.
 */
export async function startService(settings: Config): Promise<RunningService> {
  const config = { ...settings };
  const hold = holdStore(config.databaseUrl, HELD_ADVICE);
  const app = composeApp(config, stopAtOnce);
  const close = async () => {
    await app.close();
    hold.release();
  };
  try {
    return await listen(app, config, close);
  } catch (error) {
    // Its connections would keep a process alive that serves nothing.
    await close();
    throw error;
  }
}

async function listen(app: RunningApp, config: Config, close: () => Promise<void>): Promise<RunningService> {
  const startedAt = performance.now();
  checkFactorRoles(app);
  measureProcess(app.metrics.registry);
  const migrations = await prepareStore(app, commandLineActor());
  await requireFeedHere(app);
  const older = await whyStoreIsOlder(app);
  if (older !== null) throw new CommandError(older, EXIT_FINAL, 'STORE_IS_OLDER');
  // Nobody else serves it, so the process that had claimed them has ended, by `kill -9` say.
  if (app.db.engine === 'sqlite') await releaseClaims(app);
  await using begun = new AsyncDisposableStack();
  const onStale = (error: Error) => {
    app.stop();
    stopAtOnce(error);
  };
  const watch = begun.adopt(await watchStore(app, onStale), (started) => started.stop());
  const held = (await findHeld(app)) !== null;
  const metrics = begun.adopt(await listenForMetrics(app), closeAtOnce);
  const server = buildServer(app, ROUTES);
  await server.listen({ port: config.port, host: config.host });
  // Everything that can fail comes before: a process that listened without its store answered /healthz and nothing else.
  begun.move();
  const { port } = server.server.address() as AddressInfo;
  config.port = port;
  const unfit = Promise.withResolvers<void>();
  const worker = startWorker(app, watch.mayLeave, (reason) => {
    if (!app.stopping.aborted) app.log.error({ alarm: 'unfit_for_store', err: reason }, reason.message);
    unfit.resolve();
  });
  const url = publicOrigin({ ...config, publicUrl: null });
  const shown = Object.fromEntries(describeSettings(config).map(({ name, value }) => [name, value]));
  const misled = publicUrlProblem(config);
  if (held) app.log.error({ alarm: 'held_after_restore' }, HELD);
  if ((app.now.ahead?.() ?? 0) > 0) app.log.warn('the clock is ahead of real time: bin/rubrica clock show');
  const ignored = privateCallbacksProblem(config);
  if (ignored !== null) app.log.warn(ignored);
  if (misled !== null) app.log.warn(`${misled}; set it to the https address of this service`);
  // On a terminal a greeting says it.
  if (config.logFormat === 'json')
    app.log.info({ url, migrations, settings: shown, ms: Math.round(performance.now() - startedAt) }, 'ready');
  const delay = createDelay(config.drainDelay * 1000);
  return {
    app,
    url,
    unfit: unfit.promise,
    closeNow: delay.end,
    stop: async () => {
      app.log.info('stopping');
      app.stop();
      const waited = delay.wait();
      const closed = waited.then(() => endConnections(server.server));
      const answered = waited.then(() => withinTime(closed, ANSWER_MS).catch(() => {}));
      const idle = worker.stop(answered);
      // Looked at once the delay is over: until then a failure must not end the process.
      idle.catch(() => {});
      await waited;
      const ended = Promise.all([closed, idle]).then(() => watch.stop());
      await withinTime(ended, DRAIN_MS).catch((error) =>
        app.log.warn({ err: error }, 'some work had not ended at shutdown'),
      );
      closeAtOnce(metrics);
      await close();
      app.log.info('stopped');
    },
  };
}

/** `end` is for good: it answers whether anything was still to be waited for. */
function createDelay(ms: number): { wait: () => Promise<void>; end: () => boolean } {
  const ended = Promise.withResolvers<void>();
  let over = ms === 0;
  const end = () => {
    if (over) return false;
    over = true;
    ended.resolve();
    return true;
  };
  const wait = async () => {
    if (over) return;
    const timer = setTimeout(end, ms);
    await ended.promise;
    clearTimeout(timer);
  };
  return { wait, end };
}

function closeAtOnce(server: HttpServer | null): void {
  server?.close();
  server?.closeAllConnections();
}

/** Takes no new connection, and resolves when those that are open have had their answers and are closed. */
async function endConnections(server: HttpServer): Promise<void> {
  const closed = once(server, 'close');
  // The `close` of an HTTP server also ends what is idle at once, and with it a request that is about to arrive.
  Server.prototype.close.call(server);
  await Promise.race([closed, sleep(LINGER_MS, null, { ref: false })]);
  // An answer that was under way told nobody to close. Once its connection is idle it would hold the stop.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closed;
  clearInterval(sweep);
}

/**
 * After an I/O error in a commit nobody knows what is on disk, and of a store that was removed or replaced nothing is kept.
 * The answers that wait are `OUTCOME_UNKNOWN`; they leave, and the next start reads the truth.
 */
function stopAtOnce(error: unknown): void {
  const why =
    error instanceof StorageError
      ? `the disk failed in a commit, stopping: ${String(error.cause)}`
      : `${(error as Error).message}: stopping`;
  process.stderr.write(`${why}\n`);
  setTimeout(() => process.exit(EXIT_UNFIT), 200);
}
