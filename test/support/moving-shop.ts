import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Database } from '../../src/db/database.ts';
import { SEALED_KINDS } from '../../src/health/sealed-kinds.ts';
import type { MoveWish } from '../../src/moves/move-payment-service.ts';
import { insertMove } from '../../src/moves/move-queries.ts';
import { raiseIds } from '../../src/moves/raise-ids.ts';
import { setFences } from '../../src/moves/set-guards.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import type { OpenTestDatabase } from './engines.ts';
import { journeyParts } from './payment-journeys.ts';
import { TESTER } from './test-actor.ts';
import { createTestApp, type TestApp } from './test-app.ts';
import { createPaidTransaction } from './test-books.ts';
import { createTestEnvironment, testInput } from './test-shop.ts';

/** Opens two databases of one installation, with separate ranges of ids. */
export async function twoDatabases(openTestDatabase: OpenTestDatabase, other: Database, otherKey = KEY) {
  const { script, parts } = journeyParts();
  const from = createTestApp(await openTestDatabase(), { ...parts, config: configOf('pay-1') });
  const to = createTestApp(other, { ...parts, config: configOf('pay-2', otherKey), now: from.now });
  await raiseIds(to, 1_000_000_000, TESTER);
  await createPaidTransaction(to, await createTestEnvironment(to));
  return { from, to, script };
}

/** Opens the same two, with a shop that has one payment in the first. */
export async function twoWithShop(openTestDatabase: OpenTestDatabase) {
  const { from, to } = await twoDatabases(openTestDatabase, await openTestDatabase());
  const merchant = await createTestEnvironment(from);
  await createPaidTransaction(from, merchant, { reference: 'PAID' });
  return { from, to, merchant };
}

const KEY = '5a'.repeat(32);

export function configOf(host: string, key = KEY, basePath = '') {
  return readConfig({
    MASTER_KEY: key,
    LOG_LEVEL: 'silent',
    PUBLIC_URL: `https://${host}.example.cl`,
    DATABASE_URL: `sqlite:/tmp/${host}`,
    BASE_PATH: basePath,
  });
}

export function wishOf({ paymentServiceId }: ServiceEnvironment): MoveWish {
  return { paymentServiceId, by: TESTER, kinds: SEALED_KINDS, onProgress: () => {}, pauseSeenMs: 1 };
}

/** A shop that sends each order to both databases and keeps the acknowledged ones. At most one database may accept. */
export function talkingShop(from: TestApp, to: TestApp, merchant: ServiceEnvironment) {
  const acknowledged: string[] = [];
  let number = 0;
  const ask = async (app: TestApp, reference: string) =>
    createTransaction(app, merchant, testInput({ reference })).then(() => true, ignoreMoving);
  const order = async (): Promise<'from' | 'to' | 'nobody'> => {
    const reference = `TALK-${++number}`;
    // A shop does not ask a database that has never had the merchant.
    const known = (await loadEnvironment(to, merchant.serviceToken)) !== null;
    const [there, here] = [known && (await ask(to, `${reference}-to`)), await ask(from, `${reference}-from`)];
    assert.ok(!(there && here), `${reference} is in at most one database`);
    if (there) acknowledged.push(`${reference}-to`);
    if (here) acknowledged.push(`${reference}-from`);
    return there ? 'to' : here ? 'from' : 'nobody';
  };
  const assertNothingLost = async () => {
    const rows = await to.db.query<{ reference: string }>(
      'select reference from transactions where environment_id = $1',
      [merchant.id],
    );
    const kept = new Set(rows.map(({ reference }) => reference));
    assert.ok(acknowledged.length > 0);
    assert.deepEqual(
      acknowledged.filter((reference) => !kept.has(reference)),
      [],
    );
  };
  return { order, assertNothingLost };
}

/** Returns false for a write that was refused because the payment service moves. Fails for any other error. */
export function ignoreMoving(error: unknown): false {
  assert.equal((error as { code?: string }).code, 'PAYMENT_SERVICE_MOVING', String(error));
  return false;
}

/**
 * Returns an app whose process dies before the commit with which the payment service leaves; all data is copied by
 * then.
 */
export function diesOnLeaving(app: TestApp): TestApp {
  let long = 0;
  const transaction: Database['transaction'] = (work, kind) => {
    if (kind === 'slow') long++;
    return long > 1 ? Promise.reject(new Error('killed')) : app.db.transaction(work, kind);
  };
  return { ...app, db: { ...app.db, transaction } };
}

/** Delivers the merchant's due callbacks and returns how many were posted. */
export async function deliverDue(app: TestApp, merchant: ServiceEnvironment): Promise<number> {
  const count = async () => {
    const sql = 'select count(*) as posted from delivery_attempts where environment_id = $1';
    const [row] = await app.db.query<{ posted: number }>(sql, [merchant.id]);
    return row?.posted ?? 0;
  };
  const before = await count();
  const delivery = createCallbackDelivery(app);
  await delivery.poll();
  await delivery.drain();
  return (await count()) - before;
}

/** Marks the payment service as moved, as `movePaymentService` does. */
export async function leaveFor(
  app: App,
  { id, paymentServiceId }: Pick<ServiceEnvironment, 'id' | 'paymentServiceId'>,
): Promise<void> {
  const [at, progress] = [app.now(), '{}'];
  const times = { began_at: at, changed_at: at, arrived_at: at, paused_until: null };
  const move = { id: 'move_x', payment_service_id: paymentServiceId, direction: 'out', state: 'moved' } as const;
  const rest = { environment_ids: JSON.stringify([id]), address: 'https://pay-2.example.cl', began_by: TESTER.name };
  await app.db.transaction(async (tx) => {
    await insertMove(tx, { ...move, ...rest, ...times, progress });
    await setFences(tx, app.db.engine);
  });
}
