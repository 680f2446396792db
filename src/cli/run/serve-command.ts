import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { checkFactorRoles } from '../../auth/factors/factor.ts';
import { composeApp, type RunningApp } from '../../compose-app.ts';
import { type Config, privateCallbacksProblem, publicOrigin, readConfig } from '../../config.ts';
import { StorageError } from '../../db/database.ts';
import { holdStore } from '../../db/hold-store.ts';
import { whyStoreFileIsNew, whyStoreIsOlder } from '../../epochs/check-mark.ts';
import { findHeld } from '../../epochs/hold.ts';
import { watchStore } from '../../epochs/watch-store.ts';
import { publicUrlProblem } from '../../health/public-url-problem.ts';
import { freeStartMemory } from '../../lib/free-start-memory.ts';
import { keepCompiledCode } from '../../lib/keep-compiled-code.ts';
import { measureProcess } from '../../lib/meters.ts';
import { withinTime } from '../../lib/within-time.ts';
import { releaseClaims } from '../../outbox/deliver-callbacks.ts';
import { buildServer } from '../../server/build-server.ts';
import { listenForMetrics } from '../../server/listen-for-metrics.ts';
import { ROUTES } from '../../server/routes.ts';
import { describeSettings } from '../../settings.ts';
import { startWorker } from '../../worker.ts';
import { commandLineActor } from '../find-actor.ts';
import { prepareStore, refuseOlder, requireFeedHere } from '../prepare-store.ts';
import { greetingOf } from './greeting.ts';
import { recallLookUps } from './recall-look-ups.ts';
import { verifyInThread } from './verify-in-thread.ts';

const HELD = 'the store was restored: callbacks and refunds wait until bin/rubrica release';
/**
 * `DRAIN_MS` limits everything that is under way at a stop. `ANSWER_MS` limits the requests: after it, their last
 * changes are sealed.
 */
const DRAIN_MS = 8_000;
const ANSWER_MS = 6_000;
/**
 * Time for a request that is already on its way on an open connection. It is answered, and the client is told to close.
 */
const LINGER_MS = 500;
const SWEEP_MS = 50;
/** The process that reads the log may have stopped reading. */
const LOG_WRITTEN_MS = 1_000;
/** EX_SOFTWARE: the next start must check the store, and a person may have to act. */
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

/**
 * Node cuts buffers of up to half of this from one piece of memory. With its default of 8 KiB a response of 5 KB gets a
 * piece of its own, which costs more than writing it.
 */
const BUFFER_POOL_BYTES = 64 * 1024;

async function serve(): Promise<void> {
  freeStartMemory();
  keepCompiledCode();
  Buffer.poolSize = BUFFER_POOL_BYTES;
  const starting = startService(readConfig());
  const { end, onSignal } = createStop(starting, (status) => process.exit(status));
  // Registered before the start has ended: a reader of `ready` may stop the service in the same moment.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void onSignal().catch(() => process.exit(1)));
  }
  const { app, unfit, closeNow } = await starting;
  if (app.config.logFormat === 'text' && app.log.isLevelEnabled('info')) process.stdout.write(await greetingOf(app));
  void unfit.then(() => {
    closeNow();
    return end(EXIT_UNFIT).catch(() => process.exit(EXIT_UNFIT));
  });
}

/**
 * Returns how `serve` stops. `end`: drains once and exits with a status. `onSignal`: the first signal drains, after the
 * start if that has not ended; a second one ends the start or the drain delay, or the process with status 1.
 */
export function createStop(starting: Promise<RunningService>, exit: (status: number) => void) {
  let running: RunningService | null = null;
  let stopping = false;
  starting.then(
    (started) => {
      running = started;
    },
    () => {},
  );
  const end = async (status: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    const service = await starting;
    await service.stop();
    await withinTime(service.app.logWritten(), LOG_WRITTEN_MS).catch(() => {});
    exit(status);
  };
  const onSignal = async (): Promise<void> => {
    if (!stopping) return end(0);
    if (running?.closeNow() !== true) exit(1);
  };
  return { end, onSignal };
}

export type RunningService = {
  app: RunningApp;
  url: string;
  /**
   * Reports not ready to the balancer and keeps listening for DRAIN_DELAY. Then refuses new connections and resolves
   * when the work under way has ended.
   */
  stop(): Promise<void>;
  /** Ends the drain delay, also before it begins. Returns whether there was any left. */
  closeNow: () => boolean;
  /** Resolves when this process must no longer work on its store. The log has the reason. */
  unfit: Promise<void>;
};

const HELD_ADVICE =
  'Stop it first, give this one a DATA_DIR of its own, or share a PostgreSQL: DATABASE_URL=postgres://…';

