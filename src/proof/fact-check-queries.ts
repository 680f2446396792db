import type { FeeRow, OwnerRow, ReservedRow } from '../books/book-fact.ts';
import type { PaymentDecision } from '../checkout/payment-decision.ts';
import type { Reader, SqlRow } from '../db/database.ts';
import type { Epoch } from '../epochs/epoch.ts';
import type { ImportedPayment } from '../movements/imported-payment.ts';
import type { RefundDecision } from '../refunds/refund-decision.ts';

/** The last fact about a subject, if any. `said` is JSON text. */
export type Said = { said: string | null; said_at: number | null };

const lastFact = (column: 'content' | 'created_at', condition: string) =>
  `(select f.${column} from book_facts f where ${condition} order by f.environment_id desc, f.link desc limit 1)`;

const saidOf = (condition: string) =>
  `${lastFact('content', condition)} as said, ${lastFact('created_at', condition)} as said_at`;

/** Lists the owner of every environment, with the owner that its fact states. */
export function selectOwnersSaid(db: Reader): Promise<(SqlRow & OwnerRow & Said)[]> {
  return db.query(
    `select e.id, e.payment_service_id, p.name, e.environment, e.service_token,
       ${saidOf(`f.kind = 'owner' and f.subject = '' and f.environment_id = e.id`)}
     from environments e left join payment_services p on p.id = e.payment_service_id order by e.id`,
  );
}

/** Lists every fee, with the fee that its fact states. */
export function selectFeesSaid(db: Reader): Promise<(SqlRow & FeeRow & Said & { environment_id: number })[]> {
  return db.query(
    `select c.environment_id, c.payment_method, c.currency, c.rate_ppm, c.fixed, c.created_at,
       ${saidOf(`f.kind = 'fee' and f.subject = c.payment_method || ' ' || c.currency and f.environment_id = c.environment_id`)}
     from fees c order by c.environment_id, c.payment_method, c.currency`,
  );
}

export type RefundSaid = SqlRow & ReservedRow & Said & { environment_id: number };

/** Lists the next refunds by id, each with its last fact. */
export function selectRefundsSaid(db: Reader, afterId: string, limit: number): Promise<RefundSaid[]> {
  return db.query<RefundSaid>(
    `select r.id, r.transaction_id, r.sequence, r.amount, r.created_at, r.type, r.requested_by, r.idempotency_key, r.state,
       r.environment_id, ${saidOf(`f.kind = 'refund' and f.subject = r.id and f.environment_id = r.environment_id`)}
     from refunds r
     where r.id > $1 order by r.id limit $2`,
    [afterId, limit],
  );
}

const DECISION = `f.kind = 'decision' and f.subject = d.id and f.environment_id = d.environment_id`;

/** Lists the next decisions about payment attempts by id, each with its fact. */
export function selectDecisionsSaid(
  db: Reader,
  afterId: string,
  limit: number,
): Promise<(PaymentDecision & Said & { environment_id: number })[]> {
  return db.query(
    `select d.*, ${saidOf(DECISION)}
     from payment_decisions d
     where d.id > $1 order by d.id limit $2`,
    [afterId, limit],
  );
}

/** Lists the restores that a person accepted, with their facts. */
export function selectRestoresSaid(db: Reader): Promise<(Epoch & Said)[]> {
  const condition = `f.kind = 'restore' and f.subject = cast(p.epoch as text)`;
  return db.query(
    `select p.*, ${saidOf(condition)} from epochs p
     where exists (select 1 from book_facts f where ${condition}) order by p.epoch`,
  );
}

/** Returns whether a fact records the acceptance of this epoch. */
export async function hasRestoreFact(db: Reader, epoch: number): Promise<boolean> {
  const rows = await db.query(`select 1 as there from book_facts where kind = 'restore' and subject = $1 limit 1`, [
    String(epoch),
  ]);
  return rows.length > 0;
}

/** Lists the next decisions about refunds by id, each with its fact. */
export function selectRefundDecisionsSaid(
  db: Reader,
  afterId: string,
  limit: number,
): Promise<(RefundDecision & Said & { environment_id: number })[]> {
  return db.query(
    `select d.*, ${saidOf(DECISION)}
     from refund_decisions d
     where d.id > $1 order by d.id limit $2`,
    [afterId, limit],
  );
}

/** Lists the next imported lines of an acquirer's file by id, each with its fact. */
export function selectImportsSaid(db: Reader, afterId: string, limit: number): Promise<(ImportedPayment & Said)[]> {
  return db.query(
    `select i.*, ${saidOf(`f.kind = 'import' and f.subject = i.id and f.environment_id = i.environment_id`)}
     from imported_payments i where i.id > $1 order by i.id limit $2`,
    [afterId, limit],
  );
}

/** A fact whose subject no longer exists. */
export type GoneFact = SqlRow & {
  environment_id: number;
  kind: string;
  subject: string;
  said: string;
  said_at: number;
};

/**
 * Lists the first facts whose environment, fee, refund, decision, import or restore no longer exists, the oldest first.
 */
export function selectGone(db: Reader, limit: number): Promise<GoneFact[]> {
  const newest = `not exists (select 1 from book_facts later where later.kind = f.kind and later.subject = f.subject
       and later.environment_id = f.environment_id and later.link > f.link)`;
  return db.query<GoneFact>(
    `select f.environment_id, f.kind, f.subject, f.content as said, f.created_at as said_at from book_facts f
     where (f.kind = 'refund' and not exists (select 1 from refunds r
         where r.id = f.subject and r.environment_id = f.environment_id)
       or f.kind = 'decision' and not exists (select 1 from payment_decisions d
         where d.id = f.subject and d.environment_id = f.environment_id)
         and not exists (select 1 from refund_decisions d
         where d.id = f.subject and d.environment_id = f.environment_id)
       or f.kind = 'restore' and not exists (select 1 from epochs p where cast(p.epoch as text) = f.subject)
       or f.kind = 'import' and not exists (select 1 from imported_payments i
         where i.id = f.subject and i.environment_id = f.environment_id)
       or f.kind = 'owner' and not exists (select 1 from environments e where e.id = f.environment_id)
       or f.kind = 'fee' and not exists (select 1 from fees c where c.environment_id = f.environment_id
         and c.payment_method || ' ' || c.currency = f.subject))
       and ${newest}
     order by f.created_at, f.environment_id, f.link limit $1`,
    [limit],
  );
}

/** Lists the environments without any fact. */
export function selectOwnersUnsaid(db: Reader): Promise<(SqlRow & OwnerRow)[]> {
  return db.query(
    `select e.id, e.payment_service_id, p.name, e.environment, e.service_token
     from environments e join payment_services p on p.id = e.payment_service_id
     where not exists (select 1 from book_facts f where f.environment_id = e.id) order by e.id`,
  );
}

export function selectFeesOf(db: Reader, environmentId: number): Promise<(SqlRow & FeeRow)[]> {
  return db.query(
    'select payment_method, currency, rate_ppm, fixed, created_at from fees where environment_id = $1 order by payment_method, currency',
    [environmentId],
  );
}

/** Lists the refunds of an environment that have not ended. */
export function selectReservedOf(db: Reader, environmentId: number): Promise<(SqlRow & ReservedRow)[]> {
  return db.query(
    `select r.id, r.transaction_id, r.sequence, r.amount, r.created_at, r.type, r.requested_by, r.idempotency_key, r.state
     from refunds r where r.state = 'processing' and r.environment_id = $1 order by r.created_at, r.id`,
    [environmentId],
  );
}
