import type { Field, FieldKind } from './field.ts';
import { checkRequestGrammar, type GrammarOptions } from './field-grammar.ts';
import {
  CALLBACK_FIELDS,
  REQUEST_FIELDS,
  type RequestField,
  SIGNATURE_FIELD,
  type UnsignedField,
} from './field-names.ts';
import { computeSignature, type SigningKey, signingKey } from './hmac.ts';
import { node } from './platform.ts';
import { type Problem, SigningError } from './signing-error.ts';
import { signingMessage } from './signing-message.ts';
import { checkCallbackFields, checkRequestFields } from './signing-rules.ts';
import { computeSignatureAsync } from './web-crypto.ts';

/**
 * The fields that a shop fills in. The amount and the reference may be integers; floats, null and undefined are
 * refused.
 */
export type RequestInput = Record<Exclude<RequestField, 'x_amount' | 'x_reference'>, string> & {
  x_amount: string | number;
  x_reference: string | number;
} & Partial<Record<UnsignedField, object>>;

/** A request as it is posted. Every signed field is exactly the signed text. */
export type SignedRequest = Record<RequestField | 'x_signature', string> & Partial<Record<UnsignedField, object>>;

/**
 * Signs a request. Returns the complete body: send it as JSON, unchanged, from your server.
 *
 * Applies every acceptance rule of the payment service before signing, because a signature over an ambiguous value can
 * be used for another order. Throws `SigningError` with all problems it found.
 */
export function sign(input: RequestInput, secret: string | SigningKey, options: GrammarOptions = {}): SignedRequest {
  const { body, message } = prepare(input, options);
  body.x_signature = computeSignature(message, keyOf(secret));
  return body;
}

/** The same with Web Crypto, for platforms without Node's crypto. */
export async function signAsync(
  input: RequestInput,
  secret: string,
  options: GrammarOptions = {},
): Promise<SignedRequest> {
  if (node !== undefined) return sign(input, secret, options);
  const { body, message } = prepare(input, options);
  return { ...body, x_signature: await computeSignatureAsync(message, secret) };
}

/** A valid body without its signature, and the message to sign. */
function prepare(input: RequestInput, options: GrammarOptions): { body: SignedRequest; message: string } {
  const fields = fieldsOf(input);
  const { problems, values } = checkRequestFields(fields);
  throwIfAny(problems);
  throwIfAny(checkRequestGrammar(values, options));
  return { body: { ...input, ...values, x_signature: '' }, message: signingMessage(fields) };
}

/**
 * Returns the message of parsed fields, of a request or a callback. It applies the rules that keep the message
 * unambiguous (1 to 4), not the grammar of the values (5). A signature among the fields is ignored. Throws
 * `SigningError` with all problems.
 */
export function messageOf(fields: readonly Field[]): string {
  const unsigned = fields.filter((field) => field.name !== SIGNATURE_FIELD);
  const { problems } = isCallback(unsigned) ? checkCallbackFields(unsigned) : checkRequestFields(unsigned);
  throwIfAny(problems);
  return signingMessage(unsigned);
}

/**
 * Returns whether a body is meant as a callback: it has a name that only callbacks have. Its other names are then
 * checked as a callback's.
 */
export function isCallback(fields: readonly Field[]): boolean {
  return fields.some((field) => CALLBACK_ONLY.includes(field.name));
}

const CALLBACK_ONLY: readonly string[] = CALLBACK_FIELDS.filter(
  (name) => !(REQUEST_FIELDS as readonly string[]).includes(name),
);

function keyOf(secret: string | SigningKey): SigningKey {
  if (typeof secret !== 'string') return secret;
  if (latestKey === undefined || secret !== latestSecret) {
    latestKey = signingKey(secret);
    latestSecret = secret;
  }
  return latestKey;
}

// A shop signs with one secret, and making its key costs a quarter of a signature.
let latestSecret: string | undefined;
let latestKey: SigningKey | undefined;

function throwIfAny(problems: readonly Problem[]): void {
  const [first, ...others] = problems;
  if (first !== undefined) throw new SigningError([first, ...others]);
}

/**
 * Returns the fields as a parser would read them from the posted body. An undefined member is absent, as in JSON.
 * Control characters and lone surrogates are not checked here: the grammar of every field excludes them.
 */
function fieldsOf(input: object): Field[] {
  const fields: Field[] = [];
  const members = input as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value === undefined || name === SIGNATURE_FIELD) continue;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    fields.push({ name, kind: kindOf(value), text });
  }
  return fields;
}

function kindOf(value: unknown): FieldKind {
  if (typeof value === 'string') return 'string';
  // A float is refused like an object: two printers can write it as two texts.
  if (typeof value === 'number' && Number.isSafeInteger(value)) return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return value === null ? 'null' : 'object';
}
