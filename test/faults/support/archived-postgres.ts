import { appendFileSync, chownSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { outputOf } from '../../support/child-process.ts';
import { startThrowawayPostgres } from '../../support/throwaway-postgres.ts';

/** A PostgreSQL that archives its write-ahead log and restores to a time as docs/restore.md describes. */
export type ArchivedPostgres = AsyncDisposable & {
  url: string;
  baseBackup(): Promise<void>;
  /** The time of the server, as a restore point. */
  time(): Promise<string>;
  goBackTo(time: string): Promise<void>;
};

/** Starts the server in a new folder; `await using` stops it and removes the folder. */
export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const postgres = await startThrowawayPostgres();
  const [shown] = await ask<{ data_directory: string }>(postgres.url, 'show data_directory');
  const data = shown?.data_directory ?? '';
  const folder = dirname(data);
  const archive = join(folder, 'archive');
  const base = join(folder, 'base');
  // The owner of the server; only root can run as another user.
  const { uid, gid } = statSync(data);
  mkdirSync(archive);
  chownSync(archive, uid, gid);
  appendFileSync(join(data, 'postgresql.conf'), `archive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`);
  await postgres.crash();
  const as = { uid, gid, cwd: folder };
  const log = ['-D', data, '-w', '-l', join(folder, 'server.log')];
  return {
    url: postgres.url,
    baseBackup: async () => {
      await outputOf('pg_basebackup', ['-d', postgres.url, '-D', base, '-c', 'fast'], as);
    },
    time: async () => {
      const [row] = await ask<{ now: string }>(postgres.url, 'select clock_timestamp()::text as now');
      return row?.now ?? '';
    },
    goBackTo: async (time) => {
      await ask(postgres.url, 'select pg_switch_wal()');
      await outputOf('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop'], as);
      renameSync(data, join(folder, 'lost'));
      renameSync(base, data);
      const recovery = `restore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${time}'\nrecovery_target_action = 'promote'\n`;
      appendFileSync(join(data, 'postgresql.conf'), recovery);
      writeFileSync(join(data, 'recovery.signal'), '');
      await outputOf('pg_ctl', [...log, 'start'], as);
      for (;;) {
        const [row] = await ask<{ recovering: boolean }>(postgres.url, 'select pg_is_in_recovery() as recovering');
        if (row?.recovering === false) return;
      }
    },
    [Symbol.asyncDispose]: () => postgres.stop(),
  };
}

async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
