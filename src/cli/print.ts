import type { ErrorCode } from '../error-catalogue.ts';
import { clockOf } from '../lib/calendar-day.ts';
import { stringifyExactly } from '../lib/exact-sum.ts';
import type { MoveRefusalCode } from '../moves/move.ts';
import type { RefundRefusalCode } from '../refunds/refund-refusal.ts';

export { timeText as time } from '../lib/time-text.ts';

/** With `--json` stdout is exactly one JSON object; otherwise lines for a person. */
export function print(options: { json?: boolean }, value: object, lines: readonly string[]): void {
  process.stdout.write(options.json === true ? `${stringifyExactly(value)}\n` : `${lines.join('\n')}\n`);
}

/** Says how many there are, as one speaks: "1 payout", "2 payouts". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The status of a command that was not understood (EX_USAGE), apart from those by which commands answer. */
export const EXIT_USAGE = 64;

/**
 * The status of a `serve` that must not run on its store (EX_CONFIG): it will be refused again until a person has acted, so
 * a supervisor need not try.
 */
export const EXIT_FINAL = 78;

/** Why a command did nothing, for scripts. An operation's own refusals have the codes of the error catalogue. */
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

/** Ends the command with a sentence that says what to do, and with status 1 unless said. */
export class CommandError extends Error {
  readonly status: number;
  readonly code: CommandErrorCode;

  constructor(message: string, status = 1, code: CommandErrorCode = 'COMMAND_FAILED') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** There is nothing of that name. `message` says where the names are. */
export function notFound(message: string): CommandError {
  return new CommandError(message, 1, 'NOT_FOUND');
}

/** It is as the command was to make it. Status 1, because a script that expects to change something was wrong. */
export function alreadyDone(message: string): CommandError {
  return new CommandError(message, 1, 'ALREADY_DONE');
}

/** An option or argument that is missing where commander cannot know it. `message` says which. */
export function missingOption(message: string): CommandError {
  return new CommandError(message, EXIT_USAGE, 'USAGE');
}

/** An option or argument that cannot be used. `message` says what can. */
export function invalidOption(message: string): CommandError {
  return new CommandError(message, 1, 'INVALID_OPTION');
}

/** A file that is not there, or is not what it should be. */
export function unusableFile(message: string): CommandError {
  return new CommandError(message, 1, 'FILE_UNUSABLE');
}

/** No payment service has this id. */
export function unknownPaymentService(id: string): CommandError {
  return notFound(`There is no payment service ${id}: bin/rubrica payment-service list`);
}

/** No transaction has this id. */
export function unknownTransaction(id: string): CommandError {
  return notFound(`There is no transaction ${id}: it is the idTrx that POST /trxs answered.`);
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  // A function takes no more than some 120,000 arguments, and a month has more lines.
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

/** A time on the clocks of Chile, by whose days books are closed, with the offset. */
export function timeInChile(utcMs: number | null): string {
  return utcMs === null ? '—' : clockOf(utcMs);
}
