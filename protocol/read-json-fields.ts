import { checkText, type Field, type FieldKind, LIMITS, textOfBody } from './field.ts';
import { sharedName } from './field-names.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  FORBIDDEN_NAMES,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-text.ts';
import { refuse } from './signing-error.ts';

/**
 * Reads a JSON body into its top-level fields, in order.
 *
 * It accepts less than `JSON.parse` (no duplicate names at any level, no lone surrogates, bounded depth, members and
 * lengths) and keeps more: a number keeps its source text, because clients sign `1000` and `1000.0` as different texts.
 *
 * Throws `SigningError` with the first error.
 */
export function readJsonFields(body: Uint8Array): Field[] {
  return new JsonReader(textOfBody(body)).readBody();
}

const FIRST_PRINTABLE = 0x20;
const LAST_PLAIN = 0x7e;

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

class JsonReader {
  private readonly text: string;
  private at = 0;
  private members = 0;
  /** The decoded text of the string read last. */
  private string = '';
  /** The top-level field being read. An error names it, however deep the error is. */
  private field: string | null = null;

  constructor(text: string) {
    this.text = text;
  }

  readBody(): Field[] {
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== OPEN_BRACE) this.refuseRoot();
    const fields: Field[] = [];
    const names: string[] = [];
    for (let more = this.enter(CLOSE_BRACE); more; more = this.next(CLOSE_BRACE)) {
      const name = this.readName(names);
      this.field = name;
      const start = this.at;
      const kind = this.readValue(1);
      fields.push({ name, kind, text: kind === 'string' ? this.string : this.text.slice(start, this.at) });
      this.field = null;
    }
    this.skipSpace();
    if (this.at !== this.text.length) this.refuseSyntax();
    return fields;
  }

  /** Refuses a root that is not an object. Only a complete JSON text gets the advice to send an object. */
  private refuseRoot(): never {
    if (this.at === this.text.length) refuse('INVALID_JSON', null, 'it is empty');
    this.readValue(0);
    this.skipSpace();
    if (this.at !== this.text.length) this.refuseSyntax();
    refuse('NOT_AN_OBJECT', null);
  }

  /** Reads one value inside `depth` containers and leaves `at` behind it. */
  private readValue(depth: number): FieldKind {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        this.readString();
        return 'string';
      case OPEN_BRACE:
        this.skipMembers(depth + 1);
        return 'object';
      case OPEN_BRACKET:
        this.skipElements(depth + 1);
        return 'object';
      default:
        return this.skipWordOrNumber();
    }
  }

  private skipMembers(depth: number): void {
    if (depth > LIMITS.depth) this.refuseDepth();
    const names: string[] = [];
    for (let more = this.enter(CLOSE_BRACE); more; more = this.next(CLOSE_BRACE)) {
      this.readName(names);
      this.readValue(depth);
    }
  }

  private skipElements(depth: number): void {
    if (depth > LIMITS.depth) this.refuseDepth();
    for (let more = this.enter(CLOSE_BRACKET); more; more = this.next(CLOSE_BRACKET)) this.readValue(depth);
  }

  private skipWordOrNumber(): FieldKind {
    if (this.skipWord('true') || this.skipWord('false')) return 'boolean';
    if (this.skipWord('null')) return 'null';
    NUMBER.lastIndex = this.at;
    if (!NUMBER.test(this.text)) this.refuseSyntax();
    if (NUMBER.lastIndex - this.at > LIMITS.characters) refuse('FIELD_TOO_LONG', this.field);
    this.at = NUMBER.lastIndex;
    return 'number';
  }

  private skipWord(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  /** Passes the opening bracket. Returns false, after the closing bracket, if the container is empty. */
  private enter(close: number): boolean {
    this.at++;
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== close) return true;
    this.at++;
    return false;
  }

  /** Passes the separator after a value. Returns true after a comma, false after the closing bracket. */
  private next(close: number): boolean {
    this.skipSpace();
    const code = this.text.charCodeAt(this.at);
    if (code !== close && code !== COMMA) this.refuseSyntax();
    this.at++;
    if (code === close) return false;
    this.skipSpace();
    return true;
  }

  /** Reads `"name" :` and adds the name to its siblings, which must not have it yet. */
  private readName(siblings: string[]): string {
    if (this.text.charCodeAt(this.at) !== QUOTE) this.refuseSyntax();
    if (++this.members > LIMITS.members) refuse('TOO_MANY_FIELDS', null, `at most ${LIMITS.members} are taken`);
    const name = sharedName(this.readString());
    if (FORBIDDEN_NAMES.includes(name)) refuse('FORBIDDEN_KEY', name);
    if (siblings.includes(name)) refuse('DUPLICATE_KEY', this.field ?? name);
    siblings.push(name);
    this.skipSpace();
    if (this.text.charCodeAt(this.at) !== COLON) this.refuseSyntax();
    this.at++;
    this.skipSpace();
    return name;
  }

  private readString(): string {
    const { text } = this;
    const start = this.at + 1;
    let end = start;
    let code = text.charCodeAt(end);
    let plain = true;
    while (code !== QUOTE) {
      // Past the end the code is NaN, which is not >= anything.
      if (!(code >= FIRST_PRINTABLE)) this.refuseSyntax(end);
      if (code === BACKSLASH) end++;
      if (code === BACKSLASH || code > LAST_PLAIN) plain = false;
      code = text.charCodeAt(++end);
    }
    this.at = end + 1;
    if (!plain || end - start > LIMITS.characters) return this.decodeString(start - 1, end + 1);
    this.string = text.slice(start, end);
    return this.string;
  }

  /** Decodes a string with escapes by `JSON.parse`, which refuses invalid ones. */
  private decodeString(start: number, end: number): string {
    try {
      this.string = JSON.parse(this.text.slice(start, end));
    } catch {
      this.refuseSyntax(start);
    }
    checkText(this.string, this.field);
    return this.string;
  }

  private skipSpace(): void {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = this.text.charCodeAt(++this.at);
  }

  private refuseDepth(): never {
    refuse('JSON_TOO_DEEP', this.field, `at most ${LIMITS.depth} levels are taken`);
  }

  private refuseSyntax(at = this.at): never {
    refuse(
      'INVALID_JSON',
      this.field,
      at < this.text.length ? `unexpected character at ${at + 1}` : 'it ends too early',
    );
  }
}
