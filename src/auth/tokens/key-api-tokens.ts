import type { App } from '../../app.ts';
import { ConfigError } from '../../config.ts';
import { keepNewKey, readKeptKey, requireOneMasterKey } from '../../sealing/kept-key.ts';
import { API_TOKEN_KEY, hashesWith } from './api-token.ts';
import { hasApiTokens, selectUnkeyedTokens, updateTokenKeyed } from './api-token-queries.ts';
import { FIRST_TOKEN, storeApiToken } from './make-api-token.ts';

/**
 * Replaces the unkeyed API token hashes of earlier versions by keyed ones. Runs once per store: afterwards an unkeyed
 * hash is worthless. Throws `ConfigError` if there are keyed hashes but their key was removed.
 */
export async function keyApiTokens(app: App): Promise<void> {
  if ((await readKeptKey(app, API_TOKEN_KEY)) !== null) return;
  requireOneMasterKey(app);
  await app.db.transaction(async (tx) => {
    const key = await keepNewKey(app, tx, API_TOKEN_KEY);
    if (key === null) return;
    if (await hasApiTokens(tx)) throw new ConfigError(KEY_REMOVED);
    const hashes = hashesWith(key);
    for (const { id: userId, api_token_hash: digest, created_at: createdAt } of await selectUnkeyedTokens(tx)) {
      await storeApiToken(tx, hashes, digest, {
        userId,
        name: FIRST_TOKEN,
        createdAt,
        createdBy: null,
        expiresAt: null,
      });
      await updateTokenKeyed(tx, userId);
    }
  });
}

const KEY_REMOVED =
  'Somebody removed the key of the API tokens from kept_keys. Restore a backup, and find out who writes into the database.';
