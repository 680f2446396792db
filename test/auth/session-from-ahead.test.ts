import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findConsoleSession, isProofDue } from '../../src/auth/sign-in/console-session.ts';
import { issueAccessToken } from '../../src/auth/tokens/access-token.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { beginTestSession, createTestUser } from '../support/test-user.ts';

const MINUTE = 60_000;

forEachEngine('a session of the console from a clock that was ahead', (openTestDatabase) => {
  const open = async (aheadMs: number) => {
    const db = await openTestDatabase();
    const [app, ahead] = [createTestApp(db), createTestApp(db)];
    ahead.now.advance(aheadMs);
    const { id } = await createTestUser(ahead);
    const session = await beginTestSession(ahead, id, 'console');
    const { text } = await issueAccessToken(ahead, session);
    return { app, session, found: await findConsoleSession(app, text, { isClick: true }) };
  };

  test('does not stay open without clicks, and its proof is not valid, until the clock has reached that time', async () => {
    const { app, session, found } = await open(3 * 60 * MINUTE);
    assert.equal(found, null);
    assert.equal(isProofDue(app, session), true);
  });

  test('works if the clocks of two processes differ by a few seconds', async () => {
    const { app, session, found } = await open(5_000);
    assert.equal(found?.session.id, session.id);
    assert.equal(isProofDue(app, session), false);
  });
});
