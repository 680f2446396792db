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

/** By a RUT in any spelling; null for another text. */
export function personOfRut(rutText: string): Person | null {
  const { canonical } = readRut(rutText);
  if (canonical === null) return null;
  const [body = '', check = ''] = canonical.split('-');
  const groups = [body.slice(0, -6), body.slice(-6, -3), body.slice(-3)];
  const spelled = `0*${groups.join(String.raw`\.?`)}\\s?-?\\s?${check}`;
  // Apart, as tax documents have it: {"rut": 12345678, "dv": "5"}.
  const apart = `(?=[^}]*"(?:dv|digito\\w*)"\\s*:\\s*"?${check}"?)${body}`;
  const pattern = new RegExp(String.raw`(?<![\d.])(?:${spelled}(?![\w])|${apart}(?!\w))`, 'gi');
  return { kind: 'rut', name: canonical, like: `%${groups.join('%')}%`, ...finders(pattern) };
}

/** Visible ASCII, as `x_customer_email` is. */
const EMAIL = /^[!-?A-~]{1,64}@[!-?A-~]{1,189}$/;

/** By an e-mail address, in letters of any case; null for another text. */
export function personOfEmail(email: string): Person | null {
  const name = email.trim().toLowerCase();
  if (!EMAIL.test(name)) return null;
  const [local = '', domain = ''] = name.split('@');
  // In a URL and in a form it is percent-encoded.
  const spelled = local.split('').map(spellings).join('');
  const pattern = new RegExp(
    String.raw`(?<![\w.!#$&'*+/?^{|}~-]|%2b)${spelled}(?:@|%40)${RegExp.escape(domain)}(?![\w-]|\.\w)`,
    'gi',
  );
  // The characters that a percent-encoding changes are left open.
  const like = `%${local.replaceAll(/[^a-z0-9.-]+/g, '%')}%${domain.replaceAll('_', '!_')}%`;
  return { kind: 'email', name, like, ...finders(pattern) };
}

function spellings(character: string): string {
  const plain = RegExp.escape(character);
  const encoded = encodeURIComponent(character);
  const hexadecimal = `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return `(?:${plain}|${encoded === character ? hexadecimal : RegExp.escape(encoded)})`;
}

function finders(pattern: RegExp): Pick<Person, 'holds' | 'redact'> {
  return {
    holds: (text) => text.search(pattern) >= 0,
    redact: (text) => text.replaceAll(pattern, 'erased'),
  };
}
