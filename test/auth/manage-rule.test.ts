import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { limitsInForce } from '../../src/auth/describe-rights.ts';
import { type Held, isWithin, whyNotManaged } from '../../src/auth/manage-rule.ts';
import { PERMISSIONS, type Permission, permissionsOf, ROLES, type Role, rightsOf } from '../../src/auth/permission.ts';

const ALL_ROLES = Object.keys(ROLES) as Role[];

function held(role: Role, granted: Permission[] = [], more: Partial<Held> = {}): Held {
  const permissions = [...permissionsOf(role, granted)];
  return { role, permissions, payment_services: null, refund_limits: limitsInForce(role, {}), ...more };
}

describe('a manager of users', () => {
  for (const manager of ALL_ROLES) {
    test(`with the role ${manager} gives only roles that bring no more than the manager has`, () => {
      const has = held(manager, ['users:manage']);
      for (const role of ALL_ROLES) {
        const brings = permissionsOf(role, []);
        const isLess =
          [...brings].every((permission) => has.permissions.includes(permission)) &&
          (rightsOf(manager).environments === 'both' || rightsOf(role).environments === 'development');
        const refunds = brings.has('refunds:create') && rightsOf(manager).refundsPerDay !== undefined;
        const isCovered = !refunds || rightsOf(role).refundsPerDay !== undefined;
        assert.equal(isWithin(has, held(role)), isLess && isCovered, `${manager} to ${role}`);
      }
    });

    test(`with the role ${manager} gives only permissions that the manager has`, () => {
      const has = held(manager, ['users:manage']);
      const limits = { refund_limits: has.refund_limits };
      // A program with the environments of the manager: only the role `developer` is limited to development.
      const kind = rightsOf(manager).environments === 'both' ? 'integration' : manager;
      for (const permission of Object.keys(PERMISSIONS) as Permission[]) {
        const may = permissionsOf(kind, [permission]);
        const has_all = [...may].every((one) => has.permissions.includes(one));
        assert.equal(isWithin(has, held(kind, [permission], limits)), has_all, `${manager}: ${permission}`);
      }
    });
  }

  test('gives only payment services that they see, and does not manage users without any', () => {
    const has = held('operator', ['users:manage'], { payment_services: ['ps_1', 'ps_2'] });
    const sees = (payment_services: string[] | null) => held('operator', [], { payment_services });
    assert.deepEqual(
      [[], ['ps_2'], ['ps_1', 'ps_2'], ['ps_1', 'ps_3'], null].map((ids) => isWithin(has, sees(ids))),
      [false, true, true, false, false],
    );
  });

  test('gives refund limits up to their own in each currency, and unlimited refunds only if theirs are unlimited', () => {
    const has = held('support', ['users:manage'], { refund_limits: { CLP: 50_000, USD: 1000 } });
    const refunds = (refund_limits: Held['refund_limits']) => held('support', [], { refund_limits });
    const wishes = [{ CLP: 50_000 }, { CLP: 50_000, USD: 1000 }, { CLP: 50_001 }, { CLP: 1, EUR: 1 }, null];
    assert.deepEqual(
      wishes.map((limits) => isWithin(has, refunds(limits))),
      [true, true, false, false, false],
    );
    assert.ok(isWithin(held('owner'), refunds(null)), 'a user without a limit may manage every limit');
    assert.ok(
      isWithin(has, held('integration', ['users:manage'])),
      'a limit counts only with the permission to refund',
    );
  });

  test('cannot change their own rights', () => {
    assert.equal(whyNotManaged({ id: 'usr_1', ...held('owner') }, { id: 'usr_1', ...held('support') }), 'self');
    assert.equal(whyNotManaged({ id: 'usr_1', ...held('owner') }, { id: null, ...held('owner') }), null);
  });
});
