import type { App } from '../app.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import type { AttentionName, AttentionRow } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';
import { type AttentionKey, selectOwnersOf } from './attention-owner-queries.ts';

/** Everything that waits for a person, or one kind of it (`null`: all), the oldest first. Read from the store. */
export async function listAttention(
  app: App,
  kind: AttentionName | null,
  limit: number,
  language: 'en' | 'es' = 'en',
): Promise<AttentionRow[]> {
  const now = app.now();
  const rows: AttentionRow[] = [];
  // Whatever waits there is ended there, but for the move itself.
  const { paymentServices } = await findElsewhere(app);
  const kinds = ATTENTION_KINDS.filter((each) => kind === null || each.kind === kind);
  const owners = new Map(
    (
      await selectOwnersOf(
        app.db,
        kinds.map((each) => each.kind),
      )
    ).map((one) => [keyOf(one), one]),
  );
  for (const one of kinds) {
    const waiting = await one.list(app, limit);
    for (const row of waiting) {
      if (one.kind !== 'move' && paymentServices.has(row.payment_service)) continue;
      const reason = row.reason[language];
      const owner = owners.get(keyOf({ ...row, kind: one.kind }));
      // An item that began to wait after somebody had taken it is a new one with the same id.
      const taken = owner !== undefined && owner.taken_at >= row.since ? owner : null;
      const { taken_by, taken_at } = taken ?? NOBODY;
      rows.push({ kind: one.kind, age: Math.max(0, now - row.since), ...row, reason, taken_by, taken_at });
    }
  }
  return rows.sort((one, other) => one.since - other.since).slice(0, limit);
}

const NOBODY = { taken_by: null, taken_at: null };

function keyOf({ kind, id, payment_service, environment }: AttentionKey): string {
  return [kind, id, payment_service, environment].join(' ');
}
