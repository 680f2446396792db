import { readRut } from '../bank-validation/rut.ts';

/** Somebody who asks what is kept of him, and how texts that hold him are found. */
export type Person = {
  readonly kind: 'rut' | 'email';
  /** The canonical RUT, or the e-mail address in small letters. */
  readonly name: string;
  /** For `like … escape '!'` on a text in small letters: finds every text that may hold the person, and others. */
  readonly like: string;
  holds(text: string): boolean;
  /** The text with `erased` in the place of the person, everywhere. */
  redact(text: string): string;
};

/** As the audit log has it: nobody may read there whose data was asked for. */
export function subjectOf({ kind }: Person): { kind: string; id: string } {
  return { kind: 'person', id: kind === 'rut' ? 'a RUT' : 'an e-mail address' };
}

/** An escape may stand right before a name: `%3Dana@example.cl`, `\nana@example.cl`. Its letters do not belong to the name. */
const AFTER_ESCAPE = String.raw`(?<!%(?:25){0,2}[0-9a-f]|\\u[0-9a-f]{3}|\\(?=[nrtbf]))`;

/** By a RUT in any spelling; null for another text. */
export function personOfRut(rutText: string): Person | null {
  const { canonical } = readRut(rutText);
  if (canonical === null) return null;
  const [body = '', check = ''] = canonical.split('-');
  const groups = [body.slice(0, -6), body.slice(-6, -3), body.slice(-3)];
  const spelled = `0*${groups.join(POINT)}${SPACE}${DASH}${SPACE}${check}`;
  // Apart, as tax documents have it: {"rut": 12345678, "dv": "5"}.
  const apart = `(?=[^}]*"(?:dv|digito\\w*)"\\s*:\\s*"?${check}"?)${body}`;
  const pattern = new RegExp(`(?<!${AFTER_ESCAPE}\\d\\.?)(?:${spelled}|${apart})(?![0-9a-z])`, 'gi');
  return { kind: 'rut', name: canonical, like: `%${groups.join('%')}%`, ...finders(pattern) };
}

const SPACE = String.raw`(?:\s|%20|&nbsp;)?`;
const POINT = String.raw`(?:[.,\s]|%2e|%20)?`;
/** The one of the keyboard, and those that text programs put in its place. */
const DASH = String.raw`(?:[-\u2010-\u2015\u2212]|%2d|\\u002d|\\u201[0-5]|&#45;|&[nm]dash;)?`;

/** Visible ASCII, as `x_customer_email` is. */
const EMAIL = /^[!-?A-~]{1,64}@[!-?A-~]{1,189}$/;

/** By an e-mail address, in letters of any case; null for another text. */
export function personOfEmail(email: string): Person | null {
  const name = email.trim().toLowerCase();
  if (!EMAIL.test(name)) return null;
  const pattern = new RegExp(`${BEFORE_EMAIL}${name.split('').map(spellings).join('')}${AFTER_EMAIL}`, 'gi');
  // The characters that an encoding changes are left open.
  return { kind: 'email', name, like: `%${name.replaceAll(/[^a-z0-9]+/g, '%')}%`, ...finders(pattern) };
}

/** It is not the end of a longer one, such as `juana@` of `ana@`. Characters that stand beside addresses in texts and URLs begin none. */
const BEFORE_EMAIL = String.raw`(?<!${AFTER_ESCAPE}[\w.+-]|%(?:25){0,2}(?:2[bde]|5f)|\\u002[bde])`;

/** Its domain ends here, or is followed by the ending of a file. */
const AFTER_EMAIL = String.raw`(?![a-z0-9-]|\.(?!(?:csv|dat|docx?|html?|json|pdf|txt|xlsx?|xml)(?!\w))\w)`;

/** A character as texts, URLs (encoded twice too), JSON and HTML write it. */
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
