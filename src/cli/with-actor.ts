import type { Command } from 'commander';
import type { Actor } from '../audit/actor.ts';
import type { RunningApp } from '../compose-app.ts';
import { whyStoreOfCommandIsOlder } from '../epochs/check-mark.ts';
import { findActor } from './find-actor.ts';
import { refuseOlder } from './prepare-store.ts';
import { invalidOption } from './print.ts';
import { type Opening, WHOLE_STORE, withApp } from './with-app.ts';

/** Options of every command that changes something: `as` names the user who acts, `json` prints one JSON object. */
export type ActingOptions = { as?: string; json?: boolean };

/**
 * Adds `--as` to a command that changes something. A test uses it to find the commands that must write to the audit
 * log.
 */
export function acting(command: Command): Command {
  return command.option('--as <email>', 'user who acts, for the audit log (default: RUBRICA_USER)', readActing);
}

/** Reads a user of `--as`. An empty one acts in nobody's name: a script may have an empty variable there. */
export function readActing(email: string): string {
  if (email.trim() === '')
    throw invalidOption(
      '--as is empty: is the shell variable set? Give the e-mail address of a user, or leave --as out.',
    );
  return email;
}

/** For a command that may be the first one of an installation: it creates a missing store. */
export const BEGINS: Opening = { creates: true };

/**
 * Does the same as `withApp` for a command that changes something. `by` is the actor in the audit log. Unless
 * the command may be the first one (`BEGINS`), the store must exist: in a new one it would say that there is nothing to
 * release or to erase. It must also be the store that a service has seen here: in an older one, payouts that have left
 * are still approved.
 */
export function withActor<Result>(
  { as }: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
  opening: Opening = {},
): Promise<Result> {
  return withApp(async (app) => {
    refuseOlder(await whyStoreOfCommandIsOlder(app));
    return run(app, await findActor(app, as));
  }, opening);
}

/** Does the same as `withActor` for a command that reads a whole store. */
export function actOnWholeStore<Result>(
  acting: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
): Promise<Result> {
  return withActor(acting, run, WHOLE_STORE);
}
