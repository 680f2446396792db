import { currencyExponent } from '../../protocol/currency-exponents.ts';

/** The decimal mark of a column's amounts; null if no amount decides it. */
export type DecimalMark = '.' | ',' | null;

type Written = { negative: boolean; digits: string };

/**
 * Splits an amount into sign and digits, without the currency; null if it is not an amount. Below 0 are `-2.000`,
 * `2.000-` and `(2.000)`.
 */
function readWritten(text: string): Written | null {
  const bare = text.replace(/[\s\u00a0\u202f']|CLP|USD|US\$|\$/gi, '').replace(/[\u2212\u2013]/g, '-');
  const [, open, digits = '', close] = /^(\(-?|-|\+)?(\d[\d.,]*?)(\)|-)?$/.exec(bare) ?? [];
  if (digits === '' || (open?.startsWith('(') === true) !== (close === ')')) return null;
  return { negative: open?.startsWith('(') === true || open === '-' || close === '-', digits };
}

/**
 * Finds the decimal mark of a column from all its amounts. An amount decides it if it has two different marks, one mark
 * without exactly three digits after it, or one mark twice. Returns `conflict` if two amounts contradict each other.
 */
export function findDecimalMark(cells: readonly { text: string; currency: string }[]): DecimalMark | 'conflict' {
  const said = new Set(cells.map(decimalMarkOf).filter((mark) => mark !== null));
  const [first = null] = said;
  return said.size > 1 ? 'conflict' : first;
}

function decimalMarkOf({ text, currency }: { text: string; currency: string }): '.' | ',' | null {
  const { digits = '' } = readWritten(text) ?? {};
  const marks = digits.match(/[.,]/g) ?? [];
  const last = marks.at(-1) as '.' | ',' | undefined;
  if (last === undefined) return null;
  if (new Set(marks).size > 1) return last;
  const isGroups = /^\d{1,3}([.,]\d{3})+$/.test(digits);
  if (!isGroups) return marks.length === 1 ? last : null;
  // With more than one group, or a currency without decimals, groups of three digits are thousands.
  const isThousands = marks.length > 1 || currencyExponent(currency) === 0;
  return isThousands ? (last === '.' ? ',' : '.') : null;
}

/**
 * Returns the amount in minor units, with its sign, or why it cannot be read. `not`: it is not an amount of the
 * currency. `two`: it is ambiguous, because nothing in the column says whether its mark separates thousands or
 * decimals.
 */
export function readSettled(text: string, currency: string, mark: DecimalMark | 'conflict'): number | 'not' | 'two' {
  const exponent = currencyExponent(currency);
  const written = readWritten(text);
  if (written === null || exponent === undefined || namesAnother(text, currency)) return 'not';
  const decimal = exponent === 0 ? wholeOf(written.digits) : decimalOf(written.digits, mark);
  if (decimal === 'not' || decimal === 'two') return decimal;
  const amount = minorUnitsOf(decimal, exponent);
  if (amount === null || amount === 0) return 'not';
  return written.negative ? -amount : amount;
}

/**
 * Returns the minor units of a decimal as `parseDecimal` does, but of more than eleven digits too: a balance or a sum
 * of a file may have them. Null if it has other decimals than the currency, or more digits than a number holds.
 */
function minorUnitsOf(decimal: string, exponent: number): number | null {
  const [whole = '', fraction = ''] = decimal.split('.');
  if (fraction.length > Math.max(2, exponent) || /[1-9]/.test(fraction.slice(exponent))) return null;
  const amount = Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return Number.isSafeInteger(amount) ? amount : null;
}

/** Returns whether the cell itself names another currency: `US$ 25,00` in a column of pesos is not 25 pesos. */
function namesAnother(text: string, currency: string): boolean {
  const [named] = /CLP|USD|US\$/i.exec(text) ?? [];
  return named !== undefined && named.toUpperCase().replace('$', 'D') !== currency;
}

/**
 * In a currency without decimals a mark before three digits separates thousands; zeros after a last mark are ignored.
 */
function wholeOf(digits: string): string {
  const [, whole = digits] = /^(.*\d)[.,]0{1,2}$/.exec(digits) ?? [];
  const isWhole = /^\d+$/.test(whole) || /^\d{1,3}(\.\d{3})+$/.test(whole) || /^\d{1,3}(,\d{3})+$/.test(whole);
  return isWhole ? whole.replace(/[.,]/g, '') : 'not';
}

function decimalOf(digits: string, mark: DecimalMark | 'conflict'): string {
  if (/^\d+$/.test(digits)) return digits;
  const own = decimalMarkOf({ text: digits, currency: 'USD' });
  const known = mark === 'conflict' ? own : (mark ?? own);
  if (known === null) return 'two';
  const thousands = known === '.' ? ',' : '.';
  const [whole = '', fraction, ...more] = digits.split(known);
  const isGrouped = /^\d+$/.test(whole) || new RegExp(`^\\d{1,3}(\\${thousands}\\d{3})+$`).test(whole);
  if (!isGrouped || more.length > 0 || fraction === '') return 'not';
  const plain = whole.replaceAll(thousands, '');
  return fraction === undefined ? plain : `${plain}.${fraction}`;
}
