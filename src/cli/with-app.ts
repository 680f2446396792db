import { composeApp, type RunningApp } from '../compose-app.ts';
import { readConfig } from '../config.ts';
import { openStore } from './prepare-store.ts';

/** A command may read a whole store, for which a server takes minutes where there are tens of millions of payments. */
const READS_WITHIN_MS = 3_600_000;

/** Runs a command on an app of its own and closes it again. Never changes the schema of a store. Logs nothing below errors. */
export async function withApp<Result>(
  run: (app: RunningApp) => Promise<Result>,
  makeReady: (app: RunningApp) => Promise<void> = openStore,
): Promise<Result> {
  const config = { ...readConfig(), logLevel: 'error' };
  const fail = (error: unknown) => {
    throw error;
  };
  const app = composeApp(config, fail, { readsWithinMs: READS_WITHIN_MS });
  try {
    await makeReady(app);
    return await run(app);
  } finally {
    await app.close();
  }
}
