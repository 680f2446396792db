import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { findTokenHolders, holdersAt } from '../../src/auth/tokens/token-holders.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestUser } from '../support/test-user.ts';

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

forEachEngine('who knows the token of a program', (openTestDatabase) => {
  test('are all who made it and the tokens behind it, through any number of programs', async () => {
    const app = createTestApp(await openTestDatabase());
    const boss = await createTestUser(app, { role: 'owner', may: [] });
    const programs = [await createTestUser(app), await createTestUser(app), await createTestUser(app)];
    let maker = userActor({ ...boss, role: 'owner' }, '192.0.2.1');
    for (const [at, program] of programs.entries()) {
      app.now.advance(1000);
      const name = `token ${at}`;
      await makeApiToken(app, program.id, { name, expiresAt: null }, maker);
      maker = userActor({ ...program, role: 'integration', token: name }, '192.0.2.1');
    }
    const found = await findTokenHolders(app.db, [programs[2]?.id ?? '']);
    const known = new Set(found.map(({ holder_id }) => holder_id));
    assert.deepEqual(known, new Set([boss.id, programs[0]?.id, programs[1]?.id]));
  });
});

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
