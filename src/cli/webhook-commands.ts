import type { Command } from 'commander';
import { findUser } from '../auth/find-user.ts';
import { endWebhook, listWebhooks } from '../outbox/set-webhook.ts';
import { isWebhook } from '../outbox/webhook-subscription.ts';
import { invalidOption, notFound, print, table, time } from './print.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';
import { withApp } from './with-app.ts';

/** `webhook list | end`. Users create and change their own webhooks with the API. */
export function addWebhookCommands(program: Command): void {
  const group = program.command('webhook').description('list and end webhooks of users');
  group
    .command('list')
    .description('list webhooks: user, subject and URL')
    .option('--json', 'print one JSON object')
    .action(list);
  acting(group.command('end'))
    .description('end a webhook of a user; queued notices are still sent')
    .argument('<user>', 'user ID or e-mail address')
    .argument('<webhook>', 'remittances or refunds')
    .option('--json', 'print one JSON object')
    .action(end);
}

async function list(options: { json?: boolean }): Promise<void> {
  const webhooks = await withApp((app) => listWebhooks(app, null));
  const rows = webhooks.map(({ user_id, webhook, url, created_at }) => [user_id, webhook, url, time(created_at)]);
  const head = ['USER', 'WEBHOOK', 'URL', 'SINCE (UTC)'];
  print(options, { webhooks }, rows.length === 0 ? ['No webhook.'] : table([head, ...rows]));
}

async function end(user: string, webhook: string, options: ActingOptions & { json?: boolean }): Promise<void> {
  if (!isWebhook(webhook)) throw invalidOption(`${webhook} is no webhook: there are remittances and refunds.`);
  const ended = await withActor(options, async (app, by) => {
    const known = await findUser(app, user);
    return known === null ? null : endWebhook(app, { userId: known.id, webhook }, by);
  });
  if (ended === null) throw notFound(`${user} has no webhook ${webhook}: bin/rubrica webhook list`);
  print(options, { webhook: ended }, [`${user} is told of ${webhook} no more.`]);
}
