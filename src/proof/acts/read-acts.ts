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

const PAGE = 200;

/** Yields the acts of one action after a link, page by page, in the order of the audit log. */
export async function* pagesOfActs(app: App, action: string, after = 0): AsyncGenerator<ListedAct[]> {
  let last = after;
  for (let page = PAGE; page === PAGE; ) {
    const acts = await selectActsOf(app.db, action, last, PAGE);
    if (acts.length > 0) yield acts;
    last = acts.at(-1)?.link ?? last;
    page = acts.length;
  }
}

/** Yields the rows of a table, page by page, in the order of their ids. */
export async function* pagesById<Row extends { id: string }>(
  limit: number,
  select: (afterId: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last = '';
  for (let page = limit; page === limit; ) {
    const rows = await select(last, limit);
    if (rows.length > 0) yield rows;
    last = rows.at(-1)?.id ?? last;
    page = rows.length;
  }
}
