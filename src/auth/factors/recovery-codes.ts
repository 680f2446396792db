import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { prefixedId } from '../../lib/ids.ts';
import { keyedHash } from '../keyed-hash.ts';
import { mayChangeFactors, type ShownSession } from '../sign-in/session.ts';
import { lockUser } from '../user-queries.ts';
import { replaceRecoveryCodes } from './recovery-code-queries.ts';

const CODES = 10;

/** Returns new codes as shown to the person, and their hashes for the store. Each has 80 random bits. */
export async function newRecoveryCodes(app: App, userId: string): Promise<{ codes: string[]; hashes: string[] }> {
  const codes = Array.from({ length: CODES }, () => {
    const [first = '', ...more] = prefixedId('').slice(1, 17).match(/.{4}/g) ?? [];
    return [first, ...more].join('-');
  });
  return { codes, hashes: await Promise.all(codes.map((code) => hashOf(app, userId, code))) };
}

/**
 * Replaces the codes of a user by ten new ones and returns them; they are never shown again. `session` as for
 * `storeFactor`. Returns null if the session may not do it any more.
 */
export async function renewRecoveryCodes(
  app: App,
  userId: string,
  session: ShownSession | null,
  by: Actor,
): Promise<string[] | null> {
  const { codes, hashes } = await newRecoveryCodes(app, userId);
  return app.db.transaction(async (tx) => {
    // Of two concurrent renewals, the later replaces the codes of the earlier. A first factor that another session adds
    // meanwhile, or a reset, keeps its word.
    await lockUser(tx, userId);
    if (session !== null && !(await mayChangeFactors(tx, session, userId))) return null;
    const at = app.now();
    await replaceRecoveryCodes(tx, userId, hashes, at);
    await recordAudit(tx, { at, by, action: 'user.recovery_codes_made', subject: { kind: 'user', id: userId } });
    return codes;
  });
}

/** Returns whether a text has the form of a recovery code, which codes of an app never have. */
export function isRecoveryCode(text: string): boolean {
  return /^[0-9a-z]{16}$/.test(plain(text));
}

/** Returns the stored hash of a code as a person typed it. */
export function hashOf(app: App, userId: string, code: string): Promise<string> {
  return keyedHash(app, 'recovery-code', userId, plain(code));
}

function plain(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '');
}