/**
 * Starts the service and resolves when it listens. With port 0, the app's config gets the chosen port. Throws
 * `StoreHeldError` if another process serves the same embedded store: the commits of two processes would wait for each
 * other in the thread that answers requests. Usually somebody forgot to stop that process.
 */
export async function startService(settings: Config): Promise<RunningService> {
  const config = { ...settings };
  refuseOlder(whyStoreFileIsNew(config));
  const hold = holdStore(config.databaseUrl, HELD_ADVICE);
  const app: RunningApp = composeApp(config, (error) => stopAtOnce(app, error));
  const close = async () => {
    await app.close();
    hold.release();
  };
  try {
    return await listen(app, config, close);
  } catch (error) {
    // Otherwise open connections would keep the process alive.
    await close();
    throw error;
  }
}

async function listen(app: RunningApp, config: Config, close: () => Promise<void>): Promise<RunningService> {
  const startedAt = performance.now();
  checkFactorRoles(app);
  measureProcess(app.metrics.registry);
  refuseOlder(await whyStoreIsOlder(app));
  const migrations = await prepareStore(app, commandLineActor());
  await requireFeedHere(app);
  // No other process serves this store, so earlier claims belong to a process that has ended, for example by `kill -9`.
  if (app.db.engine === 'sqlite') await releaseClaims(app);
  await recallLookUps(app).catch((err: unknown) => app.log.error({ err }, 'open payments were not recalled'));
  await using begun = new AsyncDisposableStack();
  const onStale = (error: Error) => {
    app.stop();
    stopAtOnce(app, error);
  };
  const watch = begun.adopt(await watchStore(app, onStale), (started) => started.stop());
  const held = (await findHeld(app)) !== null;
  const metrics = begun.adopt(await listenForMetrics(app), closeAtOnce);
  const server = buildServer(app, ROUTES);
  await server.listen({ port: config.port, host: config.host });
  // All steps that can fail come before: a process that listened without its store only answered /healthz.
  begun.move();
  const { port } = server.server.address() as AddressInfo;
  config.port = port;
  const unfit = Promise.withResolvers<void>();
  const onUnfit = (reason: Error) => {
    if (!app.stopping.aborted) app.log.error({ alarm: 'unfit_for_store', err: reason }, reason.message);
    unfit.resolve();
  };
  const worker = startWorker(app, watch.mayLeave, onUnfit, verifyInThread);
  const url = publicOrigin({ ...config, publicUrl: null });
  if (held) app.log.error({ alarm: 'held_after_restore' }, HELD);
  warnAtStart(app, config);
  // On a terminal the greeting says this.
  if (config.logFormat === 'json') {
    const settings = Object.fromEntries(describeSettings(config).map(({ name, value }) => [name, value]));
    const applied = { count: migrations.length, first: migrations[0], last: migrations.at(-1) };
    app.log.info({ url, migrations: applied, settings, ms: Math.round(performance.now() - startedAt) }, 'ready');
  }
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
      // Awaited after the delay. Until then a rejection must not end the process.
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

function warnAtStart(app: RunningApp, config: Config): void {
  if ((app.now.ahead?.() ?? 0) > 0) app.log.warn('the clock is ahead of real time: bin/rubrica clock show');
  const ignored = privateCallbacksProblem(config);
  if (ignored !== null) app.log.warn(ignored);
  const misled = publicUrlProblem(config);
  if (misled !== null) app.log.warn(`${misled}; set it to the https address of this service`);
}

/** Creates the drain delay of `ms` milliseconds. `end` ends it for good and returns whether it was still open. */
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

/** Refuses new connections, and resolves when the open ones have their responses and are closed. */
async function endConnections(server: HttpServer): Promise<void> {
  const closed = once(server, 'close');
  // The `close` of an HTTP server would also close idle connections at once, and lose a request that is about to
  // arrive.
  Server.prototype.close.call(server);
  await Promise.race([closed, sleep(LINGER_MS, null, { ref: false })]);
  // A response that was under way did not tell its client to close. Its idle connection would delay the stop.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closed;
  clearInterval(sweep);
}

/**
 * Ends the process: after an I/O error in a commit the state on disk is unknown, and a removed or replaced store keeps
 * nothing. The delay lets waiting requests get `OUTCOME_UNKNOWN`. The next start reads the true state.
 */
function stopAtOnce(app: RunningApp, error: unknown): void {
  const why =
    error instanceof StorageError
      ? `the disk failed in a commit, stopping: ${String(error.cause)}`
      : `${(error as Error).message}: stopping`;
  if (app.log.isLevelEnabled('error')) app.log.error({ alarm: 'unfit_for_store' }, why);
  else process.stderr.write(`${why}\n`);
  setTimeout(() => process.exit(EXIT_UNFIT), 200);
}
