import type { Reader, SqlRow } from '../db/database.ts';
import { SECOND_LINE } from '../payouts/kept-texts.ts';

/** A line in suspense that charges for a payout once more. `line`: as in `contradicted_by` of the payout. */
export type SecondLineRow = SqlRow & {
  payout: string;
  environment_id: number;
  payment_service: string;
  line: string;
  amount: number;
  currency: string;
};

/** Returns these lines, oldest first. There are few contradicted payouts, and each has its index entry. */
export function selectSecondLines(db: Reader): Promise<SecondLineRow[]> {
  return db.query<SecondLineRow>(
    `select p.id as payout, p.environment_id, e.payment_service_id as payment_service,
       l.statement_id || '/' || l.file_line as line, -l.amount as amount, l.currency
     from payouts p cross join environments e cross join bank_statement_lines l
     where p.contradicted_at is not null and p.contradiction = $1 and e.id = p.environment_id
       and l.used_as = 'suspense' and l.amount < 0
       and ' ' || p.contradicted_by || ' ' like '% ' || l.statement_id || '/' || l.file_line || ' %'
     order by l.kept_at, l.statement_id, l.number`,
    [SECOND_LINE],
  );
}
