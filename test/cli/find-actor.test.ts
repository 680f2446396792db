import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorElsewhere } from '../../src/audit/actor.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { selectUserById, updateUserDisabled } from '../../src/auth/user-queries.ts';
import { findActor } from '../../src/cli/find-actor.ts';
import { disablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

const MARIA = 'maria@example.cl';

forEachEngine('the user of --as', (openTestDatabase) => {
  test('does no further act of a command once another person has disabled the user', async () => {
    const app = createTestApp(await openTestDatabase());
    await createUser(app, { email: MARIA, role: 'owner', paymentServices: 'all' }, TESTER);
    const [first, second] = [await createTestEnvironment(app), await createTestEnvironment(app)];
    const by = await findActor(app, MARIA);
    await disablePaymentService(app, first.paymentServiceId, by);
    await disableUser(app, MARIA, TESTER);
    await assert.rejects(disablePaymentService(app, second.paymentServiceId, by), {
      code: 'UNKNOWN_USER',
      message: `--as names a user who is disabled: ${MARIA}`,
    });
    const disabled = await app.db.query<{ id: string }>(
      'select id from payment_services where disabled_at is not null',
    );
    assert.deepEqual(
      disabled.map(({ id }) => id),
      [first.paymentServiceId],
    );
  });

  test('may disable that user itself, and does nothing afterwards', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, { email: MARIA, role: 'owner', paymentServices: 'all' }, TESTER);
    const by = await findActor(app, MARIA);
    assert.equal(await disableUser(app, MARIA, by), 'changed');
    const [act] = (await listAudit(app, { action: 'user.disabled' }, 1)).acts;
    assert.deepEqual([act?.who.name, act?.subject.id], [MARIA, id]);
    const { paymentServiceId } = await createTestEnvironment(app);
    await assert.rejects(disablePaymentService(app, paymentServiceId, by), { code: 'UNKNOWN_USER' });
  });

  test('does not enable that user again, however shortly before another person disabled the user', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createUser(app, { email: MARIA, role: 'owner', paymentServices: 'all' }, TESTER);
    const by = await findActor(app, MARIA);
    const enabling = await app.db.transaction(async (tx) => {
      await updateUserDisabled(tx, id, app.now());
      const act = enableUser(app, MARIA, by);
      act.catch(() => {});
      await untilQueued(app.db);
      return { act };
    });
    await assert.rejects(enabling.act, { code: 'UNKNOWN_USER' });
    await assert.rejects(enableUser(app, MARIA, by), { code: 'UNKNOWN_USER' });
    assert.notEqual((await selectUserById(app.db, id))?.disabled_at, null);
    assert.equal(await enableUser(app, MARIA, TESTER), 'changed');
  });

  test('is not looked for in the other database of a move', async () => {
    const [app, other] = [createTestApp(await openTestDatabase()), createTestApp(await openTestDatabase())];
    await createUser(app, { email: MARIA, role: 'owner', paymentServices: 'all' }, TESTER);
    const by = actorElsewhere(await findActor(app, MARIA));
    const subject = { kind: 'payment_service', id: 'ps_1' };
    await other.db.transaction((tx) =>
      recordAudit(tx, { at: other.now(), by, action: 'payment_service.moved_here', subject }),
    );
    const [row] = await other.db.query('select actor, user_id from audit_log order by link desc limit 1');
    assert.deepEqual({ ...row }, { actor: MARIA, user_id: null });
  });
});
