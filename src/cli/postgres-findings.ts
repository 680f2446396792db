import type { App } from '../app.ts';
import { readServerTime } from '../db/anchor-clock.ts';
import { readDurability } from '../db/read-durability.ts';
import { type Finding, fine, problem } from './finding.ts';

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
