import type { Readable } from 'node:stream';
import type { HeaderRule } from '../../lib/tables/find-header.ts';
import { type Table, withTable } from '../../lib/tables/open-table.ts';
import { refuseLonger, refuseTable, refuseUnseen } from '../../lib/tables/say-table-error.ts';
import type { TableRow } from '../../lib/tables/table.ts';

/** The regulator's published list of institutions: code, name and sometimes kind. */
export type RegulatorList = {
  /** The date above the table, `YYYY-MM-DD` or `YYYY-MM`; null if there is no date. */
  readonly asOf: string | null;
  readonly entries: readonly RegulatorEntry[];
};

export type RegulatorEntry = {
  /** The line in the file. */
  readonly line: number;
  /** Three digits, with zeros that a spreadsheet dropped. Text that is not a code stays as written. */
  readonly code: string;
  readonly name: string;
  /** In the words of the list, or null. */
  readonly kind: string | null;
};

/** The file cannot be read. The message is for the user. */
export class RegulatorListError extends Error {}

type ListColumn = 'code' | 'name' | 'kind';

const LIST_TABLE: HeaderRule<ListColumn> = {
  names: {
    code: [
      /^(cod|codigo|code)(de)?(l|la)?(sbif|cmf|if|banco|institucion|entidad|institucionfinanciera)?$/,
      /^(sbif|cmf)(code)?$/,
    ],
    name: [
      /^(nombre|razonsocial|denominacion|name)(de)?(l|la)?(if|banco|institucion|entidad|institucionfinanciera)?$/,
      /^(institucion|entidad|banco|bank|institucionfinanciera|institucionesfinancieras)$/,
    ],
    kind: [/^(tipo|clase|categoria|grupo)(de)?(l|la)?(institucion|entidad|emisor)?$/],
  },
  isHeader: ({ code, name }) => code !== null && name !== null,
};

/**
 * Reads the regulator's list as downloaded: .xlsx, text with separators, or HTML. Returns null if no row names a column
 * of codes and one of names. Throws `RegulatorListError` if the file is not a table, has several or hides a row.
 */
export function readRegulatorList(source: string | Readable): Promise<RegulatorList | null> {
  return withTable(source, LIST_TABLE, readTable).catch(refuseTable(unreadable));
}

const unreadable = ({ en }: { readonly en: string }) => new RegulatorListError(en);

async function readTable(table: Table<ListColumn>): Promise<RegulatorList | null> {
  const { header, above, rows } = table;
  if (header === null) return null;
  const { places } = header;
  const cell = ({ cells }: TableRow, place: number | null) => (place === null ? '' : (cells[place] ?? '').trim());
  const entries: RegulatorEntry[] = [];
  for await (const row of rows) {
    const [code, name] = [cell(row, places.code), cell(row, places.name)];
    // Notes below the table and headings of groups have only one cell.
    if (code === '' || name === '') continue;
    refuseLonger(table, row, unreadable);
    const kind = cell(row, places.kind) || null;
    entries.push({ line: row.line, code: codeOf(code), name: name.replace(/\s+/g, ' '), kind });
  }
  await refuseUnseen(table, unreadable);
  return { asOf: dateOf(above.flatMap(({ cells }) => cells).join(' ')), entries };
}

/** Adds the zeros: a spreadsheet with numeric codes shows `1` or `1.0` for `001`. */
function codeOf(text: string): string {
  const [, digits] = /^'?(\d{1,3})(?:[.,]0)?$/.exec(text) ?? [];
  return digits === undefined ? text : digits.padStart(3, '0');
}

const MONTHS = 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' ');

/** Reads dates such as `Actualizado al 30/09/2026`, `30 de septiembre de 2026`, `Septiembre 2026` or `2026-09-30`. */
function dateOf(text: string): string | null {
  const [, isoDay] = /\b(20\d\d-[01]\d-[0-3]\d)\b/.exec(text) ?? [];
  if (isoDay !== undefined) return isoDay;
  const [, day, month, year] = /\b([0-3]?\d)[/.-]([01]?\d)[/.-](20\d\d)\b/.exec(text) ?? [];
  if (year !== undefined) return `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`;
  const [, dayOfMonth, word = '', ofYear] =
    /(?:\b([0-3]?\d) de )?\b([a-z]{4,10}) (?:del? )?(20\d\d)\b/.exec(
      text.toLowerCase().replace('setiembre', 'septiembre'),
    ) ?? [];
  const place = MONTHS.indexOf(word) + 1;
  if (place === 0) return null;
  const ofMonth = `${ofYear}-${String(place).padStart(2, '0')}`;
  return dayOfMonth === undefined ? ofMonth : `${ofMonth}-${dayOfMonth.padStart(2, '0')}`;
}
