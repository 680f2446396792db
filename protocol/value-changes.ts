import { groupThousands, trimEnd } from './plain-text.ts';
import type { CauseCode } from './signature-causes.ts';

/** A way in which the signed text may differ from the sent text. */
export type ValueChange = { code: CauseCode; change: (text: string) => string };

/** Changes that forms, templates, files and databases make to any text. */
export const TEXT_CHANGES: readonly ValueChange[] = [
  { code: 'PLUS_AND_SPACE', change: (text) => text.replaceAll(' ', '+') },
  { code: 'PLUS_AND_SPACE', change: (text) => text.replaceAll('+', ' ') },
  { code: 'URL_DECODED_VALUE', change: urlDecode },
  { code: 'URL_DECODED_VALUE', change: (text) => urlDecode(text.replaceAll('+', ' ')) },
  { code: 'URL_ENCODED_VALUE', change: rawUrlEncode },
  { code: 'URL_ENCODED_VALUE', change: formEncode },
  { code: 'URL_ENCODED_VALUE', change: (text) => rawUrlEncode(text).replaceAll('%2F', '/') },
  {
    code: 'URL_ENCODED_VALUE',
    change: (text) => formEncode(text).replaceAll(/%../g, (escape) => escape.toLowerCase()),
  },
  { code: 'URL_ENCODED_VALUE', change: (text) => (text.isWellFormed() ? encodeURIComponent(text) : text) },
  { code: 'URL_ENCODED_VALUE', change: (text) => (text.isWellFormed() ? encodeURI(text) : text) },
  { code: 'HTML_ENTITIES', change: htmlDecode },
  { code: 'HTML_ENTITIES', change: (text) => htmlEncode(text, '&#039;') },
  { code: 'HTML_ENTITIES', change: (text) => htmlEncode(text, '&#39;') },
  { code: 'HTML_ENTITIES', change: (text) => htmlEncode(text, "'") },
  { code: 'LATIN_1', change: latin1ReadAsUtf8 },
  { code: 'LATIN_1', change: utf8ReadAsLatin1 },
  { code: 'LATIN_1', change: utf8ReadAsWindows1252 },
  { code: 'UNICODE_CHANGED', change: (text) => text.normalize('NFC') },
  { code: 'UNICODE_CHANGED', change: (text) => text.normalize('NFD') },
  { code: 'UNICODE_CHANGED', change: (text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, '') },
  { code: 'UNICODE_CHANGED', change: (text) => text.replaceAll(/[^\0-\x7f]/gu, '?') },
  { code: 'UNICODE_CHANGED', change: (text) => text.replaceAll(/[^\0-\x7f]/gu, '') },
  { code: 'BACKSLASHES_ADDED', change: (text) => text.replaceAll('/', '\\/') },
  { code: 'BACKSLASHES_ADDED', change: jsonEscape },
  { code: 'BACKSLASHES_ADDED', change: (text) => jsonEscape(text).replaceAll('/', '\\/') },
  { code: 'BACKSLASHES_ADDED', change: (text) => text.replaceAll(/['"\\]/g, '\\$&') },
  { code: 'BACKSLASHES_ADDED', change: (text) => text.replaceAll(/\\(.)/g, '$1') },
  { code: 'SURROUNDING_SPACE', change: (text) => text.trim() },
  { code: 'CASE_CHANGED', change: (text) => text.toLowerCase() },
  { code: 'CASE_CHANGED', change: (text) => text.toUpperCase() },
];

/** Changes at the start or the end that only one value has. */
export const END_CHANGES: readonly ValueChange[] = [
  { code: 'TRAILING_NEWLINE', change: (text) => `${text}\n` },
  { code: 'SURROUNDING_SPACE', change: (text) => `${text} ` },
  { code: 'SURROUNDING_SPACE', change: (text) => ` ${text}` },
  { code: 'TRAILING_SLASH', change: (text) => (text.includes('://') && !text.endsWith('/') ? `${text}/` : text) },
  { code: 'TRAILING_SLASH', change: (text) => (text.includes('://') && text.endsWith('/') ? text.slice(0, -1) : text) },
  { code: 'CASE_CHANGED', change: (text) => text.charAt(0).toUpperCase() + text.slice(1) },
];

/** Returns how the languages and formats of signers print a number. Empty for a text that is not a plain number. */
export function numberPrintings(text: string): string[] {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(\d))?$/.exec(text);
  if (parts === null) return [];
  const [, sign = '', digits = '', written = '', exponent = '0'] = parts;
  const moved = written.padEnd(Number(exponent), '0');
  const whole = sign + (digits + moved.slice(0, Number(exponent))).replace(/^0+(?=\d)/, '');
  const fraction = trimEnd(moved.slice(Number(exponent)), '0');
  const twoDigits = fraction.padEnd(2, '0');
  const grouped = (separator: string) => groupThousands(whole, separator);
  const shortest = fraction === '' ? whole : `${whole}.${fraction}`;
  return [
    shortest,
    fraction === '' ? `${whole}.0` : `${shortest}0`,
    `${whole}.${twoDigits}`,
    `${whole}.${fraction.padEnd(3, '0')}`,
    `${whole}.${fraction.padEnd(4, '0')}`,
    whole,
    `${whole},${twoDigits}`,
    grouped(','),
    grouped('.'),
    `${grouped(',')}.${twoDigits}`,
    `${grouped('.')},${twoDigits}`,
    `${whole}${twoDigits}`,
    ...exponentials(shortest),
  ];
}

/**
 * Returns a boolean as PHP, Python, Ruby and JavaScript print it, whether it was sent as a JSON boolean or as a text.
 */
export function booleanPrintings(text: string): string[] {
  if (/^(?:true|1|yes)$/i.test(text)) return ['1', 'True', 'true', 'TRUE', 'yes'];
  if (/^(?:false|0|no)$/i.test(text)) return ['', 'False', 'false', '0', 'FALSE', 'no'];
  return [];
}

/** A null as PHP, Python, Ruby, JavaScript and SQL print it. */
export const NULL_PRINTINGS: readonly string[] = ['', 'null', 'None', 'nil', 'NULL', 'undefined', 'Null'];

function exponentials(shortest: string): string[] {
  const [mantissa = '', power = ''] = Number(shortest).toExponential().split('e+');
  if (power === '') return [];
  const withPoint = mantissa.includes('.') ? mantissa : `${mantissa}.0`;
  const twoDigits = power.padStart(2, '0');
  return [
    `${mantissa}e${power}`,
    `${mantissa}e+${power}`,
    `${mantissa}E${power}`,
    `${withPoint}E+${power}`,
    `${withPoint}e+${twoDigits}`,
    `${mantissa}e+${twoDigits}`,
  ];
}

function urlDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Encodes like PHP's rawurlencode and Python's quote. */
function rawUrlEncode(text: string): string {
  if (!text.isWellFormed()) return text;
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Encodes like PHP's urlencode and HTML forms. */
export function formEncode(text: string): string {
  return rawUrlEncode(text).replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
}

const ENTITIES: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&#039;': "'",
  '&#x27;': "'",
  '&apos;': "'",
};

function htmlDecode(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|apos|#34|#0?39|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
}

function htmlEncode(text: string, apostrophe: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", apostrophe);
}

/** Escapes like the JSON writers of PHP or Python, without the quotes. */
function jsonEscape(text: string): string {
  const unquoted = JSON.stringify(text).slice(1, -1);
  return unquoted.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the text before UTF-8 was misread as Latin-1 or Windows-1252: `Ã±` arrives for `ñ`. */
function latin1ReadAsUtf8(text: string): string {
  const bytes = Array.from(text, (character) => WINDOWS_1252.get(character) ?? character.charCodeAt(0));
  if (bytes.some((byte) => byte > 0xff)) return text;
  const decoded = Buffer.from(bytes).toString('utf8');
  return decoded.includes('\ufffd') ? text : decoded;
}

/** Does the reverse: the signed text was misread as Latin-1 or Windows-1252. */
function utf8ReadAsLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function utf8ReadAsWindows1252(text: string): string {
  return windows1252.decode(Buffer.from(text, 'utf8'));
}

const windows1252 = new TextDecoder('windows-1252');
const WINDOWS_1252 = new Map(Array.from({ length: 256 }, (_, byte) => [windows1252.decode(Uint8Array.of(byte)), byte]));
