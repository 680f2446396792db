import { composeApp, type RunningApp } from '../compose-app.ts';
import { readConfig } from '../config.ts';
import { prepareStore } from './prepare-store.ts';

/** Runs a command on an app of its own, with the schema up to date, and closes it again. Logs nothing below errors. */
export async function withApp<Result>(run: (app: RunningApp) => Promise<Result>): Promise<Result> {
  const config = { ...readConfig(), logLevel: 'error' };
  const app = composeApp(config, (error) => {
    throw error;
  });
  try {
    await prepareStore(app);
    return await run(app);
  } finally {
    await app.close();
  }
}
