import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, startLoad } from './support/load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { createSmallDisk } from './support/scratch-disk.ts';
import { startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';

export type FullDiskReport = {
  /** Creates before the disk was full, and creates refused because it was full. */
  created: number;
  refused: number;
  /** The responses of `/readyz`, of a transaction and of a pay page while the disk was full. */
  reads: Record<string, number>;
  /**
   * Milliseconds from the free space until more creates have succeeded than there are clients; null if they never did.
   */
  acceptedAgainMs: number | null;
  problems: string[];
};

const CLIENTS = 8;
const MEGABYTES = 8;
/** The space that a person would free. */
const BALLAST_BYTES = 5 * 1024 * 1024;

/** Fills the disk under a running service, checks what still works, frees space, and checks again. */
export async function fillDisk(plant?: PlantName): Promise<FullDiskReport> {
  await using disk = await createSmallDisk(MEGABYTES);
  const databaseUrl = `sqlite:${join(disk.folder, 'rubrica.db')}`;
  const ballast = join(disk.folder, 'ballast');
  const journal = createJournal();
  using client = createShopClient();
  const token = await prepareStore(databaseUrl);
  writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES));
  await using service = await startServe({ databaseUrl, plant });
  const first = await client.create(service.url, 'first');
  if (first.kind !== 'created') throw new Error('The first create was refused');
  journal.acknowledged.set('first', first.id);
  await using load = startLoad({ client, url: () => service.url, clients: CLIENTS, journal, prefix: 'f' });
  await comesTrue(() => (journal.counts.STORAGE_FULL ?? 0) >= 3 * CLIENTS || !service.running());
  const reads = {
    ready: (await client.get(`${service.url}/readyz`)).status,
    transaction: (await client.get(`${service.url}/trxs/${first.id}`, { authorization: `Bearer ${token}` })).status,
    'pay page': (await client.get(first.payUrl)).status,
  };
  const created = journal.counts.created ?? 0;
  const refused = journal.counts.STORAGE_FULL ?? 0;
  rmSync(ballast);
  const freedAt = performance.now();
  const accepts = () => (journal.counts.created ?? 0) > created + CLIENTS;
  await comesTrue(() => accepts() || !service.running());
  const acceptedAgainMs = accepts() ? Math.round(performance.now() - freedAt) : null;
  await load.stop();
  await service.kill();
  return { created, refused, reads, acceptedAgainMs, problems: (await auditStore(databaseUrl, journal)).problems };
}

/** Returns a line for each thing that a full disk must not cause. */
export function checkFullDisk({ refused, reads, acceptedAgainMs, problems }: FullDiskReport): string[] {
  const found = [...problems];
  if (refused === 0) found.push('the disk was never full');
  for (const [what, status] of Object.entries(reads)) if (status !== 200) found.push(`${what} was answered ${status}`);
  if (acceptedAgainMs === null) found.push('nothing was accepted again');
  return found;
}
