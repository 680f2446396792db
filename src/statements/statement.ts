import { createHash } from 'node:crypto';
import type { SqlRow } from '../db/database.ts';
import { type InBoth, Problem } from '../error-catalogue.ts';
import { DAYS_WITHOUT_BANKS, dayOf, shiftDay } from '../lib/calendar-day.ts';
import type { Environment } from '../payment-services/payment-service.ts';

/**
 * A line of a bank statement as in the file. `amount`: in minor units, positive for a credit and negative for a charge.
 */
export type StatementLine = {
  readonly line: number;
  readonly day: string;
  readonly amount: number;
  readonly text: string;
  /** The bank's document number, if the file has one. */
  readonly document?: string;
  /** The balance right after the line; null: the file has none, or only of the end of the day. */
  readonly balance?: number | null;
};

/** How a file proves that it is complete: each balance follows from the previous one, or its totals are right. */
export type StatementProof = 'balance' | 'totals' | 'nothing';

export type ReadStatement = { readonly lines: readonly StatementLine[]; readonly proof: StatementProof };

/**
 * The use of a line: it confirms a payout or a payout file (`payout`), returns a payout, is a deposit, waits for a
 * person (`suspense`), or is nothing of this service by a person's decision (`other`).
 */
export const LINE_USES = ['payout', 'return', 'deposit', 'suspense', 'other'] as const;

export type LineUse = (typeof LINE_USES)[number];

/** The account of a statement. `paymentServiceId` null: the account shared by all payment services. */
export type AccountOfStatement = {
  readonly environment: Environment;
  readonly paymentServiceId: string | null;
  readonly account: string;
};

/**
 * Returns whether a person can say what a line is: one in suspense, or one that a person called unrelated. Neither has
 * an entry.
 */
export function canBeExplained({ used_as }: Pick<KeptLine, 'used_as'>): boolean {
  return used_as === 'suspense' || used_as === 'other';
}

/** Returns the decision about a line, as the audit log records it when the line gets another. */
export function decisionOf({ used_as, subject, resolved_at, resolved_by, reason }: KeptLine) {
  return { use: used_as, of: subject, resolved_at, resolved_by, reason };
}

/** Returns the number of lines of each use. */
export function countUses(lines: readonly { readonly use: LineUse }[]): Record<LineUse, number> {
  const uses = { payout: 0, return: 0, deposit: 0, suspense: 0, other: 0 };
  for (const { use } of lines) uses[use]++;
  return uses;
}

/** A row of `bank_statement_lines`. */
export type KeptLine = SqlRow & {
  statement_id: string;
  number: number;
  environment: Environment;
  /** The payment service that owns the account; empty: shared by all. */
  owner: string;
  file_line: number;
  day: string;
  amount: number;
  currency: string;
  line_key: string;
  /** Right after the line, in its file. Only tells lines of two files apart, so a line keeps its key without it. */
  balance: number | null;
  used_as: LineUse;
  subject: string | null;
  note: string | null;
  kept_at: number;
  resolved_at: number | null;
  resolved_by: string | null;
  reason: string | null;
};

/** A row of `bank_statements`. */
export type KeptStatement = SqlRow & {
  id: string;
  environment: Environment;
  payment_service_id: string | null;
  account: string;
  file_name: string;
  file_sha256: string;
  imported_at: number;
  imported_by: string;
  first_day: string;
  last_day: string;
  lines: number;
  proof: StatementProof;
};

/** Returns the error for a statement or a line of it that cannot be used; `detail` says why. */
export function invalidStatement(detail: InBoth): Problem {
  return new Problem('INVALID_STATEMENT', { detail });
}

/**
 * Throws `Problem` INVALID_STATEMENT for a line that cannot have happened yet: the file may write the month before the
 * day, and days up to 12 would be misread. Banks write the next working day for what moves while they are closed.
 */
export function refuseLaterDays(lines: readonly StatementLine[], now: number): void {
  const latest = shiftDay(dayOf(now), DAYS_WITHOUT_BANKS);
  const later = lines.find(({ day }) => day > latest);
  if (later === undefined) return;
  const { line, day } = later;
  throw invalidStatement({
    en: `Line ${line} is of ${day}, and today is ${dayOf(now)}. In 03/04/2026 the day comes first: if the file has the month first, write its days as 2026-03-04.`,
    es: `La línea ${line} es del ${day}, y hoy es ${dayOf(now)}. En 03/04/2026 va primero el día: si el archivo pone primero el mes, escribe sus fechas como 2026-03-04.`,
  });
}

/**
 * Returns the SHA-256 of the lines as the file brought them, which the audit log records: for each line, by its number,
 * the JSON array of these columns, ended by a line feed.
 */
export function hashOfLines(
  lines: readonly Pick<KeptLine, 'number' | 'file_line' | 'day' | 'amount' | 'currency' | 'line_key'>[],
): string {
  const hash = createHash('sha256');
  for (const { number, file_line, day, amount, currency, line_key } of lines) {
    hash.update(`${JSON.stringify([number, file_line, day, amount, currency, line_key])}\n`);
  }
  return hash.digest('hex');
}

/**
 * Returns the SHA-256 of what an import decided, which the audit log records: the account's number, then for each line,
 * by its number, the JSON array of its number, use, subject and note, each ended by a line feed. A line that a person
 * has decided about was in suspense.
 */
export function hashOfUses(
  account: string,
  lines: readonly (Pick<KeptLine, 'number' | 'used_as' | 'subject' | 'note'> & { resolved_at?: number | null })[],
): string {
  const hash = createHash('sha256').update(`${account}\n`);
  for (const { number, used_as, subject, note, resolved_at = null } of lines) {
    const imported = resolved_at === null ? [number, used_as, subject, note] : [number, 'suspense', null, note];
    hash.update(`${JSON.stringify(imported)}\n`);
  }
  return hash.digest('hex');
}

/** A statement with the number of its lines in suspense. */
export type ListedStatement = KeptStatement & { open: number };

/**
 * Returns a text for each line that is the same in another file of the account. A provisional and the final statement
 * may differ in the order of lines, in spaces and in the bank's document number, so these do not count; neither do
 * zeros before the account number. Equal lines are numbered.
 */
export function lineIdentities(account: string, lines: readonly StatementLine[]): string[] {
  const number = account.replace(/^0+/, '');
  return numbered(lines.map(({ day, amount, text }) => JSON.stringify([number, day, amount, plainText(text)])));
}

/**
 * Returns the text of each line as in stores that imported statements when it still included the bank's document
 * number.
 */
export function olderIdentities(account: string, lines: readonly StatementLine[]): string[] {
  return numbered(lines.map((line) => JSON.stringify([account, line.day, line.amount, plainText(wholeText(line))])));
}

/** Returns the text of a line followed by the bank's document number. */
export function wholeText({ text, document = '' }: StatementLine): string {
  return [text, document].filter((one) => one !== '').join(' ');
}

function numbered(alike: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return alike.map((one) => {
    const nth = (seen.get(one) ?? 0) + 1;
    seen.set(one, nth);
    return `${one} ${nth}`;
  });
}

/** Returns only the letters and digits, in capitals and without accents. */
function plainText(text: string): string {
  return text
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}
