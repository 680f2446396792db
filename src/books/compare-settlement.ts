import { letOthersRun } from '../lib/let-others-run.ts';
import type { BookedLine } from './reconciliation-queries.ts';
import { acquirerDay, codeKey, codesOf, daysBetween, isSettled, keysOf, signedAmount } from './settled-line.ts';
import type { Settlement, SettlementRow } from './settlement-row.ts';

/** `missing_in_books`: only the file has it. `missing_in_settlement`: only the books have it. */
export type ComparisonKind = 'matched' | 'different' | 'missing_in_books' | 'missing_in_settlement';

/**
 * One line of the comparison. `differs` names the differing fields. If a sale is settled in instalments, several rows
 * have the same `line`, and `instalments` is the sum that they settle, in minor units. `repeated`: the row repeats an
 * amount that another row settles.
 */
export type Comparison = {
  kind: ComparisonKind;
  row: SettlementRow | null;
  line: BookedLine | null;
  differs: ('amount' | 'date' | 'currency' | 'authorization_code' | 'instalments')[];
  instalments?: number;
  repeated?: true;
};

/**
 * Compares an acquirer's settlement with the books, line by line: by the buy order, or by the authorisation code if the
 * row has no buy order. A row is compared only with an entry of the same sign, and each row or entry is used once.
 * Leaves out entries that an acquirer does not know, such as fees, and entries of days outside the file that no row
 * names. `lines` covers the days of the file and the days around them. Lets payments run in between.
 */
export async function compareSettlement(
  { rows, byAccountingDate }: Settlement,
  lines: readonly BookedLine[],
): Promise<Comparison[]> {
  const turn = letOthersRun();
  const ofAcquirer = lines.filter(isSettled);
  const byOrder = new Map<string, BookedLine[]>();
  const byCode = new Map<string, BookedLine[]>();
  const unused = new Set<BookedLine>();
  for (const line of ofAcquirer) {
    const sign = Math.sign(signedAmount(line));
    push(byOrder, `${sign} ${keysOf(line).buyOrder}`, line);
    for (const code of new Set(codesOf(line).map(codeKey))) push(byCode, `${sign} ${code}`, line);
    unused.add(line);
    await turn();
  }
  const groups = new Map<string, SettlementRow[]>();
  for (const row of rows) {
    push(groups, groupKey(row), row);
    await turn();
  }
  const compared = new Map<SettlementRow, Comparison>();
  for (const group of groups.values()) {
    await turn();
    const [{ amount, buyOrder, authorizationCode }] = group as [SettlementRow];
    const sign = Math.sign(amount);
    const named =
      (buyOrder === null ? byCode.get(`${sign} ${codeKey(authorizationCode)}`) : byOrder.get(`${sign} ${buyOrder}`)) ??
      [];
    for (const one of compareGroup(
      group,
      named.filter((line) => unused.has(line)),
      byAccountingDate,
    )) {
      if (one.row !== null) compared.set(one.row, one);
      if (one.line !== null) unused.delete(one.line);
    }
  }
  const result = rows.map((row) => compared.get(row) as Comparison);
  const days = daysOf(rows);
  for (const line of unused) {
    await turn();
    const day = acquirerDay(line, byAccountingDate);
    const isOfFile = days !== null && day >= days.first && day <= days.last;
    if (isOfFile) result.push({ kind: 'missing_in_settlement', row: null, line, differs: [] });
  }
  return result;
}

/** Returns the first and the last day of a file, such as 2026-01-31; null without rows. */
export function daysOf(rows: readonly SettlementRow[]): { first: string; last: string } | null {
  const [one] = rows;
  if (one === undefined) return null;
  let [first, last] = [one.date, one.date];
  for (const { date } of rows) {
    if (date < first) first = date;
    if (date > last) last = date;
  }
  return { first, last };
}

function push<Value>(groups: Map<string, Value[]>, key: string, value: Value): void {
  const known = groups.get(key);
  if (known === undefined) groups.set(key, [value]);
  else known.push(value);
}

function groupKey({ amount, buyOrder, authorizationCode }: SettlementRow): string {
  return `${Math.sign(amount)} ${buyOrder ?? ''} ${buyOrder === null ? codeKey(authorizationCode) : ''}`;
}

