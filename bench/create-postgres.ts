import { join } from 'node:path';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { askOnce } from './support/databases.ts';
import { type Figure, ratioLine } from './support/figure.ts';
import { startPeer } from './support/peers.ts';
import { createInstallation, createRequestOf, startService } from './support/service.ts';

/** Measures durable signed creates per second on PostgreSQL, against pgbench and against one commit per request. */
export async function measureCreatePostgres(bench: Bench): Promise<Figure> {
  const postgres = await bench.postgres();
  const urls = await Promise.all(
    ['create_ours', 'create_naive', 'create_pgbench'].map((name) => postgres.createDatabase(name)),
  );
  const [ours, theirs, script] = await Promise.all(
    urls.map((url, index) => createInstallation(join(bench.folder, `create-postgres-${index}`), url)),
  );
  if (ours === undefined || theirs === undefined || script === undefined) throw new Error('unreachable');
  await askOnce(urls[2] as string, 'create sequence pgbench_ids cache 100');
  const service = await startService(ours);
  const naive = await startPeer(new URL('./peers/naive-server.ts', import.meta.url), [
    urls[1] as string,
    theirs.secretToken,
  ]);
  const rows = await alternate(bench, {
    'the service': async () => {
      await postgres.checkpoint();
      return (await runLoad(bench, { port: service.port, request: createRequestOf(ours) })).rate;
    },
    pgbench: async () => {
      await postgres.checkpoint();
      return postgres.pgbench(urls[2] as string, pgbenchArguments(bench.sizes.warmUpMs + bench.sizes.measureMs));
    },
    'one commit per request': async () => {
      await postgres.checkpoint();
      return (await runLoad(bench, { port: naive.port, request: createRequestOf(theirs) })).rate;
    },
  });
  await Promise.all([service.stop(), naive.stop()]);
  const measured = 'durable signed creates/s, PostgreSQL, 64 connections';
  return {
    lines: [
      ratioLine(measured, 'pgbench -c 64 -j 1 -M prepared', { atLeast: 1 }, roundsAgainst(rows, 1)),
      ratioLine(measured, 'Fastify and pg, one commit per request', { atLeast: 2.2 }, roundsAgainst(rows, 2)),
    ],
    details: [],
  };
}

function pgbenchArguments(ms: number): string[] {
  const script = new URL('./peers/create-transactions.pgbench.sql', import.meta.url).pathname;
  const seconds = Math.max(1, Math.round(ms / 1000));
  return ['-n', '-c', '64', '-j', '1', '-M', 'prepared', '-T', String(seconds), '-f', script];
}
