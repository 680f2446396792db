import type { Reader, SqlRow } from '../../db/database.ts';
import type { PayoutSenderRow } from '../../payouts/payout-sender-queries.ts';

/** Lists the next payment services by id. */
export function selectServicesAfter(
  db: Reader,
  afterId: string,
  limit: number,
): Promise<{ id: string; created_at: number }[]> {
  return db.query('select id, created_at from payment_services where id > $1 order by id limit $2', [afterId, limit]);
}

/** The columns that a row of the store and an act have in common, and the columns of an act: null for a row. */
type PartOf = SqlRow & {
  payment_service_id: string;
  environment_id: number | null;
  action: string | null;
  link: number | null;
  at: number;
  by: string | null;
  said: string | null;
};

/** A Secret Token (`action` null), or an act that made one. */
export type TokenPart = PartOf & { environment: string | null; closes_at: number | null };

/** Lists the Secret Tokens of these payment services and the acts that made further ones, in one statement. */
export function selectTokenParts(db: Reader, serviceIds: readonly string[]): Promise<TokenPart[]> {
  return db.query<TokenPart>(
    `select a.subject as payment_service_id, null as environment_id, null as environment, null as closes_at, a.action,
       a.link, a.created_at as at, a.actor as by, a.said_after as said
     from audit_log a where a.subject {named $1} and {filter_by}a.action = 'payment_service.rotated'
     union all
     select e.payment_service_id, e.id, e.environment, s.closes_at, null, null, s.created_at, null, null
     from secret_tokens s join environments e on e.id = s.environment_id where e.payment_service_id {named $1}
     order by link`,
    [serviceIds],
  );
}

/** An account at a payment method (`action` null), or an act that set or removed one. */
export type AccountPart = PartOf & {
  environment: string | null;
  payment_method: string | null;
  account: string | null;
  retired_at: number | null;
};

/** Lists the accounts of these payment services with the acts about them, in one statement. */
export function selectAccountParts(db: Reader, serviceIds: readonly string[]): Promise<AccountPart[]> {
  return db.query<AccountPart>(
    `select a.subject as payment_service_id, null as environment_id, null as environment, null as payment_method,
       null as account, null as retired_at, a.action, a.link, a.created_at as at, a.actor as by, a.said_after as said
     from audit_log a
     where a.subject {named $1} and {filter_by}a.action in ('payment_method.set', 'payment_method.removed')
     union all
     select e.payment_service_id, e.id, e.environment, m.payment_method, m.account, m.retired_at, null, null,
       m.created_at, null, null
     from payment_method_accounts m join environments e on e.id = m.environment_id where e.payment_service_id {named $1}
     order by link`,
    [serviceIds],
  );
}

/** A sender of payouts (`action` null), or an act that set or removed one. */
export type SenderPart = PartOf & Pick<PayoutSenderRow, 'kind' | 'url' | 'retired_at'> & { environment: string };

/** Lists the senders of these payment services with the acts about them, in one statement. */
export function selectSenderParts(db: Reader, serviceIds: readonly string[]): Promise<SenderPart[]> {
  return db.query<SenderPart>(
    `select e.payment_service_id, e.id as environment_id, e.environment, null as kind, null as url, null as retired_at,
       a.action, a.link, a.created_at as at, a.actor as by, a.said_after as said
     from environments e join audit_log a on a.subject = e.payment_service_id || ' ' || e.environment
       and {filter_by}a.action in ('payout.sender_set', 'payout.sender_removed')
     where e.payment_service_id {named $1}
     union all
     select e.payment_service_id, e.id, e.environment, s.kind, s.url, s.retired_at, null, null, s.set_at, s.set_by, null
     from payout_senders s join environments e on e.id = s.environment_id where e.payment_service_id {named $1}
     order by link`,
    [serviceIds],
  );
}

/** The type of an account with the last act that set it, if any. */
export type AccountTypeSaid = SqlRow & {
  environment_id: number;
  payment_service_id: string;
  account_hash: string;
  account_type: string;
  set_at: number;
  set_by: string;
  said: string | null;
  said_at: number | null;
  said_by: string | null;
};

/** Lists the next types of accounts. An act names a payout to the account. */
export function selectAccountTypesSaid(
  db: Reader,
  { environment_id, account_hash }: Pick<AccountTypeSaid, 'environment_id' | 'account_hash'>,
  limit: number,
): Promise<AccountTypeSaid[]> {
  return db.query<AccountTypeSaid>(
    `select t.environment_id, e.payment_service_id, t.account_hash, t.account_type, t.set_at, t.set_by,
       a.said_after as said, a.created_at as said_at, a.actor as said_by
     from (select * from payout_account_types where environment_id > $1 or (environment_id = $1 and account_hash > $2)
       order by environment_id, account_hash limit $3) t
     join environments e on e.id = t.environment_id
     left join (select p.environment_id, p.account_hash, max(b.link) as link
       from audit_log b join payouts p on p.id = b.subject where b.action = 'payout.account_type_set'
       group by p.environment_id, p.account_hash) newest
       on newest.environment_id = t.environment_id and newest.account_hash = t.account_hash
     left join audit_log a on a.link = newest.link
     order by t.environment_id, t.account_hash`,
    [environment_id, account_hash, limit],
  );
}
