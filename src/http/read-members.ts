import type { FastifyRequest } from 'fastify';
import type { Field } from '../../sdk/src/field.ts';
import { readJsonFields } from '../../sdk/src/read-json-fields.ts';
import { type ErrorItem, Problem } from '../error-catalogue.ts';
import { pointerTo } from './send-problem.ts';

/** What a flat JSON body holds: the kind of each member (`any`: it is not looked at), and whether it may be left out. */
export type MemberShape = Record<string, { kind: Kind; optional?: true }>;

type Kind = 'string' | 'number' | 'any';

/** The text of each member; of a number the digits as they were written. */
export type Members<Shape extends MemberShape> = {
  [Name in keyof Shape]: Shape[Name] extends { optional: true } ? string | null : string;
};

/**
 * Reads a flat JSON body strictly: no unknown member, none twice, no required one missing or empty.
 * Throws `SigningError` (400) for what is no JSON object, `Problem` `INVALID_BODY` with everything that is wrong.
 */
export function readMembers<const Shape extends MemberShape>(request: FastifyRequest, shape: Shape): Members<Shape> {
  const fields = readJsonFields((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  const members: Record<string, string | null> = {};
  const errors: ErrorItem[] = [];
  for (const [name, { kind, optional }] of Object.entries(shape)) {
    const field = fields.find((candidate) => candidate.name === name);
    members[name] = field?.text ?? null;
    const error = field === undefined ? (optional ? null : missing(name)) : faultOf(field, kind);
    if (error !== null) errors.push(error);
  }
  for (const { name } of fields) if (!Object.hasOwn(shape, name)) errors.push(unknownMember(name, Object.keys(shape)));
  const [first, ...others] = errors;
  if (first !== undefined) throw invalidBody([first, ...others]);
  return members as Members<Shape>;
}

/** The refusal of a body for these reasons; the first is the detail. */
export function invalidBody(errors: [ErrorItem, ...ErrorItem[]]): Problem {
  const [{ message, fix }] = errors;
  return new Problem('INVALID_BODY', { detail: `${message} ${fix}`, errors });
}

/** A name that the object at `parent` may not have. A stranger chose it, so an answer repeats only its beginning. */
export function unknownMember(name: string, known: readonly string[], parent = ''): ErrorItem {
  const shown = name.slice(0, 64);
  return {
    pointer: parent + pointerTo(shown),
    code: 'UNKNOWN_FIELD',
    message: `${shown} does not belong here.`,
    fix: `Send only ${known.join(', ')}.`,
  };
}

function missing(name: string): ErrorItem {
  return { pointer: `/${name}`, code: 'MISSING_FIELD', message: `${name} is missing.`, fix: 'Send it.' };
}

function faultOf({ name, kind, text }: Field, expected: Kind): ErrorItem | null {
  if (expected === 'any') return null;
  const pointer = `/${name}`;
  if (kind !== expected) {
    return { pointer, code: 'INVALID_TYPE', message: `${name} is not a ${expected}.`, fix: `Send a ${expected}.` };
  }
  if (text === '') return { pointer, code: 'EMPTY_FIELD', message: `${name} is empty.`, fix: 'Give it a value.' };
  return null;
}
