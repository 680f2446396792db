import type { App } from '../src/app.ts';
import { composeApp } from '../src/compose-app.ts';
import { readConfig } from '../src/config.ts';
import { deleteOldCallbacks } from '../src/outbox/delete-old-callbacks.ts';
import { sealFeed } from '../src/outbox/feed/seal-feed.ts';
import { indexPayments } from '../src/search/index-payments.ts';

/**
 * Steps of the worker of `serve`, each repeated here until nothing is left. The worker takes them one at a time among
 * others.
 */
const WORK: Record<string, (app: App) => Promise<number>> = {
  seal: sealFeed,
  index: indexPayments,
  retention: (app) => deleteOldCallbacks(app, 100),
};

const step = WORK[process.argv[2] ?? ''];
if (step === undefined) throw new Error(`Say one of ${Object.keys(WORK).join(', ')}`);
const app = composeApp({ ...readConfig(), logLevel: 'error' }, (error) => {
  throw error;
});
let all = 0;
for (let done = await step(app); done > 0; done = await step(app)) all += done;
await app.close();
process.stdout.write(`${all}\n`);
