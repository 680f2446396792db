import { invalidParameter, type Problem } from '../error-catalogue.ts';
import type { Schema } from './json-schema.ts';

type QueryParameter = { readonly name: string; readonly schema: Schema; readonly allowEmptyValue?: boolean };

type Query = Record<string, string | number | undefined>;

/**
 * Parses the query parameters of an operation by their schemas. An integer within its bounds becomes a number; a text
 * must be in its `enum`, if it has one, and must not be empty or blank if its `minLength` is 1. A missing parameter is
 * undefined, and so is an empty one with `allowEmptyValue`. An unknown parameter is refused unless `anyQuery`: a filter
 * with a spelling mistake would list everything. Throws `Problem` `INVALID_PARAMETER`.
 */
export function readQuery(parameters: readonly QueryParameter[], sent: unknown, anyQuery = false): Query {
  const values = sent as Readonly<Record<string, unknown>>;
  const names = parameters.map(({ name }) => name);
  const unknown = anyQuery ? undefined : Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined) throw unknownParameter(unknown, names);
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, readParameter(parameter, values)]));
}

/** A stranger chose the name, so the response quotes only its beginning. */
function unknownParameter(name: string, names: readonly string[]): Problem {
  const shown = name.slice(0, 64);
  return invalidParameter(
    `${shown} is not a parameter here. Send only ${names.join(', ')}.`,
    `${shown} no es un parámetro aquí. Envía solo ${names.join(', ')}.`,
  );
}

type Keywords = { type?: string; minimum?: number; maximum?: number; minLength?: number; enum?: readonly string[] };

function readParameter({ name, schema, allowEmptyValue }: QueryParameter, sent: Readonly<Record<string, unknown>>) {
  const value = sent[name];
  if (value === undefined || (value === '' && allowEmptyValue === true)) return undefined;
  if (typeof value !== 'string') throw invalidParameter(`Send ${name} once.`, `Envía ${name} una vez.`);
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, minLength, enum: texts } = schema as Keywords;
  if (type === 'integer') {
    const number = /^(?:0|[1-9]\d{0,15})$/.test(value) ? Number(value) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw invalidParameter(
      `${name} is a whole number from ${minimum} to ${maximum}.`,
      `${name} es un número entero de ${minimum} a ${maximum}.`,
    );
  }
  if (minLength === 1 && value.trim() === '')
    throw invalidParameter(`${name} is empty: leave it out.`, `${name} está vacío: no lo envíes.`);
  if (texts === undefined || texts.includes(value)) return value;
  throw invalidParameter(`${name} is ${texts.join(' or ')}.`, `${name} es ${texts.join(' o ')}.`);
}
