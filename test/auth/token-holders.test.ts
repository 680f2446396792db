import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTokenHolders } from '../../src/auth/token-holders.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp } from '../support/test-app.ts';

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
