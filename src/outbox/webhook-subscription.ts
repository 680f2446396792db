import { createHash } from 'node:crypto';
import type { SqlRow } from '../db/database.ts';
import type { PostedEventType } from './event.ts';

/** The webhooks that a user can subscribe to, in the words of the published clients, with their events. */
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

/** The methods that published clients ask for. A GET has no body to sign, so events are posted whatever was asked for. */
export const WEBHOOK_METHODS = ['POST', 'GET'] as const;

export type WebhookMethod = (typeof WEBHOOK_METHODS)[number];

/** A row of `webhook_subscriptions`: a user wants the events of a webhook at a URL. Times are UTC milliseconds. */
export type WebhookSubscription = SqlRow & {
  id: string;
  user_id: string;
  webhook: Webhook;
  url: string;
  method: WebhookMethod;
  created_at: number;
  ended_at: number | null;
};

/** Whether a text names a webhook. */
export function isWebhook(text: string): text is Webhook {
  return Object.hasOwn(WEBHOOKS, text);
}

/** Whether a webhook brings an event of this type. */
export function brings(webhook: Webhook, type: PostedEventType): boolean {
  return (WEBHOOKS[webhook] as readonly PostedEventType[]).includes(type);
}

/** The number by which published clients know a user: made from the id, so nothing is kept. Names nobody by itself. */
export function userNumber(userId: string): number {
  return createHash('sha256').update(userId).digest().readUInt32BE() >>> 1;
}
