import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { composeApp } from '../../compose-app.ts';
import { readConfig } from '../../config.ts';
import { inspectSchema } from '../../db/migrate.ts';
import { whyDatabaseIsNew, whyStoreFileIsNew } from '../../epochs/check-mark.ts';
import { endProcess } from '../../health/keep-process.ts';
import { noteBackup, noteUpkeep } from '../../upkeep/note-upkeep.ts';
import { commandLineActor, findActor } from '../find-actor.ts';
import { readNumber, readTime } from '../options.ts';
import { openOutput } from '../output-file.ts';
import { prepareStore, refuseOlder, sayMigration } from '../prepare-store.ts';
import { alreadyDone, invalidOption, notFound, print, time } from '../print.ts';
import { recordResult } from '../record-result.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { asCommand, withApp } from '../with-app.ts';

/** `migrate`, `backup`, `backup-made` and `process-ended`. */
export function addOperationCommands(program: Command): void {
  acting(program.command('migrate'))
    .description('migrate the store to the schema of this version')
    .option('--json', 'print one JSON object')
    .action(runMigrate);
  program
    .command('backup')
    .description('write a consistent backup of the embedded store while the service runs')
    .argument('<file>', 'new file')
    .option('--json', 'print one JSON object')
    .action(backup);
  acting(program.command('backup-made'))
    .description(
      'record that a backup was made with other tools, such as pg_dump, so that `doctor` does not ask for one',
    )
    .option('--at <time>', 'when, such as 2026-01-15 or 2026-01-15T03:00Z (default: now)')
    .option('--json', 'print one JSON object')
    .action(backupMade);
  acting(program.command('process-ended'))
    .description('take a process that crashed, or whose machine is gone, off the list of `doctor`')
    .argument('<host>', 'host of the process, from `doctor`')
    .argument('<pid>', 'its process ID, from `doctor`')
    .option('--json', 'print one JSON object')
    .action(processEnded);
}

const USERS = '0002-users.sql';

async function runMigrate(options: ActingOptions): Promise<void> {
  const config = asCommand(readConfig());
  refuseOlder(whyStoreFileIsNew(config));
  const app = composeApp(config, () => {});
  try {
    refuseOlder(await whyDatabaseIsNew(app));
    // A store that is still to be created has no users.
    const isNew = (await inspectSchema(app.db)).pending.includes(USERS);
    const by = isNew ? commandLineActor() : await findActor(app, options.as);
    const applied = await prepareStore(app, by, sayMigration);
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
  if (file === '-') throw invalidOption('A backup is written to a file, so it cannot be -.');
  const target = resolve(file);
  if (!existsSync(dirname(target)))
    throw invalidOption(`There is no folder ${dirname(target)}: make it, or name another.`);
  const copy = async (app: App) => {
    if (app.db.engine !== 'sqlite')
      throw invalidOption(
        'This command backs up only the embedded store. For PostgreSQL use pg_dump or pg_basebackup, then bin/rubrica backup-made.',
      );
    const taken = () => alreadyDone(`${file} exists, and a backup never overwrites: give another name.`);
    if (existsSync(target)) throw taken();
    // A partial copy must not look like a complete one.
    const output = await openOutput(target);
    try {
      await app.db.backup(output.part as string);
      await output.keepNew();
    } catch (error) {
      await output.discard();
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken() : error;
    }
    if ((await inspectSchema(app.db)).pending.length > 0) return null;
    const at = `${new Date(app.now()).toISOString().slice(0, 16)}Z`;
    const fix = `bin/rubrica backup-made --at ${at}, once the store takes changes again.`;
    return recordResult(() => noteUpkeep(app, 'backup', true), fix);
  };
  // A backup before an upgrade lacks migrations.
  const unrecorded = await withApp(copy, { asItIs: true });
  print(options, { file: target }, [
    `Written to ${target}. It needs the same MASTER_KEY (or master.key) when it is put back; keep that in another place.`,
  ]);
  process.stderr.write(unrecorded ?? '');
}

async function backupMade(options: ActingOptions & { at?: string }): Promise<void> {
  const said = options.at === undefined ? null : readTime('--at', options.at).from;
  const at = await withActor(options, async (app, by) => {
    const made = said ?? app.now();
    if (made > app.now()) throw invalidOption('--at is to come: say when the backup was made.');
    await noteBackup(app, made, by);
    return made;
  });
  print(options, { made_at: at }, [`Noted: a backup was made at ${time(at)}.`]);
}

async function processEnded(host: string, pid: string, options: ActingOptions): Promise<void> {
  const number = readNumber('pid', pid);
  const isListed = await withActor(options, (app, by) => endProcess(app, host, number, by));
  if (!isListed) throw notFound(`No process ${host}, pid ${pid} is listed: bin/rubrica doctor`);
  print(options, { host, pid: number }, [
    'It is no longer listed. If it still runs, it reports again within a minute.',
  ]);
}
