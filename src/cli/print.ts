import type { ErrorCode } from '../error-catalogue.ts';
import { clockOf } from '../lib/calendar-day.ts';
import { stringifyExactly } from '../lib/exact-sum.ts';
import { replaceMisleading } from '../lib/misleading-text.ts';
import type { NextAttempt } from '../lib/next-attempt.ts';
import { shellWord } from '../lib/shell-word.ts';
import type { MoveRefusalCode } from '../moves/move.ts';
import type { RefundRefusalCode } from '../refunds/refund-refusal.ts';

/** Prints one JSON object with `--json`, otherwise lines for a person. */
export function print(options: { json?: boolean }, value: object, lines: readonly string[]): void {
  process.stdout.write(options.json === true ? `${stringifyExactly(value)}\n` : `${lines.join('\n')}\n`);
}

/** Prints a line while a command runs. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns a count with its noun: "1 payout", "2 payouts". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The exit status of a command line that was not understood (EX_USAGE). Commands themselves use other statuses. */
export const EXIT_USAGE = 64;

/**
 * The exit status of a `serve` that must not run on its store (EX_CONFIG). A supervisor need not restart it: a person
 * has to act first.
 */
export const EXIT_FINAL = 78;

/** The exit status when the reader of stdout has closed it: 128 plus the number of SIGPIPE, as in a shell. */
export const EXIT_NOT_READ = 141;

/** The reason why a command did nothing, for scripts. Refusals of operations have the codes of the error catalogue. */
export type CommandErrorCode =
  | 'USAGE'
  | 'NOT_FOUND'
  | 'UNKNOWN_USER'
  | 'ALREADY_DONE'
  | 'ROTATION_UNDER_WAY'
  | 'INVALID_OPTION'
  | 'INVALID_AMOUNT'
  | 'NOT_CONFIRMED'
  | 'FILE_UNUSABLE'
  | 'STORE_IS_OLDER'
  | 'STORE_IS_DIVIDED'
  | 'RECEIVER_NOT_READY'
  | 'DEVELOPMENT_ONLY'
  | 'STORE_IN_USE'
  | 'MONTH_NOT_READY'
  | 'COMMAND_FAILED'
  | MoveRefusalCode
  | RefundRefusalCode
  | ErrorCode;

/** Ends the command with a message that says what to do, and with exit status 1 by default. */
export class CommandError extends Error {
  readonly status: number;
  readonly code: CommandErrorCode;

  constructor(message: string, status = 1, code: CommandErrorCode = 'COMMAND_FAILED') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Returns the error for an unknown name. `message` says where the names are listed. */
export function notFound(message: string): CommandError {
  return new CommandError(message, 1, 'NOT_FOUND');
}

/**
 * Returns the error for a change that was already made. The status is 1, because a script that expected a change was
 * wrong.
 */
export function alreadyDone(message: string): CommandError {
  return new CommandError(message, 1, 'ALREADY_DONE');
}

/** Returns the error for a missing option or argument that commander does not check. `message` names it. */
export function missingOption(message: string): CommandError {
  return new CommandError(message, EXIT_USAGE, 'USAGE');
}

/** Returns the error for an unusable option or argument. `message` says what is allowed. */
export function invalidOption(message: string): CommandError {
  return new CommandError(message, 1, 'INVALID_OPTION');
}

/** Returns the error for a missing or unusable file. */
export function unusableFile(message: string): CommandError {
  return new CommandError(message, 1, 'FILE_UNUSABLE');
}

/** Returns the error for an unknown payment service id. */
export function unknownPaymentService(id: string): CommandError {
  return notFound(`There is no payment service ${id}: bin/rubrica payment-service list`);
}

/** Returns the error for an unknown transaction id. */
export function unknownTransaction(id: string): CommandError {
  return notFound(
    `There is no transaction ${id}: it is the idTrx that POST /trxs answered. By its order, e-mail or amount: bin/rubrica transaction find ${shellWord(id)}`,
  );
}

/** Returns a code of the program, such as `awaiting_approval`, as words in a sentence. */
export function inWords(code: string): string {
  return code.replaceAll('_', ' ');
}

/**
 * Formats rows as columns, each as wide as its widest cell. A `\uFFFD` stands for each character that could change what
 * a person reads: a cell may hold the text of a merchant or a bank.
 */
export function table(texts: readonly (readonly string[])[]): string[] {
  const rows = texts.map((row) => row.map((cell) => replaceMisleading(cell, '\uFFFD')));
  // A spread into `Math.max` fails above some 120,000 arguments, and a month can have more lines.
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, (row[column] ?? '').length), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Formats a list as columns, each with its heading: all rows have the same headings in the same order. Returns the
 * lines `none` for an empty list.
 */
export function listTable(rows: readonly Readonly<Record<string, string>>[], ...none: string[]): string[] {
  const [first] = rows;
  return first === undefined ? none : table([Object.keys(first), ...rows.map((row) => Object.values(row))]);
}

/** Tells a person that a list has ended at its limit, so that nobody takes it for all. */
export function noteCut(options: { json?: boolean }, shown: number, limit: number): void {
  if (shown >= limit && options.json !== true) process.stderr.write(`The list ends after ${limit} (--limit).\n`);
}

/** Writes the times of a stored text, such as `2026-01-15T10:30:00.000Z`, in Chilean time. Other words stay. */
export function chileanTimes(text: string): string {
  return text.replace(/(?<![^ ])\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z(?![^ ,])/g, (one) => time(Date.parse(one)));
}

/** Says when something waiting is attempted next; `attempt`: the words before the time. */
export function nextText({ next_attempt_at, under_way_since }: NextAttempt, attempt: string): string {
  return under_way_since === null ? `${attempt}${time(next_attempt_at)}` : `under way since ${time(under_way_since)}`;
}

/** Formats a time in Chilean time, whose days the books use, with its offset. */
export function time(utcMs: number | null): string {
  return utcMs === null ? '—' : clockOf(utcMs);
}
