import type { Command } from 'commander';
import type { Actor } from '../audit/actor.ts';
import type { Reading, RunningApp } from '../compose-app.ts';
import { findActor } from './find-actor.ts';
import { openStore } from './prepare-store.ts';
import { WHOLE_STORE, withApp } from './with-app.ts';

/** The options of every command that changes something: in whose name it acts. */
export type ActingOptions = { as?: string };

/** Gives a command that changes something `--as`. A test finds by it which commands must write into the audit log. */
export function acting(command: Command): Command {
  return command.option('--as <email>', 'user who acts, for the audit log (default: RUBRICA_USER)');
}

/** As `withApp`, for a command that changes something: `by` is the person whose name the record carries. */
export function withActor<Result>(
  { as }: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
  makeReady: (app: RunningApp) => Promise<void> = openStore,
  reading: Reading = {},
): Promise<Result> {
  return withApp(async (app) => run(app, await findActor(app, as)), makeReady, reading);
}

/** As `withActor`, for a command that reads a whole store. */
export function actOnWholeStore<Result>(
  acting: ActingOptions,
  run: (app: RunningApp, by: Actor) => Promise<Result>,
): Promise<Result> {
  return withActor(acting, run, openStore, WHOLE_STORE);
}
