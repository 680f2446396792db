import type { Language } from '../../lib/language.ts';
import { type HeaderRule, namesForPerson, type Places, repeatedColumn } from '../../lib/tables/find-header.ts';
import { isTotal, type TableRow } from '../../lib/tables/table.ts';
import type { AccountInput } from '../account-checks.ts';
import { fillIn } from '../check.ts';
import type { RutFormat } from '../rut.ts';
import { type AccountCells, isSplit } from './repair-account.ts';
import { FILE_MESSAGES } from './table-messages.ts';

/** The most characters of a name in a question. */
const LONGEST_NAME = 200;

/** `checkCharacter`: payroll files have a separate column for it. */
export type AccountColumn = 'rut' | 'bank' | 'account' | 'checkCharacter' | 'holder';

/** The names that people use for the columns of a table of bank accounts, the most certain first. */
export const ACCOUNT_TABLE: HeaderRule<AccountColumn> = {
  names: {
    rut: [
      /^(rut|run)$/,
      /^(rut|run)(de)?(l|la)?(titular|beneficiari[oa]|destinatari[oa]|cliente|proveedor|persona|trabajador|empleado|holder)$/,
      /^(rut|run)(sin|con)(dv|digito|digitoverificador)$/,
      /^(taxid|nationalid|documento)$/,
    ],
    bank: [
      /^(bankdata)?(bank)?(sbif|cmf)(number|code)?$/,
      /^(cod|codigo|code|id|nro|num|numero)(de|del)?(sbif|cmf|banco|bank|institucion)(destino)?$/,
      /^(sbif|cmf|banco|bank|institucion)(code|codigo|id|sbif|cmf|number)$/,
      /^(banco|bank)(destino)?$/,
    ],
    account: [
      /^(n|no|nro|num|numero)?(de)?(la)?(cuenta|cta)(bancaria|corriente|cte|destino|number|numero)?$/,
      /^(bankdata)?(bank)?(account|acct)(number|no|num)?$/,
    ],
    holder: [
      /^(nombre|name|razonsocial)(de)?(l|la)?(titular|beneficiari[oa]|destinatari[oa]|proveedor|trabajador|empleado|holder)$/,
      /^(titular|holder|holdername|accountholder|beneficiari[oa]|destinatari[oa])$/,
      /^(nombre|name|fullname|nombrecompleto|nombreyapellidos?|razonsocial|nombrerazonsocial)$/,
    ],
    checkCharacter: [/^(dv|digitoverificador|digverif|checkdigit)$/],
  },
  isHeader: ({ rut, bank, account }) => rut !== null && bank !== null && account !== null,
};

/** The words of `--columns`, in the order of the file; any other word is an ignored column. */
const NAMES: Readonly<Record<string, AccountColumn>> = {
  rut: 'rut',
  bank: 'bank',
  account: 'account',
  dv: 'checkCharacter',
  holder: 'holder',
};

/**
 * Reads `rut,bank,account`: one name per column, `-` for an ignored one. Returns null unless all three are present and
 * no name is repeated.
 */
export function readColumns(text: string): Places<AccountColumn> | null {
  const columns = text.split(',').map((name) => NAMES[name.trim().toLowerCase()] ?? null);
  const place = (column: AccountColumn) => (columns.includes(column) ? columns.indexOf(column) : null);
  const named = columns.filter((column) => column !== null);
  const places = {
    rut: place('rut'),
    bank: place('bank'),
    account: place('account'),
    checkCharacter: place('checkCharacter'),
    holder: place('holder'),
  };
  return ACCOUNT_TABLE.isHeader(places) && new Set(named).size === named.length ? places : null;
}

/** Returns the cells of the account in a row; missing cells are empty. */
export function accountCells(row: readonly string[], places: Places<AccountColumn>): AccountCells {
  const cell = (place: number | null) => row[place ?? -1] ?? '';
  return {
    rut: cell(places.rut),
    bank: cell(places.bank),
    account: cell(places.account),
    checkCharacter: places.checkCharacter === null ? null : cell(places.checkCharacter),
    ...(places.holder !== null && { holder: cell(places.holder) }),
  };
}

/** Returns whether a row is a line of totals: it has no RUT, no account and no bank. */
export function isTotalOfAccounts(
  row: readonly string[],
  places: Pick<Places<AccountColumn>, 'rut' | 'bank' | 'account'>,
): boolean {
  const [rut, account, bank = ''] = [places.rut, places.account, places.bank].map((place) => row[place ?? -1]);
  const hasBank = bank.trim() !== '' && !isTotal([bank]);
  return isTotal(row, [rut, account]) && !hasBank;
}

/** Returns the account of a row to validate, without spaces around the cells. */
export function accountInput(cells: AccountCells, rutFormat: RutFormat | null): AccountInput {
  const rut = cells.rut.trim();
  const whole = isSplit(cells) ? `${rut}-${cells.checkCharacter?.trim()}` : rut;
  const holderName = cells.holder?.trim().slice(0, LONGEST_NAME) || null;
  return { rut: whole, bankCode: cells.bank.trim(), account: cells.account.trim(), rutFormat, holderName };
}

/** Returns the format of the RUTs that a header states, such as `RUT sin DV`. */
export function formatOfName(name: string): RutFormat | null {
  const plain = name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z]/g, '');
  const [, word = null] = /(sin|con)(dv|digito|digitoverificador)$/.exec(plain) ?? [];
  return word === null ? null : word === 'con' ? 'with-dv' : 'without-dv';
}

/** Returns a message on how to name the columns of a table without a usable header row. It contains no data. */
export function columnsUnknown(rows: readonly TableRow[], language: Language): string {
  const repeated = rows.map(({ cells }) => repeatedColumn(cells, ACCOUNT_TABLE.names)).find((found) => found !== null);
  if (repeated !== undefined) {
    const values = { column: repeated.column, found: repeated.names.join(' | ') };
    return fillIn(FILE_MESSAGES.COLUMN_TWICE, values)[language];
  }
  return fillIn(FILE_MESSAGES.COLUMNS_UNKNOWN, { found: namesForPerson(rows[0]?.cells ?? []) })[language];
}
