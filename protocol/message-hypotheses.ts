import type { Field } from './field.ts';
import { CALLBACK_FIELDS, REQUEST_FIELDS, SIGNATURE_FIELD, UNSIGNED_FIELDS } from './field-names.ts';
import type { CauseCode } from './signature-causes.ts';
import {
  compareText,
  type Draft,
  type Hypothesis,
  type Layout,
  type Order,
  type Part,
  withParts,
} from './signing-draft.ts';
import { formEncode } from './value-changes.ts';

/** Lists hypotheses about another order of the fields, and another way to join them. */
export function shapeHypotheses(fields: readonly Field[]): Hypothesis[] {
  const sent = fields.map((field) => field.name);
  const orders: [CauseCode, Order][] = [
    ['FIELDS_NOT_SORTED', byPlaceIn(sent)],
    ['FIELDS_NOT_SORTED', byPlaceIn(DOCUMENTED_ORDER)],
    ['FIELDS_NOT_SORTED', (left, right) => compareText(right.name, left.name)],
    [
      'FIELDS_SORTED_WITH_VALUES',
      (left, right) => compareText(`${left.name},${left.text}`, `${right.name},${right.text}`),
    ],
    ['FIELDS_SORTED_WITH_VALUES', (left, right) => compareText(left.name + left.text, right.name + right.text)],
    ['FIELDS_SORTED_BY_VALUE', (left, right) => compareText(left.text, right.text)],
  ];
  return [
    ...orders.map(([code, order]): Hypothesis => {
      return { code, field: null, apply: (draft) => withParts({ ...draft, order }, draft.parts) };
    }),
    ...LAYOUTS.map(([code, layout]): Hypothesis => ({ code, field: null, apply: (draft) => ({ ...draft, layout }) })),
    ...ENDINGS.map(([code, ending]): Hypothesis => {
      const endedLayout = (layout: Layout) => (parts: readonly Part[]) => layout(parts) + ending;
      return { code, field: null, apply: (draft) => ({ ...draft, layout: endedLayout(draft.layout) }) };
    }),
    { code: 'LATIN_1', field: onlyFieldBeyondAscii(fields), apply: (draft) => ({ ...draft, encoding: 'latin1' }) },
  ];
}

/**
 * Lists hypotheses about another choice of signed fields. `apply` of an addition returns null if the part is already
 * there.
 */
export function choiceHypotheses(fields: readonly Field[]): Hypothesis[] {
  const unprefixed = fields.filter((field) => !field.name.startsWith('x_') && field.kind !== 'object');
  const sent = new Set(fields.map((field) => field.name));
  const isCallback = CALLBACK_FIELDS.every((name) => sent.has(name) || name === 'x_message');
  const notSent = (isCallback ? CALLBACK_FIELDS : [...REQUEST_FIELDS, ...UNSIGNED_FIELDS, 'x_test']).filter(
    (name) => !sent.has(name),
  );
  return [
    ...['', 'undefined', 'null', 'None'].map((text) => adding('SIGNATURE_FIELD_SIGNED', SIGNATURE_FIELD, text)),
    ...(unprefixed.length > 1 ? [addingAll(unprefixed)] : []),
    ...unprefixed.map(({ name, text }) => adding('UNPREFIXED_FIELD_SIGNED', name, text)),
    ...fields.filter(({ name }) => name.startsWith('x_')).map(({ name }) => removing(name)),
    ...notSent.flatMap((name) => likelyTexts(name).map((text) => adding('FIELD_SIGNED_BUT_NOT_SENT', name, text))),
  ];
}

/** The order in which the old documentation lists the fields. */
const DOCUMENTED_ORDER: readonly string[] = [
  'x_account_id',
  'x_amount',
  'x_currency',
  'x_reference',
  'x_customer_email',
  'x_url_complete',
  'x_url_callback',
  'x_url_cancel',
  'x_shop_country',
  'x_session_id',
];

const ENDINGS: readonly [CauseCode, string][] = [
  ['TRAILING_NEWLINE', '\n'],
  ['TRAILING_NEWLINE', '\r\n'],
];

