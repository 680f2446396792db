import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import { errorItem } from '../../error-item.ts';
import { prefixedId } from '../../lib/ids.ts';
import { requireManager } from '../manage-rule.ts';
import { normalizeEmail } from '../user.ts';
import { lockUser, selectUserByIdOrEmail } from '../user-queries.ts';
import { type ApiTokenHashes, apiTokenHashes, digestOf, generateApiToken } from './api-token.ts';
import { insertApiToken, selectApiTokensOf } from './api-token-queries.ts';

/** The name of a user's first API token. */
export const FIRST_TOKEN = 'first';

/** `api_token` is never shown again. */
export type NewApiToken = { id: string; email: string; name: string; api_token: string; expires_at: number | null };

/**
 * Creates another API token of a user (an id or an e-mail address). `expiresAt` null: no expiry. `managerId`: the
 * user who must be allowed to manage this user; null: the command line. Returns null if there is no such user. Throws
 * `Problem` `INVALID_PARAMETER` for a name that is invalid or in use, and `MORE_THAN_YOURS`.
 */
export async function makeApiToken(
  app: App,
  user: string,
  { name, expiresAt }: { name: string; expiresAt: number | null },
  by: Actor,
  managerId: string | null = null,
): Promise<NewApiToken | null> {
  if (!/^[\w. -]{1,60}$/.test(name))
    throw invalidName([
      'The name has other characters or more than 60.',
      'Send 1 to 60 letters, digits, spaces, points, dashes or underscores.',
      'El nombre tiene otros caracteres o más de 60.',
      'Envía de 1 a 60 letras, dígitos, espacios, puntos, guiones o guiones bajos.',
    ]);
  const apiToken = generateApiToken();
  const hashes = await apiTokenHashes(app);
  return app.db.transaction(async (tx) => {
    const found = await selectUserByIdOrEmail(tx, normalizeEmail(user));
    if (found !== null && managerId !== null) await requireManager(tx, managerId, found.id);
    // A concurrent request for the same name waits here.
    const row = found === null ? null : await lockUser(tx, found.id);
    if (row === null) return null;
    const others = await selectApiTokensOf(tx, row.id);
    if (others.some((other) => other.name === name && other.ended_at === null))
      throw invalidName([
        `The user has an API token called ${name}.`,
        'Choose another name, or end that one first.',
        `El usuario ya tiene un token de API llamado ${name}.`,
        'Elige otro nombre, o cierra antes ese.',
      ]);
    const at = app.now();
    const id = await storeApiToken(tx, hashes, digestOf(apiToken), {
      userId: row.id,
      name,
      createdAt: at,
      createdBy: by.name,
      expiresAt,
    });
    const subject = { kind: 'api_token', id };
    const after = { name, user: row.id, expires_at: expiresAt };
    await recordAudit(tx, { at, by, action: 'api_token.created', subject, after });
    return { id, email: row.email, name, api_token: apiToken, expires_at: expiresAt };
  });
}

function invalidName(words: Parameters<typeof errorItem>[2]): Problem {
  return new Problem('INVALID_PARAMETER', { errors: [errorItem('/name', 'INVALID_PARAMETER', words)] });
}

/** Stores a token by its digest (`digestOf`) and returns its id. */
export async function storeApiToken(
  tx: Tx,
  hashes: ApiTokenHashes,
  digest: string,
  token: { userId: string; name: string; createdAt: number; createdBy: string | null; expiresAt: number | null },
): Promise<string> {
  const owner = { id: prefixedId('tok'), user_id: token.userId };
  await insertApiToken(tx, {
    ...owner,
    name: token.name,
    lookup: hashes.lookup(digest),
    proof: hashes.proof(digest, owner),
    created_at: token.createdAt,
    created_by: token.createdBy,
    expires_at: token.expiresAt,
    last_used_at: null,
    ended_at: null,
  });
  return owner.id;
}
