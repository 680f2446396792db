import type { Field } from './field.ts';
import { SIGNATURE_FIELD } from './field-names.ts';

/**
 * Returns the text to sign: name and value of every field whose name starts with `x_`, except `x_signature`, sorted by
 * name and joined without separators. A string counts as its decoded text, a number or boolean as its JSON source.
 * Null, objects and arrays are left out, with their names.
 *
 * The message identifies the fields only if they have passed `checkRequestFields` or `checkCallbackFields`.
 */
export function signingMessage(fields: readonly Field[]): string {
  const signed: Field[] = [];
  for (const field of fields) {
    if (isSigned(field)) insertByName(signed, field);
  }
  let message = '';
  for (const field of signed) message += field.name + field.text;
  return message;
}

function isSigned(field: Field): boolean {
  return (
    field.name.startsWith('x_') && field.name !== SIGNATURE_FIELD && field.kind !== 'null' && field.kind !== 'object'
  );
}

function insertByName(sorted: Field[], field: Field): void {
  let place = sorted.length;
  // Comparing UTF-16 gives byte order here, because known names are ASCII.
  while (place > 0 && field.name < (sorted[place - 1] as Field).name) place--;
  // Most clients send the fields in order already.
  if (place === sorted.length) sorted.push(field);
  else sorted.splice(place, 0, field);
}
