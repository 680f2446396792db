import { checkText, type Field, LIMITS, textOfBody } from './field.ts';
import { sharedName } from './field-names.ts';
import { refuse } from './signing-error.ts';

/**
 * Reads an `application/x-www-form-urlencoded` body into its fields, in order.
 *
 * `+` is a space. Invalid percent escapes, escapes that do not decode to UTF-8 and repeated names are refused. Other
 * parsers guess, and a guess gives two bodies one meaning. Throws `SigningError` with the first error.
 */
export function readFormFields(body: Uint8Array): Field[] {
  const text = textOfBody(body);
  const fields: Field[] = [];
  const names: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPair(text, start);
    // An empty pair (`a=1&&b=2`, or a last `&`) has neither name nor value; every form parser skips it.
    if (end > start) {
      if (names.length === LIMITS.members) refuse('TOO_MANY_FIELDS', null, `at most ${LIMITS.members} are taken`);
      const field = readPair(text, start, end);
      if (names.includes(field.name)) refuse('DUPLICATE_KEY', field.name);
      names.push(field.name);
      fields.push(field);
    }
    start = end + 1;
  }
  return fields;
}

function endOfPair(text: string, start: number): number {
  const ampersand = text.indexOf('&', start);
  return ampersand === -1 ? text.length : ampersand;
}

function readPair(text: string, start: number, end: number): Field {
  const equals = text.indexOf('=', start);
  const endOfName = equals === -1 || equals > end ? end : equals;
  const name = sharedName(decode(text.slice(start, endOfName), null));
  return { name, kind: 'string', text: decode(text.slice(Math.min(endOfName + 1, end), end), name) };
}

function decode(encoded: string, field: string | null): string {
  const spaced = encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded;
  const text = spaced.includes('%') ? decodePercents(spaced, field) : spaced;
  checkText(text, field);
  return text;
}

function decodePercents(text: string, field: string | null): string {
  try {
    return decodeURIComponent(text);
  } catch {
    refuse('INVALID_ENCODING', field, 'a percent escape is wrong');
  }
}
