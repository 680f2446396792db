import { currencyExponent } from '../../sdk/src/currency-exponents.ts';

/** Minor units as a decimal with two digits after the point, whatever the currency: 5000 CLP is `5000.00`. */
export function formatDecimal(minorUnits: number, currency: string): string {
  const exponent = currencyExponent(currency) ?? 2;
  const scale = 10 ** exponent;
  const whole = Math.floor(minorUnits / scale);
  const fraction = String(minorUnits % scale).padStart(exponent, '0');
  return `${whole}.${fraction.padEnd(2, '0')}`.slice(0, exponent > 2 ? undefined : String(whole).length + 3);
}
