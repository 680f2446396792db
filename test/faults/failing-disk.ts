import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, type Journal, resolveOpen, startLoad } from './support/load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { type Exit, type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';
import { type Injection, injecting, firedCalls } from './support/system-calls.ts';

export type DiskFaultReport = {
  /** The calls that failed, as strace shows them. */
  fired: string[];
  /** How the process ended by itself, or null when it went on. `not started`: the fault hit it before it was ready. */
  exit: Exit | 'not started' | null;
  /** The answers that were given, by code. */
  answers: Record<string, number>;
  problems: string[];
};

const CLIENTS = 4;
/** With the fault behind them, so many more answers are waited for; a process that must stop has stopped by then. */
const ANSWERS_AFTERWARDS = 40;
const PATIENCE_MS = 15_000;

/** Creates transactions on a service whose disk fails at one system call, and starts it anew on what is left. */
export async function createOnFailingDisk(injection: Injection, plant?: PlantName): Promise<DiskFaultReport> {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-failing-'));
  const databaseUrl = `sqlite:${join(folder, 'rubrica.db')}`;
  const log = join(folder, 'strace.log');
  const journal = createJournal();
  try {
    await prepareStore(databaseUrl);
    const exit = await runUntilFault(databaseUrl, injection, log, journal, plant);
    const answers = { ...journal.counts };
    const problems = await startAnew(databaseUrl, journal, plant);
    return { fired: firedCalls(log), exit, answers, problems };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runUntilFault(
  databaseUrl: string,
  injection: Injection,
  log: string,
  journal: Journal,
  plant: PlantName | undefined,
): Promise<DiskFaultReport['exit']> {
  let service: ServeProcess;
  try {
    service = await startServe({ databaseUrl, plant, wrapper: injecting(injection, log) });
  } catch {
    return 'not started';
  }
  const client = createShopClient();
  let answersAfterwards = 0;
  const load = startLoad({
    client,
    url: () => service.url,
    clients: CLIENTS,
    journal,
    prefix: 'd',
    onReply: () => {
      if (firedCalls(log).length > 0) answersAfterwards++;
    },
  });
  const until = performance.now() + PATIENCE_MS;
  while (service.running() && answersAfterwards < ANSWERS_AFTERWARDS && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const ended = await Promise.race([service.exited, new Promise<null>((resolve) => setTimeout(resolve, 500, null))]);
  service.signal('SIGKILL');
  await load.stop();
  await service.exited;
  client.close();
  return ended;
}

/** On a disk that works again: everything is answered, and the store agrees with every answer. */
async function startAnew(databaseUrl: string, journal: Journal, plant: PlantName | undefined): Promise<string[]> {
  const client = createShopClient();
  const service = await startServe({ databaseUrl, plant });
  await resolveOpen(client, service.url, journal);
  service.signal('SIGKILL');
  await service.exited;
  client.close();
  const { problems } = await auditStore(databaseUrl, journal);
  return journal.open.size === 0 ? problems : [...problems, `${journal.open.size} requests stayed without an answer`];
}
