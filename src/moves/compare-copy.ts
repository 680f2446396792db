import type { Reader, SqlRow, SqlValue, Tx } from '../db/database.ts';
import { alignFeeds, type ComparedFeed, eventText } from './align-feeds.ts';
import { plainRow } from './carry-row.ts';
import {
  type CopiedTable,
  type NamedTable,
  selectChainPage,
  selectOwnedNamed,
  selectOwnedPage,
} from './copied-row-queries.ts';
import { callbackName, endpointName, readDeliveries, without } from './copy-delivery.ts';
import { rowText } from './copy-whole.ts';
import {
  type CallbackRow,
  type EndpointRow,
  selectCallbackPage,
  selectCallbacksByIds,
  selectSameCallbacks,
} from './delivery-queries.ts';
import { drainChanges, type Touched } from './drain-changes.ts';
import { type Move, MoveRefusal } from './move.ts';
import { type PlacedEvent, selectEventsOf } from './moved-event-queries.ts';
import { tablesThat } from './moved-tables.ts';

const PAGE = 1000;
/**
 * How often a differing row is copied and compared again: a row that changes while both sides are read differs briefly.
 */
const TRIES = 5;

/**
 * Compares every copied row with its source, in both directions, while the service runs. A row that differs because it
 * changed is copied and compared again. Throws `MoveRefusal` if a difference remains. Returns how far the feeds were
 * compared.
 */
export async function compareCopy(move: Move): Promise<ComparedFeed> {
  for (const [table, rule] of tablesThat('rows')) await compareTable(move, { table, rule });
  for (const [table, rule] of tablesThat('chain'))
    for (const id of move.scope.environmentIds) await compareChain(move, { table, rule }, id);
  await compareCallbacks(move);
  return compareFeed(move, await alignFeeds(move));
}

async function compareTable(move: Move, copied: NamedTable): Promise<void> {
  const { table, rule } = copied;
  for (const side of ['from', 'to'] as const) {
    let after: SqlValue[] | null = null;
    for (let rows = 0, found = PAGE; found === PAGE; ) {
      const page: SqlRow[] = await selectOwnedPage(move[side].db, copied, move.scope, after, PAGE);
      found = page.length;
      if (found === 0) break;
      after = rule.key.map((column) => page.at(-1)?.[column] as SqlValue);
      await settleNamed(move, copied, [...new Set(page.map((row) => String(row[rule.name])))]);
      rows += found;
      move.onProgress({ step: 'compare', table, rows });
    }
  }
}

/** Compares the rows with these names until they are the same. */
async function settleNamed(move: Move, copied: NamedTable, names: string[]): Promise<void> {
  let differing = await differingNamed(move, move.from.db, copied, names);
  for (let tries = 1; differing.length > 0; tries++) {
    if (tries > TRIES) throw differs(copied.table, differing);
    await drainChanges(move, new Map());
    differing = await differingNamed(move, move.from.db, copied, differing);
  }
}

async function differingNamed(
  move: Move,
  from: Reader,
  copied: NamedTable,
  names: readonly string[],
): Promise<string[]> {
  const textsOf = async (side: 'from' | 'to', db: Reader) => {
    const rows = await selectOwnedNamed(db, copied, move.scope, names);
    const texts = new Map<string, string[]>();
    for (const row of rows) {
      const name = String(row[copied.rule.name]);
      texts.set(name, [...(texts.get(name) ?? []), rowText(plainRow(move, side, copied.table, row))].sort());
    }
    return texts;
  };
  const [here, there] = [await textsOf('from', from), await textsOf('to', move.to.db)];
  return names.filter((name) => here.get(name)?.join() !== there.get(name)?.join());
}

/**
 * Compares an append-only chain: the copied part must be the same from its beginning. Its end is compared once no more
 * rows come.
 */
async function compareChain(move: Move, copied: CopiedTable, environmentId: number): Promise<void> {
  const places = copied.rule.key.filter((column) => column !== 'environment_id');
  let after: SqlValue[] | null = null;
  for (let rows = 0, found = PAGE; found === PAGE; ) {
    const there: SqlRow[] = await selectChainPage(move.to.db, copied, environmentId, after, PAGE);
    const here: SqlRow[] = await selectChainPage(move.from.db, copied, environmentId, after, PAGE);
    found = there.length;
    if (found === 0) break;
    const differing = there.filter((row, at) => rowText(row) !== rowText(here[at] ?? {}));
    if (differing.length > 0)
      throw differs(
        copied.table,
        differing.map(({ environment_id, link }) => `${environment_id} ${link}`),
      );
    after = places.map((column) => there.at(-1)?.[column] as SqlValue);
    rows += found;
    move.onProgress({ step: 'compare', table: copied.table, rows });
  }
}

