import { currencyExponent } from '../../sdk/src/currency-exponents.ts';

/**
 * Minor units as a decimal with two digits after the point, whatever the currency: 5000 CLP is `5000.00`. A third and a
 * fourth stand there only for what two cannot say, because readers of `x_amount` expect two.
 */
export function formatDecimal(minorUnits: number, currency: string): string {
  if (minorUnits < 0) return `-${formatDecimal(-minorUnits, currency)}`;
  const exponent = currencyExponent(currency) ?? 2;
  const scale = 10 ** exponent;
  const whole = Math.floor(minorUnits / scale);
  const fraction = String(minorUnits % scale)
    .padStart(exponent, '0')
    .padEnd(2, '0');
  return `${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`;
}

/**
 * The same read: a decimal of the currency in minor units, or null where the text is none. More digits than the currency
 * has are refused unless they are zeros, which some clients send for every currency.
 */
export function parseDecimal(text: string, currency: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,11})(?:\.(\d{1,20}))?$/.exec(text) ?? [];
  const exponent = currencyExponent(currency);
  if (whole === undefined || exponent === undefined || /[1-9]/.test(fraction.slice(exponent))) return null;
  return Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
}

/** The number that existing clients read an amount as: 1055 cents are 10.55. For answers only; it is never computed with. */
export function toDecimalNumber(minorUnits: number, currency: string): number {
  return minorUnits / 10 ** (currencyExponent(currency) ?? 2);
}
