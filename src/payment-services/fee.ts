/** The fee that the service keeps of a payment: `rate_ppm` parts of each million of its amount, and `fixed` minor units. */
export type Fee = { rate_ppm: number; fixed: number };

const MILLION = 1_000_000n;

/**
 * The fee of a payment in minor units. The part by rate is rounded half up, to a whole minor unit; what is fixed is added
 * to it. Never more than the payment itself: a payment never costs the merchant money.
 */
export function feeOf(amount: number, { rate_ppm, fixed }: Fee): number {
  // As big integers: the product of a large amount and the rate is more than a double holds.
  const byRate = (BigInt(amount) * BigInt(rate_ppm) + MILLION / 2n) / MILLION;
  return Math.min(amount, Number(byRate) + fixed);
}

/** Parts per million, such as 29500; null where the text is not such a number. */
export function readRate(text: string): number | null {
  return /^\d{1,7}$/.test(text) && Number(text) <= 1_000_000 ? Number(text) : null;
}

/** Parts per million are ten-thousandths of a per cent. */
export function perCent(ratePpm: number): number {
  return ratePpm / 10_000;
}
