import type { App } from '../app.ts';
import { selectAudit } from '../audit/audit-queries.ts';
import { listFilesOfBatch } from './files/find-payout-file.ts';
import type { PayoutState } from './payout.ts';
import type { PayoutBatch } from './payout-batch-queries.ts';
import { ACTS } from './payout-history.ts';

/**
 * An act of a person on a batch. `payouts`: how many of its payouts it concerns; null: not known. `file`: where they
 * left.
 */
export type BatchLine = {
  readonly at: number;
  readonly what: PayoutState | 'proposed';
  readonly by: string;
  readonly reason: string | null;
  readonly payouts: number | null;
  readonly file: string | null;
};

const MOST_ACTS = 200;

/** Returns what was done with a batch as a whole and the bank files that it left in, oldest first. */
export async function tellBatch(app: App, batch: PayoutBatch): Promise<BatchLine[]> {
  const acts = await selectAudit(app.db, { subject: batch.id }, MOST_ACTS);
  const files = await listFilesOfBatch(app, batch);
  const lines = [
    ...acts.toReversed().flatMap(({ created_at: at, action, actor: by, reason, said_after }): BatchLine[] => {
      const what = Object.hasOwn(ACTS, action) ? ACTS[action] : undefined;
      return what === undefined ? [] : [{ at, what, by, reason, payouts: countIn(said_after), file: null }];
    }),
    ...files.map(
      ({ id, created_at: at, made_by: by }): BatchLine => ({
        at,
        what: 'sent',
        by,
        reason: null,
        payouts: null,
        file: id,
      }),
    ),
  ];
  return lines.toSorted((one, other) => one.at - other.at);
}

/** Returns the number of payouts in the values of an act; null for other texts, such as after an edit of the store. */
function countIn(said: string | null): number | null {
  const count = /"payouts":(\d{1,6})\b/.exec(said ?? '')?.[1];
  return count === undefined ? null : Number(count);
}
