import pg from 'pg';
import { installPrograms } from '../../test/support/system-programs.ts';
import { startThrowawayPostgres } from '../../test/support/throwaway-postgres.ts';
import { runProgram } from './programs.ts';

/** A cluster of its own with PostgreSQL's default durability. All peers of a figure have their database in it. */
export type BenchPostgres = {
  version: string;
  /** Answers the address of a new, empty database. */
  createDatabase(name: string): Promise<string>;
  /** So that none pays in its round for the pages that another has left. */
  checkpoint(): Promise<void>;
  /** Runs `pgbench` and answers its transactions a second. */
  pgbench(url: string, args: readonly string[]): Promise<number>;
  stop(): Promise<void>;
};

/** Null where PostgreSQL is missing and cannot be installed. */
export async function startBenchPostgres(): Promise<BenchPostgres | null> {
  const missing = installPrograms(['id', 'initdb', 'pg_ctl', 'pgbench', 'sh']);
  if (missing.length > 0) return null;
  const cluster = await startThrowawayPostgres();
  const ask = (sql: string) => askOnce(cluster.url, sql);
  const [{ server_version: version = '' } = {}] = await ask('show server_version');
  return {
    version,
    createDatabase: async (name) => {
      await ask(`create database ${name}`);
      return Object.assign(new URL(cluster.url), { pathname: name }).href;
    },
    checkpoint: async () => void (await ask('checkpoint')),
    pgbench: async (url, args) => {
      const text = await runProgram('pgbench', [...args, url]);
      const failed = /number of failed transactions: (\d+)/.exec(text)?.[1];
      if (failed !== undefined && failed !== '0') throw new Error(`pgbench: ${failed} failed transactions`);
      return Number(/tps = ([\d.]+)/.exec(text)?.[1]);
    },
    stop: () => cluster.stop(),
  };
}

/** One statement on a connection of its own. */
export async function askOnce(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, string>[];
  } finally {
    await client.end();
  }
}
