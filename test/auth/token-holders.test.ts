import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTokenHolders, holdersAt } from '../../src/auth/token-holders.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp } from '../support/test-app.ts';

const AT = 1_000_000_000;
const KNOWN = { user_id: 'usr_1', holder_id: 'usr_2', made_at: AT - 1, until: null, any_act: 1 };

for (const [what, holder, mayAct] of [
  ['made before an act', {}, true],
  ['made after it by less than clocks differ', { made_at: AT + 300_000 }, true],
  ['made after it by more', { made_at: AT + 300_001 }, false],
  ['that ended with it', { until: AT }, true],
  ['that ended before it', { until: AT - 1 }, false],
  ['of another user', { user_id: 'usr_3' }, false],
] as const) {
  test(`who knows a token ${what} ${mayAct ? 'may' : 'cannot'} have done the act`, () => {
    assert.deepEqual(holdersAt([{ ...KNOWN, ...holder }], { by: 'usr_1', at: AT }), mayAct ? ['usr_2'] : []);
  });
}

forEachEngine('the search for users who know a token or the password of a user', (openTestDatabase) => {
  test('reads the audit log by the index of actions, not every sign-in', async () => {
    const listened = listenToStatements(createTestApp(await openTestDatabase()));
    await findTokenHolders(listened.app.db, ['usr_1']);
    const plans = await Promise.all(listened.all.map((statement) => explain(listened.app, statement)));
    const roles = plans.flat().filter((line) => /SEARCH r USING|on audit_log r/.test(line));
    assert.ok(roles.length > 0);
    for (const line of roles) assert.match(line, /audit_log_of_action/);
  });
});
