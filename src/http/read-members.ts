import type { FastifyRequest } from 'fastify';
import type { Field } from '../../protocol/field.ts';
import { readJsonFields } from '../../protocol/read-json-fields.ts';
import { type InBoth, Problem } from '../error-catalogue.ts';
import { type ErrorItem, errorItem } from '../error-item.ts';
import type { ObjectSchema, Schema, Static } from './json-schema.ts';
import { pointerTo } from './problem-words.ts';

/** The schema of a flat object: the types of its members, and which are optional. */
type FlatSchema = ObjectSchema<Readonly<Record<string, Schema>>>;

/** The error codes of `readMembers`, apart from the errors of any JSON body. */
export const MEMBER_ERRORS = ['INVALID_BODY', 'CONTROL_CHARACTER', 'FIELD_TOO_LONG'] as const;

/** The text of each member; for a number its digits as sent. */
export type Members<S extends FlatSchema> = {
  readonly [Name in keyof S['properties'] & string]:
    | TextOf<S['properties'][Name]>
    | (Name extends keyof RequiredOf<Static<S>> ? never : null);
};

type TextOf<S extends Schema> = Static<S> extends string ? Static<S> : string;

type RequiredOf<T> = { [Name in keyof T as object extends Pick<T, Name> ? never : Name]: T[Name] };

/**
 * Parses a flat JSON body strictly by its schema: no unknown or repeated member, no required member missing or empty.
 * Throws `SigningError` (400) for a body that is not a JSON object, and `Problem` `INVALID_BODY` with all errors.
 */
export function readMembers<S extends FlatSchema>(request: FastifyRequest, schema: S): Members<S> {
  const fields = readJsonFields((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  const { properties, required = [] } = schema as FlatSchema & { required?: readonly string[] };
  const members: Record<string, string | null> = {};
  const errors: ErrorItem[] = [];
  for (const [name, member] of Object.entries(properties)) {
    const field = fields.find((candidate) => candidate.name === name);
    members[name] = field?.text ?? null;
    const isMissing = field === undefined && required.includes(name);
    const error = isMissing ? missing(name, member) : field === undefined ? null : faultOf(field, member);
    if (error !== null) errors.push(error);
  }
  const names = Object.keys(properties);
  for (const { name } of fields) if (!names.includes(name)) errors.push(unknownMember(name, names));
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidBody([first, ...others]);
  return members as Members<S>;
}

/** Returns the refusal of a body for these reasons. The first reason is the detail. */
export function invalidBody(errors: [ErrorItem, ...ErrorItem[]]): Problem {
  return new Problem('INVALID_BODY', { errors });
}

/**
 * Reports an unknown member of the object at `parent`. A stranger chose its name, so the response quotes only its
 * beginning.
 */
export function unknownMember(name: string, known: readonly string[], parent = ''): ErrorItem {
  const shown = name.slice(0, 64);
  return errorItem(parent + pointerTo(shown), 'UNKNOWN_FIELD', [
    `${shown} does not belong here.`,
    `Send only ${known.join(', ')}.`,
    `${shown} no va aquí.`,
    `Envía solo ${known.join(', ')}.`,
  ]);
}

function missing(name: string, schema: Schema): ErrorItem {
  const { en, es } = remedyOf(schema);
  return errorItem(`/${name}`, 'MISSING_FIELD', [`${name} is missing.`, en, `${name} falta.`, es]);
}

/** Says what the member takes: its words, or its type. */
function remedyOf(schema: Schema): InBoth {
  const words = wordsOf(schema);
  if (words !== undefined) return { en: `Send ${words.join(' or ')}.`, es: `Envía ${words.join(' o ')}.` };
  const kind = kindOf(schema);
  if (kind === 'number') return { en: 'Send a number.', es: 'Envía un número.' };
  if (kind === 'string') return { en: 'Send a string.', es: 'Envía texto entre comillas.' };
  return { en: 'Send it.', es: 'Envíalo.' };
}

function wordsOf(schema: Schema): readonly string[] | undefined {
  return schema['enum'] as readonly string[] | undefined;
}

/** Undefined: the member may have any type and is not checked. */
function kindOf({ type }: Schema): 'string' | 'number' | undefined {
  return type === 'string' ? type : type === undefined ? undefined : 'number';
}

function faultOf({ name, kind, text }: Field, schema: Schema): ErrorItem | null {
  const expected = kindOf(schema);
  if (expected === undefined) return null;
  const pointer = `/${name}`;
  if (kind !== expected) {
    const spanish = expected === 'string' ? 'texto' : 'número';
    const { en, es } = remedyOf(schema);
    return errorItem(pointer, 'INVALID_TYPE', [
      `${name} is not a ${expected}.`,
      en,
      `${name} no es un ${spanish}.`,
      es,
    ]);
  }
  if (text === '') {
    const words = [`${name} is empty.`, 'Give it a value.', `${name} está vacío.`, 'Dale un valor.'] as const;
    return errorItem(pointer, 'EMPTY_FIELD', words);
  }
  if (wordsOf(schema)?.includes(text) ?? true) return null;
  const { en, es } = remedyOf(schema);
  return errorItem(pointer, 'INVALID_PARAMETER', [`${name} is another word.`, en, `${name} es otra palabra.`, es]);
}
