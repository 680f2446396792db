import { type HeaderRule, namesForPerson, type Places, repeatedColumn } from '../lib/tables/find-header.ts';
import type { TableRow } from '../lib/tables/table.ts';
import { readRut } from './rut.ts';

/** `checkCharacter` has a column of its own in payroll files. */
export type AccountColumn = 'rut' | 'bank' | 'account' | 'checkCharacter';

/** How people name the columns of a table of bank accounts, the surest names first. */
export const ACCOUNT_TABLE: HeaderRule<AccountColumn> = {
  names: {
    rut: [
      /^(rut|run)$/,
      /^(rut|run)(de)?(l|la)?(titular|beneficiari[oa]|destinatari[oa]|cliente|proveedor|persona|trabajador|empleado|holder)$/,
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
    checkCharacter: [/^(dv|digitoverificador|digverif|checkdigit)$/],
  },
  isHeader: ({ rut, bank, account }) => rut !== null && bank !== null && account !== null,
};

/** The columns of a file whose first row is data already: it begins with a RUT. Null where they cannot be told. */
export function columnsWithoutHeader(first: readonly string[]): Places<AccountColumn> | null {
  const startsWithData = first.length >= 3 && readRut(first[0]).valid && /^\d{1,3}$/.test(first[1] ?? '');
  return startsWithData ? { rut: 0, bank: 1, account: 2, checkCharacter: null } : null;
}

/** What to tell whoever sent a table without a header row. It repeats no data. */
export function columnsUnknown(rows: readonly TableRow[]): string {
  const repeated = rows.map(({ cells }) => repeatedColumn(cells, ACCOUNT_TABLE.names)).find((found) => found !== null);
  if (repeated !== undefined) {
    const { column, names } = repeated;
    return `The first row names the column ${column} twice: ${names.join(' | ')}. Rename all but one.`;
  }
  return `Which columns are RUT, bank and account? Name them rut, bank and account in the first row. Found: ${namesForPerson(rows[0]?.cells ?? [])}`;
}
