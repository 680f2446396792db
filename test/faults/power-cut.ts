import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, resolveOpen, startLoad } from './support/load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { createScratchDisk } from './support/scratch-disk.ts';
import { ServeEnded, startServe } from './support/serve-process.ts';
import { createShopClient, type ShopClient } from './support/shop-client.ts';

export type PowerCutReport = {
  cuts: number;
  /** Cuts after which a written but unflushed file was gone, which proves that the fault happened. */
  lossyCuts: number;
  acknowledged: number;
  open: number;
  problems: string[];
};

const CLIENTS = 32;
const UNFLUSHED = 'written and not flushed';

/**
 * Cuts the power of the disk under a service while 32 clients create transactions, mounts the disk again, and lets the
 * clients retry requests with an unknown outcome. The acknowledged creates are recorded on another disk.
 */
export async function cutPowerUnderLoad(options: {
  cuts: number;
  plant?: PlantName;
  random: () => number;
}): Promise<PowerCutReport> {
  const { cuts, plant, random } = options;
  await using disk = await createScratchDisk(512);
  const databaseUrl = `sqlite:${join(disk.folder, 'rubrica.db')}`;
  const journal = createJournal();
  using client = createShopClient();
  let powerIsOn = true;
  const listening = { ...client, create: deafWithout(() => powerIsOn, client) };
  let open = 0;
  let lossyCuts = 0;
  await prepareStore(databaseUrl);
  for (let cut = 0; cut < cuts; cut++) {
    await using service = await startServe({ databaseUrl, plant });
    powerIsOn = true;
    await using load = startLoad({
      client: listening,
      url: () => service.url,
      clients: CLIENTS,
      journal,
      prefix: `c${cut}`,
      retryOpen: true,
    });
    await load.answered;
    await new Promise((resolve) => setTimeout(resolve, 50 + 200 * random()));
    const witness = join(disk.folder, `witness-${cut}`);
    writeFileSync(witness, UNFLUSHED);
    powerIsOn = false;
    await disk.cutPower();
    const stopped = load.stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([stopped, service.kill()]);
    open += journal.open.size;
    await disk.restorePower();
    if (!existsSync(witness) || readFileSync(witness, 'utf8') !== UNFLUSHED) lossyCuts++;
  }
  const report = { cuts, lossyCuts, acknowledged: journal.acknowledged.size, open };
  try {
    await using service = await startServe({ databaseUrl, plant });
    await resolveOpen(client, service.url, journal);
  } catch (error) {
    // The service's mark in another folder has shown it that data is lost.
    if (!(error instanceof ServeEnded)) throw error;
    return { ...report, problems: [error.message] };
  }
  const { problems } = await auditStore(databaseUrl, journal);
  return { ...report, acknowledged: journal.acknowledged.size, problems };
}

/**
 * Ignores responses from the moment of the cut: a machine without power sends none. The ioctl is not exactly that
 * moment: a flush in progress can report success for lost data, as a minimal program that only writes and flushes
 * shows.
 */
function deafWithout(power: () => boolean, client: ShopClient): ShopClient['create'] {
  return async (url, reference, amount) => {
    const reply = await client.create(url, reference, amount);
    return power() ? reply : { kind: 'unknown', why: 'the power was cut' };
  };
}
