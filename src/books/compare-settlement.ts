import { letOthersRun } from '../lib/let-others-run.ts';
import type { BookedLine } from './reconciliation-queries.ts';
import {
  acquirerDay,
  codeKey,
  codesOf,
  daysBetween,
  isSettled,
  ordersOf,
  signedAmount,
  withExcess,
} from './settled-line.ts';
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
  const ofAcquirer = withExcess(lines.filter(isSettled));
  const byOrder = new Map<string, BookedLine[]>();
  const byCode = new Map<string, BookedLine[]>();
  const unused = new Set<BookedLine>();
  for (const line of ofAcquirer) {
    const sign = Math.sign(signedAmount(line));
    for (const order of ordersOf(line)) byOrder.getOrInsert(`${sign} ${order}`, []).push(line);
    for (const code of new Set(codesOf(line).map(codeKey))) byCode.getOrInsert(`${sign} ${code}`, []).push(line);
    unused.add(line);
    await turn();
  }
  const groups = new Map<string, SettlementRow[]>();
  for (const row of rows) {
    groups.getOrInsert(groupKey(row), []).push(row);
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
    const known: KnownLine[] = [];
    for (const line of named) {
      await turn();
      if (unused.has(line)) known.push(knownLine(line, byAccountingDate));
    }
    for (const one of await compareGroup(group, known, turn)) {
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

function groupKey({ amount, buyOrder, authorizationCode }: SettlementRow): string {
  return `${Math.sign(amount)} ${buyOrder ?? ''} ${buyOrder === null ? codeKey(authorizationCode) : ''}`;
}

/** A line with what a row is compared with. Reading it from the stored details costs far more than comparing it. */
type KnownLine = { line: BookedLine; amount: number; day: string; codes: readonly string[] };

/** A row is compared with this many lines of its order at most. Only a broken file has more for one order. */
const MOST_COMPARED = 500;

function knownLine(line: BookedLine, byAccountingDate: boolean): KnownLine {
  const day = acquirerDay(line, byAccountingDate);
  return { line, amount: signedAmount(line), day, codes: codesOf(line).map(codeKey) };
}

/**
 * Compares the rows and lines of one order: first equal amounts, then instalments, then the best fit. Rows of a type
 * come first, because a row without one may be of any line; money that was returned comes last, because a refund and a
 * chargeback may be of it.
 */
async function compareGroup(
  rows: readonly SettlementRow[],
  lines: readonly KnownLine[],
  turn: () => Promise<void> | null,
): Promise<Comparison[]> {
  const compared: Comparison[] = [];
  const { returned = [], others: first = [] } = Object.groupBy(lines, ({ line }) =>
    line.kind === 'returned' ? 'returned' : 'others',
  );
  const inOrder = [...first, ...returned];
  const unused = new Set(inOrder);
  const pools = new Map<string, Set<KnownLine>>();
  for (const line of inOrder) for (const key of poolsOf(line)) pools.getOrInsert(key, new Set()).add(line);
  const take = (row: SettlementRow, among: ReadonlySet<KnownLine> = new Set()): boolean => {
    const best = bestFit(row, among);
    if (best === null) return false;
    const { known, differs } = best;
    unused.delete(known);
    for (const key of poolsOf(known)) pools.get(key)?.delete(known);
    compared.push({ kind: differs.length === 0 ? 'matched' : 'different', row, line: known.line, differs });
    return true;
  };
  const others: SettlementRow[] = [];
  const placeOf = ({ chargeback, refund }: SettlementRow) => (refund === true ? 0 : chargeback === true ? 1 : 2);
  for (const row of rows.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    await turn();
    const key = moneyKey(row.amount, row.currency);
    if (!take(row, pools.get(row.won === true ? `${WON} ${key}` : key))) others.push(row);
  }
  const { repeated, left } = splitRepeated(others, compared);
  compared.push(...repeated);
  const [only] = unused;
  const sold = unused.size === 1 && only !== undefined ? compareInstalments(left, only) : null;
  if (sold !== null) return [...compared, ...sold];
  for (const row of left) {
    await turn();
    // A chargeback beside a refund of another amount is not that refund.
    if (row.chargeback === true || !take(row, row.won === true ? pools.get(WON) : unused))
      compared.push({ kind: 'missing_in_books', row, line: null, differs: [] });
  }
  return compared;
}

/** A chargeback that was won is compared only with money that came back. */
const WON = 'won';

/** Returns the names of the sets that have a line: by its money, and if it is a chargeback that was won, among them. */
function poolsOf({ line, amount }: KnownLine): string[] {
  const key = moneyKey(amount, line.currency);
  return line.kind === 'recovered' ? [key, WON, `${WON} ${key}`] : [key];
}

/** Returns the first of the lines that differ least from a row; null without a line that it may be of. */
function bestFit(
  row: SettlementRow,
  lines: ReadonlySet<KnownLine>,
): { known: KnownLine; differs: Comparison['differs'] } | null {
  let best: { known: KnownLine; differs: Comparison['differs'] } | null = null;
  let seen = 0;
  for (const known of lines) {
    if (mayBeOf(row, known)) {
      const differs = differencesOf(row, known);
      if (best === null || differs.length < best.differs.length) best = { known, differs };
      if (differs.length === 0) break;
    }
    if (++seen === MOST_COMPARED) break;
  }
  return best;
}

/**
 * Returns whether a row may be of a line. A chargeback is no refund, whatever the amounts: both took money. A row below
 * 0 without a type may be either.
 */
function mayBeOf({ amount, chargeback, refund }: SettlementRow, { line }: KnownLine): boolean {
  if (amount >= 0) return true;
  const isChargeback = line.imported_type === 'chargeback';
  if (chargeback === true) return isChargeback || (line.kind !== 'refund' && line.kind !== 'unasked_refund');
  return refund !== true || !isChargeback;
}

/**
 * Divides rows into those that repeat the money and the code of a row with a line, and the others. A refund that was
 * made at the acquirer may be made again, so an equal row is another one.
 */
function splitRepeated(
  rows: readonly SettlementRow[],
  compared: readonly Comparison[],
): { repeated: Comparison[]; left: SettlementRow[] } {
  const known = new Map<string, Comparison>();
  for (const one of compared.toReversed()) if (one.row !== null) known.set(repeatKey(one.row), one);
  const repeated: Comparison[] = [];
  const left: SettlementRow[] = [];
  for (const row of rows) {
    const same = row.won === true ? undefined : known.get(repeatKey(row));
    if (same === undefined) {
      left.push(row);
      continue;
    }
    const isInstalment = row.instalment !== null && row.instalment !== same.row?.instalment;
    // The file repeats the amount of the whole sale on the line of every instalment.
    if (isInstalment) repeated.push({ ...same, row, instalments: row.amount });
    else {
      const isAnother = row.refund === true && same.line?.kind === 'unasked_refund';
      repeated.push({ kind: 'missing_in_books', row, line: null, differs: [], ...(!isAnother && { repeated: true }) });
    }
  }
  return { repeated, left };
}

/**
 * Returns null unless the rows settle the whole line in parts, or less than the line and all are marked as instalments.
 * Chargebacks are no parts: each takes money back by itself, whatever they add up to.
 */
function compareInstalments(rows: readonly SettlementRow[], known: KnownLine): Comparison[] | null {
  if (rows.some((row) => row.chargeback === true || row.won === true || !mayBeOf(row, known))) return null;
  const { line } = known;
  const sum = rows.reduce((total, { amount }) => total + amount, 0);
  const isAll = rows.length > 1 && sum === known.amount;
  const isPart = rows.length > 0 && rows.every(({ instalment }) => instalment !== null) && Math.abs(sum) < line.amount;
  if (!(isAll || isPart) || rows.some(({ currency }) => currency !== line.currency)) return null;
  return rows.map((row): Comparison => {
    // Each instalment is settled on a different day.
    const differs = differencesOf(row, known).filter((one) => one === 'authorization_code');
    const all: Comparison['differs'] = isPart ? [...differs, 'instalments'] : differs;
    return { kind: all.length === 0 ? 'matched' : 'different', row, line, differs: all, instalments: sum };
  });
}

function moneyKey(amount: number, currency: string): string {
  return `${amount} ${currency}`;
}

function repeatKey({ amount, currency, authorizationCode, chargeback }: SettlementRow): string {
  return `${moneyKey(amount, currency)} ${codeKey(authorizationCode)} ${chargeback === true}`;
}

function differencesOf(row: SettlementRow, { line, amount, day, codes }: KnownLine): Comparison['differs'] {
  return [
    ...(row.amount === amount ? [] : ['amount' as const]),
    ...(isNeighbour(row.date, day) ? [] : ['date' as const]),
    ...(row.currency === line.currency ? [] : ['currency' as const]),
    ...(isSameCode(row.authorizationCode, codes) ? [] : ['authorization_code' as const]),
  ];
}

/** A code that only one side has is not a difference. */
function isSameCode(code: string | null, known: readonly string[]): boolean {
  return code === null || known.length === 0 || known.includes(codeKey(code));
}

/** A payment near midnight can be on different days in the file and in the books. */
function isNeighbour(day: string, other: string): boolean {
  return daysBetween(day, other) <= 1;
}
