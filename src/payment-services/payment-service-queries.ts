import type { Reader, SqlRow, Tx } from '../db/database.ts';
import type { Environment, ReceiptWish } from './payment-service.ts';

export type EnvironmentRow = {
  id: number;
  payment_service_id: string;
  name: string;
  per_minute: number | null;
  payer_attempts: number | null;
  receipts: ReceiptWish | null;
  environment: Environment;
  service_token: string;
  /** When the payment service was disabled, in UTC milliseconds; null: it is enabled. */
  disabled_at: number | null;
  events_url: string | null;
  /** Codes of the payment methods that have an account in use, separated by commas. */
  configured_methods: string | null;
  /**
   * The last move: direction, state, the end of its pause and the address of the other database, separated by spaces.
   */
  last_move: string | null;
  secret_id: string;
  sealed: string;
  created_at: number;
  closes_at: number | null;
};

const environmentColumns = `e.id, e.payment_service_id, p.name, p.per_minute, p.payer_attempts, p.receipts, e.environment, e.service_token, p.disabled_at,
  e.events_url,
  (select string_agg(m.payment_method, ',') from payment_method_accounts m
    where m.environment_id = e.id and m.retired_at is null) as configured_methods,
  (select m.direction || ' ' || m.state || ' ' || coalesce(m.paused_until, 0) || ' ' || m.address from moves m
    where m.payment_service_id = e.payment_service_id order by m.began_at desc, m.id desc limit 1) as last_move,
  s.id as secret_id, s.sealed, s.created_at, s.closes_at
  from environments e
  join payment_services p on p.id = e.payment_service_id
  join secret_tokens s on s.environment_id = e.id`;

/**
 * Reads one row for each Secret Token that is open at `now`, the newest first. For an unknown or disabled Service Token
 * it reads the rows of another environment, so that it takes as long; the caller must check `service_token` and
 * `disabled_at`.
 */
export function selectEnvironmentByToken(db: Reader, serviceToken: string, now: number): Promise<EnvironmentRow[]> {
  return db.query(
    `select ${environmentColumns}
     where e.id = coalesce(
         (select asked.id from environments asked join payment_services owner on owner.id = asked.payment_service_id
          where asked.service_token = $1 and owner.disabled_at is null),
         (select min(id) from environments))
       and (s.closes_at is null or s.closes_at > $2)
     order by s.created_at desc, s.id`,
    [serviceToken, now],
  );
}

/**
 * Reads the rows of an environment by its id, also of a disabled payment service, which still gets its callbacks. With
 * `now` 0 the rows include closed Secret Tokens.
 */
export function selectEnvironmentById(db: Reader, id: number, now: number): Promise<EnvironmentRow[]> {
  return db.query(
    `select ${environmentColumns}
     where e.id = $1 and (s.closes_at is null or s.closes_at > $2)
     order by s.created_at desc, s.id`,
    [id, now],
  );
}

export type SecretRow = {
  id: string;
  environment_id: number;
  environment: Environment;
  sealed: string;
  closes_at: number | null;
};

/**
 * Lists the Secret Tokens of both environments, also closed ones: open ones first, then the newest, at most `limit`.
 */
export function selectSecretsOfPaymentService(
  db: Reader,
  paymentServiceId: string,
  limit: number,
): Promise<SecretRow[]> {
  return db.query(
    `select s.id, s.environment_id, e.environment, s.sealed, s.closes_at
     from environments e join secret_tokens s on s.environment_id = e.id
     where e.payment_service_id = $1
     order by case when s.closes_at is null then 0 else 1 end, s.created_at desc, s.id
     limit $2`,
    [paymentServiceId, limit],
  );
}

export type StoredSecretRow = SecretRow & { payment_service_id: string };

/** Lists the next Secret Tokens of all payment services by id, also closed ones, encrypted. */
export function selectSecretsAfter(db: Reader, after: string, limit: number): Promise<StoredSecretRow[]> {
  return db.query(
    `select s.id, s.environment_id, e.environment, s.sealed, s.closes_at, e.payment_service_id
     from secret_tokens s join environments e on e.id = s.environment_id
     where s.id > $1 order by s.id limit $2`,
    [after, limit],
  );
}

export async function insertPaymentService(
  tx: Tx,
  { id, name, created_at }: { id: string; name: string; created_at: number },
): Promise<void> {
  await tx.query('insert into payment_services (id, name, created_at) values ($1, $2, $3)', [id, name, created_at]);
}

/** Takes the id of a new environment. Others that make a payment service wait for the commit. */
export async function takeEnvironmentId(tx: Tx): Promise<number> {
  const [taken] = await tx.query<{ id: number }>(
    `update id_blocks set next_id = next_id + 1 where name = 'environment' returning next_id - 1 as id`,
  );
  return (taken as { id: number }).id;
}

