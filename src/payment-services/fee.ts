/** The fee that the service keeps from a payment: `rate_ppm` millionths of its amount, plus `fixed` minor units. */
export type Fee = { rate_ppm: number; fixed: number };

const MILLION = 1_000_000n;

/**
 * Computes the fee of a payment in minor units: the rate's part, rounded half up to a whole minor unit, plus the fixed
 * part, and never more than the payment.
 */
export function feeOf(amount: number, { rate_ppm, fixed }: Fee): number {
  // The product of a large amount and the rate exceeds a double, so it is computed with big integers.
  const byRate = (BigInt(amount) * BigInt(rate_ppm) + MILLION / 2n) / MILLION;
  return Math.min(amount, Number(byRate) + fixed);
}

/** Reads parts per million, such as 29500; null if the text is not a whole number up to 1000000. */
export function readRate(text: string): number | null {
  return /^\d{1,7}$/.test(text) && Number(text) <= 1_000_000 ? Number(text) : null;
}

/** Converts parts per million to per cent. */
export function perCent(ratePpm: number): number {
  return ratePpm / 10_000;
}
