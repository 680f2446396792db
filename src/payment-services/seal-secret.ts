import type { App } from '../app.ts';
import { openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import { selectNewestSecret } from './payment-service-queries.ts';

export const SECRET_TOKENS: SealedKind = {
  name: 'secret-tokens',
  label: 'secret-token',
  table: 'secret_tokens',
  column: 'sealed',
  key: ['id'],
  where: '1 = 1',
  place: ({ id }) => `secret_tokens/${id}`,
};

/** Encrypts a Secret Token for its row. `rowId` is bound in, so a sealed text moved to another row does not open. */
export function sealSecret(app: App, rowId: string, secretToken: string): string {
  return sealAs(app, SECRET_TOKENS, { id: rowId }, secretToken);
}

/** The inverse. Throws when the text was changed, moved, or sealed with another MASTER_KEY. */
export function openSecret(app: App, rowId: string, sealed: string): string {
  return openAs(app, SECRET_TOKENS, { id: rowId }, sealed);
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
