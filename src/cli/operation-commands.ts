import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { composeApp } from '../compose-app.ts';
import { readConfig } from '../config.ts';
import { inspectSchema } from '../db/migrate.ts';
import { commandLineActor, findActor } from './find-actor.ts';
import { prepareStore } from './prepare-store.ts';
import { alreadyDone, invalidOption, print } from './print.ts';
import { type ActingOptions, acting } from './with-actor.ts';
import { withApp } from './with-app.ts';

/** `migrate` and `backup`. */
export function addOperationCommands(program: Command): void {
  acting(program.command('migrate'))
    .description('bring the schema up to date')
    .option('--json', 'print one JSON object')
    .action(runMigrate);
  program
    .command('backup')
    .description('write a consistent copy of the embedded database while the service runs')
    .argument('<file>', 'a file that does not exist yet')
    .option('--json', 'print one JSON object')
    .action(backup);
}

const USERS = '0002-users.sql';

async function runMigrate(options: ActingOptions & { json?: boolean }): Promise<void> {
  const app = composeApp({ ...readConfig(), logLevel: 'error' }, () => {});
  try {
    // In a store that nobody has made yet there is no user.
    const isNew = (await inspectSchema(app.db)).pending.includes(USERS);
    const applied = await prepareStore(app, isNew ? commandLineActor() : await findActor(app, options.as));
    print(
      options,
      { applied },
      applied.length === 0 ? ['The schema is up to date.'] : applied.map((name) => `applied ${name}`),
    );
  } finally {
    await app.close();
  }
}

async function backup(file: string, options: { json?: boolean }): Promise<void> {
  const target = resolve(file);
  if (!existsSync(dirname(target)))
    throw invalidOption(`There is no folder ${dirname(target)}: make it, or name another.`);
  // Of a store as it is: the backup before an upgrade is made of one that lacks migrations.
  const asItIs = async () => {};
  await withApp(async (app) => {
    if (app.db.engine !== 'sqlite')
      throw invalidOption('Only the embedded store is backed up so: use pg_dump or pg_basebackup.');
    makeEmptyFile(target, file);
    await app.db.backup(target).catch((error) => {
      // A part of a copy must not be taken for one.
      rmSync(target);
      throw error;
    });
  }, asItIs);
  print(options, { file: target }, [
    `Written to ${target}. It needs the same MASTER_KEY (or master.key) when it is put back; keep that in another place.`,
  ]);
}

/** For this user alone from its first byte on. */
function makeEmptyFile(target: string, named: string): void {
  try {
    closeSync(openSync(target, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw alreadyDone(`${named} exists, and a backup never overwrites: give another name.`);
  }
}
