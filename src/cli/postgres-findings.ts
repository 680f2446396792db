import type { App } from '../app.ts';
import { readServerTime } from '../db/anchor-clock.ts';
import { whyFeedIsElsewhere } from '../db/citus-placement.ts';
import { readDurability } from '../db/read-durability.ts';
import { measureFeedHold } from '../outbox/measure-feed-hold.ts';
import { type Finding, fine, problem } from './finding.ts';

const LONGEST_HOLD_MS = 60_000;

/** Whether the feed moves: behind a long transaction, of any database of the server, it stands still. */
export async function feedFinding(app: App): Promise<Finding> {
  const elsewhere = await whyFeedIsElsewhere(app.db);
  if (elsewhere !== null) return problem('feed', 'cannot be right on this node', elsewhere);
  const hold = await measureFeedHold(app);
  if (hold === null) return fine('feed', 'nothing holds it back');
  const { pid, application, database, ageMs } = hold;
  const who = `${pid === 0 ? 'no process' : `pid ${pid}`}, ${application || 'without a name'}, database ${database}`;
  const says = `stands still behind a transaction of ${Math.round(ageMs / 1000)} s (${who})`;
  if (ageMs < LONGEST_HOLD_MS) return fine('feed', says);
  const end =
    pid === 0 ? 'End it with commit prepared or rollback prepared.' : `select pg_terminate_backend(${pid}) ends it.`;
  return problem('feed', says, `Readers of GET /events see nothing newer. Let it end, or end it: ${end}`);
}

/** What `doctor` finds of a PostgreSQL as such, whatever is in the store. */
export async function postgresFindings(app: App): Promise<Finding[]> {
  return [await clockFinding(app), await durabilityFinding(app)];
}

const MOST_SKEW_MS = 5000;

async function clockFinding(app: App): Promise<Finding> {
  const ahead = app.now() - (await readServerTime(app.db));
  const says = `PostgreSQL answers; this machine's clock is ${Math.abs(ahead)} ms ${ahead < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(ahead) <= MOST_SKEW_MS) return fine('database', says);
  return problem('database', says, 'The service goes by the clock of the database. Run NTP on both machines.');
}

const WITHOUT_FSYNC =
  'Set fsync = on: a crash of the server loses what was acknowledged, and can damage everything that is stored.';

async function durabilityFinding(app: App): Promise<Finding> {
  const { fsync, fullPageWrites, synchronousCommit, isolation } = await readDurability(app.db);
  const pages =
    fullPageWrites === 'on' ? 'on' : `${fullPageWrites} (safe only where the disk writes pages of 8 KiB whole)`;
  const waits = ['off', 'local', 'remote_write'].includes(synchronousCommit)
    ? `${synchronousCommit} (the service commits with on)`
    : synchronousCommit;
  const level = isolation === 'read committed' ? isolation : `${isolation} (the service asks for read committed)`;
  const says = `fsync ${fsync}, full_page_writes ${pages}, synchronous_commit ${waits}, isolation ${level}`;
  return fsync === 'on' ? fine('durability', says) : problem('durability', says, WITHOUT_FSYNC);
}
