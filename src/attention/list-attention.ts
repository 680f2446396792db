import type { App } from '../app.ts';
import type { Language } from '../lib/language.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import type { AttentionKind, AttentionName, AttentionRow, Waiting } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';
import { type AttentionKey, selectOwnersOf } from './attention-owner-queries.ts';

/** Lists everything that waits for a person, or one kind (`null`: all), the oldest first. Reads the store. */
export async function listAttention(
  app: App,
  kind: AttentionName | null,
  limit: number,
  language: Language = 'en',
): Promise<AttentionRow[]> {
  const now = app.now();
  const rows: AttentionRow[] = [];
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
    for (const row of await listHere(app, one, paymentServices, limit)) {
      const reason = row.reason[language];
      const owner = owners.get(keyOf({ ...row, kind: one.kind }));
      // A taken item that started to wait later is a new item with the same id.
      const taken = owner !== undefined && owner.taken_at >= row.since ? owner : null;
      const { taken_by, taken_at } = taken ?? NOBODY;
      rows.push({ kind: one.kind, age: Math.max(0, now - row.since), ...row, reason, taken_by, taken_at });
    }
  }
  return rows.sort((one, other) => one.since - other.since).slice(0, limit);
}

/**
 * Lists one kind, the oldest first, without items of payment services that another database serves, except moves: those
 * items are ended there. Such items may be the oldest, so it reads more until there are enough.
 */
export async function listHere(
  app: App,
  one: AttentionKind,
  elsewhere: ReadonlySet<string>,
  limit: number,
): Promise<Waiting[]> {
  for (let read = limit; ; read *= 4) {
    const waiting = await one.list(app, read);
    const here = waiting.filter((row) => one.kind === 'move' || !elsewhere.has(row.payment_service));
    if (here.length >= limit || waiting.length < read) return here.slice(0, limit);
  }
}

const NOBODY = { taken_by: null, taken_at: null };

function keyOf({ kind, id, payment_service, environment }: AttentionKey): string {
  return [kind, id, payment_service, environment].join(' ');
}