async function compareCallbacks(move: Move): Promise<void> {
  const { environmentIds } = move.scope;
  let after = Number.MIN_SAFE_INTEGER;
  for (let rows = 0, found = PAGE; found === PAGE; ) {
    const page = await selectCallbackPage(move.from.db, environmentIds, after, PAGE);
    found = page.length;
    let differing = await differingCallbacks(move, move.from.db, page);
    for (let tries = 1; differing.length > 0; tries++) {
      if (tries > TRIES)
        throw differs(
          'callbacks',
          differing.map(({ webhook_id }) => webhook_id),
        );
      await drainChanges(move, new Map());
      const ids = differing.map(({ id }) => id);
      differing = await differingCallbacks(
        move,
        move.from.db,
        await selectCallbacksByIds(move.from.db, environmentIds, ids),
      );
    }
    after = page.at(-1)?.id ?? after;
    rows += found;
    move.onProgress({ step: 'compare', table: 'callbacks', rows });
  }
}

async function differingCallbacks(move: Move, from: Reader, page: CallbackRow[]): Promise<CallbackRow[]> {
  if (page.length === 0) return [];
  const there = await selectSameCallbacks(move.to.db, page);
  const [one, other] = [await textsOf(move, 'from', from, page), await textsOf(move, 'to', move.to.db, there)];
  return page.filter((row) => one.get(callbackName(row)) !== other.get(callbackName(row)));
}

async function textsOf(move: Move, side: 'from' | 'to', db: Reader, rows: CallbackRow[]): Promise<Map<string, string>> {
  const { attempts, endpoints } = await readDeliveries(move, db, rows);
  const byCallback = Map.groupBy(attempts, ({ callback_id }) => callback_id);
  return new Map(
    rows.map((row) => {
      const rest = without(plainRow(move, side, 'callbacks', row), ['id', 'endpoint_id']);
      const tried = (byCallback.get(row.id) ?? []).map((attempt) => rowText(without(attempt, ['id', 'callback_id'])));
      const endpoint = endpointName(endpoints.get(row.endpoint_id) as EndpointRow);
      const text = rowText({ ...rest, endpoint });
      return [callbackName(row), [text, ...tried].join('\n')];
    }),
  );
}

/** Compares the feeds from a place in each, as far as the copy goes. */
export async function compareFeed(move: Move, begin: ComparedFeed, tx: Tx | null = null): Promise<ComparedFeed> {
  const { environmentIds } = move.scope;
  let { from, to, events } = begin;
  for (let found = PAGE; found === PAGE; ) {
    const there = await selectEventsOf(move.to.db, environmentIds, to, PAGE, 'all');
    found = there.length;
    const here = await selectEventsOf(tx ?? move.from.db, environmentIds, from, Math.max(1, found), 'all');
    const at = there.findIndex((row, index) => eventText(row) !== eventText(here[index]));
    if (at !== -1) throw differs('events', [`${there[at]?.type} ${there[at]?.transaction_id}`]);
    if (found === 0) break;
    events += found;
    to = placeOf(there.at(-1), to);
    from = placeOf(here.at(found - 1), from);
  }
  return { from, to, events };
}

function placeOf(row: PlacedEvent | undefined, place: { commit_id: number; position: number }) {
  return row === undefined ? place : { commit_id: row.commit_id, position: row.position };
}

/** Compares the last changes, in the commit that ends the payment service in the source. */
export async function compareTouched(move: Move, tx: Tx, touched: Touched): Promise<void> {
  for (const [table, rule] of tablesThat('rows')) {
    const names = [...(touched.get(table) ?? [])];
    const differing = names.length === 0 ? [] : await differingNamed(move, tx, { table, rule }, names);
    if (differing.length > 0) throw differs(table, differing);
  }
  const ids = [...(touched.get('callbacks') ?? [])].map(Number);
  const callbacks = ids.length === 0 ? [] : await selectCallbacksByIds(tx, move.scope.environmentIds, ids);
  const differing = await differingCallbacks(move, tx, callbacks);
  if (differing.length > 0)
    throw differs(
      'callbacks',
      differing.map(({ webhook_id }) => webhook_id),
    );
}

function differs(table: string, names: readonly string[]): MoveRefusal {
  const some = names.slice(0, 3).join(', ');
  return new MoveRefusal(
    'MOVE_DIFFERS',
    `The copy of ${table} differs from what it was made of (${names.length}: ${some}). Nothing was switched: end the move with payment-service move --undo, and find out who writes into the other database.`,
  );
}
