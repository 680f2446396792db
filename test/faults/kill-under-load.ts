import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, resolveOpen, startLoad } from './support/load.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';

export type KillReport = {
  kills: number;
  acknowledged: number;
  /** Requests whose outcome was unknown after a kill; each was retried. */
  open: number;
  problems: string[];
  slowestStartMs: number;
};

const CLIENTS = 32;
/** The least load, on average, between two kills. */
export const ACKNOWLEDGED_PER_KILL = 500;

/**
 * Kills a service repeatedly with SIGKILL while 32 clients create transactions, restarts it on the same database file
 * without clean-up, and lets the clients retry requests with an unknown outcome.
 */
export async function killUnderLoad(options: {
  kills: number;
  plant?: PlantName;
  random: () => number;
}): Promise<KillReport> {
  const { kills, plant, random } = options;
  using store = await createScratchStore();
  const { databaseUrl } = store;
  const journal = createJournal();
  using client = createShopClient();
  let open = 0;
  let slowestStartMs = 0;
  for (let kill = 0; kill < kills; kill++) {
    await using service = await startServe({ databaseUrl, plant });
    slowestStartMs = Math.max(slowestStartMs, service.readyMs);
    await using load = startLoad({
      client,
      url: () => service.url,
      clients: CLIENTS,
      journal,
      prefix: `k${kill}`,
      retryOpen: true,
    });
    await load.answered;
    await new Promise((resolve) => setTimeout(resolve, 50 + 300 * random()));
    // A busy machine takes longer for the same load.
    const hadLoad = await comesTrue(() => journal.acknowledged.size >= ACKNOWLEDGED_PER_KILL * (kill + 1));
    if (!hadLoad) throw new Error('The machine is too slow: the service acknowledged too few requests in two minutes');
    await Promise.all([service.kill(), load.stop()]);
    open += journal.open.size;
  }
  await using service = await startServe({ databaseUrl, plant });
  await resolveOpen(client, service.url, journal);
  await service.kill();
  const { problems } = await auditStore(databaseUrl, journal);
  if (journal.open.size > 0) problems.push(`${journal.open.size} requests stayed without an answer`);
  return { kills, acknowledged: journal.acknowledged.size, open, problems, slowestStartMs };
}
