import { composeApp, type Reading, type RunningApp } from '../compose-app.ts';
import { readConfig } from '../config.ts';
import { openStore } from './prepare-store.ts';

/** For a command that reads a whole store: with tens of millions of payments a database server needs minutes. */
export const WHOLE_STORE: Reading = { readsWithinMs: 3_600_000 };

/**
 * Runs a command on its own app and closes the app. Creates a missing store, but never migrates an existing one. Logs
 * only errors.
 */
export async function withApp<Result>(
  run: (app: RunningApp) => Promise<Result>,
  makeReady: (app: RunningApp) => Promise<void> = openStore,
  reading: Reading = {},
): Promise<Result> {
  const config = { ...readConfig(), logLevel: 'error' };
  const fail = (error: unknown) => {
    throw error;
  };
  const app = composeApp(config, fail, reading);
  try {
    await makeReady(app);
    return await run(app);
  } finally {
    await app.close();
  }
}

/** Does the same as `withApp` for a command that reads a whole store. */
export function withWholeStore<Result>(run: (app: RunningApp) => Promise<Result>): Promise<Result> {
  return withApp(run, openStore, WHOLE_STORE);
}
