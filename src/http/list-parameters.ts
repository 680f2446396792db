import type { Place } from '../db/newest-page.ts';
import { invalidParameter, notACursor } from '../error-catalogue.ts';
import { readIsoTime } from '../lib/iso-time.ts';
import { Type } from './json-schema.ts';

/** The query parameter `after` of a paged list: the `next` of the previous page. An empty value counts as absent. */
export const CURSOR_PARAMETER = {
  name: 'after',
  in: 'query',
  description: '`next` of the previous page; empty or absent: start of the list',
  schema: Type.String(),
  allowEmptyValue: true,
} as const;

/** Creates the query parameter `limit` of a list: from 1 to `most`, with the default `usual`. */
export function limitParameter(most: number, usual = most) {
  return {
    name: 'limit',
    in: 'query',
    description: `Default: ${usual}`,
    schema: Type.Integer({ minimum: 1, maximum: most }),
  } as const;
}

/**
 * Creates a query parameter that filters by a text. An empty value is refused: a shell variable that is not set would
 * match nothing.
 */
export function textParameter<const Name extends string>(name: Name, description: string) {
  return { name, in: 'query', description, schema: Type.String({ minLength: 1 }) } as const;
}

/**
 * Reads a cursor that is the id of the last row before, such as `rcp_…`; null where none was sent. Throws `Problem`
 * INVALID_PARAMETER.
 */
export function readIdCursor(text: string | undefined, prefix: string): string | null {
  if (text === undefined) return null;
  if (text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-z]{20}$/.test(text)) return text;
  throw notACursor();
}

/** Returns the cursor of a place in a list, newest first. */
export function placeCursor({ created_at, id }: Place): string {
  return Buffer.from(`${created_at}.${id}`).toString('base64url');
}

/** Reads a cursor of `placeCursor`; null where none was sent. Throws `Problem` INVALID_PARAMETER. */
export function readPlaceCursor(text: string | undefined): Place | null {
  if (text === undefined) return null;
  const match = /^(\d{1,15})\.([a-z]+_[0-9a-z]{20})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (match !== null) return { created_at: Number(match[1]), id: match[2] as string };
  throw notACursor();
}

/** The member `next` of a paged reply. */
export const NEXT = Type.Nullable(Type.String(), { description: '`after` for the next page; null on the last page' });

/** Parses a time into UTC milliseconds; null for null. Throws `Problem` INVALID_PARAMETER. */
export function readTime(name: string, text: string | null): number | null {
  if (text === null) return null;
  const time = readIsoTime(text);
  if (time !== null) return time;
  throw invalidParameter(
    `${name} is a time such as 2026-01-15T12:00:00Z.`,
    `${name} es una hora como 2026-01-15T12:00:00Z.`,
  );
}
