import { Problem } from '../error-catalogue.ts';
import { Type } from './json-schema.ts';

/** The query parameter `after` of a paged list: the `next` of the previous page. An empty value counts as absent. */
export const CURSOR_PARAMETER = {
  name: 'after',
  in: 'query',
  description: '`next` of the previous page; empty or absent: start of the list',
  schema: Type.String(),
  allowEmptyValue: true,
} as const;

/**
 * Reads a cursor that is the id of the last row before, such as `rcp_…`; null where none was sent. Throws `Problem`
 * INVALID_PARAMETER.
 */
export function readIdCursor(text: string | undefined, prefix: string): string | null {
  if (text === undefined) return null;
  if (text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-z]{20}$/.test(text)) return text;
  throw notACursor();
}

/** The refusal of an `after` that no list has answered. */
export function notACursor(): Problem {
  return new Problem('INVALID_PARAMETER', {
    detail: {
      en: 'after is not a cursor. Send back data.next as it was.',
      es: 'after no es un cursor. Devuelve data.next tal como vino.',
    },
  });
}
