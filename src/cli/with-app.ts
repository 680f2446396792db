import { composeApp, type RunningApp } from '../compose-app.ts';
import { readConfig } from '../config.ts';
import { openStore } from './prepare-store.ts';

/** Runs a command on an app of its own and closes it again. Never changes the schema of a store. Logs nothing below errors. */
export async function withApp<Result>(
  run: (app: RunningApp) => Promise<Result>,
  makeReady: (app: RunningApp) => Promise<void> = openStore,
): Promise<Result> {
  const config = { ...readConfig(), logLevel: 'error' };
  const app = composeApp(config, (error) => {
    throw error;
  });
  try {
    await makeReady(app);
    return await run(app);
  } finally {
    await app.close();
  }
}
