/**
 * The state of an order, as the shop tells it. `text` is its state in the shop's own word; `counts` are the numbers that say
 * how often it was carried out, by their names: deliveries, payments, credits.
 */
export type OrderState = { text: string; counts: Readonly<Record<string, number>> };

const STATE_NAMES = new Set(['state', 'status', 'estado', 'order_state', 'orderstate', 'order_status', 'orderstatus']);
const COUNT_NAME = /paid|payment|deliver|fulfil|ship|credit|count|times|done|pagad|entreg|envi|abon/i;
/** Numbers of other things. */
const NOT_COUNTS = /amount|monto|price|total|callback|received|attempt|version|_at$|At$|id$/;
const DEEPEST = 3;
const LONGEST_TEXT = 64;

/** Reads an answer of the shop about an order. Null where no state can be found in it. */
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
  return { text: String(said), counts: Object.fromEntries(members.filter(isCount)) as Record<string, number> };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body.trim();
  }
}

function textState(text: string): OrderState | null {
  return text === '' || text.length > LONGEST_TEXT || text.includes('<') ? null : { text, counts: {} };
}

type Member = [name: string, value: string | number | boolean];

/** Members of objects within objects too; of a list, its length. */
function membersOf(value: object, depth = 1): Member[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): Member[] => {
    if (typeof member === 'string' || typeof member === 'number' || typeof member === 'boolean')
      return [[name, member]];
    if (Array.isArray(member)) return [[name, member.length]];
    return typeof member === 'object' && member !== null && depth < DEEPEST ? membersOf(member, depth + 1) : [];
  });
}
