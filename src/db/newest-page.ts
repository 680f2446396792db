import type { SqlParameter } from './database.ts';

/** The place of a row in a list in the order `created_at desc, id`. */
export type Place = { readonly created_at: number; readonly id: string };

/** A page of such a list: at most `limit` rows, those after the place; `after` null: from the newest. */
export type NewestPage = { readonly after?: Place | null; readonly limit: number };

/** Returns the condition for the rows after a place, and adds its values to `parameters`; empty without a place. */
export function afterPlace(place: Place | null, parameters: SqlParameter[], createdAt = 'created_at'): string {
  if (place === null) return '';
  const [at, id] = [parameters.push(place.created_at), parameters.push(place.id)];
  return `and ${createdAt} <= $${at} and (${createdAt} < $${at} or id > $${id})`;
}

/** Returns the first `limit` rows, and the cursor of the last of them if more were read; null: there are no more. */
export function pageOf<Row, Cursor>(read: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor) {
  const page = read.slice(0, limit);
  const last = read.length > limit ? page.at(-1) : undefined;
  return { page, next: last === undefined ? null : cursorOf(last) };
}
