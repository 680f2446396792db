import { invalidParameter } from '../error-catalogue.ts';
import type { Schema } from './json-schema.ts';

type QueryParameter = { readonly name: string; readonly schema: Schema; readonly allowEmptyValue?: boolean };

type Query = Record<string, string | number | undefined>;

/**
 * Parses the query parameters of an operation by their schemas. An integer within its bounds becomes a number; a text
 * must be in its `enum`, if it has one, and must not be empty or blank if its `minLength` is 1. A missing parameter is
 * undefined, and so is an empty one with `allowEmptyValue`. Throws `Problem` `INVALID_PARAMETER`.
 */
export function readQuery(parameters: readonly QueryParameter[], sent: unknown): Query {
  const values = sent as Readonly<Record<string, unknown>>;
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, readParameter(parameter, values)]));
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
