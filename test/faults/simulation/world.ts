import { createHash } from 'node:crypto';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';

/** A world in which time moves only from event to event, and a seed determines all randomness. */
export type World = {
  /** UTC milliseconds. */
  now(): number;
  random(): number;
  chance(probability: number): boolean;
  /** A random integer, both ends included. */
  between(least: number, most: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Runs `event` after `milliseconds`; events of the same moment run in the order of these calls. */
  after(milliseconds: number, event: () => void): void;
  sleep(milliseconds: number): Promise<void>;
  /** Adds a line to the trace. It must not contain anything that differs between runs, such as a random token. */
  note(line: string): void;
  /** Runs every event that is due until `time`. */
  runUntil(time: number): Promise<void>;
  /** Returns the trace: its SHA-256, the number of lines, and the last lines. */
  trace(): { hash: string; lines: number; last: readonly string[] };
};

type Event = { time: number; order: number; run: () => void };

const LINES_KEPT = 2_000;

/** Creates a world at `start`. Two worlds with one seed and the same calls are identical. */
export function createWorld(seed: number, start: number): World {
  const random = createSeededRandom(seed);
  const heap = createHeap();
  const hash = createHash('sha256');
  const last: string[] = [];
  let now = start;
  let order = 0;
  let lines = 0;

  const after = (milliseconds: number, run: () => void) => {
    heap.push({ time: now + Math.max(0, Math.round(milliseconds)), order: order++, run });
  };
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));

  return {
    now: () => now,
    random,
    chance: (probability) => random() < probability,
    between,
    pick: <Item>(items: readonly Item[]) => items[between(0, items.length - 1)] as Item,
    after,
    sleep: (milliseconds) => new Promise((resolve) => after(milliseconds, resolve)),
    note: (line) => {
      const entry = `${now - start} ${line}`;
      hash.update(`${entry}\n`);
      lines++;
      last.push(entry);
      if (last.length > 2 * LINES_KEPT) last.splice(0, LINES_KEPT);
    },
    runUntil: async (time) => {
      for (let event = heap.popUntil(time); event !== null; event = heap.popUntil(time)) {
        now = event.time;
        event.run();
        await settle();
      }
      now = time;
    },
    trace: () => ({ hash: hash.copy().digest('hex'), lines, last: last.slice(-LINES_KEPT) }),
  };
}

/**
 * Waits until the code under simulation is idle at this moment. Between two events it uses only promises and, in the
 * batcher, one `setImmediate`: the second turn begins after the batch has been flushed.
 */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

function createHeap() {
  const items: Event[] = [];
  const before = (one: Event, other: Event) =>
    one.time < other.time || (one.time === other.time && one.order < other.order);
  const swap = (a: number, b: number) => {
    [items[a], items[b]] = [items[b] as Event, items[a] as Event];
  };

  function push(event: Event): void {
    items.push(event);
    let at = items.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(items[at] as Event, items[parent] as Event)) break;
      swap(at, parent);
      at = parent;
    }
  }

  /** Removes and returns the first event up to `time`, or null. */
  function popUntil(time: number): Event | null {
    const [first] = items;
    if (first === undefined || first.time > time) return null;
    const end = items.pop() as Event;
    if (items.length > 0) {
      items[0] = end;
      sink();
    }
    return first;
  }

  function sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < items.length && before(items[left] as Event, items[least] as Event)) least = left;
      if (right < items.length && before(items[right] as Event, items[least] as Event)) least = right;
      if (least === at) return;
      swap(at, least);
      at = least;
    }
  }

  return { push, popUntil };
}
