import type { App } from '../app.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import { ConfigError } from '../config.ts';
import { anchorClock } from '../db/anchor-clock.ts';
import { migrate } from '../db/migrate.ts';
import { continueFeed } from '../outbox/continue-feed.ts';
import { opensSecrets } from '../payment-services/seal-secret.ts';

const WRONG_KEY =
  'The master key is not the one that sealed the stored Secret Tokens. Set MASTER_KEY (and MASTER_KEY_PREVIOUS while it is being replaced), or put back master.key in DATA_DIR.';

/**
 * Brings the store to what this version needs. Answers the migrations that ran. Throws `ConfigError` when the master key
 * is another than that of the stored Secret Tokens: every signature would fail, under a service that seems to be ready.
 */
export async function prepareStore(app: App): Promise<string[]> {
  await anchorClock(app.db, app.now);
  const applied = await migrate(app.db);
  if (!(await opensSecrets(app))) throw new ConfigError(WRONG_KEY);
  // Made at the first start, from the key of that time.
  await identityHashes(app);
  if (await continueFeed(app))
    app.log.warn('the database came from another server; the feed goes on above what it holds');
  return applied;
}
