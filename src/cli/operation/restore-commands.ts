import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { selectHeads } from '../../books/journal-queries.ts';
import { composeApp, type RunningApp } from '../../compose-app.ts';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { anchorClock } from '../../db/anchor-clock.ts';
import { whyCutOff, whyStoreIsUnusable } from '../../db/check-store.ts';
import { StorageError, StoreHeldError } from '../../db/database.ts';
import { holdStore } from '../../db/hold-store.ts';
import { hasTable, requireStore, requireStoreFile } from '../../db/migrate.ts';
import { prepareReplacement, type Replacement } from '../../db/replace-store.ts';
import { beginEpoch } from '../../epochs/begin-epoch.ts';
import { whyStoreIsOther } from '../../epochs/check-mark.ts';
import type { Epoch, Handed } from '../../epochs/epoch.ts';
import { selectHanded } from '../../epochs/epoch-queries.ts';
import { followClock } from '../../epochs/follow-clock.ts';
import { forgetProcesses } from '../../health/keep-process.ts';
import { listProcesses, nameProcesses } from '../../health/list-processes.ts';
import { countOtherConnections } from '../../health/process-queries.ts';
import { commandLineActor, findActor } from '../find-actor.ts';
import { prepareStore, sayMigration } from '../prepare-store.ts';
import { type CommandError, invalidOption, print, unusableFile } from '../print.ts';
import { type ProgressLine, progressLine } from '../progress-line.ts';
import { type ActingOptions, acting } from '../with-actor.ts';
import { asCommand } from '../with-app.ts';
import { addReleaseCommand, describeGap, headLines } from './release-command.ts';

/** The most chain ends to show. `books head` shows all. */
const HEADS_SHOWN = 20;

type Options = ActingOptions & { idsAbove: string };

/** `restore`, `after-restore` and `release`. */
export function addRestoreCommands(program: Command): void {
  const idsAbove = [
    '--ids-above <number>',
    'continue transaction IDs above this number, if more were given out',
    '0',
  ] as const;
  acting(program.command('restore'))
    .description('replace the embedded store with a backup and begin a new epoch; stop the service first')
    .argument('<file>', 'file written by `bin/rubrica backup`')
    .option(...idsAbove)
    .option('--json', 'print one JSON object')
    .action(restore);
  acting(program.command('after-restore'))
    .description('begin a new epoch in a database that was restored with its own tools; stop every service first')
    .option(...idsAbove)
    .option('--json', 'print one JSON object')
    .action(afterRestore);
  addReleaseCommand(program);
}

async function restore(file: string, options: Options): Promise<void> {
  const config = asCommand(readConfig(undefined, { makesKey: false }));
  const idsAbove = readIdsAbove(options);
  if (!config.databaseUrl.startsWith('sqlite:') || config.databaseUrl === 'sqlite::memory:')
    throw invalidOption(
      'This command restores only the embedded store. Restore PostgreSQL with its own tools, then run after-restore.',
    );
  const backup = resolve(file);
  if (!existsSync(backup) || !statSync(backup).isFile()) throw unusableFile(`There is no file ${backup}.`);
  const hold = holdStore(config.databaseUrl, 'Stop it first; start it again afterwards.');
  const line = progressLine();
  const wish = { file, backup, idsAbove, as: options.as };
  const { keptAs, ...begun } = await putInPlace(config, wish, line).finally(() => {
    line.clear();
    hold.release();
  });
  const kept = keptAs === null ? [] : [`The store that was there is kept as ${keptAs}.`];
  print(options, { ...shown(begun), replaced: keptAs }, [`${file} is in place.`, ...kept, ...linesOf(begun)]);
}

/** `file` is the path of the backup as typed; `backup` is the file to read. */
type Wish = { file: string; backup: string; idsAbove: number; as: string | undefined };

/** Prepares a copy of the backup. Only then the copy replaces the present store, by renaming files. */
async function putInPlace(config: Config, wish: Wish, line: ProgressLine): Promise<Begun & { keptAs: string | null }> {
  const { size } = statSync(wish.backup);
  line.say('copying the backup, MB', inMegabytes(size));
  const replacement = prepareReplacement(config.databaseUrl, wish.backup);
  try {
    await replacement.readThrough((bytes) => line.say('reading the copy, MB', inMegabytes(bytes), bytes / size));
    line.say('checking the pages of the copy, MB', inMegabytes(size));
    const begun = await beginInCopy(config, replacement, wish, line);
    return { ...begun, keptAs: replacement.putInPlace(`${replacement.present ?? ''}.replaced-${begun.epoch.epoch}`) };
  } finally {
    replacement.discard();
  }
}

const inMegabytes = (bytes: number) => Math.ceil(bytes / 1e6);

