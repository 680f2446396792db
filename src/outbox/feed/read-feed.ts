import type { App } from '../../app.ts';
import { listsOf } from '../../db/row-key.ts';
import { type Epoch, transactionEventId } from '../../epochs/epoch.ts';
import { selectEpochs } from '../../epochs/epoch-queries.ts';
import { Problem } from '../../error-catalogue.ts';
import { formatDecimal } from '../../lib/money.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import type { EventType } from '../event.ts';
import { type FeedPlace, nameEvents, readCursor, writeCursor } from './feed-cursor.ts';
import { selectLastCut } from './feed-cut-queries.ts';
import { NO_ENVIRONMENT } from './feed-link.ts';
import {
  type FeedEnvironment,
  type FeedRow,
  type FeedTransaction,
  selectFeed,
  selectFeedEnvironments,
  selectFeedTransactions,
} from './feed-queries.ts';

/** The reader of a feed: sees the events of these environments (null: all) and of the user. */
export type FeedReader = { id: string; environmentIds: ReadonlySet<number> | null };

/**
 * An event as the API returns it. `transaction` is null for an event of an environment, such as a payout. For an event
 * of a user, `environment` and `payment_service` are null too.
 */
export type FeedEvent = {
  id: string;
  type: EventType;
  sequence: number | null;
  created_at: string;
  /** `state` is the state after the event, so an event never changes. */
  transaction: { id: number; reference: string; amount: string; currency: string; state: string } | null;
  environment: string | null;
  payment_service: string | null;
  data: Record<string, unknown> | null;
};

/** `next`: the cursor for the next page. `hasMore`: more events may be available at once. */
export type FeedPage = { events: FeedEvent[]; next: string; hasMore: boolean };

/** A request scans at most this many events. A reader who sees few of them gets those, and a cursor to continue. */
const MOST_SCANNED = 5000;
const SCAN_CHUNK = 1000;

/**
 * Returns at most `limit` events after a cursor (null: from the beginning), in the order of their commits: later
 * commits never appear before events already read. Throws `Problem` `INVALID_PARAMETER` for a text that is not a
 * cursor. Three other errors have a cursor to continue with: `CURSOR_BEFORE_RESTORE` (from before the store was
 * restored), `CURSOR_OF_ANOTHER_DATABASE` (from the database from which a payment service moved), `CURSOR_TOO_OLD` (the
 * next events are deleted).
 */
export async function readFeed(app: App, reader: FeedReader, after: string | null, limit: number): Promise<FeedPage> {
  let chunk = reader.environmentIds === null ? limit + 1 : SCAN_CHUNK;
  const found: FeedRow[] = [];
  const epochs = await selectEpochs(app.db);
  const { incomplete } = await findElsewhere(app);
  const epoch = epochs.at(-1)?.epoch ?? 0;
  const begin = after === null ? await firstPlace(app, epoch) : await readCursor(app, after, epoch);
  if (begin === 'elsewhere') throw await cursorOfAnother(app, epoch);
  if (begin.epoch !== epoch) throw await cursorBeforeRestore(app, begin, epochs);
  let place: FeedPlace = begin;
  let scanned = 0;
  let hasMore = true;
  while (hasMore && found.length < limit && scanned < MOST_SCANNED) {
    const rows = await selectFeed(app.db, place, chunk);
    hasMore = rows.length === chunk;
    for (const row of rows) {
      if (found.length === limit) {
        hasMore = true;
        break;
      }
      if (isVisible(reader, row) && !incomplete.has(row.environment_id)) found.push(row);
      place = { epoch, commit_id: row.commit_id, position: row.position };
    }
    scanned += rows.length;
    // A reader of all environments does not see the events of other users.
    chunk = SCAN_CHUNK;
  }
  // Checked after reading, so that a deletion in between is noticed.
  if (after !== null) await refuseTooOld(app, begin);
  return { events: await describeEvents(app, found, epochs), next: await writeCursor(app, place), hasMore };
}

/**
 * Returns the error for a cursor of another database, whose order is unrelated. `next` is before the first stored
 * event. A restored store may have a new mark, so the cursor may also be its own from before the restore.
 */
async function cursorOfAnother(app: App, epoch: number): Promise<Problem> {
  const next = await writeCursor(app, await firstPlace(app, epoch));
  return new Problem(epoch === 0 ? 'CURSOR_OF_ANOTHER_DATABASE' : 'CURSOR_BEFORE_RESTORE', { data: { next } });
}

/**
 * Returns the error for a cursor of another epoch. `next` is the reader's place, or the last remaining event that it
 * has read. For an epoch unknown to this store, `next` is the beginning.
 */
