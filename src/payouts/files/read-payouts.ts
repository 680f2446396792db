import type { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import { isEmail } from '../../auth/user.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import type { RutFormat } from '../../bank-validation/rut.ts';
import {
  accountCells,
  accountInput,
  formatOfName,
  isTotalOfAccounts,
} from '../../bank-validation/tables/account-columns.ts';
import { judgeColumn } from '../../bank-validation/tables/column-format.ts';
import { isSplit, plainRut, repairAccount } from '../../bank-validation/tables/repair-account.ts';
import type { Places } from '../../lib/tables/find-header.ts';
import { type Table, withTable } from '../../lib/tables/open-table.ts';
import { isCutAmount, refuseLonger, refuseTable, refuseUnseen } from '../../lib/tables/say-table-error.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import { ACCOUNT_TYPES, type AccountType } from '../../payout-senders/payout-sender.ts';
import { invalidPayout, MOST_IN_BATCH, type PayoutWish } from '../payout-wish.ts';
import { PAYOUT_TABLE, type PayoutColumn } from './payout-columns.ts';

/** The payouts of a table, each with its line number. */
export type ReadPayouts = { readonly wishes: readonly PayoutWish[]; readonly lines: readonly number[] };

/**
 * Reads payouts from a table (CSV in any usual encoding, or .xlsx) with the columns RUT, bank, account and amount, and
 * optionally name, kind of account, message, e-mail and id. Corrects accounts by the rules of `validate`. A row without an id gets
 * `prefix` and its line number. Wrong values are reported later, by row.
 *
 * Throws `Problem` INVALID_PAYOUT if the file is not such a table or has too many rows.
 */
export function readPayouts(app: App, source: string | Readable, prefix: string): Promise<ReadPayouts> {
  return withTable(source, PAYOUT_TABLE, async (table) => {
    if (table.header === null) throw invalidPayout(NO_HEADER);
    const { places, row: header } = table.header;
    const rows: TableRow[] = [];
    for await (const row of table.rows) {
      if (isTotalOfAccounts(row.cells, places)) continue;
      refuseLonger(table, row, invalidPayout);
      refuseCutAmount(table, row);
      rows.push(row);
      if (rows.length > MOST_IN_BATCH)
        throw invalidPayout({
          en: `A batch has at most ${MOST_IN_BATCH} payouts: split the file.`,
          es: `Un lote lleva como máximo ${MOST_IN_BATCH} pagos: divide el archivo.`,
        });
    }
    await refuseUnseen(table, invalidPayout);
    const wishes = await wishesOf(app, rows, { places, header, prefix });
    return { wishes, lines: rows.map(({ line }) => line) };
  }).catch(refuseTable(invalidPayout));
}

/**
 * Throws `Problem` INVALID_PAYOUT if commas may have cut an amount of 12,990 into 12 and a message or id of 990: a line
 * that leaves its last cell out is no longer than the others then.
 */
function refuseCutAmount({ dialect, header }: Table<PayoutColumn>, { line, cells }: TableRow): void {
  const { amount = null, rut, bank, account } = header?.places ?? {};
  if (dialect.format !== 'text' || dialect.separator !== ',' || amount === null) return;
  const after = amount + 1;
  if ([rut, bank, account].includes(after)) return;
  const [thousands = '', rest = ''] = [cells[amount]?.trim(), cells[after]?.trim()];
  if (!isCutAmount(thousands, rest)) return;
  const [one, both, name] = [`${thousands},${rest}`, `${thousands}${rest}`, header?.row.cells[after]?.trim() ?? ''];
  throw invalidPayout({
    en: `Line ${line}: the amount ${thousands} and ${rest} in the next column, “${name}”, may be one amount, ${one}. Write ${both}, or a letter before ${rest}.`,
    es: `Línea ${line}: el monto ${thousands} y ${rest} en la columna siguiente, «${name}», pueden ser un solo monto, ${one}. Escribe ${both}, o una letra antes de ${rest}.`,
  });
}

const NO_HEADER = {
  en: 'No row names the columns: the first row needs RUT, bank (its code), account and amount, such as rut,banco,cuenta,nombre,monto,mensaje.',
  es: 'Ninguna fila nombra las columnas: la primera lleva RUT, banco (su código), cuenta y monto, como rut,banco,cuenta,nombre,monto,mensaje.',
};

type Reading = { places: Places<PayoutColumn>; header: TableRow; prefix: string };

async function wishesOf(
  app: App,
  rows: readonly TableRow[],
  { places, header, prefix }: Reading,
): Promise<PayoutWish[]> {
  const directory = await currentDirectory(app);
  const accounts = rows.map(({ cells }) => accountCells(cells, places));
  const judge = judgeColumn();
  for (const account of accounts) if (!isSplit(account)) judge.look(plainRut(account.rut, directory));
  const rutFormat: RutFormat | null = formatOfName(header.cells[places.rut ?? -1] ?? '') ?? judge.format();
  return rows.map(({ cells, line }, at) => {
    const cell = (column: PayoutColumn) => cells[places[column] ?? -1]?.trim() ?? '';
    const mended = repairAccount(accounts[at] as (typeof accounts)[number], { directory, rutFormat }).cells;
    const input = accountInput(mended, rutFormat);
    return {
      reference: cell('reference') || `${prefix}-${line}`,
      amount: amountOf(cell('amount')),
      message: cell('message'),
      callbackUrl: null,
      payee: {
        rut: String(input.rut),
        bankCode: String(input.bankCode),
        account: String(input.account),
        name: input.holderName ?? null,
        email: emailOf(cell('email')),
        rutFormat,
        accountType: accountTypeOf(cell('accountType')),
      },
    };
  });
}

/** Returns null for an empty cell, and '' for an invalid address, which `checkWishes` rejects. */
function emailOf(cell: string): string | null {
  if (cell === '') return null;
  return isEmail(cell) ? cell : '';
}

/** The words of payrolls for the kinds of accounts. A CuentaRUT and a chequera electrónica are sight accounts. */
const ACCOUNT_TYPE_WORDS: Readonly<Record<AccountType, RegExp>> = {
  checking: /corriente|\bcte\b|checking|current/,
  savings: /ahorro|savings/,
  sight: /vista|rut\b|chequera|prepago|sight/,
};

/** Returns null for an empty cell, and '' for a text that names no kind or several, which `checkWishes` rejects. */
function accountTypeOf(cell: string): AccountType | '' | null {
  if (cell === '') return null;
  const text = cell.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  const [type, other] = ACCOUNT_TYPES.filter((one) => ACCOUNT_TYPE_WORDS[one].test(text));
  return type === undefined || other !== undefined ? '' : type;
}

/** Accepts only whole pesos in digits: in a file, 1.000 could mean one or a thousand. Anything else is NaN. */
function amountOf(cell: string): number {
  return /^\d{1,12}$/.test(cell) ? Number(cell) : Number.NaN;
}
