import { currencyExponent } from '../../protocol/currency-exponents.ts';

/** An open order of the shop. `amount` is in minor units. */
export type ChaosOrder = { reference: string; amount: number; currency: string };

/** Returns the orders of a run with this seed, if the shop names no orders. */
export function ordersOf(seed: number, count: number): ChaosOrder[] {
  return Array.from({ length: count }, (_, at) => ({
    reference: `CHAOS-${seed}-${String(at + 1).padStart(2, '0')}`,
    amount: 12_990,
    currency: 'CLP',
  }));
}

/**
 * Parses orders from JSON: `[{"reference": …, "amount": …, "currency": …}]`. Null for any other text, or if a reference
 * is repeated.
 */
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
