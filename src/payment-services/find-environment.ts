import { signingKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import type { Tx } from '../db/database.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { elsewhereOf, refuseElsewhere } from './elsewhere.ts';
import { DEFAULT_RECEIPTS, type SecretToken, type ServiceEnvironment } from './payment-service.ts';
import {
  type EnvironmentRow,
  lockPaymentService,
  selectEnvironmentById,
  selectEnvironmentByToken,
  selectEnvironmentsElsewhere,
} from './payment-service-queries.ts';
import { openSecret } from './seal-secret.ts';

/** A disabled payment service and a closed Secret Token stop working within this time, on every replica. */
const LIFETIME_MS = 1000;

const createCache = (app: App) =>
  createExpiringCache<ServiceEnvironment>({ lifetimeMs: LIFETIME_MS, capacity: 10_000, now: app.now });

// Two caches, so that no Service Token that somebody sends can match an id.
const caches = perInstance(createCache);
const cachesById = perInstance(createCache);

/** Returns the environment of a Service Token if it was read less than a second ago, otherwise null. */
export function cachedEnvironment(app: App, serviceToken: string): ServiceEnvironment | null {
  return caches(app).peek(serviceToken);
}

/**
 * Reads the environment of a Service Token from the store. Null: unknown, or its payment service is disabled. The
 * cached environment stays valid meanwhile, so that wrong signatures in a merchant's name do not delay the merchant's
 * requests.
 */
export function loadEnvironment(app: App, serviceToken: string): Promise<ServiceEnvironment | null> {
  return caches(app).refresh(serviceToken, async () => {
    const rows = await selectEnvironmentByToken(app.db, serviceToken, app.now());
    const [first] = rows;
    if (first?.service_token === serviceToken && first.disabled_at === null) return fromRows(app, rows);
    openDecoy(app, rows);
    return null;
  });
}

/** Does the work of a known account, so that the response time does not reveal which accounts exist. */
function openDecoy(app: App, rows: EnvironmentRow[]): void {
  try {
    fromRows(app, rows);
  } catch {
    // The rows belong to another environment. The error is reported when that environment is used.
  }
}

/** Returns an environment by its id, also of a disabled payment service. */
export function findEnvironmentById(app: App, id: number): Promise<ServiceEnvironment | null> {
  return cachesById(app).get(String(id), async () => fromRows(app, await selectEnvironmentById(app.db, id, app.now())));
}

/**
 * Returns the environment of a row, like `findEnvironmentById`. Rejects if it does not exist, because then the store is
 * damaged.
 */
export async function environmentOf(
  app: App,
  { environment_id }: { environment_id: number },
): Promise<ServiceEnvironment> {
  const environment = await findEnvironmentById(app, environment_id);
  if (environment === null) throw new Error(`There is no environment ${environment_id}`);
  return environment;
}

/**
 * Returns the environment of a row for a write, or for a read that a program acts on. Throws `Problem`
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has it.
 */
export async function environmentHere(app: App, row: { environment_id: number }): Promise<ServiceEnvironment> {
  const environment = await environmentOf(app, row);
  refuseElsewhere(environment);
  return environment;
}

/**
 * Throws the same if another database serves a payment service, with its address: the store itself refuses a write too,
 * but does not know where.
 */
export async function requireHere(app: App, paymentServiceId: string): Promise<void> {
  const elsewhere = await selectEnvironmentsElsewhere(app.db);
  const moved = elsewhere.find((one) => one.payment_service_id === paymentServiceId);
  if (moved !== undefined) await environmentHere(app, { environment_id: moved.id });
}

/** Changes a payment service in one transaction, after its concurrent changes. Throws as `requireHere` does. */
export async function changeService<T>(app: App, id: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  await requireHere(app, id);
  return app.db.transaction(async (tx) => {
    await lockPaymentService(tx, id);
    return change(tx);
  });
}

/**
 * Returns an environment with every Secret Token that it ever had, to check old signatures. Null: no such environment.
 */
export async function findEnvironmentAsEver(app: App, id: number): Promise<ServiceEnvironment | null> {
  return fromRows(app, await selectEnvironmentById(app.db, id, 0));
}

function fromRows(app: App, rows: EnvironmentRow[]): ServiceEnvironment | null {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    id: first.id,
    paymentServiceId: first.payment_service_id,
    paymentServiceName: first.name,
    perMinute: first.per_minute,
    payerAttempts: first.payer_attempts,
    receipts: receiptsOf(app, first),
    environment: first.environment,
    serviceToken: first.service_token,
    eventsUrl: first.events_url,
    configuredMethods: first.configured_methods?.split(',') ?? [],
    secrets: openSecrets(app, rows),
    elsewhere: elsewhereOf(first.last_move, app.now()),
  };
}

function receiptsOf(app: App, { receipts }: EnvironmentRow): ServiceEnvironment['receipts'] {
  const wish = receipts ?? DEFAULT_RECEIPTS;
  return app.mailer === null || wish === 'off' ? null : wish;
}

/**
 * Leaves out a Secret Token that was moved or changed in the store, so that the others keep working. Throws if none can
 * be decrypted.
 */
function openSecrets(app: App, rows: readonly EnvironmentRow[]): SecretToken[] {
  const failures: unknown[] = [];
  const secrets = rows.flatMap((row) => {
    try {
      return [secretOf(app, row)];
    } catch (error) {
      failures.push(error);
      const place = { environment_id: row.id, secret_id: row.secret_id };
      app.log.error({ alarm: 'secret_does_not_open', ...place }, 'a Secret Token was moved or changed in the store');
      return [];
    }
  });
  if (secrets.length === 0) throw failures[0];
  return secrets;
}

function secretOf(app: App, row: EnvironmentRow): SecretToken {
  const text = openSecret(app, { id: row.secret_id, environment_id: row.id }, row.sealed);
  return { id: row.secret_id, text, key: signingKey(text), createdAt: row.created_at, closesAt: row.closes_at };
}
