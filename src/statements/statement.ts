import type { SqlRow } from '../db/database.ts';

/** A file that is not a statement, or that contradicts itself. `message` is for the person who has it. */
export class StatementError extends Error {}

/** A line of a bank's statement as the file says it. `amount` in minor units: above 0 it came, below 0 it left. */
export type StatementLine = {
  readonly line: number;
  readonly day: string;
  readonly amount: number;
  readonly text: string;
};

/** By what a file proved that it is whole: each balance follows from the one before, or its own totals are right. */
export type StatementProof = 'balance' | 'totals' | 'nothing';

export type ReadStatement = { readonly lines: readonly StatementLine[]; readonly proof: StatementProof };

/**
 * The one use of a line: it confirms a payout or a file of them, brings one back, is what an acquirer deposited, or a person has to
 * say what it is (`suspense`) or has said that it is of nothing here (`other`).
 */
export type LineUse = 'payout' | 'return' | 'deposit' | 'suspense' | 'other';

/** A row of `bank_statement_lines`. */
export type KeptLine = SqlRow & {
  statement_id: string;
  number: number;
  environment: string;
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
  environment: string;
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

/**
 * Makes the identities by which lines are the same in another file: a provisional statement and the final one write them in
 * other places and with other spaces. Lines that are alike in everything are told apart by how many there are, not by their
 * order.
 */
export function lineIdentities(account: string, lines: readonly StatementLine[]): string[] {
  const seen = new Map<string, number>();
  return lines.map(({ day, amount, text }) => {
    const alike = JSON.stringify([account, day, amount, plainText(text)]);
    const nth = (seen.get(alike) ?? 0) + 1;
    seen.set(alike, nth);
    return `${alike} ${nth}`;
  });
}

/** Letters and digits alone, in capitals and without accents. */
function plainText(text: string): string {
  return text
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
}
