import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { whoSetWebhooks } from '../../audit/who-set-webhooks.ts';
import { findUser } from '../../auth/find-user.ts';
import { shellWord } from '../../lib/shell-word.ts';
import type { WebhookSubscription } from '../../outbox/webhooks/webhook-subscription.ts';
import { selectSubscriptions } from '../../outbox/webhooks/webhook-subscription-queries.ts';
import { type ActingOptions, withActor } from '../with-actor.ts';

/** A webhook with the account that set it last, and its API token; null: not in the audit log. */
export type WebhookLeft = WebhookSubscription & { set_by: string | null };

/** Returns the webhooks in use of a user (an id or an e-mail address). */
export async function webhooksLeft(app: App, user: string): Promise<WebhookLeft[]> {
  const known = await findUser(app, user);
  return known === null ? [] : withSetters(app, known.id, await selectSubscriptions(app.db, known.id));
}

/** Changes a user. Returns the outcome, and the webhooks in use: ending a credential does not end them. */
export function changeUser<Outcome>(
  user: string,
  options: ActingOptions,
  change: (app: App, user: string, by: Actor) => Promise<Outcome>,
): Promise<{ outcome: Outcome; webhooks: WebhookLeft[] }> {
  return withActor(options, async (app, by) => ({
    outcome: await change(app, user, by),
    webhooks: await webhooksLeft(app, user),
  }));
}

/** Adds who set each of a user's webhooks. */
export async function withSetters(
  app: App,
  userId: string,
  webhooks: readonly WebhookSubscription[],
): Promise<WebhookLeft[]> {
  const names = webhooks.map(({ webhook }) => webhook);
  const setters = await whoSetWebhooks(app, userId, names);
  return webhooks.map((one) => ({ ...one, set_by: setters.get(one.webhook) ?? null }));
}

/** Names the webhooks after a change of their user, with the commands that end each and list its posts. */
export function webhookLines(user: string, says: string, webhooks: readonly WebhookLeft[]): string[] {
  if (webhooks.length === 0) return [];
  return [
    says,
    ...webhooks.flatMap(({ webhook, url, set_by }) => [
      `  ${webhook} to ${url}, set by ${set_by ?? 'nobody in the audit log'}`,
      `    end it: bin/rubrica webhook end ${shellWord(user)} ${webhook}`,
      `    posts that wait: bin/rubrica callback list --state queued --endpoint ${shellWord(url)}`,
    ]),
  ];
}
