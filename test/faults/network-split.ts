import { comesTrue } from '../support/comes-true.ts';
import type { PlantName } from './plants.ts';
import { auditStore } from './support/audit-store.ts';
import { createJournal, type Journal, type Load, resolveOpen, startLoad, unexpectedAnswers } from './support/load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient, type ShopClient } from './support/shop-client.ts';
import { type NetworkFault, type SplitNetwork, splitNetwork } from './support/split-network.ts';

export type SplitReport = {
  acknowledged: number;
  /** Refusals, which promise that nothing was stored, and responses with an unknown outcome. */
  refused: number;
  unknown: number;
  slowestAnswerMs: number;
  /** The responses of `/readyz` while the network was broken. */
  ready: Record<number, number>;
  /** From the end of the fault to the next creation. */
  recoveredMs: number | null;
  problems: string[];
};

export type SplitOptions = {
  fault: NetworkFault;
  /** The least duration; the fault lasts until clients notice it. */
  ms: number;
  plant?: PlantName;
};

const CLIENTS = 16;
/** The prefix of the references, by which the proxy finds their statements. */
const PREFIX = 'split';
/** A request waits for its turn, perhaps for ids, and for its commit: at most ten seconds each. */
const LONGEST_ANSWER_MS = 30_000;
/** The only responses that clients may get during a network fault. */
const EXPECTED_ANSWERS = ['created', 'replayed', 'STORAGE_UNAVAILABLE', 'OVERLOADED', 'unknown: 503 OUTCOME_UNKNOWN'];

/** A busy service gives these too, so they do not prove that a time-out has noticed the fault. */
const UNFELT = ['created', 'replayed', 'OVERLOADED'];

/** Creates transactions while the network between the service and its PostgreSQL fails for a time. */
export async function splitFromDatabase(databaseUrl: string, options: SplitOptions): Promise<SplitReport> {
  const { fault, ms, plant } = options;
  await prepareStore(databaseUrl);
  // Does not watch the commit of a block of ids: creates that wait for one are rightly refused.
  const network = await splitNetwork(databaseUrl, `${PREFIX}-`);
  const journal = createJournal();
  using client = createShopClient({ timeoutMs: LONGEST_ANSWER_MS });
  const service = await startServe({ databaseUrl: network.url, plant });
  let slowestAnswerMs = 0;
  const timed: ShopClient = {
    ...client,
    create: async (...request) => {
      const start = performance.now();
      const reply = await client.create(...request);
      slowestAnswerMs = Math.max(slowestAnswerMs, Math.round(performance.now() - start));
      return reply;
    },
  };
  const load = startLoad({ client: timed, url: () => service.url, clients: CLIENTS, journal, prefix: PREFIX });
  try {
    if (!(await comesTrue(() => journal.acknowledged.size > CLIENTS))) throw new Error('There was no load');
    const ready = await breakFor({ network, client, service, journal }, fault, ms);
    const recoveredMs = await recover(network, journal);
    const problems = await settle({ service, client, load, journal }, databaseUrl);
    const counts = Object.entries(journal.counts);
    const sum = (wanted: (answer: string) => boolean) =>
      counts.filter(([answer]) => wanted(answer)).reduce((total, [, count]) => total + count, 0);
    return {
      acknowledged: journal.acknowledged.size,
      refused: sum((answer) => answer === 'STORAGE_UNAVAILABLE' || answer === 'OVERLOADED'),
      unknown: sum((answer) => answer === 'unknown: 503 OUTCOME_UNKNOWN'),
      slowestAnswerMs,
      ready,
      recoveredMs,
      problems: [...problems, ...unexpectedAnswers(journal, ...EXPECTED_ANSWERS)],
    };
  } finally {
    network.close();
    await Promise.all([service.kill(), load.stop()]);
  }
}

type Setting = { network: SplitNetwork; client: ShopClient; service: ServeProcess; journal: Journal };

/** Returns the responses of `/readyz` during the fault. */
async function breakFor({ network, client, service, journal }: Setting, fault: NetworkFault, ms: number) {
  network.set(fault);
  const ready: Record<number, number> = {};
  const end = performance.now() + ms;
  const isFelt = () => Object.keys(journal.counts).some((answer) => !UNFELT.includes(answer));
  await comesTrue(async () => {
    const { status } = await client.get(`${service.url}/readyz`);
    ready[status] = (ready[status] ?? 0) + 1;
    if (performance.now() < end) return false;
    return fault === 'slow' || (isFelt() && (fault === 'commits unanswered' || ready[503] !== undefined));
  });
  return ready;
}

async function recover(network: SplitNetwork, journal: Journal): Promise<number | null> {
  network.set(null);
  const healedAt = performance.now();
  const before = journal.counts.created ?? 0;
  const creates = () => (journal.counts.created ?? 0) > before + CLIENTS;
  return (await comesTrue(creates)) ? Math.round(performance.now() - healedAt) : null;
}

/** Stops the load, retries open requests at the same process, and compares. */
async function settle(
  { service, client, load, journal }: { service: ServeProcess; client: ShopClient; load: Load; journal: Journal },
  databaseUrl: string,
): Promise<string[]> {
  await load.stop();
  if (!service.running()) return ['the service ended'];
  await resolveOpen(client, service.url, journal);
  const { problems } = await auditStore(databaseUrl, journal);
  const ready = await comesTrue(async () => (await client.get(`${service.url}/readyz`)).status === 200);
  return ready ? problems : [...problems, '/readyz was never 200 again'];
}

/** Returns a line for each thing that a network split must not cause. */
export function checkSplit(fault: NetworkFault, report: SplitReport): string[] {
  const { refused, unknown, ready, recoveredMs, problems } = report;
  const found = [...problems];
  if (recoveredMs === null) found.push('no transaction was created after the network was well again');
  const others = Object.keys(ready).filter((status) => status !== '200');
  if (fault === 'slow') {
    if (refused + unknown > 0 || others.length > 0) found.push('a slow network was taken for a broken one');
    return found;
  }
  if (fault === 'commits unanswered' ? unknown === 0 : refused + unknown === 0) found.push('the fault was not felt');
  if (fault !== 'commits unanswered' && ready[503] === undefined) found.push('/readyz did not say that it was');
  return [...found, ...others.filter((status) => status !== '503').map((status) => `/readyz was ${status}`)];
}
