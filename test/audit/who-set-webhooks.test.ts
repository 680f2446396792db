import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { whoEndedWebhook, whoSetWebhooks } from '../../src/audit/who-set-webhooks.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';

const USER = 'usr_1';
const LATER = 401;

forEachEngine('the acts on the webhooks of a user', (openTestDatabase) => {
  test('name who set or ended one, behind any number of later acts on another', async () => {
    const app = createTestApp(await openTestDatabase());
    const subject = { kind: 'user', id: USER };
    const thief = { ...TESTER, name: 'shop@example.cl (token till 4)' };
    await app.db.transaction(async (tx) => {
      const at = app.now();
      const set = (by: typeof TESTER, webhook: string) =>
        recordAudit(tx, { at, by, action: 'webhook.set', subject, after: { webhook } });
      const end = (by: typeof TESTER, webhook: string) =>
        recordAudit(tx, { at, by, action: 'webhook.ended', subject, before: { webhook } });
      await set(TESTER, 'remittances');
      await set(thief, 'remittances');
      await end(thief, 'remittances');
      for (let later = 0; later < LATER; later++) {
        await set(TESTER, 'refunds');
        await end(TESTER, 'refunds');
      }
    });
    assert.deepEqual(
      await whoSetWebhooks(app, USER, ['remittances', 'refunds']),
      new Map([
        ['refunds', TESTER.name],
        ['remittances', thief.name],
      ]),
    );
    assert.deepEqual(await whoSetWebhooks(app, 'usr_2', ['refunds']), new Map());
    assert.equal((await whoEndedWebhook(app, USER, 'remittances'))?.who.name, thief.name);
    assert.equal(await whoEndedWebhook(app, USER, 'other'), null);
  });
});
