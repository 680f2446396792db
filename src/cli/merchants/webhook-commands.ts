import type { Command } from 'commander';
import { findUser } from '../../auth/find-user.ts';
import { listUsers } from '../../auth/list-users.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { endLeftPosts, endWebhook } from '../../outbox/webhooks/set-webhook.ts';
import { isWebhook } from '../../outbox/webhooks/webhook-subscription.ts';
import { selectSubscriptions } from '../../outbox/webhooks/webhook-subscription-queries.ts';
import { countOf, invalidOption, listTable, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { withSetters } from './webhooks-left.ts';

/** `webhook list | end`. Users create and change their own webhooks with the API. */
export function addWebhookCommands(program: Command): void {
  const group = program.command('webhook').description('list and end webhooks of users');
  group
    .command('list')
    .description('list webhooks: user, events, URL and who set it')
    .option('--json', 'print one JSON object')
    .action(list);
  acting(group.command('end'))
    .description('end a webhook of a user; its waiting posts end too')
    .argument('<user>', 'user ID or e-mail address')
    .argument('<webhook>', 'remittances or refunds')
    .option('--json', 'print one JSON object')
    .action(end);
}

async function list(options: { json?: boolean }): Promise<void> {
  const webhooks = await withApp(async (app) => {
    const users = new Map((await listUsers(app)).map((user) => [user.id, user]));
    const byUser = Map.groupBy(await selectSubscriptions(app.db, null), ({ user_id }) => user_id);
    const named = [];
    for (const [id, own] of byUser) {
      const { email = '', disabled_at = null } = users.get(id) ?? {};
      named.push(...(await withSetters(app, id, own)).map((one) => ({ ...one, email, user_disabled_at: disabled_at })));
    }
    return named;
  });
  const rows = webhooks.map((one) => ({
    USER: one.user_id,
    'E-MAIL': one.user_disabled_at === null ? one.email : `${one.email} (disabled: gets no new event)`,
    WEBHOOK: one.webhook,
    URL: one.url,
    'SINCE (CHILE)': time(one.created_at),
    'SET BY': one.set_by ?? '—',
  }));
  print(options, { webhooks }, listTable(rows, 'No webhook.'));
}

async function end(user: string, webhook: string, options: ActingOptions): Promise<void> {
  if (!isWebhook(webhook)) throw invalidOption(`${webhook} is not a webhook: there are remittances and refunds.`);
  const { ended, left } = await withActor(options, async (app, by) => {
    const known = await findUser(app, user);
    if (known === null) return { ended: null, left: 0 };
    const of = { userId: known.id, webhook };
    const one = await endWebhook(app, of, by);
    return { ended: one, left: one === null ? await endLeftPosts(app, of, by) : 0 };
  });
  if (left > 0) {
    print(options, { webhook: null, posts_ended: left }, [
      `The webhook ${webhook} of ${user} had ended before; ${countOf(left, 'post that was given up', 'posts that were given up')} ended now.`,
    ]);
    return;
  }
  if (ended === null) throw notFound(`${user} has no webhook ${webhook}: bin/rubrica webhook list`);
  print(options, { webhook: ended }, [
    `The webhook ${webhook} of ${user} has ended. Nothing more is sent there; ${countOf(ended.posts_ended, 'unsent post', 'unsent posts')} ended:`,
    `  bin/rubrica callback list --state disabled --endpoint ${shellWord(ended.url)}`,
  ]);
}
