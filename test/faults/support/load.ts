import { comesTrue } from '../../support/comes-true.ts';
import type { Reply, ShopClient } from './shop-client.ts';

/** The responses to clients, by reference, which the store must match. */
export type Journal = {
  /** The id of every acknowledged create. */
  acknowledged: Map<string, number>;
  /** Requests with an unknown outcome. */
  open: Set<string>;
  /** Requested once and refused: the response promised that nothing was stored. */
  refused: Set<string>;
  /** Responses that contradict earlier ones. */
  contradictions: string[];
  counts: Record<string, number>;
};

export function createJournal(): Journal {
  return { acknowledged: new Map(), open: new Set(), refused: new Set(), contradictions: [], counts: {} };
}

/** `await using` also ends the load, so that no client continues after a harness has failed. */
export type Load = AsyncDisposable & {
  /** Resolves with the first response. */
  readonly answered: Promise<void>;
  /** Ends the load after the requests under way. */
  stop(): Promise<void>;
};

export type LoadOptions = {
  client: ShopClient;
  /** The URL for the next request; null while there is no service. */
  url: () => string | null;
  clients: number;
  journal: Journal;
  /** The prefix of the references, so that two loads never share one. */
  prefix: string;
  /** Retries requests with an unknown outcome before new ones. Without it only new references are sent. */
  retryOpen?: boolean;
  onReply?: (reply: Reply) => void;
  /** Stops creating after this many acknowledged creates. */
  most?: number;
  /** The pause between a response and the client's next request, for a lighter load. */
  restMs?: number;
};

/** Starts clients that create transactions one after the other, each as fast as the responses arrive. */
export function startLoad(options: LoadOptions): Load {
  const { client, url, clients, journal, prefix, retryOpen = false, onReply, most = Infinity, restMs = 0 } = options;
  const answered = Promise.withResolvers<void>();
  let stopped = false;
  let count = 0;

  async function run(): Promise<void> {
    while (!stopped && journal.acknowledged.size < most) {
      const target = url();
      if (target === null) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        continue;
      }
      const [again] = retryOpen ? journal.open : [];
      const reference = again ?? `${prefix}-${count++}`;
      // Removed before the retry, so that no other client retries it.
      const repeated = journal.open.delete(reference);
      const reply = await client.create(target, reference);
      note(journal, reference, reply, repeated);
      onReply?.(reply);
      answered.resolve();
      const pauseMs = reply.kind === 'unknown' || reply.kind === 'refused' ? Math.max(2, restMs) : restMs;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  const running = Array.from({ length: clients }, run);
  const stop = async () => {
    stopped = true;
    await Promise.all(running);
  };
  return { answered: answered.promise, stop, [Symbol.asyncDispose]: stop };
}

/** Retries everything with an unknown outcome until it has a response; the service runs, so each must get one. */
export async function resolveOpen(client: ShopClient, url: string, journal: Journal): Promise<void> {
  const waiting = Array.from(journal.open);
  for (const reference of waiting) {
    const answered = await comesTrue(async () => {
      journal.open.delete(reference);
      note(journal, reference, await client.create(url, reference), true);
      return !journal.open.has(reference);
    });
    if (!answered) return;
  }
}

/** Returns a line for each kind of response that is not expected. */
export function unexpectedAnswers({ counts }: Journal, ...expected: string[]): string[] {
  const others = Object.keys(counts).filter((answer) => !expected.includes(answer));
  return others.map((answer) => `${counts[answer]} were answered ${answer}`);
}

/**
 * Records a response. `repeated`: the outcome of an earlier request is unknown, so a refusal does not prove that
 * nothing is stored.
 */
export function note(journal: Journal, reference: string, reply: Reply, repeated = false): void {
  const what = reply.kind === 'refused' ? reply.code : reply.kind === 'unknown' ? `unknown: ${reply.why}` : reply.kind;
  journal.counts[what] = (journal.counts[what] ?? 0) + 1;
  if (reply.kind === 'refused' && !repeated) journal.refused.add(reference);
  if (reply.kind === 'unknown' || (reply.kind === 'refused' && repeated)) journal.open.add(reference);
  if (reply.kind === 'conflict') journal.contradictions.push(`${reference} is in conflict with itself`);
  if (reply.kind === 'created' || reply.kind === 'replayed') {
    const before = journal.acknowledged.get(reference);
    if (before !== undefined && before !== reply.id) journal.contradictions.push(`${reference} has two ids`);
    journal.acknowledged.set(reference, reply.id);
  }
}
