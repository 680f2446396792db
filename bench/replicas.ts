import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { type Figure, ratioLine } from './support/figure.ts';
import { createInstallation, createRequestOf, startService } from './support/service.ts';

/** Two processes, two load generators, and as many cores again for PostgreSQL. With fewer cores they compete. */
const CORES_FOR_TWO = 6;
const CONNECTIONS = 32;

/**
 * Measures durable signed creates per second of two processes on one PostgreSQL, against one process. Each round has
 * the same two load generators.
 */
export async function measureReplicas(bench: Bench): Promise<Figure> {
  const postgres = await bench.postgres();
  const installation = await createInstallation(
    join(bench.folder, 'replicas'),
    await postgres.createDatabase('replicas'),
  );
  const request = createRequestOf(installation);
  const [first, second] = [await startService(installation), await startService(installation)];
  const rateOf = async (ports: readonly number[]) => {
    await postgres.checkpoint();
    const results = await Promise.all(ports.map((port) => runLoad(bench, { port, request, connections: CONNECTIONS })));
    return results.reduce((sum, { rate }) => sum + rate, 0);
  };
  const rows = await alternate(bench, {
    'two processes': () => rateOf([first.port, second.port]),
    'one process': () => rateOf([first.port, first.port]),
  });
  await Promise.all([first.stop(), second.stop()]);
  const cores = availableParallelism();
  const measured = `durable signed creates/s of two processes on one PostgreSQL, 2 × ${CONNECTIONS} connections, ${cores} cores`;
  const aim = cores >= CORES_FOR_TWO ? { atLeast: 1.5 } : null;
  return { lines: [ratioLine(measured, 'one process', aim, roundsAgainst(rows, 1))], details: [] };
}
