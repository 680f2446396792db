import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { normalizeEmail } from '../auth/user.ts';
import { selectUserByEmail } from '../auth/user-queries.ts';
import type { RunningApp } from '../compose-app.ts';
import { openStore } from './prepare-store.ts';
import { CommandError } from './print.ts';
import { withApp } from './with-app.ts';

/** What every command that changes something takes: in whose name it acts. */
export type ActingOptions = { as?: string };

/** Gives a command that changes something `--as`. A test finds by it which commands must write into the audit log. */
export function acting(command: Command): Command {
  return command.option('--as <email>', 'the user in whose name it is done and recorded; RUBRICA_USER unless said');
}

/** As `withApp`, for a command that changes something: `by` is the person whose name the record carries. */
export function withActor<Result>(
  { as }: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
  makeReady: (app: RunningApp) => Promise<void> = openStore,
): Promise<Result> {
  return withApp(async (app) => run(app, await findActor(app, as)), makeReady);
}

/** Throws `CommandError` UNKNOWN_USER where the person who was named is no user, or is disabled. */
async function findActor(app: App, as: string | undefined): Promise<Actor> {
  const named = as ?? app.config.actingUser;
  if (named === null) return commandLineActor();
  const user = await selectUserByEmail(app.db, normalizeEmail(named));
  const said = as === undefined ? 'RUBRICA_USER' : '--as';
  if (user === null) throw unknownActor(`${said} names no user: ${named}. See bin/rubrica user list`);
  if (user.disabled_at !== null) throw unknownActor(`${said} names a user who is disabled: ${named}`);
  return { kind: 'person', name: user.email, userId: user.id, origin: placeOfCommand() };
}

/** Whoever sits at the command line and named nobody. */
export function commandLineActor(): Actor {
  const place = placeOfCommand();
  return { kind: 'command line', name: `command line: ${place}`, userId: null, origin: place };
}

function unknownActor(message: string): CommandError {
  return new CommandError(message, 1, 'UNKNOWN_USER');
}

/** USER@HOST, as the operating system says it. */
function placeOfCommand(): string {
  return `${loginName()}@${hostname()}`;
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the number of the user may have no name.
    return `user ${process.getuid?.() ?? ''}`.trim();
  }
}
