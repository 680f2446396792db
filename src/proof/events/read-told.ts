import type { App } from '../../app.ts';
import type { Movement } from '../../movements/movement.ts';
import type { Payout } from '../../payouts/payout.ts';
import {
  type EventsUrlAct,
  type PostedRow,
  selectSubscribedUrls,
  selectToldMovements,
  selectToldPayouts,
} from './told-queries.ts';

/** The movements and payouts that callbacks tell of, and the URLs of their subscribers. */
export type Told = {
  movements: ReadonlyMap<string, Movement>;
  payouts: ReadonlyMap<string, Payout>;
  subscribed: ReadonlyMap<string, readonly string[]>;
  /** The acts that set where events of refunds go, by payment service, once they were needed. */
  eventsUrlActs: Map<string, EventsUrlAct[]>;
};

/** The parts of a `webhook-id`: `evt_po_1_confirmed_wh_2`, `evt_mv_1_wh_2`, `evt_1001_2_wh_3`. */
export type ToldParts = { id: string; state: string; subscription: string | null };

const PARTS = /^evt_((?:po|mv)_[0-9a-z]+|\d+)(?:_([a-z_]+?|[\d_]+?))?(?:_(wh_[0-9a-z]+))?$/;

/** Returns the parts of a `webhook-id`; empty for another text, such as after an edit of the store. */
export function partsOf({ webhook_id }: Pick<PostedRow, 'webhook_id'>): ToldParts {
  const [, id = '', state = '', subscription = null] = PARTS.exec(webhook_id) ?? [];
  return { id, state, subscription };
}

/** Reads what these callbacks tell of, in one statement for each kind. */
export async function readTold({ db }: App, posted: readonly PostedRow[]): Promise<Told> {
  const parts = posted.map(partsOf);
  const ids = (kind: string) => [...new Set(parts.flatMap(({ id }) => (id.startsWith(kind) ? [id] : [])))];
  const subscriptions = [...new Set(parts.flatMap(({ subscription }) => subscription ?? []))];
  const [movements, payouts] = [ids('mv_'), ids('po_')];
  return {
    movements: new Map(
      (movements.length === 0 ? [] : await selectToldMovements(db, movements)).map((one) => [one.id, one]),
    ),
    payouts: new Map((payouts.length === 0 ? [] : await selectToldPayouts(db, payouts)).map((one) => [one.id, one])),
    subscribed: new Map(
      Map.groupBy(subscriptions.length === 0 ? [] : await selectSubscribedUrls(db, subscriptions), ({ id }) => id)
        .entries()
        .map(([id, rows]) => [id, rows.map(({ url }) => url)]),
    ),
    eventsUrlActs: new Map(),
  };
}
