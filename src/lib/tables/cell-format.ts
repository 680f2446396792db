import type { Readable } from 'node:stream';
import { trimEnd } from '../../../protocol/plain-text.ts';
import { readXml } from './xml-events.ts';

/** How a number is shown: as it is, as a day with or without its hours, or with leading zeros to a width. */
export type CellFormat = 'plain' | 'date' | { readonly zeros: number };

/** More than a spreadsheet's 64,000. A few megabytes of a workbook could unpack to tens of millions. */
const MOST_FORMATS = 66_000;

/** The built-in date formats of spreadsheets: days, hours, and both. */
const DATES: ReadonlySet<number> = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);

/** Reads the formats of a workbook, in the order that its cells refer to. */
export async function readCellFormats(styles: Readable | null): Promise<CellFormat[]> {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  await readXml(styles, {
    onOpen: (element, { numFmtId = '0', formatCode = '' }) => {
      if (element === 'numFmt') codes.set(Number(numFmtId), formatCode);
      if (element === 'cellXfs') inCellFormats = true;
      if (element === 'xf' && inCellFormats) formats.push(formatOf(Number(numFmtId), codes));
      if (Math.max(formats.length, codes.size) > MOST_FORMATS) throw new Error('A workbook with too many formats');
    },
    onClose: (element) => {
      if (element === 'cellXfs') inCellFormats = false;
    },
  });
  return formats;
}

function formatOf(id: number, codes: ReadonlyMap<number, string>): CellFormat {
  return DATES.has(id) ? 'date' : formatOfCode(codes.get(id) ?? '');
}

/** Parses the code of a format, such as `dd/mm/yyyy`. */
export function formatOfCode(format: string): CellFormat {
  // Removes literal text, colours and conditions.
  const code = format.replace(/"[^"]*"?|\\.|\[[^\]]*\]?|_./g, '');
  if (/^0{2,}$/.test(code)) return { zeros: code.length };
  return /[dmyhs]/i.test(code) && !/^general$/i.test(code) ? 'date' : 'plain';
}

/** A point before three digits would be read as one between thousands: 123.456 as 123456. */
function withDecimals(text: string): string {
  return /^-?[1-9]\d{0,2}\.\d{3}$/.test(text) ? `${text}0` : text;
}

const DAY_MS = 86_400_000;

/**
 * Formats the number of a cell as text: decimals with a point, a day as 2026-01-15, a day with hours as 2026-01-15
 * 13:05:00.
 */
export function formatNumber(text: string, format: CellFormat, dates1904: boolean): string {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return text;
  if (format === 'date' && value >= 0 && value < 2_958_466) return formatDate(value, dates1904);
  // A spreadsheet keeps fifteen digits. A larger number is shown in a form that readers refuse.
  if (Math.abs(value) >= 1e15) {
    const [mantissa = '', power = ''] = value.toExponential(14).split('e');
    return `${trimEnd(trimEnd(mantissa, '0'), '.')}E${power}`;
  }
  const plain = Number.isInteger(value) ? String(value) : withDecimals(String(Number(value.toPrecision(15))));
  return typeof format === 'object' && /^\d+$/.test(plain) ? plain.padStart(format.zeros, '0') : plain;
}

/**
 * Converts days since the end of 1899 (January and February of 1900 are off by one, as in spreadsheets), or since the
 * start of 1904.
 */
function formatDate(value: number, dates1904: boolean): string {
  const start = dates1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const moment = new Date(start + Math.round((value * DAY_MS) / 1000) * 1000).toISOString();
  return Number.isInteger(value) ? moment.slice(0, 10) : moment.slice(0, 19).replace('T', ' ');
}
