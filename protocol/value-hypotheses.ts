import type { Field } from './field.ts';
import { objectPrintings } from './object-printings.ts';
import type { CauseCode } from './signature-causes.ts';
import { type Draft, type Hypothesis, withParts, withText } from './signing-draft.ts';
import {
  booleanPrintings,
  END_CHANGES,
  NULL_PRINTINGS,
  numberPrintings,
  TEXT_CHANGES,
  type ValueChange,
} from './value-changes.ts';

/** Lists hypotheses about another text of a value: how it was printed, encoded, trimmed. */
export function valueHypotheses(fields: readonly Field[]): Hypothesis[] {
  const signed = fields.filter((field) => field.name.startsWith('x_') && field.name !== 'x_signature');
  const texts = signed.filter((field) => field.kind === 'string' || field.kind === 'number');
  const objects = signed.filter((field) => field.kind === 'object');
  return [
    ...signed.flatMap((field) => printingsOf(field).map(([code, text]) => printing(code, field, text))),
    ...(objects.length > 1 ? printingAll(objects) : []),
    ...texts.flatMap((field) => TEXT_CHANGES.map((change) => changing(field.name, change))),
    ...TEXT_CHANGES.map(changingAll),
    ...texts.flatMap((field) => END_CHANGES.map((change) => changing(field.name, change))),
    ...texts.map(({ name }) => changing(name, { code: 'EMPTY_WHEN_SIGNED', change: () => '' })),
  ];
}

// Many programs hold these fields as numbers before they become text.
const NUMERIC_FIELDS: readonly string[] = ['x_amount', 'x_reference', 'x_session_id', 'x_gateway_reference'];

/** Returns the texts that another language may print for a value, with the code of the mistake. */
function printingsOf({ name, kind, text }: Field): [CauseCode, string][] {
  if (kind === 'null') return NULL_PRINTINGS.map((printed) => ['NULL_PRINTED', printed]);
  if (kind === 'object') return objectPrintings(text).map((printed) => ['OBJECT_SIGNED', printed]);
  const booleans = booleanPrintings(kind === 'boolean' || name === 'x_test' ? text : '');
  const numbers = kind === 'number' || NUMERIC_FIELDS.includes(name) ? numberPrintings(text) : [];
  return [
    ...booleans.map((printed): [CauseCode, string] => ['BOOLEAN_PRINTED', printed]),
    ...numbers.map((printed): [CauseCode, string] => ['NUMBER_PRINTED_DIFFERENTLY', printed]),
  ];
}

/** Replaces the part, or adds it if the rule leaves it out, as with null and objects. */
function printing(code: CauseCode, field: Field, text: string): Hypothesis {
  const apply = (draft: Draft): Draft | null => {
    if (draft.parts.some((part) => part.name === field.name)) return withText(draft, field.name, () => text);
    return withParts(draft, [...draft.parts, { name: field.name, text, kind: 'string' }]);
  };
  return { code, field: field.name, apply };
}

/** Prints all objects in the same way. */
function printingAll(objects: readonly Field[]): Hypothesis[] {
  const ways = objects.map((field) => objectPrintings(field.text));
  const count = ways[0]?.length ?? 0;
  return Array.from({ length: count }, (_, way): Hypothesis => {
    const parts = objects.map((field, index) => ({
      name: field.name,
      text: ways[index]?.[way] ?? '',
      kind: field.kind,
    }));
    return {
      code: 'OBJECT_SIGNED',
      field: null,
      apply: (draft) =>
        withParts(draft, [...draft.parts.filter(({ name }) => !parts.some((part) => part.name === name)), ...parts]),
    };
  });
}

function changing(name: string, { code, change }: ValueChange): Hypothesis {
  return { code, field: name, apply: (draft) => withText(draft, name, change) };
}

/** Applies the same change to every value, if it changes more than one. */
function changingAll({ code, change }: ValueChange): Hypothesis {
  const apply = (draft: Draft): Draft | null => {
    const parts = draft.parts.map((part) => ({ ...part, text: change(part.text) }));
    const changed = parts.filter((part, place) => part.text !== draft.parts[place]?.text);
    return changed.length > 1 ? withParts(draft, parts) : null;
  };
  return { code, field: null, apply };
}
