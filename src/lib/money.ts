import { currencyExponent } from '../../protocol/currency-exponents.ts';
import { groupThousands, trimEnd } from '../../protocol/plain-text.ts';
import { rawJson, type Sum } from './exact-sum.ts';

/**
 * Minor units as a decimal with two digits after the point, whatever the currency: 5000 CLP is `5000.00`. A third and a
 * fourth stand there only for what two cannot say, because readers of `x_amount` expect two.
 */
export function formatDecimal(minorUnits: Sum, currency: string): string {
  if (minorUnits < 0) return `-${formatDecimal(-minorUnits, currency)}`;
  const exponent = currencyExponent(currency) ?? 2;
  const digits = String(minorUnits).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent).padEnd(2, '0');
  return `${whole}.${fraction.slice(0, 2)}${trimEnd(fraction.slice(2), '0')}`;
}

/** Minor units without decimals that the currency has not: 5000 CLP is `5000`, 1055 USD `10.55`. `parseTyped` reads it. */
export function formatPlain(minorUnits: Sum, currency: string): string {
  const decimal = formatDecimal(minorUnits, currency);
  return currencyExponent(currency) === 0 ? decimal.replace(/\.00$/, '') : decimal;
}

/** How a sentence says money: `$12.990 CLP`, as it is written in Chile, `12.990 PYG`, `1234.50 USD`. */
export function formatMoney(minorUnits: Sum, currency: string): string {
  const plain = formatPlain(minorUnits, currency);
  const grouped = currencyExponent(currency) === 0 ? groupThousands(plain, '.') : plain;
  return `${currency === 'CLP' ? grouped.replace(/^-?/, '$&$$') : grouped} ${currency}`;
}

/**
 * A decimal as programs write it, in minor units, or null for another text. Digits beyond the decimals of the currency are
 * zeros, and no more than the two that some clients send for every currency: in `1.000` CLP the point may stand between
 * thousands.
 */
export function parseDecimal(text: string, currency: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,11})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const exponent = currencyExponent(currency);
  if (whole === undefined || exponent === undefined || fraction.length > Math.max(2, exponent)) return null;
  if (/[1-9]/.test(fraction.slice(exponent))) return null;
  return Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
}

/** The same as a person types it: no more decimals than the currency has, so for CLP no point at all. */
export function parseTyped(text: string, currency: string): number | null {
  const [, fraction = ''] = text.split('.');
  const tooMany = text.includes('.') && fraction.length > (currencyExponent(currency) ?? 0);
  return tooMany ? null : parseDecimal(text, currency);
}

/**
 * The number that existing clients read an amount as: 1055 cents are 10.55. For answers only; it is never computed with. Beyond
 * the fifteen digits that every number holds it stands for the digits themselves, so the answer has all of them.
 */
export function toDecimalNumber(minorUnits: Sum, currency: string): number {
  if (typeof minorUnits === 'bigint' || Math.abs(minorUnits) >= 1e15) {
    return rawJson(trimEnd(trimEnd(formatDecimal(minorUnits, currency), '0'), '.'));
  }
  return minorUnits / 10 ** (currencyExponent(currency) ?? 2);
}