/** Compares the rows and lines of one order: first equal amounts, then instalments, then the best fit. */
function compareGroup(rows: readonly SettlementRow[], lines: BookedLine[], byAccountingDate: boolean): Comparison[] {
  const compared: Comparison[] = [];
  const take = (row: SettlementRow, fits: (line: BookedLine) => boolean): boolean => {
    const [best] = lines
      .filter(fits)
      .map((line) => ({ line, differs: differencesOf(row, line, byAccountingDate) }))
      .sort((one, other) => one.differs.length - other.differs.length);
    if (best === undefined) return false;
    lines.splice(lines.indexOf(best.line), 1);
    compared.push({ kind: best.differs.length === 0 ? 'matched' : 'different', row, ...best });
    return true;
  };
  const others = rows.filter((row) => !take(row, (line) => isSameMoney(row, line)));
  // A file may repeat one row thousands of times: only the first is looked at.
  const taken = [...compared];
  const left = others.filter((row) => {
    const same = taken.find((one) => one.row !== null && isRepeated(row, one.row));
    if (same !== undefined) {
      const isInstalment = row.instalment !== null && row.instalment !== same.row?.instalment;
      // The file repeats the amount of the whole sale on the line of every instalment.
      if (isInstalment) compared.push({ ...same, row, instalments: row.amount });
      else compared.push({ kind: 'missing_in_books', row, line: null, differs: [], repeated: true });
    }
    return same === undefined;
  });
  const sold = lines.length === 1 ? compareInstalments(left, lines[0] as BookedLine, byAccountingDate) : null;
  if (sold !== null) return [...compared, ...sold];
  for (const row of left) {
    if (!take(row, () => true)) compared.push({ kind: 'missing_in_books', row, line: null, differs: [] });
  }
  return compared;
}

/**
 * Returns null unless the rows settle the whole line in parts, or less than the line and all are marked as instalments.
 */
function compareInstalments(
  rows: readonly SettlementRow[],
  line: BookedLine,
  byAccountingDate: boolean,
): Comparison[] | null {
  const sum = rows.reduce((total, { amount }) => total + amount, 0);
  const isAll = rows.length > 1 && sum === signedAmount(line);
  const isPart = rows.length > 0 && rows.every(({ instalment }) => instalment !== null) && Math.abs(sum) < line.amount;
  if (!(isAll || isPart) || rows.some(({ currency }) => currency !== line.currency)) return null;
  return rows.map((row): Comparison => {
    // Each instalment is settled on a different day.
    const differs = differencesOf(row, line, byAccountingDate).filter((one) => one === 'authorization_code');
    const all: Comparison['differs'] = isPart ? [...differs, 'instalments'] : differs;
    return { kind: all.length === 0 ? 'matched' : 'different', row, line, differs: all, instalments: sum };
  });
}

function isSameMoney(row: SettlementRow, line: BookedLine): boolean {
  return row.amount === signedAmount(line) && row.currency === line.currency;
}

function isRepeated(row: SettlementRow, other: SettlementRow): boolean {
  return (
    row.amount === other.amount &&
    row.currency === other.currency &&
    codeKey(row.authorizationCode) === codeKey(other.authorizationCode)
  );
}

function differencesOf(row: SettlementRow, line: BookedLine, byAccountingDate: boolean): Comparison['differs'] {
  return [
    ...(row.amount === signedAmount(line) ? [] : ['amount' as const]),
    ...(isNeighbour(row.date, acquirerDay(line, byAccountingDate)) ? [] : ['date' as const]),
    ...(row.currency === line.currency ? [] : ['currency' as const]),
    ...(isSameCode(row.authorizationCode, codesOf(line)) ? [] : ['authorization_code' as const]),
  ];
}

/** A code that only one side has is not a difference. */
function isSameCode(code: string | null, known: readonly string[]): boolean {
  return code === null || known.length === 0 || known.some((one) => codeKey(one) === codeKey(code));
}

/** A payment near midnight can be on different days in the file and in the books. */
function isNeighbour(day: string, other: string): boolean {
  return daysBetween(day, other) <= 1;
}
