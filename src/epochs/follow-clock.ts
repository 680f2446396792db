import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { selectClockAhead } from './epoch-queries.ts';

/**
 * Sets the clock of this process as far ahead as the store says; only a development installation is ever ahead. Returns
 * false if the store's clock was set back: a running process cannot follow it. Throws `ConfigError` in production if
 * the store's clock is ahead.
 */
export async function followClock({ db, now, config }: Pick<App, 'db' | 'now' | 'config'>): Promise<boolean> {
  const ahead = await selectClockAhead(db);
  if (ahead > 0 && config.mode === 'production')
    throw new ConfigError(
      'The clock of this store was set ahead in development (bin/rubrica clock show): it holds what has not happened. Production needs another store.',
    );
  now.travel?.(ahead);
  return (now.ahead?.() ?? 0) <= ahead;
}
