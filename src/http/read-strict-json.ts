import { textOfBody } from '../../protocol/field.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  FORBIDDEN_NAMES,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../protocol/json-text.ts';
import { refuse, SigningError } from '../../protocol/signing-error.ts';

/**
 * `anyText`: texts may hold a NUL or a lone surrogate, which PostgreSQL cannot store. Use it only if no text is stored
 * unchanged.
 */
export type JsonLimits = { readonly depth: number; readonly members: number; readonly anyText?: true };

/**
 * Parses a JSON object of any shape. Refuses what two parsers could read differently: invalid UTF-8, a repeated name in
 * one object, names that reach a prototype. Unlike the parser of signed bodies it accepts line breaks and other control
 * characters, because an invalid RUT deserves a verdict, not a refusal.
 *
 * Throws `SigningError` (400).
 */
export function readStrictJson(body: Buffer | undefined, limits: JsonLimits): Record<string, unknown> {
  const text = textOfBody(body ?? Buffer.alloc(0));
  if (text.trim() === '') refuse('INVALID_JSON', null, 'it is empty');
  scan(text, limits);
  const value = parse(text, limits.anyText === true);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('NOT_AN_OBJECT', null);
  return value as Record<string, unknown>;
}

function parse(text: string, anyText: boolean): unknown {
  try {
    // Only an escape can produce such a text.
    return JSON.parse(text, !anyText && text.includes('\\u') ? refuseBroken : undefined);
  } catch (error) {
    if (error instanceof SigningError) throw error;
    // The parser's own message quotes the body.
    return refuse('INVALID_JSON', null);
  }
}

function refuseBroken(name: string, value: unknown): unknown {
  for (const text of [name, value]) {
    if (typeof text !== 'string') continue;
    if (!text.isWellFormed()) refuse('INVALID_ENCODING', null, 'a surrogate stands alone');
    if (text.includes('\0')) refuse('INVALID_ENCODING', null, 'it holds a NUL');
  }
  return value;
}

/**
 * Checks what `JSON.parse` hides. Runs before it, because the time of `JSON.parse` grows with the square of an
 * unbounded depth.
 */
function scan(text: string, limits: JsonLimits): void {
  const open: (Set<string> | null)[] = [];
  let members = 0;
  let field: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      open.push(code === OPEN_BRACE ? new Set() : null);
      if (open.length > limits.depth) refuse('JSON_TOO_DEEP', field, `at most ${limits.depth} levels are taken`);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      const names = open.at(-1);
      if (names && isName(text, end)) {
        if (++members > limits.members) refuse('TOO_MANY_FIELDS', null, `at most ${limits.members} are taken`);
        const name = addName(names, text.slice(at + 1, end - 1));
        if (open.length === 1) field = name;
      }
      at = end - 1;
    }
  }
}

/** Returns the position after the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (let code = text.charCodeAt(at); at < text.length && code !== QUOTE; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at + 1;
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (' \n\r\t'.includes(text.charAt(at)) && at < text.length) at++;
  return text.charCodeAt(at) === COLON;
}

/** Returns the name as it is read: `\u0072ut` is `rut` too. */
function addName(names: Set<string>, written: string): string {
  const name = written.includes('\\') ? String(parse(`"${written}"`, true)) : written;
  if (FORBIDDEN_NAMES.includes(name)) refuse('FORBIDDEN_KEY', name);
  if (names.has(name)) refuse('DUPLICATE_KEY', name);
  names.add(name);
  return name;
}
