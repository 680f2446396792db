import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { enableUser } from '../../src/auth/change-user.ts';
import { findUser } from '../../src/auth/find-user.ts';
import { requestActor } from '../../src/auth/person-of.ts';
import { updateApiTokensEnded } from '../../src/auth/tokens/api-token-queries.ts';
import type { User } from '../../src/auth/user.ts';
import { selectUserById, updateUserDisabled } from '../../src/auth/user-queries.ts';
import { deleteUserPaymentService, deleteUserPaymentServices, updateRole } from '../../src/auth/user-right-queries.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { decidePayment } from '../../src/checkout/decide-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import type { Tx } from '../../src/db/database.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { acceptDifferences } from '../../src/movements/accept-difference.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { resolveSuspense } from '../../src/movements/resolve-suspense.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import { createRefund } from '../../src/refunds/create-refund.ts';
import { decideRefund } from '../../src/refunds/decide-refund.ts';
import { readAttempt, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { afterQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

/** Prepares an act. Returns the act, which tells what it did. */
type Preparation = (app: TestApp, shop: ServiceEnvironment) => Promise<(by: Actor) => Promise<unknown>>;

const reason = 'seen in the portal';
const evidence = describeEvidence('portal.csv', Buffer.from('order;amount\n1;12990\n'));

const ACTS: readonly [what: string, does: unknown, prepare: Preparation][] = [
  [
    'a decision about a payment',
    'decided',
    async (app, shop) => {
      const silent = scriptMethod({ start: async () => ({ kind: 'unknown' }) });
      await startPayment({ ...app, paymentMethods: [silent] }, await createTestTransaction(app, shop), 'scripted');
      const { id } = await readAttempt(app);
      return (by) => decidePayment(app, id, { outcome: 'approved', taken: null, reason, evidence, by });
    },
  ],
  [
    'a refund',
    'accepted',
    async (app, shop) => {
      const paid = await createPaidTransaction(app, shop);
      const wish = { amount: 1000, type: 'parcial', idempotencyKey: null } as const;
      return async (by) => (await createRefund(app, paid, { ...wish, by })).kind;
    },
  ],
  [
    'a decision about a refund',
    'decided',
    async (app, shop) => {
      const { id } = await acceptedRefund(app, await createPaidTransaction(app, shop), 1000);
      return (by) => decideRefund(app, id, { outcome: 'completed', reason, evidence, by });
    },
  ],
  [
    'a decision about money in suspense',
    'resolved',
    async (app, shop) => {
      const { id } = await createLatePayment(app, shop);
      return async (by) => (await resolveSuspense(app, id, { decision: 'kept', reason, by })).kind;
    },
  ],
  [
    'the acceptance of a difference',
    1,
    async (app) => {
      const file = 'fecha;orden de compra;monto\n2026-01-15;999999;7000\n';
      const settlement = await readSettlement(Readable.from([Buffer.from(file)]));
      const scope = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
      const kept = await keepSettlement(app, scope, settlement, { evidence, by: TESTER });
      const settlementId = kept.kind === 'kept' ? kept.id : '';
      return (by) => acceptDifferences(app, { settlementId, cause: null, number: null, line: 2, reason, by });
    },
  ],
  [
    'a limit of payouts',
    5000,
    async (app, shop) => {
      return async (by) => (await setPayoutLimits(app, shop, { per_payout: 5000 }, by)).per_payout;
    },
  ],
];

type Change = (tx: Tx, user: User) => Promise<unknown>;

const CHANGES: readonly [what: string, code: string, change: Change][] = [
  ['is disabled', 'TOKEN_INVALID', (tx, { id }) => updateUserDisabled(tx, id, 1)],
  ['has no API token left', 'TOKEN_INVALID', (tx, { id }) => updateApiTokensEnded(tx, id, null, 1)],
  ['loses the permission', 'PERMISSION_MISSING', (tx, { id }) => updateRole(tx, id, 'auditor')],
  ['no longer sees the merchant', 'PERMISSION_MISSING', (tx, { id }) => deleteUserPaymentServices(tx, id)],
];

forEachEngine('a request whose act waits for the end of the audit log', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, shop: await createTestEnvironment(app) };
  };

  /** Returns an owner who sees the shops, as the request with their first API token was let in. */
  const createOwner = async (app: TestApp, ...shops: ServiceEnvironment[]): Promise<User> => {
    const paymentServices = shops.map(({ paymentServiceId }) => paymentServiceId);
    const wish = { role: 'owner', may: [], paymentServices } as const;
    const { id } = await createTestUser(app, wish);
    return { ...((await findUser(app, id)) as User), token: 'first' };
  };
  const actorOf = (user: User) => requestActor(user, '192.0.2.1', ['movements:record']);

  /** Runs the act while another commit, which changes its user, holds the end of the audit log. */
  const actMeanwhile = async (app: TestApp, user: User, change: Change, act: (by: Actor) => Promise<unknown>) => {
    const [holding, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changing = app.db.transaction(async (tx) => {
      await change(tx, user);
      await recordAudit(tx, { at: 1, by: TESTER, action: 'user.role_set', subject: { kind: 'user', id: user.id } });
      holding.resolve();
      await released.promise;
    });
    await holding.promise;
    const acting = act(actorOf(user));
    acting.catch(() => {});
    await untilQueued(app.db).finally(released.resolve);
    await changing;
    return acting;
  };

  test('never enables its own user, who was disabled when it was let in', async () => {
    const { app, shop } = await open();
    const user = await createOwner(app, shop);
    await app.db.transaction((tx) => updateUserDisabled(tx, user.id, 1));
    await assert.rejects(enableUser(app, user.id, actorOf(user)), { code: 'TOKEN_INVALID' });
    assert.equal((await selectUserById(app.db, user.id))?.disabled_at, 1);
  });

  for (const [what, does, prepare] of ACTS) {
    test(`does nothing if its user is disabled meanwhile: ${what} is left to another person`, async () => {
      const { app, shop } = await open();
      const act = await prepare(app, shop);
      const [user, other] = [await createOwner(app, shop), await createOwner(app, shop)];
      const disable: Change = (tx, { id }) => updateUserDisabled(tx, id, 1);
      await assert.rejects(actMeanwhile(app, user, disable, act), { code: 'TOKEN_INVALID' });
      assert.equal(await act(actorOf(other)), does);
    });
  }

  for (const [what, code, change] of CHANGES) {
    test(`is refused with ${code} if its user ${what} meanwhile`, async () => {
      const { app, shop } = await open();
      const user = await createOwner(app, shop);
      const target = { ...shop, method: 'simulated', currency: 'CLP' };
      const set = (by: Actor) => setFee(app, target, { rate_ppm: 29_500, fixed: 0 }, by);
      await assert.rejects(actMeanwhile(app, user, change, set), { code });
      assert.deepEqual(await app.db.query('select * from fees'), []);
    });
  }

  for (const [what, does, prepare] of ACTS.slice(0, 3)) {
    test(`is done if its user loses another merchant meanwhile, and refused if they lose this one: ${what}`, async () => {
      const { app, shop } = await open();
      const act = await prepare(app, shop);
      const other = await createTestEnvironment(app);
      const [both, user] = [await createOwner(app, shop, other), await createOwner(app, shop, other)];
      const lose =
        ({ paymentServiceId }: ServiceEnvironment): Change =>
        (tx, { id }) =>
          deleteUserPaymentService(tx, id, paymentServiceId);
      await assert.rejects(actMeanwhile(app, both, lose(shop), act), { code: 'PERMISSION_MISSING' });
      assert.equal(await actMeanwhile(app, user, lose(other), act), does);
    });
  }

  test('answers 401 at the API, and no refund is made', async () => {
    const { app, shop } = await open();
    const paid = await createPaidTransaction(app, shop);
    const user = await createTestUser(app);
    const disabling = afterQuery(app, /^update audit_head set link/, (tx) => updateUserDisabled(tx, user.id, 1));
    await using server = await startTestServer(disabling);
    const json = { amount: 1000, type: 'parcial' };
    const answer = await server.post(`/trxs/${paid.id}/nullification`, { headers: user.headers, json });
    assert.deepEqual([answer.status, jsonOf(answer)['code']], [401, 'TOKEN_INVALID']);
    assert.deepEqual(await refundsOf(app, paid), []);
  });
});
