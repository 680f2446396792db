import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { installPrograms } from '../../test/support/system-programs.ts';
import { startThrowawayPostgres } from '../../test/support/throwaway-postgres.ts';
import { runProgram } from './programs.ts';

/** The settings in docs/operation.md for a server with millions of payments. */
const SETTINGS = ['shared_buffers = 1GB', 'max_wal_size = 4GB'];

/**
 * A separate cluster, with PostgreSQL's default durability where it is measured. All peers of a figure have their
 * databases in it.
 */
export type BenchPostgres = {
  version: string;
  /** Returns the URL of a new database, with the schema or empty. */
  createDatabase(name: string, options?: { empty?: boolean }): Promise<string>;
  /** Flushes dirty pages, so that no contestant pays for the pages of another in its round. */
  checkpoint(): Promise<void>;
  /** Runs `pgbench` and returns its transactions per second. */
  pgbench(url: string, args: readonly string[]): Promise<number>;
  stop(): Promise<void>;
};

/** Starts a cluster. Returns null if PostgreSQL is missing and cannot be installed. */
export async function startBenchPostgres(options: { durable: boolean }): Promise<BenchPostgres | null> {
  const missing = installPrograms(['id', 'initdb', 'pg_ctl', 'pgbench', 'sh']);
  if (missing.length > 0) return null;
  const cluster = await startThrowawayPostgres({ ...options, settings: SETTINGS });
  const ask = (sql: string) => askOnce(cluster.url, sql);
  const urlOf = (name: string) => Object.assign(new URL(cluster.url), { pathname: name }).href;
  let migrated: Promise<string> | undefined;
  const migrateTemplate = async () => {
    await ask('create database migrated template template0');
    const db = openDatabase(urlOf('migrated'), { connections: 1, pooler: false, onFatal: () => {} });
    await migrate(db);
    await db.close();
    return 'migrated';
  };
  const [{ server_version: version = '' } = {}] = await ask('show server_version');
  return {
    version,
    createDatabase: async (name, { empty = false } = {}) => {
      if (!empty) migrated ??= migrateTemplate();
      const template = empty ? 'template0' : await migrated;
      await ask(`create database ${name} template ${template}`);
      return urlOf(name);
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

/** Runs one statement on a separate connection. */
export async function askOnce(url: string, sql: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, string>[];
  } finally {
    await client.end();
  }
}
