import type { TableRow } from './table.ts';

/** Where each column stands in a row, from 0; null for one that is not there. */
export type Places<Column extends string> = Readonly<Record<Column, number | null>>;

export type HeaderRule<Column extends string> = {
  /**
   * The names that each column may have, in small letters and digits alone (`Código Banco` is `codigobanco`): the surest names
   * first.
   */
  readonly names: Readonly<Record<Column, readonly RegExp[]>>;
  /** Whether a row with these names is the header row. */
  readonly isHeader: (places: Places<Column>) => boolean;
};

export type Header<Column extends string> = { readonly row: TableRow; readonly places: Places<Column> };

/** Titles, dates and logos stand above a table, but no more than this. */
export const HEADER_WITHIN_ROWS = 50;

/** A name as it is compared: small letters and digits, without accents, spaces and punctuation. */
function plainName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** Where the columns of a row stand. A column that two names fit equally well stands nowhere: see `repeatedColumn`. */
export function placeColumns<Column extends string>(
  cells: readonly string[],
  names: HeaderRule<Column>['names'],
): Places<Column> {
  const plain = cells.map(plainName);
  const entries = columnsOf(names).map((column): [Column, number | null] => {
    const [place = null, ...others] = placesOf(plain, names[column]);
    return [column, others.length === 0 ? place : null];
  });
  return Object.fromEntries(entries) as Places<Column>;
}

/** A column that a row names more than once, and how, or null. */
export function repeatedColumn<Column extends string>(
  cells: readonly string[],
  names: HeaderRule<Column>['names'],
): { column: Column; names: string[] } | null {
  const plain = cells.map(plainName);
  for (const column of columnsOf(names)) {
    const places = placesOf(plain, names[column]);
    if (places.length > 1) return { column, names: places.map((place) => cells[place] as string) };
  }
  return null;
}

/** A row as it may be shown to a person: names cut short, and … for what holds digits, because that is data. */
export function namesForPerson(cells: readonly string[]): string {
  const names = cells.slice(0, 40).map((name) => (/\d/.test(name) ? '…' : name.trim().slice(0, 40)));
  return names.filter((name) => name !== '').join(' | ') || 'nothing';
}

function columnsOf<Column extends string>(names: HeaderRule<Column>['names']): Column[] {
  return Object.keys(names) as Column[];
}

/** Every place that has the surest name that occurs. */
function placesOf(plain: readonly string[], patterns: readonly RegExp[]): number[] {
  for (const pattern of patterns) {
    const found = plain.flatMap((name, place) => (pattern.test(name) ? [place] : []));
    if (found.length > 0) return found;
  }
  return [];
}
