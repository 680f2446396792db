import type { Reader, SqlRow } from '../../db/database.ts';
import { type Destination, withDestination } from '../webhooks/find-subscribers.ts';

/** A callback that was given up and never delivered, with its payment service. */
export type GivenUpCallback = GivenUpRow & Destination;

type GivenUpRow = SqlRow & {
  id: number;
  environment_id: number;
  endpoint_id: number;
  webhook_id: string;
  content_type: string;
  payment_service: string;
  name: string;
  environment: string;
  transaction_id: number;
  since: number;
  attempts: number;
};

/** Excludes callbacks with an earlier success: a shop may reject one that it has accepted before. */
const GIVEN_UP = `select c.id, c.environment_id, c.finished_at as since from callbacks c
  where c.state = 'dead' and c.finished_at >= $1 and not exists
    (select 1 from delivery_attempts d
    where d.callback_id = c.id and d.environment_id = c.environment_id and d.status between 200 and 299)`;

/** Counts the callbacks given up at or after `since`. */
export async function measureGivenUp(db: Reader, since: number): Promise<{ count: number; oldest: number | null }> {
  const [row] = await db.query<{ count: number; oldest: number | null }>(
    `select count(*) as count, min(since) as oldest from (${GIVEN_UP}) as given_up`,
    [since],
  );
  return row ?? { count: 0, oldest: null };
}

/** Returns these callbacks, oldest first. */
export async function selectGivenUp(db: Reader, since: number, limit: number): Promise<GivenUpCallback[]> {
  const found = await db.query<GivenUpRow>(
    `select c.id, c.environment_id, c.endpoint_id, c.webhook_id, c.content_type, e.payment_service_id as payment_service, p.name, e.environment, c.transaction_id, g.since, c.attempts
     from (${GIVEN_UP}) as g
     join callbacks c on c.id = g.id and c.environment_id = g.environment_id
     join environments e on e.id = c.environment_id
     join payment_services p on p.id = e.payment_service_id
     order by g.since, c.id limit $2`,
    [since, limit],
  );
  return withDestination(db, found);
}
