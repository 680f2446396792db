import type { App } from '../../app.ts';
import { type ListedAct, selectActsOf } from './act-check-queries.ts';

/** The values of an act, as JSON has them. */
export type ActValues = Readonly<Record<string, unknown>>;

/** Parses the values of an act; empty for other texts, such as after an edit of the store. */
export function readAct(said: string | null): ActValues {
  try {
    const values = JSON.parse(said ?? '{}') as unknown;
    return typeof values === 'object' && values !== null ? (values as ActValues) : {};
  } catch {
    return {};
  }
}

/** Returns a member that is a list of texts; null for anything else. */
export function textsIn(values: ActValues, member: string): string[] | null {
  const list = values[member];
  return Array.isArray(list) ? list.map(String) : null;
}

/**
 * Returns when a payment service arrived from another database. If it never did, no time is before that: somebody who
 * changes a row chooses its time too, also one before 1970, or on SQLite a text.
 */
export function arrivalOf(arrivals: ReadonlyMap<string, number>, paymentServiceId: string | null): number {
  return arrivals.get(paymentServiceId ?? '') ?? Number.NEGATIVE_INFINITY;
}

const PAGE = 200;

/** Returns the acts of one action after a link, page by page, in the order of the audit log. */
export function pagesOfActs(app: App, action: string, after = 0): AsyncGenerator<ListedAct[]> {
  return pagesAfter({ link: after }, PAGE, ({ link }, limit) => selectActsOf(app.db, action, link, limit));
}

/** Returns the rows of a table, page by page, in the order of their ids. */
export function pagesById<Row extends { id: string }>(
  limit: number,
  select: (afterId: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  return pagesAfter<{ id: string }, Row>({ id: '' }, limit, ({ id }, most) => select(id, most));
}

/**
 * Yields the rows of a table behind a place, page by page. `select` gets the last row as the place of the next page.
 */
export async function* pagesAfter<Place, Row extends Place>(
  begin: Place,
  limit: number,
  select: (after: Place, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last = begin;
  for (let page = limit; page === limit; ) {
    const rows = await select(last, limit);
    if (rows.length > 0) yield rows;
    last = rows.at(-1) ?? last;
    page = rows.length;
  }
}
