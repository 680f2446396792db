import type { Reader, SqlRow } from '../../db/database.ts';
import type { PaymentLink } from '../../payment-links/payment-link.ts';
import type { LookRow } from '../../payment-services/look-queries.ts';
import type { Said } from '../fact-check-queries.ts';
import { lastAct } from './act-check-queries.ts';

/** Where events of an environment's refunds go, with the last act about it. */
export type EventsUrlSaid = SqlRow &
  Said & { id: number; payment_service_id: string; environment: string; created_at: number; events_url: string | null };

/** Lists the next environments by id. An act begins with its environment. */
export function selectEventsUrlsSaid(db: Reader, afterId: number, limit: number): Promise<EventsUrlSaid[]> {
  const ofEnvironment = `and b.said_after like '{"environment":"' || e.environment || '"%'`;
  return db.query<EventsUrlSaid>(
    `select e.id, e.payment_service_id, e.environment, e.events_url, p.created_at,
       a.said_after as said, a.created_at as said_at
     from environments e join payment_services p on p.id = e.payment_service_id
     left join audit_log a
       on a.link = ${lastAct('e.payment_service_id', `'payment_service.events_url_set'`, ofEnvironment)}
     where e.id > $1 order by e.id limit $2`,
    [afterId, limit],
  );
}

/** A payment service with its settings and look, and the last act about each; null: there is no such act. */
export type ServiceSaid = SqlRow &
  Omit<LookRow, 'logo_type' | 'logo_width' | 'logo_height'> & {
    id: string;
    environment_id: number | null;
    created_at: number;
    disabled_at: number | null;
    /** The act that disabled or enabled it. */
    turned: string | null;
    turned_at: number | null;
    per_minute: number | null;
    payer_attempts: number | null;
    receipts: string | null;
    /** In base64. */
    logo: string | null;
  } & Record<'limit_said' | 'attempts_said' | 'receipts_said' | 'look_said', string | null> &
  Record<'limit_said_at' | 'attempts_said_at' | 'receipts_said_at' | 'look_said_at', number | null>;

/** Lists the next payment services by id. */
export function selectServicesSaid(db: Reader, afterId: string, limit: number): Promise<ServiceSaid[]> {
  const set = (action: string) => lastAct('p.id', `'payment_service.${action}'`);
  return db.query<ServiceSaid>(
    `select p.id, p.created_at, p.disabled_at, p.per_minute, p.payer_attempts, p.receipts, k.colour, k.site, k.contact,
       k.legal_name, k.rut, k.terms, k.logo_sha256, k.logo, a.action as turned, a.created_at as turned_at,
       m.said_after as limit_said, m.created_at as limit_said_at, t.said_after as attempts_said,
       t.created_at as attempts_said_at, r.said_after as receipts_said, r.created_at as receipts_said_at,
       l.said_after as look_said, l.created_at as look_said_at,
       (select min(e.id) from environments e where e.payment_service_id = p.id) as environment_id
     from payment_services p
     left join looks k on k.payment_service_id = p.id
     left join audit_log a on a.link = ${lastAct('p.id', `'payment_service.disabled', 'payment_service.enabled'`)}
     left join audit_log m on m.link = ${set('limit_set')}
     left join audit_log t on t.link = ${set('payer_attempts_set')}
     left join audit_log r on r.link = ${set('receipts_set')}
     left join audit_log l on l.link = ${set('look_set')}
     where p.id > $1 order by p.id limit $2`,
    [afterId, limit],
  );
}

/** A payment link with the acts that made and ended it; null: there is no such act. */
export type LinkSaid = PaymentLink & {
  payment_service_id: string;
  environment: string;
  made: string | null;
  made_at: number | null;
  made_by: string | null;
  end_said_at: number | null;
};

/** Lists the next payment links by id. */
export function selectLinksSaid(db: Reader, afterId: string, limit: number): Promise<LinkSaid[]> {
  return db.query<LinkSaid>(
    `select l.*, e.payment_service_id, e.environment, m.said_after as made, m.created_at as made_at, m.actor as made_by,
       d.created_at as end_said_at
     from payment_links l join environments e on e.id = l.environment_id
     left join audit_log m on m.link = ${lastAct('l.id', `'payment_link.created'`)}
     left join audit_log d on d.link = ${lastAct('l.id', `'payment_link.ended'`)}
     where l.id > $1 order by l.id limit $2`,
    [afterId, limit],
  );
}
