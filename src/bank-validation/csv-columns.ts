import { readRut } from './rut.ts';

/** Where the values stand in a row. */
export type CsvColumns = {
  readonly rut: number;
  /** A check character in a column of its own, as payroll files have it. */
  readonly checkCharacter: number | null;
  readonly bank: number;
  readonly account: number;
  /** Whether the first row names the columns. */
  readonly hasHeader: boolean;
};

const SEPARATORS = [';', ',', '\t', '|'] as const;

/** Names as people write them, without case, accents, spaces and punctuation; the surest first. */
const NAMES = {
  rut: [
    /^(rut|run)$/,
    /^(rut|run)(de)?(l|la)?(titular|beneficiari[oa]|destinatari[oa]|cliente|proveedor|persona|trabajador|empleado|holder)$/,
    /^(taxid|nationalid|documento)$/,
  ],
  checkCharacter: [/^(dv|digitoverificador|digverif|checkdigit)$/],
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
} as const satisfies Record<string, readonly RegExp[]>;

/** The separator that the first line holds most often; a comma where it holds none. Quoted parts do not count. */
export function detectSeparator(firstLine: string): string {
  const bare = firstLine.replace(/"[^"]*"/g, '');
  const counts = SEPARATORS.map((separator) => ({ separator, count: bare.split(separator).length - 1 }));
  const best = counts.reduce((most, next) => (next.count > most.count ? next : most));
  return best.count === 0 ? ',' : best.separator;
}

/**
 * Finds the columns by their names. A file whose first row is data already (it begins with a RUT) is taken as RUT,
 * bank, account. `null`: the columns cannot be told, and guessing could validate the wrong numbers.
 */
export function detectColumns(firstRow: readonly string[]): CsvColumns | null {
  const names = firstRow.map(plainName);
  const rut = columnOf(names, 'rut');
  const bank = columnOf(names, 'bank');
  const account = columnOf(names, 'account');
  if (rut !== null && bank !== null && account !== null) {
    return { rut, checkCharacter: columnOf(names, 'checkCharacter'), bank, account, hasHeader: true };
  }
  const startsWithData = firstRow.length >= 3 && readRut(firstRow[0]).valid && /^\d{1,3}$/.test(firstRow[1] ?? '');
  return startsWithData ? { rut: 0, checkCharacter: null, bank: 1, account: 2, hasHeader: false } : null;
}

/** Which of the columns the first row names more than once, and how; `null` where that is not what is wrong. */
export function findRepeated(firstRow: readonly string[]): { column: string; names: string[] } | null {
  const names = firstRow.map(plainName);
  for (const column of ['rut', 'bank', 'account'] as const) {
    const found = columnsOf(names, column);
    if (found.length > 1) return { column, names: found.map((index) => firstRow[index] as string) };
  }
  return null;
}

/** The only column with such a name, `null` where several have one. */
function columnOf(names: readonly string[], column: keyof typeof NAMES): number | null {
  const found = columnsOf(names, column);
  return found.length === 1 ? (found[0] as number) : null;
}

/** Every column that has the surest name that occurs. */
function columnsOf(names: readonly string[], column: keyof typeof NAMES): number[] {
  for (const pattern of NAMES[column]) {
    const found = names.flatMap((name, index) => (pattern.test(name) ? [index] : []));
    if (found.length > 0) return found;
  }
  return [];
}

function plainName(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
