import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Permission, ROLES, type Role, rightsOf } from '../../src/auth/permission.ts';

const roles = Object.keys(ROLES) as Role[];

test('the roles have the permissions that the separation of duties needs', () => {
  const holders = (permission: Permission) => roles.filter((role) => rightsOf(role).may.includes(permission));
  assert.deepEqual(holders('payouts:create'), ['finance', 'owner']);
  assert.deepEqual(holders('payouts:approve'), ['approver', 'owner']);
  assert.deepEqual(holders('refunds:create'), ['support', 'owner']);
  assert.deepEqual(holders('refunds:approve'), ['approver', 'owner']);
  assert.deepEqual(holders('users:manage'), ['owner']);
  assert.deepEqual(rightsOf('integration').may, []);
});
