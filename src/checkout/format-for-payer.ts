import { currencyExponent } from '../../protocol/currency-exponents.ts';
import type { Language } from '../lib/language.ts';
import { formatDecimal } from '../lib/money.ts';

const LOCALES: Record<Language, string> = { es: 'es-CL', en: 'en' };

/**
 * Formats an amount in minor units for the payer: `$5.000` in Spanish; `CLP 5,000` in English, where a bare $ would
 * mean dollars. The decimals follow ISO 4217, because `Intl` is wrong for COP, HUF and others.
 */
export function formatAmount(language: Language, amount: number, currency: string): string {
  const digits = currencyExponent(currency) ?? 2;
  const format = new Intl.NumberFormat(LOCALES[language], {
    style: 'currency',
    currency,
    currencyDisplay: language === 'en' ? 'code' : 'symbol',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // As text, because a floating-point number would lose the last digits of a large amount.
  return format.format(formatDecimal(amount, currency) as Intl.StringNumericLiteral);
}

/**
 * Formats a time (UTC milliseconds) in Chile's time zone: `15 ene 2026, 09:01`. English adds the offset at that time
 * (`GMT-3`), because the payer may be elsewhere. Short enough for one line on a small phone.
 */
export function formatTime(language: Language, milliseconds: number): string {
  const format = new Intl.DateTimeFormat(LOCALES[language], {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'America/Santiago',
    ...(language === 'en' && { timeZoneName: 'shortOffset' }),
  });
  return format.format(milliseconds);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Formats a time span for the payer, without a clock or a time zone: `45 minutes`, `3 hours`, `2 days`. */
export function formatRemaining(language: Language, milliseconds: number): string {
  if (milliseconds >= 48 * HOUR) return formatUnit(language, Math.floor(milliseconds / (24 * HOUR)), 'day');
  if (milliseconds >= 2 * HOUR) return formatUnit(language, Math.floor(milliseconds / HOUR), 'hour');
  return formatUnit(language, Math.max(1, Math.ceil(milliseconds / MINUTE)), 'minute');
}

function formatUnit(language: Language, count: number, unit: 'day' | 'hour' | 'minute'): string {
  return new Intl.NumberFormat(LOCALES[language], { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
