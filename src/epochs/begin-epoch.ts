import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { isoTime } from '../lib/iso-time.ts';
import { COUNTED, type Counted, type Epoch, firstBeyond, type Handed } from './epoch.ts';
import {
  endInvitations,
  endSignIns,
  endTokenLinks,
  insertEpoch,
  raiseCounter,
  renameStore,
  selectEventSpan,
  selectFeedEnd,
  selectHanded,
  selectStoreMark,
} from './epoch-queries.ts';
import { readMarks } from './mark-file.ts';

/**
 * Begins a new epoch in a restored store: ids continue above all that may have been handed out, and nothing that moves
 * money or notifies merchants is sent until `releaseEpoch`.
 *
 * Computes the ids that may have been handed out from the store itself, from the marks in DATA_DIR, and from `seen`:
 * other sources, such as the replaced store. Transaction ids also continue above `idsAbove`.
 */
export async function beginEpoch(app: App, seen: readonly Handed[], idsAbove: number, by: Actor): Promise<Epoch> {
  const { store_id: store } = await selectStoreMark(app.db);
  const marks = readMarks(app.config, store);
  return app.db.transaction(async (tx) => {
    const now = app.now();
    const end = await selectFeedEnd(tx);
    const known = [{ ...(await selectHanded(tx)), at: end?.created_at ?? now }, ...marks, ...seen];
    const span = await selectEventSpan(tx);
    const firstOf = (counted: Counted) => Math.max(...known.map((handed) => firstBeyond(handed, counted, span, now)));
    const epoch: Epoch = {
      epoch: Math.max(Math.floor(now / 1000), ...known.map((handed) => handed.epoch + 1)),
      began_at: now,
      known_until: end?.created_at ?? null,
      last_commit_id: end?.commit_id ?? 0,
      last_position: end?.position ?? 0,
      first_position: firstOf('events'),
      first_transaction_id: Math.max(firstOf('transactions'), idsAbove + 1),
      released_at: null,
      released_by: null,
    };
    await raiseCounters(tx, app.db.engine, {
      transactions: epoch.first_transaction_id,
      events: epoch.first_position,
      callbacks: firstOf('callbacks'),
    });
    await openEpoch(tx, epoch);
    // If the old store is entirely lost, this store takes its name, so that marks on other machines match too.
    const other = marks.some((mark) => mark.store === store) ? undefined : marks[0];
    if (other !== undefined) await renameStore(tx, other.store);
    const { known_until, first_transaction_id } = epoch;
    await recordAudit(tx, {
      at: now,
      by,
      action: 'store.restored',
      subject: { kind: 'store', id: `epoch ${epoch.epoch}` },
      after: { known_until: isoTime(known_until), first_transaction_id },
    });
    return epoch;
  }, 'slow');
}

/**
 * Records the epoch, and ends links, invitations and sessions, because they may have been used or ended in the lost
 * time.
 */
export async function openEpoch(tx: Tx, epoch: Epoch): Promise<void> {
  await insertEpoch(tx, epoch);
  await endTokenLinks(tx, epoch.began_at);
  await endInvitations(tx, epoch.began_at);
  await endSignIns(tx, epoch.began_at);
}

async function raiseCounters(tx: Tx, engine: 'sqlite' | 'postgres', first: Record<Counted, number>): Promise<void> {
  for (const counted of COUNTED) await raiseCounter(tx, engine, counted, first[counted]);
}
