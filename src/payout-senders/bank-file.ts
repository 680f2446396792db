import type { InBoth } from '../error-catalogue.ts';
import { writeWorkbook } from '../lib/tables/write-workbook.ts';

/** The kinds of accounts, as banks call them: checking (corriente), savings (ahorro), sight (vista, CuentaRUT, prepaid). */
export type AccountType = 'checking' | 'savings' | 'sight';

/** One transfer of a file. `rut` is canonical (`12345678-5`), `amount` whole pesos, `reference` ours. */
export type FileLine = {
  readonly reference: string;
  readonly rut: string;
  readonly name: string;
  readonly email: string | null;
  readonly bankCode: string;
  readonly account: string;
  readonly amount: number;
  readonly message: string;
  readonly accountType: AccountType | null;
};

/** The payer, whose account is debited. `agreement`: the number of the contract with the bank. `day` such as `2026-01-15`. */
export type Payer = {
  readonly rut: string;
  readonly name: string;
  readonly account: string;
  readonly agreement: string;
  readonly day: string;
};

/**
 * How a bank takes transfers. `sure` says how well its layout is known: `several` sources agree, `one` source, or `weak`.
 * `needs`: what of the payer, and of the lines, it cannot do without.
 */
export type BankFileFormat = {
  readonly code: string;
  readonly means: InBoth;
  readonly sure: 'several' | 'one' | 'weak';
  readonly extension: 'txt' | 'csv' | 'xlsx';
  readonly mostLines: number;
  readonly needs: readonly ('rut' | 'name' | 'agreement' | 'accountTypes')[];
  /** Whether it asks the kind of the account of a line. Without it: of every line, where it `needs` the kinds. */
  asksTypeOf?(line: FileLine): boolean;
  /** Characters that the bank takes in no name of a file. */
  readonly nameLeavesOut?: RegExp;
  /** The same lines always make the same text; a workbook the same cells. */
  write(payer: Payer, lines: readonly FileLine[]): Buffer | Promise<Buffer>;
};

/** Letters without accents, digits and what every bank takes; anything else is a space. At most `most` characters. */
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

/** The same in capitals, digits and spaces alone. */
export function capitals(text: string, most: number): string {
  return plain(text, 1000)
    .replace(/[^A-Za-z0-9 ]/g, ' ')
    .replace(/ {2,}/g, ' ')
    .toUpperCase()
    .trim()
    .slice(0, most)
    .trim();
}

/** Digits and check character without the hyphen. */
export function bareRut(rut: string): string {
  return rut.replace(/[.-]/g, '').toUpperCase();
}

/** The two parts of a RUT. */
export function partsOfRut(rut: string): { number: string; check: string } {
  const bare = bareRut(rut);
  return { number: bare.slice(0, -1), check: bare.slice(-1) };
}

/** Right-aligned with zeros. Throws where it does not fit: a digit that is cut is another amount or another account. */
export function zeros(text: string | number, width: number): string {
  return fitting(String(text), width).padStart(width, '0');
}

/** Left-aligned with blanks; what does not fit is cut, so it is for words alone. */
export function blanks(text: string, width: number): string {
  return text.slice(0, width).padEnd(width, ' ');
}

/** A line that the layout of a bank cannot hold. `why` follows a colon. */
export class UnfitLine extends RangeError {
  readonly why: InBoth;

  constructor(why: InBoth) {
    super(why.en);
    this.why = why;
  }
}

/** Throws `UnfitLine` where a number is longer than its field. */
export function fitting(text: string, width: number): string {
  if (text.length <= width) return text;
  throw new UnfitLine({
    en: `a field of ${width} characters cannot hold ${text.length}`,
    es: `en un campo de ${width} caracteres no caben ${text.length}`,
  });
}

/** An e-mail address that fits whole and can do no harm in a file; else nothing: one that is cut is somebody else's. */
export function mailOf({ email }: Pick<FileLine, 'email'>, most: number): string {
  return email !== null && email.length <= most && /^[\w.%+-]+@[\w.-]+$/.test(email) ? email : '';
}

/** A row of text, with what separates its cells taken out of them. */
export function row(cells: readonly (string | number)[], separator: string): string {
  return cells.map((cell) => String(cell).replaceAll(separator, ' ')).join(separator);
}

/** Text of every bank: none needs more than ASCII. */
export function ascii(lines: readonly string[], lineEnd: '\n' | '\r\n'): Buffer {
  return Buffer.from(lines.map((line) => line + lineEnd).join(''), 'latin1');
}

/** A sheet of an .xlsx as the templates of banks are: no cell has a style. */
export function workbook(sheet: string, rows: readonly (readonly (string | number)[])[]): Promise<Buffer> {
  return writeWorkbook(sheet, rows, { heading: false });
}
