import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import { changeService } from './find-environment.ts';
import { retireAccount, selectAccountInUse, selectSealedKey, upsertAccount } from './method-settings-queries.ts';
import type { Environment } from './payment-service.ts';
import { lockEnvironmentId } from './payment-service-queries.ts';

/** The merchant's account at a payment method, such as a commerce code, and its key. */
export type MethodSettings = { account: string; key: string };

export type MethodTarget = { paymentServiceId: string; environment: Environment; method: string };

/** A replaced key is no longer used after this time, on every replica. */
const LIFETIME_MS = 1000;

type Store = Pick<App, 'db' | 'config' | 'now'>;

export const METHOD_KEYS: SealedKind = {
  name: 'payment-method-keys',
  label: 'payment-method-settings',
  table: 'payment_method_accounts',
  column: 'sealed_key',
  key: ['environment_id', 'payment_method', 'account'],
  owner: [],
  where: '1 = 1',
  // The place includes the account, so that a key whose account was changed does not decrypt. Its first word is the
  // first name of the table.
  place: (row) => `payment_method_settings/${row.environment_id}/${row.payment_method}/${row.account}`,
};

const caches = perInstance((app: Store) =>
  createExpiringCache<string>({ lifetimeMs: LIFETIME_MS, capacity: 10_000, now: app.now }),
);

/**
 * Returns the key of a merchant's account at a payment method; null if there never was such an account. Retired
 * accounts keep their keys, because only the account that collected a payment can look it up and refund it.
 */
export function findMethodKey(
  app: Store,
  environmentId: number,
  method: string,
  account: string,
): Promise<string | null> {
  const row = { environment_id: environmentId, payment_method: method, account };
  return caches(app).get(METHOD_KEYS.place(row), async () => {
    const sealed = await selectSealedKey(app.db, environmentId, method, account);
    return sealed === null ? null : openAs(app, METHOD_KEYS, row, sealed);
  });
}

/**
 * Makes a payment method collect with this account from now on. The key is encrypted and never shown again. A new key
 * of an account replaces the old one for earlier payments too, because the old key no longer works. Concurrent calls
 * queue, and the last one wins. Returns false if there is no such payment service.
 */
export function setMethodSettings(
  app: App,
  target: MethodTarget,
  { account, key }: MethodSettings,
  by: Actor,
): Promise<boolean> {
  return changeService(app, target.paymentServiceId, async (tx) => {
    const environmentId = await lockEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return false;
    const now = app.now();
    const before = await selectAccountInUse(tx, environmentId, target.method);
    await retireAccount(tx, environmentId, target.method, now);
    const row = { environment_id: environmentId, payment_method: target.method, account };
    await upsertAccount(tx, { ...row, sealed_key: sealAs(app, METHOD_KEYS, row, key), created_at: now });
    const act = { ...actOf(target, by, before), at: now };
    await recordAudit(tx, { ...act, action: 'payment_method.set', after: { ...act.after, account } });
    return true;
  });
}

/**
 * Retires the account in use, so that the method is no longer offered; its payments can still be refunded. Returns
 * false if no account was in use.
 */
export function removeMethodSettings(app: App, target: MethodTarget, by: Actor): Promise<boolean> {
  return changeService(app, target.paymentServiceId, async (tx) => {
    const environmentId = await lockEnvironmentId(tx, target.paymentServiceId, target.environment);
    if (environmentId === null) return false;
    const now = app.now();
    const before = await selectAccountInUse(tx, environmentId, target.method);
    if (!(await retireAccount(tx, environmentId, target.method, now))) return false;
    await recordAudit(tx, { ...actOf(target, by, before), at: now, action: 'payment_method.removed' });
    return true;
  });
}

function actOf({ paymentServiceId, environment, method }: MethodTarget, by: Actor, account: string | null) {
  const values = { environment, payment_method: method };
  const subject = { kind: 'payment_service', id: paymentServiceId };
  return { by, subject, before: { ...values, account }, after: { ...values, account: null } };
}
