import { createHmac, hash } from 'node:crypto';
import type { App } from '../../app.ts';
import { ConfigError } from '../../config.ts';
import { isSameText } from '../../lib/same-text.ts';
import { installationKey, keepNewKey, readKeptKey } from '../../sealing/kept-key.ts';
import { hasPasswordProofs, selectPasswordHashes, type UserRow, updatePasswordProof } from '../user-queries.ts';

const KEY_NAME = 'password-proof';
const KEY = installationKey(KEY_NAME);

/** Makes the proof of a user's hash. Write access to the store is not enough to make one. */
export type ProvePassword = (userId: string, passwordHash: string) => string;

/** Returns the prover with this installation's key, which is stored sealed and survives a change of MASTER_KEY. */
export async function passwordProver(app: App): Promise<ProvePassword> {
  return proverWith(await KEY.keep(app));
}

/**
 * Returns whether this service stored the hash for this user. False if it was written directly into the store or copied
 * from another user.
 */
export async function isPasswordProved(app: App, user: Pick<UserRow, 'id' | 'password_hash' | 'password_proof'>) {
  const prove = proverWith(await KEY.read(app));
  return isSameText(prove(user.id, user.password_hash), user.password_proof ?? '');
}

/** Returns what an act that sets a password records of it: with it `books verify` finds an earlier hash put back. */
export function saidPassword({ password_proof }: Pick<UserRow, 'password_proof'>): { password_proof_sha256: string } {
  return { password_proof_sha256: hash('sha256', password_proof ?? '') };
}

function proverWith(keyText: string): ProvePassword {
  const key = Buffer.from(keyText, 'hex');
  return (userId, passwordHash) => createHmac('sha256', key).update(`${userId}\n${passwordHash}`).digest('base64url');
}

/**
 * Adds proofs to the passwords of an earlier version. Runs once per store: afterwards a hash without a proof does not
 * work. Throws `ConfigError` if there are proofs but their key was removed.
 */
export async function proveOldPasswords(app: App): Promise<void> {
  if ((await readKeptKey(app, KEY_NAME)) !== null) return;
  // No earlier version made a proof, so the key may come from either master key: an upgrade may fall into a rotation.
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
