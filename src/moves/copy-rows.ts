import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlRow, SqlValue, Tx } from '../db/database.ts';
import { carryRow } from './carry-row.ts';
import {
  type CopiedTable,
  type NamedTable,
  selectChainPage,
  selectOwnedPage,
  upsertRows,
} from './copied-row-queries.ts';
import { callbackName, readDeliveries, writeDeliveries } from './copy-delivery.ts';
import { type CallbackRow, deleteCallbacks, selectCallbackPage, selectSameCallbacks } from './delivery-queries.ts';
import { drainChanges, type Touched } from './drain-changes.ts';
import { forgetErased } from './forget-erased.ts';
import type { Move } from './move.ts';
import { appendEvents, selectEventsOf } from './moved-event-queries.ts';
import { tablesThat } from './moved-tables.ts';
import { writeCopy } from './write-copy.ts';

/** Rows per commit. Services on both sides get their turn in between. */
const PAGE = 1000;
const PAUSE_MS = 2;

/**
 * Copies all rows once, and resumes after an interruption. It reads a page, copies the rows that changed meanwhile, and
 * then the unchanged rows of the page. So referenced rows exist, and no newer row is overwritten.
 */
export async function copyRows(move: Move): Promise<void> {
  for (const [table, rule] of tablesThat('rows')) {
    await copyTable(move, table, (after) => readPage(move, { table, rule }, after));
  }
  await copyTable(move, 'callbacks', (after) => readCallbacks(move, after));
  await dropDeletedCallbacks(move);
  await copyTails(move, 'past');
}

/** Copies new entries of the books' chains and of the feed since their last copy. */
export async function copyTails(move: Move, which: 'past' | 'all', tx: Tx | null = null): Promise<void> {
  for (const [table, rule] of tablesThat('chain')) {
    // Each environment's chain has its own end.
    for (const id of move.scope.environmentIds)
      await copyPages(move, `${table} ${id}`, (after) => readChain(move, { table, rule }, id, after, tx), tx);
  }
  await copyEvents(move, which, tx);
}

/**
 * A page: the names of its rows, the place of the last one, and a function that writes the rows that `kept` accepts.
 */
type Page = {
  names: string[];
  last: (string | number)[];
  write: (tx: Tx, kept: (name: string) => boolean) => Promise<void>;
};
type ReadPage = (after: readonly SqlValue[] | null) => Promise<Page>;

async function copyTable(move: Move, table: string, read: ReadPage): Promise<void> {
  if (move.progress.tables[table] === true) return;
  await copyPages(move, table, read, null);
  move.progress.tables[table] = true;
}

async function copyPages(move: Move, table: string, read: ReadPage, tx: Tx | null): Promise<void> {
  const { tables } = move.progress;
  let rows = 0;
  for (let found = PAGE; found === PAGE; ) {
    const place = tables[table];
    const page = await read(place === undefined || place === true ? null : place);
    found = page.names.length;
    if (found === 0) break;
    const touched: Touched = new Map();
    await drainChanges(move, touched, tx);
    const changed = touched.get(table);
    tables[table] = page.last;
    await writeCopy(move, (there) => page.write(there, (name) => changed?.has(name) !== true));
    rows += found;
    move.onProgress({ step: 'copy', table, rows });
    if (tx === null) await sleep(PAUSE_MS);
  }
}

async function readPage(move: Move, copied: NamedTable, after: readonly SqlValue[] | null): Promise<Page> {
  const { table, rule } = copied;
  const rows = await selectOwnedPage(move.from.db, copied, move.scope, after, PAGE);
  const carried = (each: SqlRow) => carryRow(move, table, each);
  return {
    names: rows.map((row) => String(row[rule.name])),
    last: rule.key.map((column) => rows.at(-1)?.[column] as string | number),
    write: async (there, kept) => {
      const left = rows.filter((row) => kept(String(row[rule.name])));
      if (table === 'transactions') await forgetErased(move, there, left);
      await upsertRows(there, move.to.db.engine, copied, left.map(carried));
    },
  };
}

/** Append-only, so no row changes while it is copied. */
async function readChain(
  move: Move,
  copied: CopiedTable,
  environmentId: number,
  after: readonly SqlValue[] | null,
  tx: Tx | null,
): Promise<Page> {
  const rows = await selectChainPage(tx ?? move.from.db, copied, environmentId, after, PAGE);
  const places = copied.rule.key.filter((column) => column !== 'environment_id');
  return {
    names: rows.map(({ link }) => String(link)),
    last: places.map((column) => rows.at(-1)?.[column] as number),
    write: (there) => upsertRows(there, move.to.db.engine, copied, rows),
  };
}

async function readCallbacks(move: Move, after: readonly SqlValue[] | null): Promise<Page> {
  const first = typeof after?.[0] === 'number' ? after[0] : Number.MIN_SAFE_INTEGER;
  const rows = await selectCallbackPage(move.from.db, move.scope.environmentIds, first, PAGE);
  const all = await readDeliveries(move, move.from.db, rows);
  return {
    names: rows.map(({ id }) => String(id)),
    last: [rows.at(-1)?.id ?? 0],
    write: async (there, kept) => {
      const isKept = (id: number) => kept(String(id));
      const callbacks: CallbackRow[] = all.callbacks.filter(({ id }) => isKept(id));
      const attempts = all.attempts.filter(({ callback_id }) => isKept(callback_id));
      await writeDeliveries(move, there, { ...all, callbacks, attempts });
    },
  };
}

const OPEN: readonly unknown[] = ['queued', 'dead', 'disabled'];

/**
 * Deletes copied callbacks that are still open although the source has ended and deleted them since: they would be sent
 * again. A command that goes on after days finds such ones.
 */
async function dropDeletedCallbacks(move: Move): Promise<void> {
  const { from, to, scope } = move;
  let after = Number.MIN_SAFE_INTEGER;
  for (let found = PAGE; found === PAGE; ) {
    const page = await selectCallbackPage(to.db, scope.environmentIds, after, PAGE);
    found = page.length;
    after = page.at(-1)?.id ?? after;
    const open = page.filter(({ state }) => OPEN.includes(state));
    if (open.length === 0) continue;
    const there = new Set((await selectSameCallbacks(from.db, open)).map(callbackName));
    const gone = open.filter((row) => !there.has(callbackName(row))).map(({ id }) => id);
    if (gone.length > 0) await writeCopy(move, (tx) => deleteCallbacks(tx, scope.environmentIds, gone));
  }
}

async function copyEvents(move: Move, which: 'past' | 'all', tx: Tx | null): Promise<void> {
  const { progress, scope } = move;
  for (let found = PAGE; found === PAGE; ) {
    const rows = await selectEventsOf(tx ?? move.from.db, scope.environmentIds, progress.feed, PAGE, which);
    found = rows.length;
    const last = rows.at(-1);
    if (last === undefined) break;
    await drainChanges(move, new Map(), tx);
    const { commit_id, position } = last;
    progress.feed = { commit_id, position, events: progress.feed.events + found };
    await writeCopy(move, (there) => appendEvents(there, rows));
    move.onProgress({ step: 'copy', table: 'events', rows: progress.feed.events });
    if (tx === null) await sleep(PAUSE_MS);
  }
}
