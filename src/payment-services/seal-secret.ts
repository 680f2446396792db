import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../lib/seal.ts';
import { selectNewestSecret } from './payment-service-queries.ts';

const keyOf = perInstance((app: App) => sealingKey(deriveKey(app.config.masterKey, 'secret-token')));

/** Encrypts a Secret Token for its row. `rowId` is bound in, so a sealed text moved to another row does not open. */
export function sealSecret(app: App, rowId: string, secretToken: string): string {
  return seal(keyOf(app), secretToken, boundTo(rowId));
}

/** The inverse. Throws when the text was changed, moved, or sealed with another MASTER_KEY. */
export function openSecret(app: App, rowId: string, sealed: string): string {
  return open(keyOf(app), sealed, boundTo(rowId));
}

/** Whether the master key is the one of the stored Secret Tokens; true where there is none. */
export async function opensSecrets(app: App): Promise<boolean> {
  const newest = await selectNewestSecret(app.db);
  if (newest === null) return true;
  try {
    openSecret(app, newest.id, newest.sealed);
    return true;
  } catch {
    return false;
  }
}

function boundTo(rowId: string): string {
  return `secret_tokens/${rowId}`;
}
