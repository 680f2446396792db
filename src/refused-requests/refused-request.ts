import { maskCardNumbers } from '../../protocol/card-number.ts';
import type { Field } from '../../protocol/field.ts';
import { REQUEST_FIELDS, SIGNATURE_FIELD } from '../../protocol/field-names.ts';
import type { SqlRow } from '../db/database.ts';

/** A refused request as it is stored. `errors` and `fields` are JSON texts; `at` is in UTC milliseconds. */
export type KeptRefusal = {
  request_id: string;
  /** 0: no known payment service. */
  environment_id: number;
  at: number;
  method: string;
  route: string;
  status: number;
  code: string;
  detail: string;
  /** `detail` in Spanish; null: stored by a version without Spanish. */
  detail_es: string | null;
  errors: string;
  fields: string;
  /** How many similar requests came later in its hour and were not stored. */
  repeated: number;
};

export type RefusedRequest = SqlRow & KeptRefusal;

/**
 * How long requests are stored, and how many of each code of an environment: the first `ofHour` of an hour, the newest
 * `ofCode` in all.
 */
export const KEPT_REFUSED = { ms: 7 * 86_400_000, ofHour: 50, ofCode: 200 };

const LONGEST = 200;
const MOST_NAMES = 20;

/** Text that looks like a secret: a Secret Token or an access token in a wrong field is not stored. */
const SECRET_LIKE = /[0-9a-f]{32}|[\w+/-]{40}/i;

/** Returns a text without parts that look like secrets, because an error may repeat the name of a field. */
export function withoutSecrets(text: string): string {
  return text.replace(/[0-9a-f]{32,}|[\w+/-]{40,}/gi, lengthOf);
}

/** A RUT with its dash, anywhere in a text. */
const RUT_LIKE = /\d[\d.]{5,12}-[\dk]/i;

/** Returns the fields of a request without its secrets, for the person who looks for the error. */
export function shownFields(fields: readonly Field[]): Record<string, string> {
  const known: readonly string[] = [...REQUEST_FIELDS, SIGNATURE_FIELD];
  const shown = fields.filter(({ name }) => known.includes(name)).map((field) => [field.name, shownText(field)]);
  const others = fields.filter(({ name }) => !known.includes(name)).slice(0, MOST_NAMES);
  return Object.fromEntries([...shown, ...others.map(({ name, text }) => [nameOf(name), lengthOf(text)])]);
}

function shownText({ name, text }: Field): string {
  if (name === 'x_account_id') return /^[\w-]{1,100}$/.test(text) && !RUT_LIKE.test(text) ? text : lengthOf(text);
  if (name === SIGNATURE_FIELD || text.length > LONGEST || RUT_LIKE.test(text)) return lengthOf(text);
  if (name === 'x_customer_email' && !text.includes('@')) return text.replace(/^([^])[^]*/, '$1***');
  const shown = (name.startsWith('x_url_') ? withoutQuery(text) : text).replace(BEFORE_DOMAIN, '$1***');
  return isPrivate(shown) ? lengthOf(text) : maskCardNumbers(shown);
}

/** Matches all before the domain of the last e-mail address, also where a URL has encoded its `@`. */
const BEFORE_DOMAIN = /^([^])[^]*(?=@|%40)/i;

function isPrivate(text: string): boolean {
  return SECRET_LIKE.test(text) || RUT_LIKE.test(text);
}

function withoutQuery(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  return path.length === url.length ? path : `${path}?…`;
}

function nameOf(name: string): string {
  return isPrivateName(name) ? lengthOf(name) : name.slice(0, 40);
}

/** A name of a field that its sender filled with a value, such as an address: every name of the API is harmless. */
function isPrivateName(name: string): boolean {
  return isPrivate(name) || /@|%40/.test(name) || maskCardNumbers(name) !== name;
}

/** Returns a function that hides the private names of fields in texts about these errors, whose pointers have them. */
export function hidingNames(pointers: readonly (string | null | undefined)[]): (text: string) => string {
  const parts = pointers.flatMap((pointer) => pointer?.split('/') ?? []);
  const names = parts.flatMap((part) => [part, part.replaceAll('~1', '/').replaceAll('~0', '~')]).filter(isPrivateName);
  return (text) => names.reduce((hidden, name) => hidden.replaceAll(name, lengthOf(name)), text);
}

function lengthOf(text: string): string {
  return `(${text.length} characters, not kept)`;
}
