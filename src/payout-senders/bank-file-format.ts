import type { InBoth } from '../error-catalogue.ts';
import { writeWorkbook } from '../lib/tables/write-workbook.ts';
import type { PayoutLine } from './payout-sender.ts';

/**
 * The payer, whose account is debited. `agreement`: the number of the contract with the bank. `day`: such as
 * `2026-01-15`.
 */
export type Payer = {
  readonly rut: string;
  readonly name: string;
  readonly account: string;
  readonly agreement: string;
  readonly day: string;
};

/**
 * A bank's file format. `sure`: how well its layout is known: `several` sources agree, `one` source, or `weak`.
 * `needs`: the data of the payer and of the lines that it requires.
 */
export type BankFileFormat = {
  readonly code: string;
  readonly means: InBoth;
  readonly sure: 'several' | 'one' | 'weak';
  readonly extension: 'txt' | 'csv' | 'xlsx';
  readonly mostLines: number;
  readonly needs: readonly ('rut' | 'name' | 'agreement' | 'accountTypes')[];
  /**
   * Returns whether the format requires the kind of a line's account. Omitted: if it `needs` the kinds, for every line.
   */
  asksTypeOf?(line: PayoutLine): boolean;
  /** Characters that the bank does not accept in the name of a file. */
  readonly nameLeavesOut?: RegExp;
  /** The same lines always give the same bytes; for a workbook, the same cells. */
  write(payer: Payer, lines: readonly PayoutLine[]): Buffer | Promise<Buffer>;
};

/**
 * Replaces accented letters by plain ones, and all but letters, digits, spaces, points, commas and hyphens by spaces.
 * Returns at most `most` characters.
 */
export function plain(text: string, most: number): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9 .,-]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
    .slice(0, most)
    .trim();
}

/** Returns the text in capitals, with letters, digits and spaces only, at most `most` characters. */
export function capitals(text: string, most: number): string {
  return plain(text, 1000)
    .replace(/[^A-Za-z0-9 ]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .toUpperCase()
    .trim()
    .slice(0, most)
    .trim();
}

/** Returns the digits and the check character without the hyphen. */
export function bareRut(rut: string): string {
  return rut.replace(/[.-]/g, '').toUpperCase();
}

/** Returns the two parts of a RUT. */
export function partsOfRut(rut: string): { number: string; check: string } {
  const bare = bareRut(rut);
  return { number: bare.slice(0, -1), check: bare.slice(-1) };
}

/**
 * Pads with zeros on the left. Throws `UnfitLine` if the text is too long: without a digit it is another amount or
 * account.
 */
export function zeros(text: string | number, width: number): string {
  return fitting(String(text), width).padStart(width, '0');
}

/** Pads with blanks on the right and cuts text that is too long, so only for words. */
export function blanks(text: string, width: number): string {
  return text.slice(0, width).padEnd(width, ' ');
}

/**
 * Data that does not fit the bank's layout. `why` is shown after a colon. `places`: of the lines with that fault, from
 * 0; empty: the payer's data.
 */
export class UnfitLine extends RangeError {
  readonly why: InBoth;
  readonly places: readonly number[];

  constructor(why: InBoth, places: readonly number[] = []) {
    super(why.en);
    this.why = why;
    this.places = places;
  }
}

/** Makes what the file has for each line. Throws `UnfitLine` with the places of all lines that have the first fault. */
export function eachLine<Made>(lines: readonly PayoutLine[], make: (line: PayoutLine, at: number) => Made): Made[] {
  const unfit: { why: InBoth; at: number }[] = [];
  const made = lines.flatMap((line, at) => {
    try {
      return [make(line, at)];
    } catch (error) {
      if (!(error instanceof UnfitLine)) throw error;
      unfit.push({ why: error.why, at });
      return [];
    }
  });
  const [first] = unfit;
  if (first === undefined) return made;
  const places = unfit.flatMap(({ why, at }) => (why.en === first.why.en ? [at] : []));
  throw new UnfitLine(first.why, places);
}

/** Returns the text, or throws `UnfitLine` if it is longer than its field. */
export function fitting(text: string, width: number): string {
  if (text.length <= width) return text;
  throw new UnfitLine({
    en: `a field of ${width} characters cannot hold ${text.length}`,
    es: `en un campo de ${width} caracteres no caben ${text.length}`,
  });
}

/**
 * Returns an e-mail address if it fits and has only harmless characters; else ''. A cut address would be another
 * person's.
 */
export function mailOf({ email }: Pick<PayoutLine, 'email'>, most: number): string {
  return email !== null && email.length <= most && /^[\w.%+-]+@[\w.-]+$/.test(email) ? email : '';
}

/** Joins cells; replaces the separator by a space inside a cell. */
export function row(cells: readonly (string | number)[], separator: string): string {
  return cells.map((cell) => String(cell).replaceAll(separator, ' ')).join(separator);
}

/** Encodes lines. No bank needs more than ASCII. */
export function ascii(lines: readonly string[], lineEnd: '\n' | '\r\n'): Buffer {
  return Buffer.from(lines.map((line) => line + lineEnd).join(''), 'latin1');
}

/** Writes an .xlsx sheet without styles, like the banks' templates. */
export function workbook(sheet: string, rows: readonly (readonly (string | number)[])[]): Promise<Buffer> {
  return writeWorkbook(sheet, rows, { heading: false });
}
