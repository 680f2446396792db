import { readRut } from '../bank-validation/rut.ts';

/** A person whose data is searched, and how texts that mention the person are found. */
export type Person = {
  readonly kind: 'rut' | 'email';
  /** The canonical RUT, or the e-mail address in small letters. */
  readonly name: string;
  /**
   * A pattern for `like … escape '!'` on a lower-case text. It finds every text that may mention the person, and
   * others.
   */
  readonly like: string;
  holds(text: string): boolean;
  /** Replaces the person everywhere in the text by `erased`. */
  redact(text: string): string;
};

/** Returns the subject for the audit log, which must not reveal whose data was searched. */
export function subjectOf({ kind }: Person): { kind: string; id: string } {
  return { kind: 'person', id: kind === 'rut' ? 'a RUT' : 'an e-mail address' };
}

/** An escape may precede a name: `%3Dana@example.cl`, `\nana@example.cl`. Its letters are not part of the name. */
const AFTER_ESCAPE = String.raw`(?<!%(?:25){0,2}[0-9a-f]|\\u[0-9a-f]{3}|\\(?=[nrtbf]))`;

/** Returns a person by a RUT in any spelling; null for any other text. */
export function personOfRut(rutText: string): Person | null {
  const { canonical } = readRut(rutText);
  if (canonical === null) return null;
  const [body = '', check = ''] = canonical.split('-');
  const groups = [body.slice(0, -6), body.slice(-6, -3), body.slice(-3)];
  const number = `0*${groups.join(POINT)}`;
  const spelled = `${SPACE}${DASH}${SPACE}${check}(?![0-9a-z])`;
  // The check digit as a separate member, as in tax documents: {"rut": 12345678, "dv": "5"}, in either order.
  const apart = String.raw`\\?"${CHECK_NAME}\\?"\s*:\s*(?:\\?")?${check}(?![0-9a-z])`;
  const isApart = `(?![0-9a-z])(?:(?=[^}]*${apart})|(?<=${apart}[^{]*))`;
  const pattern = new RegExp(`(?<!${AFTER_ESCAPE}\\d\\.?)${number}(?:${spelled}|${isApart})`, 'gi');
  return { kind: 'rut', name: canonical, like: `%${groups.join('%')}%`, ...finders(pattern) };
}

/** The names of a separate check digit: `dv`, `digitoVerificador`, `dígito`. */
const CHECK_NAME = String.raw`(?:dv|d(?:i|í|\\u00ed)gito\w*)`;
const SPACE = String.raw`(?:\s|%20|&nbsp;)?`;
const POINT = String.raw`(?:[.,\s]|%2e|%20)?`;
/** The keyboard's hyphen, and the dashes that word processors use instead. */
const DASH = String.raw`(?:[-\u2010-\u2015\u2212]|%2d|\\u002d|\\u201[0-5]|&#45;|&[nm]dash;)?`;

/** Visible ASCII, as `x_customer_email` is. */
const EMAIL = /^[!-?A-~]{1,64}@[!-?A-~]{1,189}$/;

/** Returns a person by an e-mail address in any case; null for any other text. */
export function personOfEmail(email: string): Person | null {
  const name = email.trim().toLowerCase();
  if (!EMAIL.test(name)) return null;
  const pattern = new RegExp(`${BEFORE_EMAIL}${name.split('').map(spellings).join('')}${AFTER_EMAIL}`, 'gi');
  // Characters that an encoding changes match anything.
  return { kind: 'email', name, like: `%${name.replaceAll(/[^a-z0-9]+/g, '%')}%`, ...finders(pattern) };
}

/**
 * The match must not be the end of a longer address: `ana@` is not in `juana@`. Separators and escapes before an
 * address in a text or a URL do not belong to it.
 */
const BEFORE_EMAIL = String.raw`(?<!${AFTER_ESCAPE}[\w.+-]|%(?:25){0,2}(?:2[bde]|5f)|\\u002[bde])`;

/**
 * The domain must end here, or a file extension must follow. `ana@example.cl-17` is the address with a number, because
 * no top-level domain is `cl-17`; `ana@example.cl-17.com` is another address.
 */
const AFTER_EMAIL = String.raw`(?![a-z0-9]|(?:-[a-z0-9-]*)?\.(?!(?:csv|dat|docx?|html?|json|pdf|txt|xlsx?|xml)(?!\w))\w)`;

/** Returns a pattern for a character as texts, URLs (also double-encoded), JSON and HTML write it. */
function spellings(character: string): string {
  const hexadecimal = character.charCodeAt(0).toString(16).padStart(2, '0');
  const plain = RegExp.escape(character);
  if (/[a-z0-9]/.test(character)) return plain;
  return String.raw`(?:${plain}|%(?:25){0,2}${hexadecimal}|\\u00${hexadecimal}|&#${character.charCodeAt(0)};|&#x${hexadecimal};)`;
}

function finders(pattern: RegExp): Pick<Person, 'holds' | 'redact'> {
  return {
    holds: (text) => text.search(pattern) >= 0,
    redact: (text) => text.replaceAll(pattern, 'erased'),
  };
}
