import type { App } from '../app.ts';
import { boundsOfDay, shiftDay } from '../lib/calendar-day.ts';
import type { OnProgress } from '../lib/walk.ts';
import { type Comparison, compareSettlement, daysOf } from './compare-settlement.ts';
import { methodReceivable } from './journal-entry.ts';
import { reconcileEntries } from './reconcile-entries.ts';
import {
  type BookedLine,
  type ImportedNames,
  selectImportedLinks,
  selectImportedNames,
  selectLinesOfLinks,
  selectLinksOfAttempts,
  selectWentBackLater,
} from './reconciliation-queries.ts';
import { MOST_DAYS_LATER, signedAmount, withExcess } from './settled-line.ts';
import type { Settlement } from './settlement-row.ts';

/** A settlement file compared with the books of its days. */
export type ComparedFile = { first: string; last: string; compared: Comparison[] };

/**
 * Compares an acquirer's settlement with the entries of these environments that this payment method collected (null:
 * any method). Returns null if the file has no line to compare.
 */
export async function compareWithBooks(
  app: App,
  environmentIds: readonly number[],
  method: string | null,
  settlement: Settlement,
  onProgress: OnProgress = () => {},
): Promise<ComparedFile | null> {
  const days = daysOf(settlement.rows);
  if (days === null) return null;
  const { first, last } = days;
  const from = boundsOfDay(shiftDay(first, -1)).from;
  const to = boundsOfDay(shiftDay(last, MOST_DAYS_LATER)).to;
  const { lines: ofDays } = await reconcileEntries(app, { environmentIds, from, to, transactionId: 0 }, onProgress);
  const lines = await withLaterLines(app, { environmentIds, from, to, first, last }, settlement, ofDays);
  const account = method === null ? null : methodReceivable(method);
  const ofMethod = lines.filter(
    ({ debit_account, credit_account }) => account === null || debit_account === account || credit_account === account,
  );
  return { first, last, compared: await compareSettlement(settlement, await withImportedNames(app, ofMethod)) };
}

/**
 * Gives money of no known payment that went back the buy order and the code of the imported line that its decision
 * names: by these the file has it.
 */
async function withImportedNames(app: App, lines: readonly BookedLine[]): Promise<readonly BookedLine[]> {
  const asked = lines.flatMap(importedPlaceOf);
  if (asked.length === 0) return lines;
  const names = new Map<string, ImportedNames>();
  for (const [id, of] of Map.groupBy(asked, ({ environment_id }) => environment_id)) {
    const links = of.map(({ link }) => link);
    for (const one of await selectImportedNames(app.db, id, links)) names.set(placeOf(one), one);
  }
  return lines.map((line) => {
    const [found] = importedPlaceOf(line).flatMap((place) => names.get(placeOf(place)) ?? []);
    if (found === undefined) return line;
    const { imported_buy_order, imported_code } = found;
    return { ...line, imported_buy_order, imported_code };
  });
}

type Place = Pick<BookedLine, 'environment_id' | 'link'>;

/** Returns the imported line of money of no known payment that went back; of other money none. */
function importedPlaceOf({ kind, transaction_id, environment_id, movement_reference }: BookedLine): Place[] {
  const wentBack = kind === 'returned' || kind === 'recovered';
  const link = Number.parseInt(movement_reference ?? '', 10);
  return wentBack && transaction_id === null && link > 0 ? [{ environment_id, link }] : [];
}

function placeOf({ environment_id, link }: Place): string {
  return `${environment_id} ${link}`;
}

type Span = { environmentIds: readonly number[]; from: number; to: number; first: string; last: string };

/**
 * Adds the lines of the file that were booked at another time, such as by an import weeks later: the imported ones, each
 * with the day of its file, whole sales, and refunds (no chargebacks) made at the acquirer that the service noticed
 * later, or requested here before the file's end and answered later. A part of a sale is left out, because the file of
 * the sale has all of it.
 */
async function withLaterLines(
  app: App,
  { environmentIds, ...span }: Span,
  { rows }: Settlement,
  lines: readonly BookedLine[],
): Promise<BookedLine[]> {
  const attempts = new Set(lines.map(({ attempt_id }) => attempt_id));
  const named = rows.filter(({ buyOrder, instalment }) => instalment === null && !attempts.has(buyOrder));
  const orders = new Set(named.flatMap(({ buyOrder }) => buyOrder ?? []));
  const refunds = rows.filter(({ amount, chargeback }) => amount < 0 && chargeback !== true);
  const whole = new Set([...named, ...refunds].map((row) => `${row.buyOrder} ${row.amount} ${row.currency}`));
  const imported = await selectImportedLinks(app.db, environmentIds, span);
  const ofAttempts = await selectLinksOfAttempts(app.db, environmentIds, [...orders]);
  const refunded = [...new Set(refunds.flatMap(({ buyOrder }) => buyOrder ?? []))];
  const times = { since: span.to, requestedBefore: boundsOfDay(span.last).to };
  const wentBack = await selectWentBackLater(app.db, environmentIds, refunded, times);
  const present = new Set(lines.map(placeOf));
  const missing = [...imported, ...ofAttempts, ...wentBack].filter((one) => !present.has(placeOf(one)));
  const later: BookedLine[] = [];
  for (const [id, links] of Map.groupBy(missing, ({ environment_id }) => environment_id))
    later.push(...(await selectLinesOfLinks(app.db, id, [...new Set(links.map(({ link }) => link))])));
  const days = new Map(imported.map((one) => [placeOf(one), one.day]));
  const isOfFile = (line: BookedLine) =>
    days.has(placeOf(line)) || whole.has(`${line.attempt_id} ${signedAmount(line)} ${line.currency}`);
  return [...lines, ...withExcess(later).filter(isOfFile)].map((line) => {
    const imported_day = days.get(placeOf(line));
    return imported_day === undefined ? line : { ...line, imported_day };
  });
}
