import type { AttentionRow } from '../../attention/attention.ts';
import { formatMoney } from '../../lib/money.ts';
import { formatAge } from '../../lib/time-text.ts';
import { listTable, time } from '../print.ts';

/** More callbacks than this of one receiver are one line. */
const MOST_ALONE = 10;

/** `more`: how many rows of the same group the line stands for, besides `row`, the oldest. */
type Line = { row: AttentionRow; more: number; commands: readonly string[] };

/**
 * Returns the table, with the commands below it, because a command is too long for a column. Many callbacks that one
 * receiver did not take are one line: a shop that was down for a day must not fill the screen.
 */
export function attentionLines(waiting: readonly AttentionRow[]): string[] {
  const lines = [...Map.groupBy(waiting, groupOf).values()]
    .flatMap(linesOfGroup)
    .sort((one, other) => one.row.since - other.row.since);
  return [
    ...listTable(lines.map(cellsOf), 'Nothing waits for a person.'),
    ...lines.flatMap((line) => [
      '',
      `${line.row.kind} ${named(line)}: ${line.row.reason}`,
      ...line.commands.map((command) => `  ${command}`),
    ]),
  ];
}

/** Callbacks belong together if nobody looks after them and the same receiver did not take them. */
function groupOf(row: AttentionRow): AttentionRow | string {
  if (row.kind !== 'callback' || row.taken_by !== null) return row;
  return [row.payment_service, row.environment, row.reason].join(' ');
}

function linesOfGroup(rows: readonly AttentionRow[]): Line[] {
  const [row] = rows;
  if (row === undefined || rows.length <= MOST_ALONE)
    return rows.map((one) => ({ row: one, more: 0, commands: [one.command] }));
  // A webhook that was ended has one command for all its callbacks.
  const commands = rows.every(({ command }) => command === row.command) ? [row.command] : commandsFor(row, rows);
  return [{ row, more: rows.length - 1, commands }];
}

/** A shop that has an address for each order would need as many commands: for it, one sends more than the group. */
function commandsFor({ payment_service }: AttentionRow, rows: readonly AttentionRow[]): string[] {
  const endpoints = [...new Set(rows.map(({ endpoint }) => endpoint))];
  const ofAll = `--payment-service ${payment_service}`;
  const which = endpoints.length > MOST_ALONE ? [ofAll] : endpoints.map((endpoint) => `--endpoint ${endpoint}`);
  return ['list', 'resend'].flatMap((act) => which.map((of) => `bin/rubrica callback ${act} --state dead ${of}`));
}

function named({ row, more }: Line): string {
  return more === 0 ? row.id : `${row.id} and ${more} more`;
}

function cellsOf(line: Line) {
  const { kind, name, environment, transaction, amount, currency, since, age, taken_by } = line.row;
  return {
    KIND: kind,
    ID: named(line),
    'PAYMENT SERVICE': name,
    ENVIRONMENT: environment,
    TRANSACTION: line.more > 0 || transaction === null ? '—' : String(transaction),
    AMOUNT: amount === null ? '—' : formatMoney(amount, currency ?? ''),
    'SINCE (CHILE)': time(since),
    AGE: formatAge(age),
    'TAKEN BY': taken_by ?? '—',
  };
}
