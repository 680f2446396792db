import { comesTrue } from '../../support/comes-true.ts';
import type { Reply, ShopClient } from './shop-client.ts';

/** What clients were told, by reference: the side of the story that the store must agree with. */
export type Journal = {
  /** The id of every acknowledged create. */
  acknowledged: Map<string, number>;
  /** Asked for, and nobody knows. */
  open: Set<string>;
  /** Asked for once, and the answer said that nothing was stored. */
  refused: Set<string>;
  /** Answers that contradict earlier ones. */
  contradictions: string[];
  counts: Record<string, number>;
};

export function createJournal(): Journal {
  return { acknowledged: new Map(), open: new Set(), refused: new Set(), contradictions: [], counts: {} };
}

/** `await using` ends it too, so that no client asks on when a harness has failed. */
export type Load = AsyncDisposable & {
  /** When the first answer has come. */
  readonly answered: Promise<void>;
  /** Ends after the requests under way. */
  stop(): Promise<void>;
};

export type LoadOptions = {
  client: ShopClient;
  /** Where to send the next request; null while there is nowhere. */
  url: () => string | null;
  clients: number;
  journal: Journal;
  /** Begins the references, so that two loads never share one. */
  prefix: string;
  /** Repeats what is open before anything new. Without it only new references are sent. */
  retryOpen?: boolean;
  onReply?: (reply: Reply) => void;
  /** No more are asked for once so many are acknowledged. */
  most?: number;
  /** Between an answer and the next request of the same client: for a load that need not be the heaviest. */
  restMs?: number;
};

/** Clients that create transactions one after the other, as fast as they are answered. */
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
      // Nobody else repeats it meanwhile.
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

/** Repeats everything that is open until it is answered; the service runs, so it must be. */
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

/** A line for every answer but those that were to come. */
export function unexpectedAnswers({ counts }: Journal, ...expected: string[]): string[] {
  const others = Object.keys(counts).filter((answer) => !expected.includes(answer));
  return others.map((answer) => `${counts[answer]} were answered ${answer}`);
}

/** `repeated`: nobody knows what an earlier request did. Then a refusal does not say either that nothing is stored. */
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