/** Returns false if another environment has the Service Token. Waits for a commit that is about to give it to one. */
export async function insertEnvironment(
  tx: Tx,
  row: { id: number; payment_service_id: string; environment: Environment; service_token: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into environments (id, payment_service_id, environment, service_token) values ($1, $2, $3, $4)
     on conflict (service_token) do nothing returning id`,
    [row.id, row.payment_service_id, row.environment, row.service_token],
  );
  return rows.length === 1;
}

/** Returns whether a payment service has this Service Token, also a disabled one. */
export async function hasServiceToken(db: Reader, serviceToken: string): Promise<boolean> {
  return (await db.query('select id from environments where service_token = $1', [serviceToken])).length > 0;
}

export async function insertSecretToken(
  tx: Tx,
  row: { id: string; environment_id: number; sealed: string; created_at: number },
): Promise<void> {
  await tx.query('insert into secret_tokens (id, environment_id, sealed, created_at) values ($1, $2, $3, $4)', [
    row.id,
    row.environment_id,
    row.sealed,
    row.created_at,
  ]);
}

export type PaymentServiceRow = {
  id: string;
  name: string;
  created_at: number;
  disabled_at: number | null;
  per_minute: number | null;
  payer_attempts: number | null;
};

export function selectPaymentServices(db: Reader): Promise<PaymentServiceRow[]> {
  return db.query(
    'select id, name, created_at, disabled_at, per_minute, payer_attempts from payment_services order by created_at, id',
  );
}

export async function hasPaymentService(db: Reader, id: string): Promise<boolean> {
  return (await db.query('select id from payment_services where id = $1', [id])).length > 0;
}

/**
 * Locks a payment service until the commit. The update works like `for update` and runs on both engines. On PostgreSQL
 * it does not block checks of foreign keys.
 */
export async function lockPaymentService(tx: Tx, id: string): Promise<void> {
  await tx.query('update payment_services set name = name where id = $1', [id]);
}

/** Returns when the first payment service was created; null before that. */
export async function selectFirstCreated(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ at: number | null }>('select min(created_at) as at from payment_services');
  return row?.at ?? null;
}

export type TokenRow = {
  payment_service_id: string;
  environment_id: number;
  environment: Environment;
  service_token: string;
  secret_id: string;
  created_at: number;
  closes_at: number | null;
  last_used_at: number | null;
};

/** Lists the tokens of one payment service (null: of all), without secrets. */
export function selectTokens(db: Reader, paymentServiceId: string | null): Promise<TokenRow[]> {
  return db.query(
    `select e.payment_service_id, e.id as environment_id, e.environment, e.service_token,
       s.id as secret_id, s.created_at, s.closes_at, s.last_used_at
     from environments e join secret_tokens s on s.environment_id = e.id
     where $1 = '' or e.payment_service_id = $1
     order by e.payment_service_id, e.environment, s.created_at desc`,
    [paymentServiceId ?? ''],
  );
}

export async function selectEnvironmentId(
  db: Reader,
  paymentServiceId: string,
  environment: Environment,
): Promise<number | null> {
  const [row] = await db.query<{ id: number }>(
    'select id from environments where payment_service_id = $1 and environment = $2',
    [paymentServiceId, environment],
  );
  return row?.id ?? null;
}

/**
 * Returns the id of an environment and locks it until the commit. The update works like `for update` and runs on both
 * engines.
 */
export async function lockEnvironmentId(
  tx: Tx,
  paymentServiceId: string,
  environment: Environment,
): Promise<number | null> {
  const [row] = await tx.query<{ id: number }>(
    `update environments set events_url = events_url where payment_service_id = $1 and environment = $2 returning id`,
    [paymentServiceId, environment],
  );
  return row?.id ?? null;
}

/**
 * Locks the money of an environment's merchant until the commit: payouts and refunds wait, payments do not. The update
 * works like `for update` and runs on both engines. On PostgreSQL it does not block checks of foreign keys.
 */
export async function lockEnvironmentFunds(tx: Tx, environmentId: number): Promise<void> {
  await tx.query('update environments set events_url = events_url where id = $1', [environmentId]);
}

/** Returns the newest Secret Token, encrypted; null in an empty store. */
export async function selectNewestSecret(
  db: Reader,
): Promise<{ id: string; environment_id: number; sealed: string } | null> {
  const [row] = await db.query<{ id: string; environment_id: number; sealed: string }>(
    'select id, environment_id, sealed from secret_tokens order by created_at desc limit 1',
  );
  return row ?? null;
}

export async function selectPerMinute(db: Reader, id: string): Promise<number | null> {
  const sql = 'select per_minute from payment_services where id = $1';
  const [row] = await db.query<{ per_minute: number | null }>(sql, [id]);
  return row?.per_minute ?? null;
}

/** Returns false if there is no such payment service. */
export async function updatePerMinute(tx: Tx, id: string, perMinute: number | null): Promise<boolean> {
  const sql = 'update payment_services set per_minute = $2 where id = $1 returning id';
  return (await tx.query(sql, [id, perMinute])).length === 1;
}

export async function selectPayerAttempts(db: Reader, id: string): Promise<number | null> {
  const [row] = await db.query<{ payer_attempts: number | null }>(
    'select payer_attempts from payment_services where id = $1',
    [id],
  );
  return row?.payer_attempts ?? null;
}

/** Returns false if there is no such payment service. */
export async function updatePayerAttempts(tx: Tx, id: string, payerAttempts: number | null): Promise<boolean> {
  const rows = await tx.query('update payment_services set payer_attempts = $2 where id = $1 returning id', [
    id,
    payerAttempts,
  ]);
  return rows.length === 1;
}

export async function selectReceipts(db: Reader, id: string): Promise<ReceiptWish | null> {
  const [row] = await db.query<{ receipts: ReceiptWish | null }>(
    'select receipts from payment_services where id = $1',
    [id],
  );
  return row?.receipts ?? null;
}

/** Returns false if there is no such payment service. */
export async function updateReceipts(tx: Tx, id: string, receipts: ReceiptWish | null): Promise<boolean> {
  const rows = await tx.query('update payment_services set receipts = $2 where id = $1 returning id', [id, receipts]);
  return rows.length === 1;
}

export async function updateEnabled(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    'update payment_services set disabled_at = null where id = $1 and disabled_at is not null returning id',
    [id],
  );
  return rows.length === 1;
}

export async function updateDisabled(tx: Tx, id: string, disabledAt: number): Promise<boolean> {
  const rows = await tx.query(
    'update payment_services set disabled_at = $2 where id = $1 and disabled_at is null returning id',
    [id, disabledAt],
  );
  return rows.length === 1;
}

/** The URL to which an environment's events of refunds are posted; null: none. */
export type EventsUrl = { payment_service: string; environment: Environment; url: string | null };

/** Returns the events URLs of these environments. */
export function selectEventsUrls(
  db: Reader,
  environmentIds: readonly number[],
): Promise<(SqlRow & EventsUrl & { id: number })[]> {
  return db.query(
    'select id, payment_service_id as payment_service, environment, events_url as url from environments where id {among $1}',
    [environmentIds],
  );
}

export async function updateEventsUrl(tx: Tx, environmentId: number, url: string | null): Promise<void> {
  await tx.query('update environments set events_url = $2 where id = $1', [environmentId, url]);
}

/** Sets the time at which every open Secret Token of the environment closes, unless it closes sooner. */
export async function closeSecretTokens(tx: Tx, environmentId: number, closesAt: number): Promise<void> {
  await tx.query(
    `update secret_tokens set closes_at = $2
     where environment_id = $1 and (closes_at is null or closes_at > $2)`,
    [environmentId, closesAt],
  );
}

export async function updateLastUsed(tx: Tx, secretId: string, usedAt: number): Promise<void> {
  await tx.query(
    'update secret_tokens set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
    [secretId, usedAt],
  );
}

/** Lists the environments of one kind, of one payment service (null: of all). */
export async function selectEnvironmentIdsOf(
  db: Reader,
  environment: Environment,
  paymentServiceId: string | null,
): Promise<number[]> {
  const [ofOne, ...values] = paymentServiceId === null ? [''] : ['and payment_service_id = $2', paymentServiceId];
  const rows = await db.query<{ id: number }>(
    `select id from environments where environment = $1 ${ofOne} order by id`,
    [environment, ...values],
  );
  return rows.map((row) => row.id);
}

/** Lists the environments of payment services that another database serves, according to their last move. */
export function selectEnvironmentsElsewhere(
  db: Reader,
): Promise<{ id: number; payment_service_id: string; direction: 'out' | 'in'; state: string }[]> {
  return db.query(
    `select e.id, e.payment_service_id, m.direction, m.state from moves m join environments e on e.payment_service_id = m.payment_service_id
     where ((m.direction = 'out' and m.state = 'moved') or (m.direction = 'in' and m.state <> 'moved'))
       and not exists (
         select 1 from moves later where later.payment_service_id = m.payment_service_id
           and (later.began_at > m.began_at or (later.began_at = m.began_at and later.id > m.id)))
     order by e.id`,
  );
}

/** Lists the environments of payment services that arrived from another database after a time. */
export async function selectArrivedSince(db: Reader, at: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    `select distinct e.id from moves m join environments e on e.payment_service_id = m.payment_service_id
     where m.direction = 'in' and m.state = 'moved' and m.changed_at > $1 order by e.id`,
    [at],
  );
  return rows.map(({ id }) => id);
}
