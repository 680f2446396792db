import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import {
  type ListedSettings,
  retireAccount,
  selectAccountInUse,
  selectListedSettings,
  selectSealedKey,
  upsertAccount,
} from './method-settings-queries.ts';
import type { Environment } from './payment-service.ts';
import { lockEnvironmentId } from './payment-service-queries.ts';

/** The merchant's account at a payment method, such as a commerce code, and the key that opens it. */
export type MethodSettings = { account: string; key: string };

/** The payment service, the environment and the payment method that are set. */
export type MethodTarget = { paymentServiceId: string; environment: Environment; method: string };

/** A key that was replaced is no longer used after this time, on every replica. */
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
  // A key whose account was changed does not open either. The first word is the name that the table had at first.
  place: (row) => `payment_method_settings/${row.environment_id}/${row.payment_method}/${row.account}`,
};

const caches = perInstance((app: Store) =>
  createExpiringCache<string>({ lifetimeMs: LIFETIME_MS, capacity: 10_000, now: app.now }),
);

/**
 * The key of a merchant's account at a payment method, or null where there never was such an account. Of an account that
 * collects no longer too: what it has collected can only be looked up and refunded by that same account.
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
 * Has a payment method collect by this account from now on. The key is sealed and shown to nobody again; a new key of an
 * account replaces the old one for its earlier payments too, because then the old one opens nothing any more.
 * Who sets another account at the same time waits, and the later one is in use. Answers false when there is no such
 * payment service.
 */
export function setMethodSettings(
  app: Store,
  target: MethodTarget,
  { account, key }: MethodSettings,
  by: Actor,
): Promise<boolean> {
  return app.db.transaction(async (tx) => {
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
 * The method is no longer offered; what it has collected can still be refunded. Answers false when there was no account in
 * use.
 */
export function removeMethodSettings(app: Store, target: MethodTarget, by: Actor): Promise<boolean> {
  return app.db.transaction(async (tx) => {
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

/** All accounts of the installation, retired ones too, without their keys. */
export function listMethodSettings(app: Store): Promise<ListedSettings[]> {
  return selectListedSettings(app.db);
}
