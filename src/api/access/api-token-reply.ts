import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { findManaged, type Managed } from '../../auth/find-managed.ts';
import type { ListedToken } from '../../auth/tokens/list-api-tokens.ts';
import type { User } from '../../auth/user.ts';
import { notFound, Problem } from '../../error-catalogue.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { isoTime } from '../../lib/iso-time.ts';

export const ListedApiTokenSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Program or purpose of the token' }),
    created_at: Type.String(),
    created_by: Type.Nullable(Type.String(), {
      description: 'User who made the token; null for tokens made before this was recorded',
    }),
    expires_at: Type.Nullable(Type.String(), {
      description: 'End of validity; null: valid until a user ends it',
    }),
    last_used_at: Type.Nullable(Type.String()),
    ended_at: Type.Nullable(Type.String()),
  },
  { $id: 'ListedApiToken' },
);

export const LISTED_API_TOKEN_EXAMPLE = {
  id: 'tok_0123456789abcdefghjk',
  name: 'till 4',
  created_at: '2026-01-15T12:00:00.000Z',
  created_by: 'pia@example.cl',
  expires_at: '2026-04-15T12:00:00.000Z',
  last_used_at: null,
  ended_at: null,
};

export const API_TOKEN_ERRORS = ['PERMISSION_MISSING', 'NOT_FOUND', 'MORE_THAN_YOURS'] as const;

/** Returns an API token as the API shows it to a person who manages users. */
export function describeApiToken(token: ListedToken): Static<typeof ListedApiTokenSchema> {
  return {
    id: token.id,
    name: token.name,
    created_at: isoTime(token.created_at),
    created_by: token.created_by,
    expires_at: isoTime(token.expires_at),
    last_used_at: isoTime(token.last_used_at),
    ended_at: isoTime(token.ended_at),
  };
}

/**
 * Returns the user of the request and the user whose tokens the request is about. Throws `Problem` `NOT_FOUND` when
 * that user does not exist or the manager may not see it.
 */
export async function requireManaged(
  app: App,
  request: FastifyRequest,
  named: (manager: User) => string | Promise<string>,
): Promise<{ manager: User; managed: Managed }> {
  const manager = await requireUser(app, request);
  const managed = await findManaged(app, manager.id, await named(manager));
  if (managed === null) throw noSuchUser();
  return { manager, managed };
}

/** Throws `Problem` `MORE_THAN_YOURS` when the manager may change nothing of this user. */
export function refuseMore({ refusal }: Managed): void {
  if (refusal === null) return;
  throw new Problem('MORE_THAN_YOURS', {
    detail:
      refusal === 'self'
        ? { en: 'This is you: somebody else makes it.', es: 'Eres tú: lo hace otra persona.' }
        : {
            en: 'The user may do what you may not, or refund more in a day.',
            es: 'El usuario puede lo que tú no puedes, o devolver más al día.',
          },
  });
}

/** Returns the refusal of a user that does not exist or that the manager may not see. */
export function noSuchUser(): Problem {
  return notFound(
    'There is no such user or API token, or not for you.',
    'No existe ese usuario o token de API, o no para ti.',
  );
}
