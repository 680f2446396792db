import { join } from 'node:path';
import { type Bench, runLoad } from './support/bench.ts';
import type { Details, Figure } from './support/figure.ts';
import { createInstallation, createRequestOf, type Installation, startService } from './support/service.ts';

/** Measures creates per second and their times, by the number of concurrent clients. */
export async function measureConnections(bench: Bench): Promise<Figure> {
  const sqlite = await createInstallation(join(bench.folder, 'connections'));
  const postgres = await bench.postgres();
  const url = await postgres.createDatabase('connections');
  const installed = await createInstallation(join(bench.folder, 'connections-postgres'), url);
  return {
    lines: [],
    details: [await latencies(bench, 'SQLite', sqlite), await latencies(bench, 'PostgreSQL', installed)],
  };
}

async function latencies(bench: Bench, engine: string, installation: Installation): Promise<Details> {
  const service = await startService(installation);
  const request = createRequestOf(installation);
  const rows: string[][] = [];
  for (const connections of bench.sizes.connections) {
    const { rate, p50, p99, p999 } = await runLoad(bench, { port: service.port, request, connections });
    rows.push([
      String(connections),
      Math.round(rate).toLocaleString('en'),
      ...[p50, p99, p999].map((ms) => ms.toFixed(2)),
    ]);
    bench.say(`  ${engine}, ${connections} connections: ${Math.round(rate)}`);
  }
  await service.stop();
  return {
    title: `Durable signed creates on ${engine}, by connections`,
    head: ['connections', 'creates/s', 'p50 ms', 'p99 ms', 'p99.9 ms'],
    rows,
  };
}
