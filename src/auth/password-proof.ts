import { createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { installationKey, keepNewKey, readKeptKey } from '../sealing/kept-key.ts';
import { START_FIRST } from './api-token.ts';
import { hasPasswordProofs, selectPasswordHashes, type UserRow, updatePasswordProof } from './user-queries.ts';

const KEY_NAME = 'password-proof';
const KEY = installationKey(KEY_NAME);

/** Makes the proof of a user's hash. Who only writes into the store cannot make one. */
export type ProvePassword = (userId: string, passwordHash: string) => string;

/** With the key of this installation, which is kept sealed and outlives a change of MASTER_KEY. */
export async function passwordProver(app: App): Promise<ProvePassword> {
  return proverWith(await KEY.keep(app));
}

/** Whether the hash was stored by this service for this user: neither written past it nor copied from another user. */
export async function isPasswordProved(app: App, user: Pick<UserRow, 'id' | 'password_hash' | 'password_proof'>) {
  const prove = proverWith(await KEY.read(app));
  const [expected, actual] = [prove(user.id, user.password_hash), user.password_proof ?? ''].map((text) =>
    Buffer.from(text),
  );
  return expected?.length === actual?.length && timingSafeEqual(expected as Buffer, actual as Buffer);
}

function proverWith(keyText: string): ProvePassword {
  const key = Buffer.from(keyText, 'hex');
  return (userId, passwordHash) => createHmac('sha256', key).update(`${userId}\n${passwordHash}`).digest('base64url');
}

/**
 * Proves the passwords of an earlier version. Once for each store: from the moment that the key is kept, a hash without a proof lets
 * nobody in. Throws `ConfigError` where there are proofs and their key was removed.
 */
export async function proveOldPasswords(app: App): Promise<void> {
  if ((await readKeptKey(app, KEY_NAME)) !== null) return;
  if (app.config.masterKeyPrevious !== null) throw new ConfigError(START_FIRST);
  await app.db.transaction(async (tx) => {
    const key = await keepNewKey(app, tx, KEY_NAME);
    if (key === null) return;
    if (await hasPasswordProofs(tx)) throw new ConfigError(KEY_REMOVED);
    const prove = proverWith(key);
    for (const { id, password_hash } of await selectPasswordHashes(tx))
      await updatePasswordProof(tx, id, prove(id, password_hash));
  });
}

const KEY_REMOVED =
  'Somebody removed the key of the proofs of passwords from kept_keys. Restore a backup, and find out who writes into the database.';
