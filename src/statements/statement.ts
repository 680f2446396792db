import type { SqlRow } from '../db/database.ts';
import type { Environment } from '../payment-services/payment-service.ts';

/** A line of a bank's statement as the file says it. `amount` in minor units: above 0 it came, below 0 it left. */
export type StatementLine = {
  readonly line: number;
  readonly day: string;
  readonly amount: number;
  readonly text: string;
  /** The bank's number for it, where the file has one. */
  readonly document?: string;
};

/** By what a file proved that it is whole: each balance follows from the one before, or its own totals are right. */
export type StatementProof = 'balance' | 'totals' | 'nothing';

export type ReadStatement = { readonly lines: readonly StatementLine[]; readonly proof: StatementProof };

/**
 * The one use of a line: it confirms a payout or a file of them, brings one back, is what an acquirer deposited, or a person has to
 * say what it is (`suspense`) or has said that it is of nothing here (`other`).
 */
export const LINE_USES = ['payout', 'return', 'deposit', 'suspense', 'other'] as const;

export type LineUse = (typeof LINE_USES)[number];

/** The account that a statement is of. `paymentServiceId` null: it is the account of all of them. */
export type AccountOfStatement = {
  readonly environment: Environment;
  readonly paymentServiceId: string | null;
  readonly account: string;
};

/** Counts how many lines have each use. */
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
  /** The payment service whose account it is; empty: of all of them. */
  owner: string;
  file_line: number;
  day: string;
  amount: number;
  currency: string;
  line_key: string;
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

/** A statement with how many of its lines are in suspense. */
export type ListedStatement = KeptStatement & { open: number };

/**
 * Names each line so that it is the same line in another file: a provisional statement and the final one write it in other places, with
 * other spaces, and the bank's number for it in one of them alone. Lines that are alike in everything are told apart by how many there
 * are, not by their order; zeros before the number of the account do not count.
 */
export function lineIdentities(account: string, lines: readonly StatementLine[]): string[] {
  const number = account.replace(/^0+/, '');
  return numbered(lines.map(({ day, amount, text }) => JSON.stringify([number, day, amount, plainText(text)])));
}

/** Names each line as stores have it that imported statements before the bank's number was left out. */
export function olderIdentities(account: string, lines: readonly StatementLine[]): string[] {
  return numbered(lines.map((line) => JSON.stringify([account, line.day, line.amount, plainText(wholeText(line))])));
}

/** Joins the text of a line and the bank's number for it. */
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

/** Letters and digits alone, in capitals and without accents. */
function plainText(text: string): string {
  return text
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}
