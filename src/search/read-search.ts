import { currencyExponent } from '../../protocol/currency-exponents.ts';
import { parseDecimal } from '../lib/money.ts';
import { readPayToken } from '../transactions/transaction.ts';

/** One interpretation of a text: the id of an object, or a member of the filter. */
export type SearchReading =
  | { by: 'id'; id: number }
  | { by: 'refund' | 'payment_attempt' | 'payment_link'; id: string }
  | { by: 'callback'; id: number }
  | { by: 'reference' | 'email' | 'authorization_code'; text: string }
  | AmountReading;

type AmountReading = { by: 'amount'; amount: number; currency: string };

/**
 * Lists the interpretations of a text from a search box, the most certain first: an id, a reference, an e-mail, an
 * authorisation code, a refund, a payment attempt (Webpay's buy order), an event, a pay link, a payment link, an amount
 * in any format. A search tries them all.
 */
export function readSearch(text: string): SearchReading[] {
  const term = text.trim();
  if (term === '' || term.length > 300) return [];
  const named = readNamed(term);
  if (named !== null) return [named];
  if (term.includes('@')) return [{ by: 'email', text: term }];
  const readings: SearchReading[] = [];
  if (/^[1-9]\d{0,14}$/.test(term)) readings.push({ by: 'id', id: Number(term) });
  readings.push({ by: 'reference', text: term });
  if (/^[0-9A-Za-z]{4,10}$/.test(term)) readings.push({ by: 'authorization_code', text: term });
  readings.push(...readAmounts(term));
  if (/^[1-9]\d{0,14}$/.test(term)) readings.push({ by: 'callback', id: Number(term) });
  return readings;
}

/** Parses a term whose format identifies it. */
function readNamed(term: string): SearchReading | null {
  if (/^0?rf_[0-9a-z]{20}$/.test(term)) return { by: 'refund', id: term };
  if (/^pa_[0-9a-z]{20}$/.test(term)) return { by: 'payment_attempt', id: term };
  const [, event] = /^evt_(?:\d{1,9}_)??([1-9]\d{0,14})_\d{1,9}$/.exec(term) ?? [];
  if (event !== undefined) return { by: 'id', id: Number(event) };
  const [, link] = /(?:\/link\/|^)(pl_[0-9a-z]{20})(?:[?/].*)?$/.exec(term) ?? [];
  if (link !== undefined) return { by: 'payment_link', id: link };
  const [, token] = /(?:\/pay\/|^)([0-9a-z]{1,11}-(?:[0-9a-z]{1,11}-)?[\w-]{22})(?:[?/].*)?$/.exec(term) ?? [];
  const pay = token === undefined ? null : readPayToken(token);
  return pay === null ? null : { by: 'id', id: pay.id };
}

/**
 * Parses `$12.990`, `12990 CLP`, `12.990 pesos`, `CLP 12,990`, `10,55 USD`. Without a currency it is pesos, or dollars
 * with two decimals.
 */
export function readAmounts(term: string): AmountReading[] {
  const [, before, digits = '', after] =
    /^([A-Za-z]{3})?\$?(\d[\d.,]{0,18})([A-Za-z]{3})?$/.exec(term.replace(/\s/g, '').replace(/pesos$/i, 'CLP')) ?? [];
  if (digits === '') return [];
  const [, whole = '', fraction = ''] = /^(\d+|\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?$/.exec(digits) ?? [];
  const decimal = `${whole.replace(/[.,]/g, '')}${fraction === '' ? '' : `.${fraction}`}`;
  const said = (before ?? after)?.toUpperCase();
  const currencies = said === undefined ? ['CLP', ...(fraction === '' ? [] : ['USD'])] : [said];
  return currencies.flatMap((currency): AmountReading[] => {
    const amount = currencyExponent(currency) === undefined ? null : parseDecimal(decimal, currency);
    return amount === null || amount === 0 ? [] : [{ by: 'amount', amount, currency }];
  });
}
