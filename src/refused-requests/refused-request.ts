import { maskCardNumbers } from '../../protocol/card-number.ts';
import type { Field } from '../../protocol/field.ts';
import { REQUEST_FIELDS, SIGNATURE_FIELD } from '../../protocol/field-names.ts';
import type { SqlRow } from '../db/database.ts';

/** A request that was refused, as it is kept. `errors` and `fields` are JSON texts; `at` is in UTC milliseconds. */
export type KeptRefusal = {
  request_id: string;
  /** 0: of no payment service that is known. */
  environment_id: number;
  at: number;
  method: string;
  route: string;
  status: number;
  code: string;
  detail: string;
  /** The same in Spanish; null: kept by a version that knew only English. */
  detail_es: string | null;
  errors: string;
  fields: string;
  /** How many like it came after it in its hour and were not kept. */
  repeated: number;
};

export type RefusedRequest = SqlRow & KeptRefusal;

/** How long and how many: of each code of an environment the first of an hour, and the newest of all. */
export const KEPT_REFUSED = { ms: 7 * 86_400_000, ofHour: 50, ofCode: 200 };

const LONGEST = 200;
const MOST_NAMES = 20;

/** A run of characters as secrets have them: nobody's Secret Token or access token is kept because it stood in a wrong field. */
const SECRET_LIKE = /[0-9a-f]{32}|[\w+/-]{40}/i;

/** A text without what looks like a secret: an error may repeat the name of a field. */
export function withoutSecrets(text: string): string {
  return text.replace(/[0-9a-f]{32,}|[\w+/-]{40,}/gi, lengthOf);
}

/** A RUT with its dash, wherever it stands. */
const RUT_LIKE = /\d[\d.]{5,12}-[\dk]/i;

/** The fields of a request without its secrets, for the person who looks for what was wrong with it. */
export function shownFields(fields: readonly Field[]): Record<string, string> {
  const known: readonly string[] = [...REQUEST_FIELDS, SIGNATURE_FIELD];
  const shown = fields.filter(({ name }) => known.includes(name)).map((field) => [field.name, shownText(field)]);
  const others = fields.filter(({ name }) => !known.includes(name)).slice(0, MOST_NAMES);
  return Object.fromEntries([...shown, ...others.map(({ name, text }) => [nameOf(name), lengthOf(text)])]);
}

function shownText({ name, text }: Field): string {
  if (name === 'x_account_id') return /^[\w-]{1,100}$/.test(text) && !RUT_LIKE.test(text) ? text : lengthOf(text);
  if (name === SIGNATURE_FIELD || text.length > LONGEST || RUT_LIKE.test(text)) return lengthOf(text);
  if (name === 'x_customer_email' || text.includes('@')) return text.replace(/^(.)[^@]*/, '$1***');
  if (name.startsWith('x_url_')) return withoutQuery(text);
  return isPrivate(text) ? lengthOf(text) : maskCardNumbers(text);
}

function isPrivate(text: string): boolean {
  return SECRET_LIKE.test(text) || RUT_LIKE.test(text);
}

function withoutQuery(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const shown = isPrivate(path) ? lengthOf(path) : maskCardNumbers(path);
  return path.length === url.length ? shown : `${shown}?…`;
}

function nameOf(name: string): string {
  return isPrivate(name) ? lengthOf(name) : name.slice(0, 40);
}

function lengthOf(text: string): string {
  return `(${text.length} characters, not kept)`;
}
