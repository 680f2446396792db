import { createHash } from 'node:crypto';
import type { SqlRow } from '../../db/database.ts';
import type { PostedEventType } from '../event.ts';

/** The webhooks that a user can subscribe to, with the names of the published clients, and their events. */
export const WEBHOOKS = {
  remittances: [
    'payout.recorded',
    'payout.confirmed',
    'payout.failed',
    'payout.returned',
    'refund.processing',
    'refund.completed',
    'refund.failed',
  ],
  refunds: ['refund.processing', 'refund.completed', 'refund.failed'],
} as const satisfies Record<string, readonly PostedEventType[]>;

export type Webhook = keyof typeof WEBHOOKS;

/** The methods that published clients send. A GET has no body to sign, so events are always posted. */
export const WEBHOOK_METHODS = ['POST', 'GET'] as const;

export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** A row of `webhook_subscriptions`: a user gets the events of a webhook at a URL. Times are UTC milliseconds. */
export type WebhookSubscription = SqlRow & {
  id: string;
  user_id: string;
  webhook: Webhook;
  url: string;
  method: WebhookMethod;
  created_at: number;
  ended_at: number | null;
};

/** Returns whether a text names a webhook. */
export function isWebhook(text: string): text is Webhook {
  return Object.hasOwn(WEBHOOKS, text);
}

/** Returns whether a webhook includes events of this type. */
export function includesEvent(webhook: Webhook, type: PostedEventType): boolean {
  return (WEBHOOKS[webhook] as readonly PostedEventType[]).includes(type);
}

const SUBSCRIPTION = /_(wh_[0-9a-z]+)$/;

/**
 * Returns the id of the subscription that a post is for: it ends the `webhook-id`. Null: a post to nobody's webhook.
 */
export function subscriptionOf({ webhook_id }: { webhook_id: string | null }): string | null {
  return SUBSCRIPTION.exec(webhook_id ?? '')?.[1] ?? null;
}

/** Returns whether a post is for a merchant's events URL: an event of a transaction, for nobody's webhook. */
export function isForEventsUrl(post: { webhook_id: string | null; content_type: string | null }): boolean {
  return post.content_type === 'application/json' && /^evt_\d+_[\d_]+$/.test(post.webhook_id ?? '');
}

/**
 * Returns the number by which published clients know a user. It is computed from the id, so it is not stored; it
 * identifies nobody by itself.
 */
export function userNumber(userId: string): number {
  return createHash('sha256').update(userId).digest().readUInt32BE() >>> 1;
}
