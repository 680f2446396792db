import type { Entry, EventEntry, Recording } from './recording.ts';

/** A difference in a transaction between the recording and the replay; null: it is missing on that side. */
export type Difference = {
  transaction: string;
  reference: string;
  what: string;
  was: string | null;
  is: string | null;
};

/**
 * Compares a recording with its replay: responses, the outcome of payments and refunds, and the order of every
 * transaction's events. Times are not compared, because due work may happen a little later or earlier.
 */
export function compareRecordings(recorded: Recording, replayed: Recording): Difference[] {
  const named = (recording: Recording) => Map.groupBy(recording.entries, ({ transaction }) => transaction);
  const [was, is] = [named(recorded), named(replayed)];
  return [...was].flatMap(([transaction, entries]) => {
    const reference =
      entries.flatMap((entry) => (entry.kind === 'request' ? entry.fields['x_reference'] : []))[0] ?? '';
    const pairs = [...compareKind(entries, is.get(transaction) ?? [], 'request', ({ answer }) => `answered ${answer}`)];
    pairs.push(
      ...compareKind(entries, is.get(transaction) ?? [], 'payment', ({ method, outcome }) => `${method} ${outcome}`),
    );
    pairs.push(
      ...compareKind(entries, is.get(transaction) ?? [], 'refund', ({ amount, outcome }) => `${amount} ${outcome}`),
    );
    pairs.push(...compareKind(entries, is.get(transaction) ?? [], 'event', eventText));
    return pairs.map((pair) => ({ transaction, reference, ...pair }));
  });
}

function compareKind<Kind extends Entry['kind']>(
  was: readonly Entry[],
  is: readonly Entry[],
  kind: Kind,
  text: (entry: Extract<Entry, { kind: Kind }>) => string,
): Pick<Difference, 'what' | 'was' | 'is'>[] {
  const textsOf = (entries: readonly Entry[]) =>
    entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind).map(text);
  const [before, now] = [textsOf(was), textsOf(is)];
  return Array.from({ length: Math.max(before.length, now.length) }, (_, at) => ({
    what: kind === 'request' ? kind : `${kind} ${at + 1}`,
    was: before[at] ?? null,
    is: now[at] ?? null,
  })).filter((pair) => pair.was !== pair.is);
}

function eventText({ type, data }: EventEntry): string {
  return data === null ? type : `${type} ${data}`;
}
