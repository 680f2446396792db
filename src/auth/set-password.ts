import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { Problem } from '../error-catalogue.ts';
import { hashPassword } from './password.ts';
import { passwordProver } from './password-proof.ts';
import { isSessionOpen, updateOtherSessionsEnded } from './session-queries.ts';
import { updatePasswordHash } from './user-queries.ts';

/**
 * Gives a user the password that they chose, and ends every other session and access token. Who calls it has seen the password of
 * before and found the new one strong enough. Throws `Problem` LOGIN_FAILED where the session has ended meanwhile, as by a reset.
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
    await updatePasswordHash(tx, userId, hash, prove);
    // Read under the lock of the user: who resets a password or disables the user ends their sessions under the same.
    if (!(await isSessionOpen(tx, keptSession))) throw new Problem('LOGIN_FAILED');
    await updateOtherSessionsEnded(tx, userId, keptSession, at);
    await recordAudit(tx, { at, by, action: 'user.password_set', subject: { kind: 'user', id: userId } });
  });
}

const SHORTEST = 12;
const LONGEST = 200;

/** Whether a password that a person chose is hard to guess: long, of several characters, and without their address. */
export function isStrongPassword(password: string, email: string): boolean {
  if (password.length < SHORTEST || password.length > LONGEST) return false;
  const [name = ''] = email.toLowerCase().split('@');
  const plain = password.toLowerCase();
  return new Set(plain).size >= 5 && !COMMON.test(plain) && !(name.length > 3 && plain.includes(name));
}

/** Of the usual passwords those that are long enough are made of these. */
const COMMON = /^(?:[\d\W_]*|.*(?:123456|qwerty|asdfgh|password|contrase|abcdef|rubrica).*)$/;
