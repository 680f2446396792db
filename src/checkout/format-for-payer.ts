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

const TWELVE_HOURS = 12 * 60 * 60 * 1000;

/**
 * Formats the end of a time limit (UTC milliseconds) in Chile's time zone: `09:01`; with the day if it is 12 hours or
 * more away, `09:01 del 16 de enero`. English adds the offset. It stays true while the page is open.
 */
export function formatDeadline(language: Language, end: number, now: number): string {
  const zone = { timeZone: 'America/Santiago' } as const;
  const time = new Intl.DateTimeFormat(LOCALES[language], {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...zone,
    ...(language === 'en' && { timeZoneName: 'shortOffset' }),
  }).format(end);
  if (end - now < TWELVE_HOURS) return time;
  const day = new Intl.DateTimeFormat(LOCALES[language], { day: 'numeric', month: 'long', ...zone }).format(end);
  return language === 'es' ? `${time} del ${day}` : `${time} on ${day}`;
}