async function beginInCopy(
  config: Config,
  replacement: Replacement,
  { file, backup, idsAbove, as }: Wish,
  line: ProgressLine,
): Promise<Begun> {
  const app = openCopy(config, replacement, file);
  const replaced = replacement.present === null ? null : await readHanded(config);
  try {
    const onChecked = (rows: number, part: number) => line.say('checking the rows of the copy', rows, part);
    const wrong = (await whyCutOff(app.db, backup)) ?? (await whyStoreIsUnusable(app.db, onChecked));
    if (wrong !== null) throw unusableBackup(file, wrong);
    await prepareStore(app, commandLineActor(), sayMigration).catch((error: unknown) => {
      throw error instanceof ConfigError ? new ConfigError(`${error.message} ${OF_BEFORE}`) : error;
    });
    const by = await findActor(app, as);
    // The epoch's marks in DATA_DIR belong to the store that this copy will be.
    const inItsPlace = { ...app, config };
    const seen = replaced === null ? [] : [{ ...replaced, at: app.now() }];
    await forgetProcesses(app);
    const other = await whyStoreIsOther(inItsPlace);
    const epoch = await beginEpoch(inItsPlace, seen, idsAbove, by);
    return { epoch, other, heads: await selectHeads(app.db) };
  } finally {
    await app.close();
  }
}

const OF_BEFORE =
  'If the key was replaced after this backup, set MASTER_KEY_PREVIOUS to the key of then. Nothing was changed.';

/** Opens the copy. Throws `CommandError` if that fails: the backup is cut off, compressed, or from another program. */
function openCopy(config: Config, { url }: Replacement, file: string): RunningApp {
  try {
    return composeApp({ ...config, databaseUrl: url }, () => {});
  } catch (error) {
    const { cause } = ((error as Error).cause ?? {}) as Error;
    if (!(error instanceof StorageError) || !(cause instanceof Error)) throw error;
    throw unusableBackup(file, `it cannot be read (${cause.message})`);
  }
}

function unusableBackup(file: string, why: string): CommandError {
  return unusableFile(`${file} cannot be restored: ${why}. Nothing was changed.`);
}

/** Returns how far the replaced store had come; null if it is unreadable, which may be why it is replaced. */
async function readHanded(config: Config): Promise<Omit<Handed, 'at'> | null> {
  let app: RunningApp | null = null;
  try {
    app = composeApp(config, () => {});
    return await selectHanded(app.db);
  } catch {
    return null;
  } finally {
    await app?.close();
  }
}

async function afterRestore(options: Options): Promise<void> {
  const config = asCommand(readConfig(undefined, { makesKey: false }));
  const idsAbove = readIdsAbove(options);
  requireStoreFile(config.databaseUrl);
  const hold = holdStore(config.databaseUrl, 'Stop it first; start it again afterwards.');
  const app = composeApp(config, (error) => {
    throw error;
  });
  try {
    await requireStore(app.db);
    await refuseServed(app);
    await prepareStore(app, commandLineActor(), sayMigration);
    const by = await findActor(app, options.as);
    await forgetProcesses(app);
    const other = await whyStoreIsOther(app);
    const epoch = await beginEpoch(app, [], idsAbove, by);
    const begun = { epoch, other, heads: await selectHeads(app.db) };
    print(options, shown(begun), linesOf(begun));
  } finally {
    await app.close();
    hold.release();
  }
}

/**
 * Throws `StoreHeldError` if a service works on this PostgreSQL: a process has reported lately, and something is
 * connected. A row alone may come with the backup, or be of a killed process.
 */
async function refuseServed(app: App): Promise<void> {
  if (app.db.engine === 'sqlite' || !(await hasTable(app.db, 'processes'))) return;
  await anchorClock(app.db, app.now);
  await followClock(app);
  const running = (await listProcesses(app)).filter(({ silent }) => !silent);
  if (running.length === 0 || (await countOtherConnections(app.db)) === 0) return;
  throw new StoreHeldError(
    `A service runs on this database: ${nameProcesses(running)}. Stop every service first; start them again afterwards. One that was killed counts for three minutes.`,
  );
}

function readIdsAbove({ idsAbove }: Options): number {
  const number = Number(idsAbove);
  if (/^\d{1,15}$/.test(idsAbove) && Number.isSafeInteger(number)) return number;
  throw invalidOption('--ids-above is a whole number, such as the highest id that a shop has.');
}

/** The new epoch, and the ends of the books in it. `other`: the restored store is not the one that was there. */
type Begun = { epoch: Epoch; other: string | null; heads: Awaited<ReturnType<typeof selectHeads>> };

function shown({ epoch: { epoch, began_at, known_until, first_transaction_id }, other, heads }: Begun) {
  return { epoch, began_at, known_until, first_transaction_id, other_store: other !== null, held: true, heads };
}

function linesOf({ epoch, other, heads }: Begun): string[] {
  return [
    ...(other === null ? [] : [`${other} If you meant another backup, restore that one before the release.`]),
    `Epoch ${epoch.epoch} has begun. ${describeGap(epoch)}`,
    `New transactions have ids from ${epoch.first_transaction_id} on.`,
    ...headLines(heads, HEADS_SHOWN),
    'What was ended after the backup works again, such as API tokens, users, webhooks and Secret Tokens. End it again now: docs/restore.md, "What comes back to life".',
    'Start the service: it takes new payments. Callbacks and refunds wait until you have compared and say so: bin/rubrica release',
  ];
}
