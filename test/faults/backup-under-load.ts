import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startChild } from '../support/child-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { fillStore } from './big-store.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, type Journal, startLoad } from './support/load.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { MASTER_KEY, startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';

export type BackupReport = {
  backups: number;
  /** Transactions in the last backup, and those created while it was written. */
  rows: number;
  meanwhile: number;
  problems: string[];
};

/**
 * `main file only`: copies the database without its write-ahead log, as a careless person does. `small steps`: `rubrica
 * backup` with a planted bug.
 */
export type BackupMethod = 'rubrica backup' | 'main file only' | 'small steps';

const CLIENTS = 16;
/** Allows a few hundred commits during a backup; more would only slow it. */
const REST_MS = 5;
const CREATED_BEFORE_EACH = 200;
/** Enough that a backup of one page at a time cannot finish between two commits: it takes seconds. */
const STORED_BEFORE_SMALL_STEPS = 500_000;
const LONGEST_BACKUP_MS = 60_000;
const repository = join(import.meta.dirname, '../..');

/** Writes backups while 16 clients create transactions, and starts a service on each of them. */
export async function backUpUnderLoad(backups: number, method: BackupMethod): Promise<BackupReport> {
  using store = await createScratchStore();
  const { databaseUrl, file, folder } = store;
  const journal = createJournal();
  using client = createShopClient();
  const report: BackupReport = { backups, rows: 0, meanwhile: 0, problems: [] };
  if (method === 'small steps') {
    const writer = new DatabaseSync(file);
    fillStore(writer, 1, STORED_BEFORE_SMALL_STEPS);
    writer.close();
  }
  await using service = await startServe({ databaseUrl });
  await using load = startLoad({
    client,
    url: () => service.url,
    clients: CLIENTS,
    journal,
    prefix: 'b',
    restMs: REST_MS,
  });
  for (let backup = 1; backup <= backups; backup++) {
    const known = journal.acknowledged.size;
    await comesTrue(() => journal.acknowledged.size >= known + CREATED_BEFORE_EACH);
    const before = new Map(journal.acknowledged);
    const copy = join(folder, `copy-${backup}.db`);
    if (method === 'main file only') copyFileSync(file, copy);
    else if (!(await runBackup(databaseUrl, copy, method))) {
      return { ...report, problems: [`backup ${backup} did not end within ${LONGEST_BACKUP_MS} ms`] };
    }
    report.meanwhile = journal.acknowledged.size - before.size;
    const audit = await restore(`sqlite:${copy}`, { ...journal, acknowledged: before, open: askedSoFar(journal) });
    report.rows = audit.rows;
    report.problems = report.problems.concat(audit.problems);
  }
  await load.stop();
  await service.kill();
  return { ...report, problems: report.problems.concat((await auditStore(databaseUrl, journal)).problems) };
}

/** Every reference requested so far. Of these, the acknowledged ones must be in the backup, and the others may be. */
function askedSoFar({ counts }: Journal): Set<string> {
  const answered = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return new Set(Array.from({ length: answered + CLIENTS }, (_, number) => `b-${number}`));
}

/** Runs the command line as an operator does. Returns whether it finished in time. */
async function runBackup(databaseUrl: string, target: string, method: BackupMethod): Promise<boolean> {
  const planted = method === 'small steps';
  const preload = planted ? ['--import', join(import.meta.dirname, 'preload/plant-process.ts')] : [];
  const plant: PlantName = 'backs up in small steps';
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, MASTER_KEY, ...(planted && { PLANTED_BUG: plant }) };
  const command = [...preload, join(repository, 'src/main.ts'), 'backup', target];
  const child = await startChild('node', command, { cwd: repository, env });
  const timer = setTimeout(() => child.signal('SIGTERM'), LONGEST_BACKUP_MS);
  const { status, signal, stderr } = await child.ended;
  clearTimeout(timer);
  // A terminated command removes its output and exits with 128 plus the number of the signal.
  const isEnded = signal === 'SIGTERM' || status === 143;
  if (status !== 0 && !isEnded) throw new Error(`The backup ended with status ${status}: ${stderr}`);
  return status === 0;
}

/** Starts a service on the copy, sends it a request, and then compares the store. */
async function restore(databaseUrl: string, journal: Journal): Promise<{ rows: number; problems: string[] }> {
  using client = createShopClient();
  try {
    await using service = await startServe({ databaseUrl });
    const reply = await client.create(service.url, 'after-the-restore');
    await service.kill();
    if (reply.kind !== 'created') return { rows: 0, problems: [`the restored service answered ${reply.kind}`] };
    const acknowledged = new Map([...journal.acknowledged, ['after-the-restore', reply.id]]);
    return await auditStore(databaseUrl, { ...journal, acknowledged });
  } catch (error) {
    return { rows: 0, problems: [(error as Error).message] };
  }
}
