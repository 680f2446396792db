import type { Command } from 'commander';
import type { Actor } from '../audit/actor.ts';
import type { Reading, RunningApp } from '../compose-app.ts';
import { findActor } from './find-actor.ts';
import { invalidOption } from './print.ts';
import { WHOLE_STORE, withApp } from './with-app.ts';

/** The user in whose name a command acts. */
export type ActingOptions = { as?: string };

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

/**
 * Does the same as `withApp` for a command that changes something, which may be the first one: a missing store is
 * created. `by` is the actor in the audit log.
 */
export function withActor<Result>(
  { as }: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
  reading: Reading = {},
): Promise<Result> {
  return withApp(async (app) => run(app, await findActor(app, as)), { ...reading, creates: true });
}

/** Does the same as `withActor` for a command that reads a whole store. */
export function actOnWholeStore<Result>(
  acting: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
): Promise<Result> {
  return withActor(acting, run, WHOLE_STORE);
}
