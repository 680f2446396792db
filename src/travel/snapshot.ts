import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { anchorClock } from '../db/anchor-clock.ts';
import type { Tx } from '../db/database.ts';
import { loadSnapshot, readSnapshotHead, SnapshotDamaged, writeSnapshot } from '../db/snapshot-store.ts';
import { openEpoch } from '../epochs/begin-epoch.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { selectClockAhead, selectFeedEnd, selectHanded } from '../epochs/epoch-queries.ts';
import { fileOfStore } from '../epochs/mark-file.ts';
import { systemClock } from '../lib/clock.ts';
import { makePrivateFolder } from '../lib/make-private-folder.ts';
import { deleteListeners } from '../outbox/listeners/callback-listener-queries.ts';

/** A store with more rows gets no snapshot, because writing and loading it would take minutes. */
export const MOST_ROWS = 200_000;

/**
 * Tables that a restore keeps: ids continue, keys made outside the store stay valid, and the processes are the running
 * ones.
 */
const KEPT = ['id_blocks', 'kept_keys', 'processes'];

/**
 * Writes a snapshot of the store to a file in DATA_DIR and replaces the previous one. Returns false if the store has
 * more than `MOST_ROWS`; then there is no file.
 */
export async function keepSnapshot(app: App): Promise<boolean> {
  makePrivateFolder(app.config.dataDir);
  const about = { at: app.now(), ahead_ms: await selectClockAhead(app.db) };
  return (await writeSnapshot(app.db, snapshotFile(app), about, MOST_ROWS)) !== null;
}

/** Deletes the snapshot, if there is one. */
export async function deleteSnapshot(app: App): Promise<void> {
  await rm(snapshotFile(app), { force: true });
}

/**
 * `none`: no file. `another_version`: the snapshot has other migrations than this program. `damaged`: it is not whole.
 */
export type Back =
  | { kind: 'back'; app: App; epoch: Epoch; aheadMs: number }
  | { kind: 'none' }
  | { kind: 'another_version' }
  | { kind: 'damaged' };

/**
 * Restores the snapshot of `keepSnapshot` in one commit and begins a new epoch, because readers of the feed and shops
 * know events that no longer exist. Nothing is sent until the epoch is released. The returned `app` has the clock of
 * the restored store. Running services notice the new epoch and stop.
 */
export async function goBack(app: App, by: Actor): Promise<Back> {
  const file = snapshotFile(app);
  if (!existsSync(file)) return { kind: 'none' };
  try {
    return await restore(app, file, by);
  } catch (error) {
    if (error instanceof SnapshotDamaged) return { kind: 'damaged' };
    throw error;
  }
}

async function restore(app: App, file: string, by: Actor): Promise<Back> {
  const head = await readSnapshotHead(file);
  const aheadMs = head.about['ahead_ms'] ?? 0;
  const now = systemClock();
  await anchorClock(app.db, now);
  now.travel?.(aheadMs);
  const epoch = await app.db.transaction((tx) => putBack(tx, { ...app, now }, file, by), 'slow');
  if (epoch === null) return { kind: 'another_version' };
  await deleteSnapshot(app);
  return { kind: 'back', app: { ...app, now }, epoch, aheadMs };
}

function snapshotFile({ config }: App): string {
  return fileOfStore(config, 'snapshot');
}

async function putBack(tx: Tx, app: App, file: string, by: Actor): Promise<Epoch | null> {
  const lost = await selectHanded(tx);
  if (!(await loadSnapshot(tx, app.db.engine, file, KEPT))) return null;
  const handed = await selectHanded(tx);
  const end = await selectFeedEnd(tx);
  const now = app.now();
  const epoch: Epoch = {
    epoch: Math.max(Math.floor(now / 1000), lost.epoch + 1),
    began_at: now,
    known_until: end?.created_at ?? null,
    last_commit_id: end?.commit_id ?? 0,
    last_position: end?.position ?? 0,
    first_position: Math.max(lost.events, handed.events) + 1,
    first_transaction_id: handed.transactions,
    released_at: null,
    released_by: null,
  };
  await openEpoch(tx, epoch);
  await deleteListeners(tx);
  const subject = { kind: 'store', id: `epoch ${epoch.epoch}` };
  await recordAudit(tx, { at: now, by, action: 'clock.went_back', subject });
  return epoch;
}
