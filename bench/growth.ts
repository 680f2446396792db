import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { type Figure, FigureSkipped, type Line, ratioLine } from './support/figure.ts';
import type { CreateRequest } from './support/load-plan.ts';
import { createInstallation, createRequestOf, type Installation, startService } from './support/service.ts';
import { storeInPostgres, storeInSqlite } from './support/stored-transactions.ts';

const BYTES_PER_TRANSACTION = 1_600;

/**
 * Measures creates per second with many stored transactions, against the same with an empty store. Shops send ordered
 * references. Random ones are the worst case, because each touches another page of the index.
 */
export async function measureGrowth(bench: Bench): Promise<Figure> {
  await checkSpace(bench);
  const onSqlite: Stored[] = [];
  for (const count of bench.sizes.stored) onSqlite.push(await storeSqlite(bench, count));
  const lines = await compare(bench, 'SQLite', onSqlite);
  const postgres = await bench.postgres();
  const onPostgres: Stored[] = [];
  for (const count of bench.sizes.stored) {
    const url = await postgres.createDatabase(`growth_${count}`);
    onPostgres.push(await storePostgres(bench, count, url));
  }
  return { lines: [...lines, ...(await compare(bench, 'PostgreSQL', onPostgres))], details: [] };
}

type Stored = { count: number; installation: Installation };

async function checkSpace({ folder, sizes }: Bench): Promise<void> {
  const most = Math.max(...sizes.stored);
  const needed = most * BYTES_PER_TRANSACTION;
  const { bavail, bsize } = await statfs(folder);
  const asGigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  if (bavail * bsize < needed) {
    throw new FigureSkipped(
      `${folder} has ${asGigabytes(bavail * bsize)} GB left; ${most} rows need ${asGigabytes(needed)} GB`,
    );
  }
}

async function compare(bench: Bench, engine: string, stored: readonly Stored[]): Promise<Line[]> {
  const services = await Promise.all(stored.map(({ installation }) => startService(installation)));
  const lines: Line[] = [];
  for (const references of ['sequential', 'random'] as const) {
    const contestants = stored.map(({ count, installation }, at) => {
      const request = createRequestOf(installation, references);
      const port = services[at]?.port as number;
      return [
        `${engine}, ${references}, ${count} stored`,
        async () => (await runLoad(bench, { port, request })).rate,
      ] as const;
    });
    const rows = await alternate(bench, Object.fromEntries(contestants));
    for (const [at, { count }] of stored.entries()) {
      if (at > 0) lines.push(growthLine(engine, references, count, roundsAgainst(rows, 0, at)));
    }
  }
  await Promise.all(services.map((service) => service.stop()));
  return lines;
}

function growthLine(
  engine: string,
  references: CreateRequest['references'],
  count: number,
  rounds: { ours: number; peer: number }[],
): Line {
  const measured = `creates/s at ${count.toLocaleString('en')} stored transactions, ${engine}, ${references} references`;
  return ratioLine(measured, 'at none', { atLeast: 0.9 }, rounds);
}

async function storeSqlite(bench: Bench, count: number): Promise<Stored> {
  const folder = join(bench.folder, `growth-${count}`);
  const installation = await createInstallation(folder);
  bench.say(`  storing ${count} transactions in SQLite`);
  if (count > 0) await storeInSqlite(join(folder, 'rubrica.db'), count);
  return { count, installation };
}

async function storePostgres(bench: Bench, count: number, url: string): Promise<Stored> {
  const installation = await createInstallation(join(bench.folder, `growth-postgres-${count}`), url);
  bench.say(`  storing ${count} transactions in PostgreSQL`);
  await storeInPostgres(url, count);
  return { count, installation };
}
