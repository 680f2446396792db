import type { Reader, SqlRow } from '../../db/database.ts';
import type { PayoutLimits } from '../../payouts/approval/payout-limit-queries.ts';
import type { Said } from '../fact-check-queries.ts';
import { lastAct } from './act-check-queries.ts';

const SET = `'payout.limits_set'`;

/** The limits of an environment's payouts with their last act. Without limits every column is null. */
export type PayoutLimitsSaid = SqlRow &
  PayoutLimits &
  Said & { environment_id: number; payment_service_id: string | null };

/** Lists the environments with limits of payouts in this currency, or with an act about them. */
export function selectPayoutLimitsSaid(db: Reader, currency: string): Promise<PayoutLimitsSaid[]> {
  return db.query<PayoutLimitsSaid>(
    `select e.id as environment_id, e.payment_service_id, l.per_payout, l.per_batch, l.per_day, l.automatic_per_payout,
       l.automatic_per_day, l.automatic_count_per_hour, a.said_after as said, a.created_at as said_at
     from environments e
     left join payout_limits l on l.environment_id = e.id and l.currency = $1
     left join audit_log a on a.link = ${lastAct(`e.payment_service_id || ' ' || e.environment`, SET)}
     where l.environment_id is not null or a.link is not null order by e.id`,
    [currency],
  );
}

/** How much a person may approve in a day, with the last act about it; null: as much as the environments allow. */
export type PersonLimitSaid = SqlRow & Said & { user_id: string; per_day: number | null };

/** Lists the people with a limit of their own in this currency, or with an act about it. */
export function selectPersonLimitsSaid(db: Reader, currency: string): Promise<PersonLimitSaid[]> {
  return db.query<PersonLimitSaid>(
    `select u.id as user_id, l.per_day, a.said_after as said, a.created_at as said_at
     from users u
     left join user_payout_limits l on l.user_id = u.id and l.currency = $1
     left join audit_log a on a.link = ${lastAct('u.id', SET)}
     where l.user_id is not null or a.link is not null order by u.id`,
    [currency],
  );
}
