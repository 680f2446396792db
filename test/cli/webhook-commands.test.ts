import '../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestUser } from '../support/test-user.ts';

const THIEF = 'https://thief.example/in?key=$(x)';

forEachEngine('the webhooks of a user', (openTestDatabase) => {
  test('are named by each command that ends a credential or the user, with who set them and the command that ends them', async (context) => {
    const db = await openTestDatabase();
    const { env } = commandStore(context, db);
    const app = createTestApp(db);
    const user = await createTestUser(app, { email: 'till@example.cl' });
    const by = (token: string) => ({ ...TESTER, kind: 'program' as const, name: `till@example.cl (token ${token})` });
    const set = (url: string, token: string) =>
      setWebhook(app, { userId: user.id, webhook: 'refunds', url, method: 'POST' }, by(token));
    await set('https://till.example/in', 'first');
    await set(THIEF, 'stolen');
    const run = async (...words: string[]) => {
      const { status, stdout, stderr } = await runCommand(words, { env });
      assert.equal(status, 0, stderr);
      return stdout;
    };
    const named = new RegExp(
      [
        String.raw`\n  refunds to https://thief\.example/in\?key=\$\(x\), set by till@example\.cl \(token stolen\)`,
        String.raw`    end it: bin/rubrica webhook end \S+ refunds`,
        String.raw`    posts that wait: bin/rubrica callback list --state queued --endpoint 'https://thief\.example/in\?key=\$\(x\)'\n`,
      ].join('\n'),
    );
    const [token] = (await listApiTokens(app, user.id)) ?? [];
    for (const [words, says] of [
      [['token', 'end', token?.id ?? ''], /\nThe webhooks of its user go on\. Check who set each:\n/],
      [['reset-password', user.email], /\nIts webhooks go on\. Check that each is its own:\n/],
      [['reset-api-token', user.email], /\nIts webhooks go on\. Check that each is its own:\n/],
      [
        ['disable', user.email],
        /\nIts webhooks get nothing while it is disabled; posts that wait end with their next attempt:\n/,
      ],
      [['enable', user.email], /\nIts webhooks get events again:\n/],
    ] as const) {
      const said = await run('user', ...words);
      assert.match(said, says);
      assert.match(said, named);
    }
    await run('user', 'disable', user.email);
    assert.match(await run('webhook', 'list'), /till@example\.cl \(disabled: gets no new event\).*\(token stolen\)\n/);
    assert.match(
      await run('webhook', 'end', user.email, 'refunds'),
      /^The webhook refunds of till@example\.cl has ended\. Nothing more is sent there; 0 unsent posts ended:\n.*--endpoint 'https:\/\/thief/,
    );
    const { webhooks } = JSON.parse(await run('user', 'enable', user.email, '--json')) as { webhooks: object[] };
    assert.deepEqual(webhooks, []);
    assert.equal(await run('webhook', 'list'), 'No webhook.\n');
    assert.match(
      await run('audit', 'list', '--action', 'webhook.ended'),
      / was webhook refunds, address https:\/\/thief\.example\/in\n$/,
    );
  });
});
