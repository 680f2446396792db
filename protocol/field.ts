import { node } from './platform.ts';
import { refuse } from './signing-error.ts';

/** How a field was written. Form bodies hold strings only; `object` stands for JSON objects and arrays. */
export type FieldKind = 'string' | 'number' | 'boolean' | 'null' | 'object';

/**
 * A field of a body as its sender wrote it. `text` is the decoded text of a string; for every other kind it is the JSON
 * source: `1000.0` stays `1000.0`, an object stays its JSON.
 */
export type Field = { readonly name: string; readonly kind: FieldKind; readonly text: string };

/** The limits of one body. `depth` counts the outer object, `members` also the names of inner objects. */
export const LIMITS = { depth: 4, members: 64, characters: 4096 } as const;

/** Decodes a body strictly. Lenient decoding would give different bytes the same text, and so the same signature. */
export function textOfBody(body: Uint8Array): string {
  const text = node === undefined ? decodeUtf8(body) : node.isUtf8(body) ? decodeBuffer(body) : null;
  if (text === null) refuse('INVALID_ENCODING', null, 'these bytes are not UTF-8');
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) refuse('INVALID_ENCODING', null, 'it starts with a byte order mark');
  return text;
}

function decodeBuffer(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

function decodeUtf8(body: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

/** Refuses decoded text that is not well-formed, is too long, or would start a new line in a log. */
export function checkText(text: string, field: string | null): void {
  if (text.length > LIMITS.characters) refuse('FIELD_TOO_LONG', field);
  if (!text.isWellFormed()) refuse('INVALID_ENCODING', field, 'a surrogate stands alone');
  if (CONTROL_CHARACTER.test(text)) refuse('CONTROL_CHARACTER', field);
}

const BYTE_ORDER_MARK = 0xfeff;
// C0, DEL, C1, and the two Unicode line separators, which some log readers and JavaScript engines treat as new lines.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
