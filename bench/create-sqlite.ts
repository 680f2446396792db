import { join } from 'node:path';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { type Figure, ratioLine } from './support/figure.ts';
import { startPeer } from './support/peers.ts';
import { createInstallation, createRequestOf, startService } from './support/service.ts';

/**
 * Measures durable signed creates per second on SQLite, against the cost of durability alone and of responding alone.
 */
export async function measureCreateSqlite(bench: Bench): Promise<Figure> {
  const ours = await createInstallation(join(bench.folder, 'create'));
  // The service creates the peer's file, so both have the same schema.
  const theirs = await createInstallation(join(bench.folder, 'create-bare'));
  const service = await startService(ours);
  const durable = await startPeer(new URL('./peers/bare-durable-server.ts', import.meta.url), [
    join(bench.folder, 'create-bare', 'rubrica.db'),
    theirs.secretToken,
  ]);
  const answering = await startPeer(new URL('./peers/bare-answering-server.ts', import.meta.url));
  const rows = await alternate(bench, {
    'the service': async () => (await runLoad(bench, { port: service.port, request: createRequestOf(ours) })).rate,
    'bare durable server': async () =>
      (await runLoad(bench, { port: durable.port, request: createRequestOf(theirs) })).rate,
    'bare answering server': async () =>
      (await runLoad(bench, { port: answering.port, request: createRequestOf(theirs), repeat: true })).rate,
  });
  await Promise.all([service.stop(), durable.stop(), answering.stop()]);
  const measured = 'durable signed creates/s, SQLite, 64 connections';
  return {
    lines: [
      ratioLine(measured, 'bare durable server', { atLeast: 0.8 }, roundsAgainst(rows, 1)),
      ratioLine(measured, 'bare answering server', { atLeast: 0.22 }, roundsAgainst(rows, 2)),
    ],
    details: [],
  };
}
