import { MOST_COLUMNS, type TableRow } from './table.ts';

/** The index of each column in a row, from 0; null for a missing column. */
export type Places<Column extends string> = Readonly<Record<Column, number | null>>;

export type HeaderRule<Column extends string> = {
  /**
   * Patterns for the names of each column, the most certain first. Names are compared in small letters and digits:
   * `Código Banco` is `codigobanco`.
   */
  readonly names: Readonly<Record<Column, readonly RegExp[]>>;
  /** Returns whether a row with these names is the header row. */
  readonly isHeader: (places: Places<Column>) => boolean;
};

export type Header<Column extends string> = { readonly row: TableRow; readonly places: Places<Column> };

/** The header row must be among the first 50 rows, below any titles, dates and logos. */
export const HEADER_WITHIN_ROWS = 50;

/** Normalises a name for comparison: small letters and digits, without accents, spaces and punctuation. */
function plainName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/**
 * Returns the names of a row. Text has rows of thousands of columns, and each name is compared with dozens of patterns.
 */
function plainNames(cells: readonly string[]): string[] {
  return cells.slice(0, MOST_COLUMNS).map(plainName);
}

/** Finds the columns of a row. A column that two names match equally well gets no place: see `repeatedColumn`. */
export function placeColumns<Column extends string>(
  cells: readonly string[],
  names: HeaderRule<Column>['names'],
): Places<Column> {
  const plain = plainNames(cells);
  const entries = columnsOf(names).map((column): [Column, number | null] => {
    const [place = null, ...others] = placesOf(plain, names[column]);
    return [column, others.length === 0 ? place : null];
  });
  return Object.fromEntries(entries) as Places<Column>;
}

/** Returns a column that a row names more than once, with its names, or null. */
export function repeatedColumn<Column extends string>(
  cells: readonly string[],
  names: HeaderRule<Column>['names'],
): { column: Column; names: string[] } | null {
  const plain = plainNames(cells);
  for (const column of columnsOf(names)) {
    const places = placesOf(plain, names[column]);
    if (places.length > 1) return { column, names: places.map((place) => cells[place] as string) };
  }
  return null;
}

/** Formats a row for a person: long names are cut, and names with digits become … because they are data. */
export function namesForPerson(cells: readonly string[]): string {
  const names = cells.slice(0, 40).map((name) => (/\d/.test(name) ? '…' : name.trim().slice(0, 40)));
  return names.filter((name) => name !== '').join(' | ') || 'nothing';
}

function columnsOf<Column extends string>(names: HeaderRule<Column>['names']): Column[] {
  return Object.keys(names) as Column[];
}

/** Returns every place of the most certain name that occurs. */
function placesOf(plain: readonly string[], patterns: readonly RegExp[]): number[] {
  for (const pattern of patterns) {
    const found = plain.flatMap((name, place) => (pattern.test(name) ? [place] : []));
    if (found.length > 0) return found;
  }
  return [];
}
