import { setImmediate } from 'node:timers/promises';
import type { App } from '../app.ts';
import type { RowKey } from '../db/row-key.ts';
import { perInstance } from '../lib/per-instance.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import {
  type AgedRow,
  deleteAttempts,
  deleteCallbacks,
  selectAttemptsAfter,
  selectCallbacksAfter,
} from './old-callback-queries.ts';

const DAY_MS = 86_400_000;
/** `attention list` shows given-up callbacks for this long. */
const ASKED_ABOUT_MS = 7 * DAY_MS;
/** How many rows are read at once. */
const PAGE = 1000;

const BEGIN = { callbacks: 0, deliveryAttempts: 0 };
const END = Number.MAX_SAFE_INTEGER;
type AgedTable = keyof typeof BEGIN;

/** The ids up to which the current search has read the tables. */
const places = perInstance((_app: App) => ({ ...BEGIN }));

/**
 * Deletes callbacks and delivery attempts older than RETENTION_CALLBACKS and RETENTION_DELIVERY_ATTEMPTS, at most
 * `limit` of each in one commit. Returns how many. The next call goes on behind them; 0 ends the search. Callbacks that
 * wait stay, and so do the events.
 */
export async function deleteOldCallbacks(app: App, limit: number): Promise<number> {
  const attempts = await findOld(app, 'deliveryAttempts', limit);
  const callbacks = await findOld(app, 'callbacks', limit);
  if (attempts.length + callbacks.length === 0) {
    Object.assign(places(app), BEGIN);
    return 0;
  }
  await app.db.transaction(async (tx) => {
    await deleteAttempts(tx, attempts);
    await deleteCallbacks(tx, callbacks);
  });
  return attempts.length + callbacks.length;
}

/**
 * Returns the next rows to delete, at most `limit`; fewer at the end of the table. Skips the rows of payment services
 * that are being copied to here: they are compared with their source.
 */
async function findOld(app: App, table: AgedTable, limit: number): Promise<RowKey<number>[]> {
  const days = app.config.retentionDays[table];
  if (days === null) return [];
  const select = table === 'callbacks' ? selectCallbacksAfter : selectAttemptsAfter;
  const { arriving } = await findElsewhere(app);
  const now = app.now();
  const before = now - days * DAY_MS;
  const place = places(app);
  const found: RowKey<number>[] = [];
  for (;;) {
    const rows = await select(app.db, place[table], PAGE);
    for (const row of rows) {
      place[table] = row.id;
      if (!isOld(row, table, { before, now }) || arriving.has(row.environment_id)) continue;
      if (found.push(row) === limit) return found;
    }
    // Ids grow with time, so the rows behind a young one are young too.
    if (rows.length < PAGE || (rows.at(-1)?.at ?? now) >= before) {
      place[table] = END;
      return found;
    }
    await setImmediate();
  }
}

function isOld(
  { at, state, finished_at }: AgedRow,
  table: AgedTable,
  { before, now }: { before: number; now: number },
): boolean {
  if (state === 'queued' || finished_at === null) return false;
  const isAskedAbout = (state === 'dead' || state === 'disabled') && finished_at >= now - ASKED_ABOUT_MS;
  return !isAskedAbout && (table === 'callbacks' ? finished_at : at) < before;
}
