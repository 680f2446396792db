import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { anchorClock } from '../db/anchor-clock.ts';
import type { Tx } from '../db/database.ts';
import { loadSnapshot, readSnapshotHead, writeSnapshot } from '../db/snapshot-store.ts';
import { openEpoch } from '../epochs/begin-epoch.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { selectClockAhead, selectFeedEnd, selectHanded } from '../epochs/epoch-queries.ts';
import { fileOfStore } from '../epochs/mark-file.ts';
import { systemClock } from '../lib/clock.ts';
import { makePrivateFolder } from '../lib/make-private-folder.ts';

/** A store with more rows gets no snapshot: it would be read into the file, and back, for minutes. */
export const MOST_ROWS = 200_000;

/** Ids go on from here, and what keys made outside of the store stays right; the processes are those that run now. */
const KEPT = ['id_blocks', 'kept_keys', 'processes'];

/** Keeps the store as it is now in a file of DATA_DIR, in the place of the last one. False: it has more than `MOST_ROWS`, and there is no file. */
export async function keepSnapshot(app: App): Promise<boolean> {
  makePrivateFolder(app.config.dataDir);
  const about = { at: app.now(), ahead_ms: await selectClockAhead(app.db) };
  return (await writeSnapshot(app.db, snapshotFile(app), about, MOST_ROWS)) !== null;
}

/** `none`: no file. `another_version`: it was made before migrations, or after ones that are not known here. */
export type Back =
  | { kind: 'back'; app: App; epoch: Epoch; aheadMs: number }
  | { kind: 'none' }
  | { kind: 'another_version' };

/**
 * Puts the store back as `keepSnapshot` has kept it, in one commit, and begins a new epoch: readers of the feed and shops were told of a
 * time that never was. Nothing leaves until that is released. `app` in the answer has the clock of that store; services that
 * run see another epoch, and stop.
 */
export async function goBack(app: App, by: Actor): Promise<Back> {
  const file = snapshotFile(app);
  const head = existsSync(file) ? await readSnapshotHead(file) : null;
  if (head === null) return { kind: 'none' };
  const aheadMs = head.about['ahead_ms'] ?? 0;
  const now = systemClock();
  await anchorClock(app.db, now);
  now.travel?.(aheadMs);
  const epoch = await app.db.transaction((tx) => putBack(tx, { ...app, now }, file, by), 'slow');
  if (epoch === null) return { kind: 'another_version' };
  await rm(file);
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
  const subject = { kind: 'store', id: `epoch ${epoch.epoch}` };
  await recordAudit(tx, { at: now, by, action: 'clock.went_back', subject });
  return epoch;
}
