import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PERMISSIONS, type Permission, ROLES, type Role, rightsOf } from '../../src/auth/permission.ts';
import { ROUTES } from '../../src/server/routes.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/people.md'), 'utf8');
const roles = Object.keys(ROLES) as Role[];
const permissions = Object.keys(PERMISSIONS) as Permission[];

test('the page of people has every role, with what it may', () => {
  const rows = roles.map((role) => {
    const { means, may } = rightsOf(role);
    const all = may.length === permissions.length;
    return `| \`${role}\` | ${means} | ${all ? 'everything' : quoted(may) || '—'} |`;
  });
  for (const row of rows) assert.ok(page.includes(`\n${row}\n`), row);
});

test('the page of people has every permission, with the endpoints that ask for it', () => {
  for (const permission of permissions) {
    const endpoints = ROUTES.filter((endpoint) => endpoint.permission === permission);
    const named = endpoints.map(({ method, paths }) => `\`${method} ${paths[0]}\``).join(', ');
    const row = `| \`${permission}\` | ${PERMISSIONS[permission]} | ${named || '—'} |`;
    assert.ok(page.includes(`\n${row}\n`), row);
  }
});

test('roles hold what the separation of duties needs', () => {
  const holders = (permission: Permission) => roles.filter((role) => rightsOf(role).may.includes(permission));
  assert.deepEqual(holders('payouts:create'), ['finance', 'owner']);
  assert.deepEqual(holders('payouts:approve'), ['approver', 'owner']);
  assert.deepEqual(holders('refunds:create'), ['support', 'owner']);
  assert.deepEqual(holders('users:manage'), ['owner']);
  assert.deepEqual(rightsOf('integration').may, []);
});

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ');
}
