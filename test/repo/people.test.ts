import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Permission, ROLES, type Role, rightsOf } from '../../src/auth/permission.ts';

const roles = Object.keys(ROLES) as Role[];

/**
 * The roles that hold a permission of the separation of duties. Give one to another role only together with a change of
 * this list.
 */
const HOLDERS = {
  'payouts:create': ['finance', 'owner'],
  'payouts:approve': ['approver', 'owner'],
  'refunds:create': ['support', 'owner'],
  'refunds:approve': ['approver', 'owner'],
  'users:manage': ['owner'],
} as const satisfies Partial<Record<Permission, readonly Role[]>>;

test('the roles have the permissions that the separation of duties needs', () => {
  for (const [permission, holders] of Object.entries(HOLDERS)) {
    const found = roles.filter((role) => rightsOf(role).may.includes(permission as Permission));
    assert.deepEqual(found, holders, `the roles with ${permission} are not those of HOLDERS in this test`);
  }
  assert.deepEqual(rightsOf('integration').may, []);
});
