import { composeApp, type Reading, type RunningApp } from '../compose-app.ts';
import { readConfig } from '../config.ts';
import { openStore } from './prepare-store.ts';

/** For a command that reads a whole store: a server takes minutes for that where there are tens of millions of payments. */
export const WHOLE_STORE: Reading = { readsWithinMs: 3_600_000 };

/** Runs a command on an app of its own and closes it again. Never changes the schema of a store. Logs nothing below errors. */
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

/** As `withApp`, for a command that reads a whole store. */
export function withWholeStore<Result>(run: (app: RunningApp) => Promise<Result>): Promise<Result> {
  return withApp(run, openStore, WHOLE_STORE);
}
