import { join } from 'node:path';
import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, type Journal, resolveOpen, startLoad, unexpectedAnswers } from './support/load.ts';
import { createScratchStore } from './support/scratch-store.ts';
import { type Exit, ServeEnded, type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';
import { firedCalls, type Injection, injecting } from './support/system-calls.ts';

export type DiskFaultReport = {
  /** The failed calls in strace's format. Empty for a kill, which `exit` shows. */
  fired: string[];
  /** False if the fault hit before the service was ready. */
  started: boolean;
  /** How the process ended; null if it kept running. */
  exit: Exit | null;
  /** The number of responses by code. */
  answers: Record<string, number>;
  /** Creates acknowledged after a response with an unknown outcome. */
  createdAfterFailure: number;
  problems: string[];
};

const CLIENTS = 4;
/** A process that has created this many after the fault is considered to have survived. */
const CREATED_AFTERWARDS = 20;

/** The responses that clients may get when a disk fails. */
const EXPECTED_ANSWERS = [
  'created',
  'replayed',
  'STORAGE_FULL',
  'STORAGE_UNAVAILABLE',
  'ECONNREFUSED',
  'unknown: 503 OUTCOME_UNKNOWN',
  'unknown: ECONNRESET',
  'unknown: EPIPE',
  'unknown: socket hang up',
];

/** Creates transactions on a service whose disk fails at one system call, and restarts it on the remaining data. */
export async function createOnFailingDisk(injection: Injection, plant?: PlantName): Promise<DiskFaultReport> {
  using store = await createScratchStore();
  const { databaseUrl, folder } = store;
  const log = join(folder, 'strace.log');
  const journal = createJournal();
  const run = await runUntilFault(databaseUrl, injection, log, journal, plant);
  const answers = { ...journal.counts };
  const wrong = unexpectedAnswers(journal, ...EXPECTED_ANSWERS);
  const problems = [...wrong, ...(await startAnew(databaseUrl, journal))];
  return { ...run, fired: firedCalls(log), answers, problems };
}

async function runUntilFault(
  databaseUrl: string,
  injection: Injection,
  log: string,
  journal: Journal,
  plant: PlantName | undefined,
): Promise<Pick<DiskFaultReport, 'started' | 'exit' | 'createdAfterFailure'>> {
  let service: ServeProcess;
  try {
    service = await startServe({ databaseUrl, plant, wrapper: injecting(injection, log) });
  } catch (error) {
    if (error instanceof ServeEnded) return { started: false, exit: error.exit, createdAfterFailure: 0 };
    throw error;
  }
  using client = createShopClient();
  let createdAfterFault = 0;
  let createdAfterFailure = 0;
  await using load = startLoad({
    client,
    url: () => service.url,
    clients: CLIENTS,
    journal,
    prefix: 'd',
    onReply: (reply) => {
      if (reply.kind !== 'created') return;
      if (firedCalls(log).length > 0) createdAfterFault++;
      if (journal.counts['unknown: 503 OUTCOME_UNKNOWN'] !== undefined) createdAfterFailure++;
    },
  });
  await comesTrue(() => !service.running() || createdAfterFault >= CREATED_AFTERWARDS);
  const exit = service.running() ? null : await service.exited;
  await Promise.all([service.kill(), load.stop()]);
  return { started: true, exit, createdAfterFailure };
}

/** Restarts on a working disk: every request gets a response, and the store must agree with every response. */
async function startAnew(databaseUrl: string, journal: Journal): Promise<string[]> {
  using client = createShopClient();
  await using service = await startServe({ databaseUrl });
  await resolveOpen(client, service.url, journal);
  await service.kill();
  const { problems } = await auditStore(databaseUrl, journal);
  return journal.open.size === 0 ? problems : [...problems, `${journal.open.size} requests stayed without an answer`];
}

/** Checks what must hold for every fault, and for this kind. Returns a line for each violation. */
export function checkDiskFault({ call, fault }: Injection, report: DiskFaultReport): string[] {
  const { fired, started, exit, createdAfterFailure, problems } = report;
  const found = [...problems];
  if (fault.startsWith('signal')) return exit?.signal === 'SIGKILL' ? found : [...found, 'the kill did not happen'];
  if (fired.length === 0) return [...found, 'the fault did not happen'];
  // The flush of the folder and the index in memory are not the store. A start that fails reports it and changes
  // nothing.
  const hitTheStore = started && fired.some((line) => line.includes('.db-wal>'));
  if (!hitTheStore) return found;
  if (fault.endsWith('ENOSPC') && call === 'pwrite64') {
    if (exit !== null) found.push('a full disk ended the process');
    return found;
  }
  if (exit?.status !== 70) found.push('it went on after a failed commit');
  if (createdAfterFailure > CLIENTS)
    found.push(`${createdAfterFailure} creates were acknowledged after a failed commit`);
  return found;
}
