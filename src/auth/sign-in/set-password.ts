import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { Problem } from '../../error-catalogue.ts';
import { updatePasswordHash } from '../user-queries.ts';
import { hashPassword } from './password.ts';
import { passwordProver, saidPassword } from './password-proof.ts';
import { isSessionOpen, updateOtherSessionsEnded } from './session-queries.ts';

/**
 * Sets the password that a user chose, and ends all other sessions and access tokens. The caller has checked the old
 * password and the strength of the new one. Throws `Problem` LOGIN_FAILED if the session has ended meanwhile, for
 * example by a reset.
 */
export async function setPassword(
  app: App,
  { userId, password, keptSession }: { userId: string; password: string; keptSession: string },
  by: Actor,
): Promise<void> {
  const hash = await hashPassword(password);
  const prove = await passwordProver(app);
  await app.db.transaction(async (tx) => {
    const at = app.now();
    const user = await updatePasswordHash(tx, userId, hash, prove);
    // Read under the lock of the user's row: resetting a password or disabling the user ends sessions under the same
    // lock.
    if (user === null || !(await isSessionOpen(tx, keptSession))) throw new Problem('LOGIN_FAILED');
    await updateOtherSessionsEnded(tx, userId, keptSession, at);
    const subject = { kind: 'user', id: userId };
    await recordAudit(tx, { at, by, action: 'user.password_set', subject, after: saidPassword(user) });
  });
}

const SHORTEST = 12;
const LONGEST = 200;

/**
 * Returns whether a chosen password is hard to guess: 12 to 200 characters, at least five different ones, no common
 * pattern, and without the name in the address.
 */
export function isStrongPassword(password: string, email: string): boolean {
  if (password.length < SHORTEST || password.length > LONGEST) return false;
  const [name = ''] = email.toLowerCase().split('@');
  const plain = password.toLowerCase();
  return new Set(plain).size >= 5 && !COMMON.test(plain) && !(name.length > 3 && plain.includes(name));
}

/** The patterns of common passwords of this length. */
const COMMON = /^(?:[\d\W_]*|.*(?:123456|qwerty|asdfgh|password|contrase|abcdef|rubrica).*)$/;
