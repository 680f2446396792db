/**
 * The state of an order, as the shop reports it. `text` is the shop's own word; `counts` are numbers that show how
 * often the order was fulfilled, by name: deliveries, payments, credits.
 */
export type OrderState = { text: string; counts: Readonly<Record<string, number>> };

const STATE_NAMES = new Set(['state', 'status', 'estado', 'order_state', 'orderstate', 'order_status', 'orderstatus']);
const COUNT_NAME = /paid|payment|deliver|fulfil|ship|credit|count|times|done|pagad|entreg|envi|abon/i;
/** Names of numbers that are not such counts. */
const NOT_COUNTS = /amount|monto|price|total|callback|received|attempt|version|_at$|At$|id$/;
const DEEPEST = 3;
const LONGEST_TEXT = 64;

/** Parses a shop's response about an order. Null if it contains no state. */
export function readOrderState(status: number, body: string): OrderState | null {
  if (status === 404) return { text: 'unknown to the shop', counts: {} };
  if (status < 200 || status > 299) return null;
  const value = parse(body);
  if (typeof value !== 'object' || value === null) return textState(String(value));
  const members = membersOf(value);
  const state = members.find(([name, member]) => STATE_NAMES.has(name.toLowerCase()) && typeof member !== 'number');
  const paid = members.find(([name]) => /^(?:is_?)?paid$/i.test(name));
  const said = state?.[1] ?? (paid === undefined ? undefined : paid[1] ? 'paid' : 'not paid');
  if (said === undefined) return null;
  const isCount = ([name, member]: Member) =>
    typeof member === 'number' && COUNT_NAME.test(name) && !NOT_COUNTS.test(name);
  return {
    text: printable(String(said)),
    counts: Object.fromEntries(members.filter(isCount)) as Record<string, number>,
  };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body.trim();
  }
}

function textState(text: string): OrderState | null {
  return text === '' || text.length > LONGEST_TEXT || text.includes('<') ? null : { text: printable(text), counts: {} };
}

/** Replaces control characters: on a terminal they could write over the verdict. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ');
}

type Member = [name: string, value: string | number | boolean];

/** Lists members, also of nested objects; for a list, its length. */
function membersOf(value: object, depth = 1): Member[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): Member[] => {
    if (typeof member === 'string' || typeof member === 'number' || typeof member === 'boolean')
      return [[name, member]];
    if (Array.isArray(member)) return [[name, member.length]];
    return typeof member === 'object' && member !== null && depth < DEEPEST ? membersOf(member, depth + 1) : [];
  });
}
