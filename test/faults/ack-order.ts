import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';

export type OrderReport = {
  /** Creates whose response was written to a socket, and flushes of the log that covered them. */
  acknowledged: number;
  flushes: number;
  /** Creates that were acknowledged before their row was written and flushed. */
  early: string[];
};

const CLIENTS = 32;
/** Traces all system calls that write, with enough data to find a row in a page of the log. */
const TRACE = [
  'strace',
  '-D',
  '-f',
  '-q',
  '-y',
  '-s',
  '4200',
  '-e',
  'trace=fsync,pwrite64,write,writev,sendto,sendmsg',
] as const;

/** Lets 32 clients create transactions, and derives from the system calls what was flushed before each response. */
export async function recordAckOrder(creates: number, plant?: PlantName): Promise<OrderReport> {
  using store = await createScratchStore();
  const { databaseUrl, folder } = store;
  const log = join(folder, 'strace.log');
  using client = createShopClient();
  const references = new Map<number, string>();
  let count = 0;
  await using service = await startServe({ databaseUrl, plant, wrapper: [...TRACE, '-o', log] });
  const run = async () => {
    while (count < creates) {
      const reference = `order-${String(count++).padStart(6, '0')}`;
      let reply = await client.create(service.url, reference);
      while (reply.kind === 'refused') reply = await client.create(service.url, reference);
      if (reply.kind !== 'created') throw new Error(`${reference} was ${JSON.stringify(reply)}`);
      references.set(reply.id, reference);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, run));
  await service.kill();
  await comesTrue(() => readFileSync(log, 'latin1').includes('+++ killed by SIGKILL'));
  return readOrder(readFileSync(log, 'latin1').split('\n'), references);
}

/** Reads the calls once, in order: what was written to the log, what has been flushed, what was acknowledged. */
function readOrder(calls: readonly string[], references: ReadonlyMap<number, string>): OrderReport {
  const report: OrderReport = { acknowledged: 0, flushes: 0, early: [] };
  const flushed = new Set<string>();
  let written = new Set<string>();
  /** The threads with an unfinished flush of the log. */
  const flushing = new Set<string>();
  for (const call of calls) {
    const [thread = ''] = call.split(' ', 1);
    const ofLog = call.includes('.db-wal>');
    if (ofLog && call.includes('pwrite64(')) for (const [row] of call.matchAll(/order-\d{6}/g)) written.add(row);
    if (ofLog && call.includes('fsync(') && call.includes('<unfinished')) flushing.add(thread);
    const ended = call.includes('<... fsync resumed>') ? flushing.delete(thread) : ofLog && call.includes('fsync(');
    if (ended && call.endsWith(' = 0')) {
      if (written.size > 0) report.flushes++;
      for (const row of written) flushed.add(row);
      written = new Set();
    }
    for (const [, id] of call.matchAll(/\\"idTrx\\":(\d+)/g)) {
      const reference = references.get(Number(id));
      if (reference === undefined) continue;
      report.acknowledged++;
      if (!flushed.has(reference)) report.early.push(reference);
    }
  }
  return report;
}
