import type { App } from '../app.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../lib/seal.ts';
import {
  deleteMethodSettings,
  type ListedSettings,
  selectListedSettings,
  selectMethodSettings,
  upsertMethodSettings,
} from './method-settings-queries.ts';
import type { Environment } from './payment-service.ts';
import { selectEnvironmentId } from './payment-service-queries.ts';

/** The merchant's account at a payment method, such as a commerce code, and the key that opens it. */
export type MethodSettings = { account: string; key: string };

/** Settings that were changed or removed are no longer used after this time, on every replica. */
const LIFETIME_MS = 1000;

type Store = Pick<App, 'db' | 'config' | 'now'>;

const keyOf = perInstance((app: Store) => sealingKey(deriveKey(app.config.masterKey, 'payment-method-settings')));
const caches = perInstance((app: Store) =>
  createExpiringCache<MethodSettings>({ lifetimeMs: LIFETIME_MS, capacity: 10_000, now: app.now }),
);

/** The settings of a payment method for an environment, or null where there are none. */
export function findMethodSettings(app: Store, environmentId: number, method: string): Promise<MethodSettings | null> {
  return caches(app).get(`${environmentId}/${method}`, async () => {
    const row = await selectMethodSettings(app.db, environmentId, method);
    if (row === null) return null;
    const place = placeOf(environmentId, method, row.account);
    return { account: row.account, key: open(keyOf(app), row.sealed_key, place) };
  });
}

/**
 * Sets or replaces the settings of a payment method. The key is sealed and shown to nobody again.
 * Answers false when there is no such payment service.
 */
export function setMethodSettings(
  app: Store,
  target: { paymentServiceId: string; environment: Environment; method: string },
  { account, key }: MethodSettings,
): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return false;
    await upsertMethodSettings(tx, {
      environment_id: environmentId,
      payment_method: target.method,
      account,
      sealed_key: seal(keyOf(app), key, placeOf(environmentId, target.method, account)),
      created_at: app.now(),
    });
    return true;
  });
}

/** Removes them: the method is no longer offered. Answers false when there were none. */
export function removeMethodSettings(
  app: Store,
  target: { paymentServiceId: string; environment: Environment; method: string },
): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const environmentId = await selectEnvironmentId(tx, target.paymentServiceId, target.environment);
    return environmentId !== null && (await deleteMethodSettings(tx, environmentId, target.method));
  });
}

/** All settings of the installation, without their keys. */
export function listMethodSettings(app: Store): Promise<ListedSettings[]> {
  return selectListedSettings(app.db);
}

/** Bound into the seal: a key that is copied to another row, or whose account was changed, does not open. */
function placeOf(environmentId: number, method: string, account: string): string {
  return `payment_method_settings/${environmentId}/${method}/${account}`;
}
