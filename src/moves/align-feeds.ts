import type { Database } from '../db/database.ts';
import { EVENT_COLUMNS } from '../outbox/feed/feed-queries.ts';
import { type Cuts, readCuts } from './cuts-of-moved.ts';
import type { Move } from './move.ts';
import { type MovedEvent, selectEventsOf } from './moved-event-queries.ts';

type Place = { commit_id: number; position: number };

/** The place up to which both feeds were compared, and the number of compared events. */
export type ComparedFeed = Record<'from' | 'to', Place> & { events: number };

const BEGIN: Place = { commit_id: 0, position: Number.MIN_SAFE_INTEGER };
const PAGE = 1000;

/**
 * Finds the places from which both feeds have the same events. RETENTION_EVENTS runs in each database separately, so
 * the oldest events may be in one of them only. Only events that are old enough for that are skipped.
 */
export async function alignFeeds({ from, to, scope }: Move): Promise<ComparedFeed> {
  const { environmentIds } = scope;
  const [here] = await selectEventsOf(from.db, environmentIds, BEGIN, 1, 'all');
  const [there] = await selectEventsOf(to.db, environmentIds, BEGIN, 1, 'all');
  const both = { from: BEGIN, to: BEGIN, events: 0 };
  if (there === undefined || eventText(here) === eventText(there)) return both;
  const passedHere = await passDeleted(from.db, environmentIds, there, await readCuts(to));
  if (passedHere?.isFound === true) return { ...both, from: passedHere.place, events: passedHere.events };
  const passedThere = await passDeleted(to.db, environmentIds, here, await readCuts(from));
  return passedThere === null ? both : { ...both, to: passedThere.place, events: passedThere.events };
}

/** Writes an event as both feeds must have it. */
export function eventText(row: MovedEvent | undefined): string {
  return JSON.stringify(EVENT_COLUMNS.map((column) => row?.[column]));
}

/**
 * Reads on to an event, or to the end; null if an event on the way is too new to have been deleted in the other
 * database.
 */
async function passDeleted(
  db: Database,
  environmentIds: readonly number[],
  upTo: MovedEvent | undefined,
  cuts: Cuts,
): Promise<{ place: Place; events: number; isFound: boolean } | null> {
  const text = eventText(upTo);
  let place = BEGIN;
  let events = 0;
  for (let found = PAGE; found === PAGE; ) {
    const rows = await selectEventsOf(db, environmentIds, place, PAGE, 'all');
    found = rows.length;
    for (const row of rows) {
      if (eventText(row) === text) return { place, events, isFound: true };
      if (row.created_at > (cuts(row.environment_id) ?? 0)) return null;
      place = { commit_id: row.commit_id, position: row.position };
      events++;
    }
  }
  return { place, events, isFound: false };
}