async function cursorBeforeRestore(app: App, read: FeedPlace, epochs: readonly Epoch[]): Promise<Problem> {
  const isKnown = read.epoch === 0 || epochs.some(({ epoch }) => epoch === read.epoch);
  const ends = epochs.filter(({ epoch }) => epoch > read.epoch).map(endBefore);
  const left = isKnown ? [read, ...ends].reduce(earlier) : { commit_id: 0, position: 0 };
  const next = await writeCursor(app, { ...left, epoch: epochs.at(-1)?.epoch ?? 0 });
  return new Problem('CURSOR_BEFORE_RESTORE', { data: { next } });
}

function endBefore({ epoch, last_commit_id, last_position }: Epoch): FeedPlace {
  return { epoch, commit_id: last_commit_id, position: last_position };
}

/** Returns the place before the first stored event. */
async function firstPlace(app: App, epoch: number): Promise<FeedPlace> {
  const cut = await selectLastCut(app.db);
  return { epoch, commit_id: cut?.commit_id ?? 0, position: cut?.position ?? 0 };
}

async function refuseTooOld(app: App, begin: FeedPlace): Promise<void> {
  const first = await firstPlace(app, begin.epoch);
  if (earlier(begin, first) !== first)
    throw new Problem('CURSOR_TOO_OLD', { data: { next: await writeCursor(app, first) } });
}

/** Returns the earlier place; the second if they are equal. */
function earlier(one: FeedPlace, other: FeedPlace): FeedPlace {
  if (one.commit_id !== other.commit_id) return one.commit_id < other.commit_id ? one : other;
  return one.position < other.position ? one : other;
}

function isVisible(reader: FeedReader, row: FeedRow): boolean {
  if (row.user_id !== null) return row.user_id === reader.id;
  return reader.environmentIds === null || reader.environmentIds.has(row.environment_id);
}

async function describeEvents(app: App, rows: readonly FeedRow[], epochs: readonly Epoch[]): Promise<FeedEvent[]> {
  const told = rows.filter(({ transaction_id }) => transaction_id !== null);
  const [ids, environmentIds] = listsOf(
    told.map(({ transaction_id, environment_id }) => ({ id: transaction_id as number, environment_id })),
  );
  const transactions = ids.length === 0 ? [] : await selectFeedTransactions(app.db, ids, environmentIds);
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  const others = new Set(rows.filter(isOfEnvironmentAlone).map(({ environment_id }) => environment_id));
  const environments = others.size === 0 ? [] : await selectFeedEnvironments(app.db, [...others]);
  const environmentById = new Map(environments.map((environment) => [environment.id, environment]));
  const names = await nameEvents(
    app,
    rows.filter(({ transaction_id }) => transaction_id === null).map(({ position }) => position),
  );
  return rows.map((row) => {
    const transaction = byId.get(row.transaction_id ?? 0) ?? null;
    const epoch = epochs.findLast(({ first_position }) => first_position <= row.position)?.epoch ?? 0;
    // The id of a transaction's event is also the `webhook-id` of its callback.
    const id =
      names.get(row.position) ?? transactionEventId(row.transaction_id as number, row.sequence as number, epoch);
    return describeEvent(id, row, transaction, transaction ?? environmentById.get(row.environment_id) ?? null);
  });
}

function isOfEnvironmentAlone({ transaction_id, environment_id }: FeedRow): boolean {
  return transaction_id === null && environment_id !== NO_ENVIRONMENT;
}

function describeEvent(
  id: string,
  row: FeedRow,
  transaction: FeedTransaction | null,
  owner: FeedTransaction | FeedEnvironment | null,
): FeedEvent {
  const data = row.data === null ? null : (JSON.parse(row.data) as Record<string, unknown>);
  return {
    id,
    type: row.type,
    sequence: row.sequence,
    created_at: new Date(row.created_at).toISOString(),
    transaction: transaction === null ? null : { ...amountOf(transaction), state: stateAfter(row.type, data) },
    environment: owner?.environment ?? null,
    payment_service: owner?.payment_service_id ?? null,
    data,
  };
}

function amountOf({ id, reference, amount, currency }: FeedTransaction) {
  return { id, reference, amount: formatDecimal(amount, currency), currency };
}

function stateAfter(type: EventType, data: FeedEvent['data']): string {
  if (type === 'transaction.created') return 'pending';
  if (type === 'transaction.conflict' || type === 'transaction.resolved') return String(data?.['state']);
  // Only completed payments are refunded.
  if (type.startsWith('refund.')) return 'completed';
  return type.slice('transaction.'.length);
}
