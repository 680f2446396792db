import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Rehearsal } from '../restore-under-load.ts';
import type { ArchivedPostgres } from './archived-postgres.ts';
import { prepareStore } from './prepare-store.ts';

/** Prepares an embedded store in `dataDir`: a person replaces it with an older copy, and then runs `restore`. */
export async function rehearseFile(dataDir: string): Promise<Rehearsal> {
  const file = join(dataDir, 'rubrica.db');
  const copy = join(dataDir, 'copy.db');
  const databaseUrl = `sqlite:${file}`;
  return {
    databaseUrl,
    dataDir,
    token: await prepareStore(databaseUrl),
    backUp: async () => {
      const store = new DatabaseSync(file);
      store.exec(`vacuum into '${copy}'`);
      store.close();
    },
    goBack: async () => {
      for (const part of ['', '-wal', '-shm']) rmSync(file + part, { force: true });
      copyFileSync(copy, file);
    },
    command: ['restore', copy],
  };
}

/**
 * Prepares a point-in-time recovery: a base backup, the write-ahead log up to a time, and a new timeline, as
 * docs/restore.md describes.
 */
export async function rehearsePointInTime(postgres: ArchivedPostgres, dataDir: string): Promise<Rehearsal> {
  const token = await prepareStore(postgres.url);
  await postgres.baseBackup();
  let time = '';
  return {
    databaseUrl: postgres.url,
    dataDir,
    token,
    backUp: async () => {
      time = await postgres.time();
    },
    goBack: () => postgres.goBackTo(time),
    command: ['after-restore'],
  };
}
