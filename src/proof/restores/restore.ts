import type { App } from '../../app.ts';
import type { FactContent } from '../../books/book-fact.ts';
import type { Epoch } from '../../epochs/epoch.ts';
import { selectEpochs } from '../../epochs/epoch-queries.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { type Acceptance, type Anchor, anchorKeyForReading, isGenuine } from '../anchors/anchor.ts';
import { selectAnchorsAfter } from '../anchors/anchor-queries.ts';

/**
 * One or more restores that a person accepts together. The lost anchors have an earlier epoch and a number above
 * `after`. `accepted` is null until a person accepts them.
 */
export type Restore = {
  /** The epoch of the last of these restores. */
  epoch: number;
  began_at: number;
  /** The last anchor in the restored store; 0 if it had none. */
  after: number;
  accepted: (Pick<Acceptance, 'by' | 'reason'> & { at: number }) | null;
};

/** A restore with the lost anchors that were found. Times are UTC milliseconds; null if no anchor was found. */
export type SeenRestore = Restore & { anchors: number; first_made_at: number | null; last_made_at: number | null };

/** Returns the restores of this store in order: the accepted ones, then the one to be accepted. */
export async function readRestores(app: App): Promise<Restore[]> {
  const epochs = await selectEpochs(app.db);
  if (epochs.length === 0) return [];
  const restores: Restore[] = [];
  const isAccepted = (epoch: number) => epoch <= (restores.at(-1)?.epoch ?? 0);
  let before = 0;
  for await (const { number, made_at, epoch = 0, accepted } of readGenuine(app)) {
    if (accepted !== undefined) {
      const { began_at, by, reason } = accepted;
      const accepting = { by, reason, at: Date.parse(made_at) };
      restores.push({
        epoch: accepted.epoch,
        began_at: Date.parse(began_at),
        after: accepted.after,
        accepted: accepting,
      });
    }
    if (isAccepted(epoch)) before = number;
  }
  const last = epochs.at(-1);
  if (last !== undefined && !isAccepted(last.epoch))
    restores.push({ epoch: last.epoch, began_at: last.began_at, after: before, accepted: null });
  return restores;
}

/** Returns the restore that lost this anchor; undefined if none did. */
export function restoreThatLost(
  restores: readonly Restore[],
  { number, epoch = 0 }: Pick<Anchor, 'number' | 'epoch'>,
): Restore | undefined {
  return restores.find((restore) => epoch < restore.epoch && number > restore.after);
}

/** Returns the content of the fact that a person accepted a restore, without the reason. */
export function restoreContent({ began_at, known_until, first_transaction_id }: Epoch): FactContent {
  return { began_at, known_until, first_transaction_id };
}

/** Describes a restore for a person, without punctuation at the end. */
export function describeRestore({ epoch, began_at, anchors, first_made_at, last_made_at }: SeenRestore): string {
  const restored = `the store was restored at ${isoTime(began_at)} (epoch ${epoch})`;
  if (first_made_at === null || last_made_at === null) return `${restored}: no anchor speaks of entries that were lost`;
  if (anchors === 1) return `${restored}: 1 anchor, of ${isoTime(first_made_at)}, speaks of entries that were lost`;
  return `${restored}: ${anchors} anchors between ${isoTime(first_made_at)} and ${isoTime(last_made_at)} speak of entries that were lost`;
}

const PAGE = 200;

async function* readGenuine(app: App): AsyncGenerator<Anchor> {
  const key = await anchorKeyForReading(app);
  let last = 0;
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectAnchorsAfter(app.db, last, PAGE);
    for (const { content, mac } of rows) {
      // `verifyAnchors` reports a forged anchor; it accepts nothing.
      if (isGenuine(key, { content, mac })) yield JSON.parse(content) as Anchor;
    }
    last = rows.at(-1)?.number ?? last;
    page = rows.length;
  }
}
