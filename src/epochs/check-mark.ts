import type { App } from '../app.ts';
import type { Config } from '../config.ts';
import { hasStoreFile, hasTable } from '../db/migrate.ts';
import { clockOf } from '../lib/calendar-day.ts';
import { selectEpochs, selectHanded, selectStoreMark } from './epoch-queries.ts';
import { type Mark, markFile, readMarks } from './mark-file.ts';

/**
 * Returns why no service may run on the store and what to do, in a sentence: it is older than when it was last seen, or
 * it is another store. Null if it is the same store, or none was seen. Otherwise ids and events would be handed out
 * twice. Called before the migrations, so that a refusal leaves the store as it was.
 */
export async function whyStoreIsOlder(app: App): Promise<string | null> {
  if (!(await hasTable(app.db, 'store_marks'))) return whyStoreIsNew(app.config);
  // Read before the store: another replica with this DATA_DIR may commit and write its mark during the comparison.
  const marks = readMarks(app.config, (await selectStoreMark(app.db)).store_id);
  const { store_id: store, beat, epoch } = await selectStoreMark(app.db);
  const begun = (await selectEpochs(app.db)).at(-1)?.first_transaction_id ?? 0;
  const { transactions } = await selectHanded(app.db);
  for (const mark of marks) {
    if (isWorthless(mark)) continue;
    // A person has declared the restore, here or on another machine, and ids continue above all that was seen here.
    const isToldOf = epoch > mark.epoch;
    if (isToldOf && begun >= mark.transactions) continue;
    if (mark.store !== store) return otherStore(app.config, mark);
    if (isToldOf || epoch < mark.epoch || beat < mark.beat || transactions < mark.transactions)
      return `The store is older than it was: it ${seen(mark)}, and now ${has(transactions, mark)}. ${wayOn(app.config)}`;
  }
  return null;
}

/**
 * Returns the same for a command that changes the store: one that is older would let a payout leave twice. Null also if
 * the command runs as an operating system user who may not read DATA_DIR.
 */
export async function whyStoreOfCommandIsOlder(app: App): Promise<string | null> {
  try {
    return await whyStoreIsOlder(app);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return null;
    throw error;
  }
}

/**
 * Returns the same for an embedded store whose file is missing or empty, without making it. Null also if there is a
 * file, or another database.
 */
export function whyStoreFileIsNew(config: Config): string | null {
  return hasStoreFile(config.databaseUrl) ? null : whyStoreIsNew(config);
}

/** Returns the same for a database without tables. */
export async function whyDatabaseIsNew({ config, db }: App): Promise<string | null> {
  return (await hasTable(db, 'store_marks')) ? null : whyStoreIsNew(config);
}

function whyStoreIsNew(config: Config): string | null {
  const lost = marksIn(config).find((mark) => !isWorthless(mark));
  return lost === undefined ? null : otherStore(config, lost);
}

/**
 * Returns that a restored store is not the one that a service saw in its place, in a sentence; null if it is, or
 * nothing tells. Called before `beginEpoch`, which gives the restored store the name of the one that was there.
 */
export async function whyStoreIsOther({ config, db }: App): Promise<string | null> {
  const { store_id: store } = await selectStoreMark(db);
  const marks = readMarks(config, store);
  const [mark] = marks.filter((one) => !isWorthless(one));
  if (store === null || mark === undefined || marks.some((one) => one.store === store)) return null;
  return notTheSame(mark);
}

/** `migrate` may run as an operating system user who may not list DATA_DIR, and sees no mark then. */
function marksIn(config: Config): Mark[] {
  try {
    return readMarks(config, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return [];
    throw error;
  }
}

/** The next transaction id of a new store. */
const FIRST_TRANSACTION_ID = 1001;

/** Returns whether that store never handed out an id. */
function isWorthless({ transactions, events }: Mark): boolean {
  return transactions <= FIRST_TRANSACTION_ID && events === 0;
}

function otherStore(config: Config, mark: Mark): string {
  return `${notTheSame(mark)} ${wayOn(config)}`;
}

function notTheSame(mark: Mark): string {
  return `This is not the store that was here before, which ${seen(mark)}.`;
}

function seen({ transactions, at }: Mark): string {
  return `had given out transaction ids up to ${transactions - 1} at ${clockOf(at)}`;
}

/** Ids are handed out in stretches, so a store of some minutes ago can have the same highest one. */
function has(transactions: number, mark: Mark): string {
  return transactions < mark.transactions ? `has ids up to ${transactions - 1}` : 'lacks changes that it had then';
}

function wayOn(config: Config): string {
  const put = config.databaseUrl.startsWith('sqlite:')
    ? 'put a backup in its place with bin/rubrica restore FILE, or '
    : '';
  return `If it was restored, ${put}say so with bin/rubrica after-restore; if a new one is meant to begin, remove ${markFile(config)}.`;
}
