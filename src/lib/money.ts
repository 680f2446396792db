import { currencyExponent } from '../../protocol/currency-exponents.ts';
import { groupThousands, trimEnd } from '../../protocol/plain-text.ts';
import { rawJson, type Sum } from './exact-sum.ts';

/**
 * Writes minor units as a decimal with two digits after the point, in every currency: 5000 CLP is `5000.00`. A third
 * and fourth digit appear only when they are not zero, because readers of `x_amount` expect two.
 */
export function formatDecimal(minorUnits: Sum, currency: string): string {
  if (minorUnits < 0) return `-${formatDecimal(-minorUnits, currency)}`;
  const exponent = currencyExponent(currency) ?? 2;
  const digits = String(minorUnits).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent).padEnd(2, '0');
  return `${whole}.${fraction.slice(0, 2)}${trimEnd(fraction.slice(2), '0')}`;
}

/**
 * Writes minor units with the decimals of the currency: 5000 CLP is `5000`, 1055 USD `10.55`. `parseTyped` reads the
 * result.
 */
export function formatPlain(minorUnits: Sum, currency: string): string {
  const decimal = formatDecimal(minorUnits, currency);
  return currencyExponent(currency) === 0 ? decimal.replace(/\.00$/, '') : decimal;
}

/** Writes money for a sentence: `$12.990 CLP`, as it is written in Chile, `12.990 PYG`, `1234.50 USD`. */
export function formatMoney(minorUnits: Sum, currency: string): string {
  const plain = formatPlain(minorUnits, currency);
  const grouped = currencyExponent(currency) === 0 ? groupThousands(plain, '.') : plain;
  return `${currency === 'CLP' ? grouped.replace(/^-?/, '$&$$') : grouped} ${currency}`;
}

/**
 * Parses a decimal as programs write it into minor units; null for any other text. Digits beyond the currency's
 * decimals must be zeros, and at most the two that some clients send for every currency: in `1.000` CLP the point may
 * be a thousands separator.
 */
export function parseDecimal(text: string, currency: string): number | null {
  const [, whole, fraction = ''] = /^(\d{1,11})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  const exponent = currencyExponent(currency);
  if (whole === undefined || exponent === undefined || fraction.length > Math.max(2, exponent)) return null;
  if (/[1-9]/.test(fraction.slice(exponent))) return null;
  return Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
}

/**
 * Parses a decimal that a person typed. It may have no more decimals than the currency, so an amount in CLP has no
 * point.
 */
export function parseTyped(text: string, currency: string): number | null {
  const [, fraction = ''] = text.split('.');
  const tooMany = text.includes('.') && fraction.length > (currencyExponent(currency) ?? 0);
  return tooMany ? null : parseDecimal(text, currency);
}

/**
 * Returns the number that existing clients expect for an amount: 1055 cents are 10.55. For responses only; never
 * compute with it. From 1e15 minor units it carries the exact digits, so the response has all of them.
 */
export function toDecimalNumber(minorUnits: Sum, currency: string): number {
  if (typeof minorUnits === 'bigint' || Math.abs(minorUnits) >= 1e15) {
    return rawJson(trimEnd(trimEnd(formatDecimal(minorUnits, currency), '0'), '.'));
  }
  return minorUnits / 10 ** (currencyExponent(currency) ?? 2);
}
