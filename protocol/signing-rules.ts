import type { Field } from './field.ts';
import {
  CALLBACK_FIELDS,
  type CallbackField,
  KNOWN_NAMES,
  REQUEST_FIELDS,
  type RequestField,
  SIGNATURE_FIELD,
  UNSIGNED_FIELDS,
  type UnsignedField,
} from './field-names.ts';
import { type Problem, problem } from './signing-error.ts';

/** The outcome of rules 1 to 4. Only without problems is `values` complete and the signed message unambiguous. */
export type CheckedFields<Name extends string> = {
  problems: Problem[];
  /** The text of every signed field; a number keeps its source text. */
  values: Record<Name, string>;
  /** The received signature in any format. Null is not a problem here: before signing there is no signature. */
  signature: string | null;
  /** The JSON text of the unsigned objects that were sent. */
  objects: Partial<Record<UnsignedField, string>>;
};

/**
 * Checks a request against the rules that give a signature one meaning: the closed set of names (1), text only (3), no
 * field name inside a value (4). Rule 2 concerns the names themselves and is a test. Reports every problem at once.
 */
export function checkRequestFields(fields: readonly Field[]): CheckedFields<RequestField> {
  return checkFields(fields, REQUEST);
}

/** Checks a callback in the same way: nine signed names, strings only, no objects. */
export function checkCallbackFields(fields: readonly Field[]): CheckedFields<CallbackField> {
  return checkFields(fields, CALLBACK);
}

type MessageShape<Name extends string> = {
  signed: readonly Name[];
  /** Published clients send these as JSON numbers. Their source text is the value. */
  numeric: readonly Name[];
  unsigned: readonly UnsignedField[];
  /** A separate literal for each shape, so that all values of one kind share a hidden class. */
  blank: () => Record<Name, string>;
};

const REQUEST: MessageShape<RequestField> = {
  signed: REQUEST_FIELDS,
  numeric: ['x_amount', 'x_reference'],
  unsigned: UNSIGNED_FIELDS,
  blank: () => ({
    x_account_id: '',
    x_amount: '',
    x_currency: '',
    x_customer_email: '',
    x_reference: '',
    x_session_id: '',
    x_shop_country: '',
    x_url_callback: '',
    x_url_cancel: '',
    x_url_complete: '',
  }),
};

const CALLBACK: MessageShape<CallbackField> = {
  signed: CALLBACK_FIELDS,
  numeric: [],
  unsigned: [],
  blank: () => ({
    x_account_id: '',
    x_amount: '',
    x_currency: '',
    x_gateway_reference: '',
    x_message: '',
    x_reference: '',
    x_result: '',
    x_test: '',
    x_timestamp: '',
  }),
};

function checkFields<Name extends string>(fields: readonly Field[], shape: MessageShape<Name>): CheckedFields<Name> {
  const checked: CheckedFields<Name> = { problems: [], values: shape.blank(), signature: null, objects: {} };
  for (const field of fields) {
    if (isOneOf(shape.signed, field.name)) takeSigned(field, field.name, shape, checked);
    else if (field.name === SIGNATURE_FIELD) takeSignature(field, checked);
    else if (isOneOf(shape.unsigned, field.name)) takeObject(field, field.name, checked);
    else checked.problems.push(problem('UNKNOWN_FIELD', field.name));
  }
  for (const name of shape.signed) {
    // A field that was sent and refused already has its problem.
    const missing = checked.values[name] === '' && !fields.some((field) => field.name === name);
    if (missing) checked.problems.push(problem('MISSING_FIELD', name));
  }
  return checked;
}

function isOneOf<Name extends string>(names: readonly Name[], name: string): name is Name {
  return (names as readonly string[]).includes(name);
}

function takeSigned<Name extends string>(
  field: Field,
  name: Name,
  shape: MessageShape<Name>,
  checked: CheckedFields<Name>,
): void {
  const accepted = field.kind === 'string' || (field.kind === 'number' && shape.numeric.includes(name));
  if (!accepted) checked.problems.push(problem('INVALID_TYPE', name));
  else if (field.text === '') checked.problems.push(problem('EMPTY_FIELD', name));
  else if (field.text.includes('x_')) takeIfUnambiguous(field, name, checked);
  else checked.values[name] = field.text;
}

/**
 * Applies rule 4: a value may contain `x_`, but not a whole name, because a boundary of the message could be read
 * inside it.
 */
function takeIfUnambiguous<Name extends string>(field: Field, name: Name, checked: CheckedFields<Name>): void {
  const contained = ANY_KNOWN_NAME.exec(field.text);
  if (contained === null) checked.values[name] = field.text;
  else checked.problems.push(problem('AMBIGUOUS_FIELD', name, contained[0]));
}

function takeSignature(field: Field, checked: CheckedFields<string>): void {
  if (field.kind !== 'string') checked.problems.push(problem('INVALID_TYPE', SIGNATURE_FIELD));
  else if (field.text === '') checked.problems.push(problem('EMPTY_FIELD', SIGNATURE_FIELD));
  else checked.signature = field.text;
}

function takeObject(field: Field, name: UnsignedField, checked: CheckedFields<string>): void {
  if (field.kind !== 'object') checked.problems.push(problem('INVALID_TYPE', name));
  else checked.objects[name] = field.text;
}

const ANY_KNOWN_NAME = new RegExp(KNOWN_NAMES.join('|'));
