import { composeApp, type Reading, type RunningApp } from '../compose-app.ts';
import { type Config, readConfig } from '../config.ts';
import { requireStoreFile } from '../db/migrate.ts';
import { whyDatabaseIsNew, whyStoreFileIsNew } from '../epochs/check-mark.ts';
import { openStore, refuseOlder } from './prepare-store.ts';

/** For a command that reads a whole store: with tens of millions of payments a database server needs minutes. */
export const WHOLE_STORE: Reading = { readsWithinMs: 3_600_000 };

/**
 * `creates`: a missing store is created, unless a service has seen one there (`CommandError` STORE_IS_OLDER); otherwise
 * the command fails with `SchemaError` NO_STORE and leaves nothing behind. `asItIs`: the store is used whatever its
 * schema.
 */
export type Opening = Reading & { creates?: boolean; asItIs?: boolean };

/**
 * Returns the settings with which a command runs: it logs only errors, to stderr. Its result on stdout may be one JSON
 * object, and a person reads text.
 */
export function asCommand(config: Config): Config {
  const logFormat = process.stderr.isTTY ? 'text' : config.logFormat;
  return { ...config, logLevel: 'error', logTo: 'stderr', logFormat };
}

/** Runs a command on its own app and closes the app. Never migrates an existing store. Logs only errors. */
export async function withApp<Result>(
  run: (app: RunningApp) => Promise<Result>,
  { creates = false, asItIs = false, ...reading }: Opening = {},
): Promise<Result> {
  const config = asCommand(readConfig(undefined, { makesKey: creates }));
  if (creates) refuseOlder(whyStoreFileIsNew(config));
  else requireStoreFile(config.databaseUrl);
  const fail = (error: unknown) => {
    throw error;
  };
  const app = composeApp(config, fail, reading);
  try {
    if (creates) refuseOlder(await whyDatabaseIsNew(app));
    if (!asItIs) await openStore(app, creates);
    return await run(app);
  } finally {
    await app.close();
  }
}

/** Does the same as `withApp` for a command that reads a whole store. */
export function withWholeStore<Result>(run: (app: RunningApp) => Promise<Result>): Promise<Result> {
  return withApp(run, WHOLE_STORE);
}
