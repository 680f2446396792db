import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AUDIT_ACTIONS } from '../../src/audit/audit-action.ts';

test('every action of the audit log is on its page, with what it means', () => {
  const page = readFileSync(new URL('../../docs/audit.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  assert.deepEqual(
    rows,
    Object.entries(AUDIT_ACTIONS).map(([action, meaning]) => `| \`${action}\` | ${meaning} |`),
  );
});
