import { currencyExponent } from '../../protocol/currency-exponents.ts';

/** An open order of the shop. `amount` is in minor units. */
export type ChaosOrder = { reference: string; amount: number; currency: string };

/** The orders that a run with a seed tells of, unless the shop names orders of its own. */
export function ordersOf(seed: number, count: number): ChaosOrder[] {
  return Array.from({ length: count }, (_, at) => ({
    reference: `CHAOS-${seed}-${String(at + 1).padStart(2, '0')}`,
    amount: 12_990,
    currency: 'CLP',
  }));
}

/** Orders as JSON: `[{"reference": …, "amount": …, "currency": …}]`. Null where it is something else, or names one twice. */
export function readOrders(json: string): ChaosOrder[] | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return null;
  }
  if (!Array.isArray(value) || !value.every(isOrder)) return null;
  const references = new Set(value.map(({ reference }) => reference));
  return references.size === value.length ? value : null;
}

function isOrder(value: unknown): value is ChaosOrder {
  const { reference, amount, currency } = (value ?? {}) as Partial<Record<keyof ChaosOrder, unknown>>;
  return (
    typeof reference === 'string' &&
    /^[\x21-\x7e]{1,80}$/.test(reference) &&
    Number.isSafeInteger(amount) &&
    (amount as number) > 1 &&
    typeof currency === 'string' &&
    currencyExponent(currency) !== undefined
  );
}
