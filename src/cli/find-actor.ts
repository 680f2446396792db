import { hostname, userInfo } from 'node:os';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { normalizeEmail } from '../auth/user.ts';
import { userActor } from '../auth/user-actor.ts';
import { selectUserByEmail, selectUserById, type UserRow } from '../auth/user-queries.ts';
import { CommandError } from './print.ts';

/**
 * Returns the actor: the user of `--as` or RUBRICA_USER, otherwise the account of the machine. Throws `CommandError`
 * UNKNOWN_USER if the named user does not exist or is disabled; so does each act of the actor in its commit, because a
 * command can take hours.
 */
export async function findActor(app: App, as: string | undefined): Promise<Actor> {
  const named = as ?? app.config.actingUser;
  if (named === null) return commandLineActor();
  const said = as === undefined ? 'RUBRICA_USER' : '--as';
  const requireEnabled = (user: UserRow | null): UserRow => {
    if (user === null) throw unknownActor(`${said} names no user: ${named}. See bin/rubrica user list`);
    if (user.disabled_at !== null) throw unknownActor(`${said} names a user who is disabled: ${named}`);
    return user;
  };
  const user = requireEnabled(await selectUserByEmail(app.db, normalizeEmail(named)));
  return {
    ...userActor(user, placeOfCommand()),
    requireStill: async (tx) => requireEnabled(await selectUserById(tx, user.id)),
  };
}

/** Returns the account of the machine, for a command without a named user. */
export function commandLineActor(): Actor {
  const place = placeOfCommand();
  return { kind: 'command line', name: `command line: ${place}`, userId: null, origin: place };
}

function unknownActor(message: string): CommandError {
  return new CommandError(message, 1, 'UNKNOWN_USER');
}

/** Returns USER@HOST from the operating system. */
function placeOfCommand(): string {
  return `${loginName()}@${hostname()}`;
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user id may have no name.
    return `user ${process.getuid?.() ?? ''}`.trim();
  }
}