const LAYOUTS: readonly [CauseCode, Layout][] = [
  ['SEPARATORS_ADDED', joinedBy('=', '&')],
  ['SEPARATORS_ADDED', joinedBy('=', '')],
  ['SEPARATORS_ADDED', joinedBy('', '&')],
  ['SEPARATORS_ADDED', joinedBy('=', ',')],
  ['SEPARATORS_ADDED', joinedBy('=', '|')],
  ['SEPARATORS_ADDED', joinedBy(':', ',')],
  ['SEPARATORS_ADDED', joinedBy(':', '')],
  ['SEPARATORS_ADDED', joinedBy('', ',')],
  ['SEPARATORS_ADDED', joinedBy('', '|')],
  ['SEPARATORS_ADDED', joinedBy(' ', ' ')],
  ['URL_ENCODED_MESSAGE', (parts) => parts.map(({ name, text }) => `${name}=${formEncode(text)}`).join('&')],
  ['URL_ENCODED_MESSAGE', (parts) => parts.map(({ name, text }) => `${name}=${encodeURIComponent(text)}`).join('&')],
  ...['', ',', '|', '&'].map((comma): [CauseCode, Layout] => {
    return ['NAMES_NOT_SIGNED', (parts) => parts.map(({ text }) => text).join(comma)];
  }),
  ['NAMES_CHANGED', (parts) => parts.map(({ name, text }) => name.replace(/^x_/, '') + text).join('')],
  ['NAMES_CHANGED', (parts) => parts.map(({ name, text }) => name.toUpperCase() + text).join('')],
  ['JSON_SIGNED', (parts) => jsonOf(parts, ':', ',')],
  ['JSON_SIGNED', (parts) => jsonOf(parts, ':', ',').replaceAll('/', '\\/')],
  ['JSON_SIGNED', (parts) => jsonOf(parts, ': ', ', ')],
];

function joinedBy(pair: string, comma: string): Layout {
  return (parts) => parts.map(({ name, text }) => name + pair + text).join(comma);
}

function jsonOf(parts: readonly Part[], pair: string, comma: string): string {
  const members = parts.map(({ name, kind, text }) => {
    return JSON.stringify(name) + pair + (kind === 'string' ? JSON.stringify(text) : text);
  });
  return `{${members.join(comma)}}`;
}

function byPlaceIn(names: readonly string[]): Order {
  const placeOf = (part: Part) => (names.includes(part.name) ? names.indexOf(part.name) : names.length);
  return (left, right) => placeOf(left) - placeOf(right);
}

function onlyFieldBeyondAscii(fields: readonly Field[]): string | null {
  const beyond = fields.filter(({ kind, text }) => kind === 'string' && /[^\0-\x7f]/.test(text));
  return beyond.length === 1 ? (beyond[0]?.name ?? null) : null;
}

function adding(code: CauseCode, name: string, text: string): Hypothesis {
  const apply = (draft: Draft): Draft | null => {
    if (draft.parts.some((part) => part.name === name)) return null;
    return withParts(draft, [...draft.parts, { name, text, kind: 'string' }]);
  };
  return { code, field: name, apply };
}

function addingAll(fields: readonly Field[]): Hypothesis {
  return {
    code: 'UNPREFIXED_FIELD_SIGNED',
    field: null,
    apply: (draft) => withParts(draft, [...draft.parts, ...fields]),
  };
}

function removing(name: string): Hypothesis {
  const apply = (draft: Draft): Draft | null => {
    const parts = draft.parts.filter((part) => part.name !== name);
    return parts.length === draft.parts.length ? null : { ...draft, parts };
  };
  return { code: 'FIELD_NOT_SIGNED', field: name, apply };
}

/**
 * Returns the values that a signer may have used for a missing field: nothing, null as some language prints it, or the
 * usual value.
 */
function likelyTexts(name: string): string[] {
  const usual: Record<string, string[]> = {
    x_currency: ['CLP'],
    x_products: ['Array', '[]'],
    x_shop_country: ['CL'],
    x_test: ['true', 'false', '1', '0'],
  };
  return ['', 'undefined', 'null', 'None', ...(usual[name] ?? [])];
}
