import { computeSignature } from '../../protocol/hmac.ts';
import { isoTime } from '../lib/iso-time.ts';
import { callbackHeaders } from '../outbox/callback-headers.ts';
import { callbackBody, callbackFields } from '../outbox/callback-payload.ts';
import type { SecretToken, ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { ChaosClassName } from './chaos-class.ts';
import type { ChaosOrder } from './chaos-order.ts';
import type { ChaosAnswer } from './judge-chaos.ts';

/** One request to the receiver. `order` replaces the placeholder in its URL, if there is one. */
export type ChaosPost = { order: string; query: string | null; headers: Record<string, string>; body: string };

/** The input of a class: an open order of the shop, the secrets, and a random source with a seed. */
export type ChaosStage = {
  environment: ServiceEnvironment;
  order: ChaosOrder;
  transactionId: number;
  /** Distinguishes its events from those in other runs. */
  eventId: string;
  /** The shop is set up for real payments, not for tests. */
  live: boolean;
  closedSecret: SecretToken;
  random: () => number;
  /** UTC milliseconds. */
  now: number;
  send(post: ChaosPost): Promise<ChaosAnswer>;
  /** Sends the request without reading the response. */
  sendUnheard(post: ChaosPost): Promise<ChaosAnswer>;
};

type Play = (stage: ChaosStage) => Promise<ChaosAnswer[]>;

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Sends an ordinary callback, as the service does. */
export async function playOrdinary(stage: ChaosStage): Promise<ChaosAnswer[]> {
  return [await stage.send(callbackOf(stage))];
}

/** The requests of each class. */
export const PLAYS: Readonly<Record<ChaosClassName, Play>> = {
  duplicates: async (stage) => {
    const post = callbackOf(stage);
    const answers = [];
    for (let left = 2 + upTo(stage, 3); left > 0; left -= 1) answers.push(await stage.send(post));
    return answers;
  },
  reordering: async (stage) => {
    const newer = await stage.send(callbackOf(stage, { sequence: 3 }));
    const before = { x_result: 'failed', x_message: 'Expired', x_timestamp: isoTime(stage.now - 60 * SECOND_MS) };
    return [newer, await stage.send(callbackOf(stage, { changes: before, sequence: 2 }))];
  },
  delay: async (stage) => {
    const paidAt = stage.now - (6 + upTo(stage, 65)) * HOUR_MS;
    return [await stage.send(callbackOf(stage, { changes: { x_timestamp: isoTime(paidAt) } }))];
  },
  two_at_once: (stage) => {
    const post = callbackOf(stage);
    return Promise.all(Array.from({ length: 2 + upTo(stage, 3) }, () => stage.send(post)));
  },
  old_secret: async (stage) => [await stage.send(callbackOf(stage, { secrets: [stage.closedSecret] }))],
  stale_time: async (stage) => {
    const sentAt = stage.now - (10 + upTo(stage, 48 * 60)) * 60 * SECOND_MS;
    return [await stage.send(callbackOf(stage, { changes: { x_timestamp: isoTime(sentAt) }, sentAt }))];
  },
  wrong_amount: async (stage) => {
    const { amount } = stage.order;
    const others = [amount - 1, Math.ceil(amount / 10), 1].filter((other) => other !== amount);
    const other = others[upTo(stage, others.length)] as number;
    return [await stage.send(callbackOf(stage, { amount: other }))];
  },
  wrong_currency: async (stage) => {
    const x_currency = stage.order.currency === 'USD' ? 'EUR' : 'USD';
    return [await stage.send(callbackOf(stage, { changes: { x_currency } }))];
  },
  another_order: async (stage) => {
    const x_reference = `${stage.order.reference}-ELSEWHERE`;
    const post = callbackOf(stage, { changes: { x_reference } });
    return [await stage.send({ ...post, query: `x_reference=${encodeURIComponent(stage.order.reference)}` })];
  },
  test_as_live: async (stage) => [await stage.send(callbackOf(stage, { changes: { x_test: String(stage.live) } }))],
  // The body only, as a payer's browser could send it: only the service can sign the headers of another body.
  spliced_fields: async (stage) => {
    const test = String(!stage.live);
    const time = isoTime(stage.now);
    const readings = [
      { x_timestamp: `${time}x_resultfailedx_test${test}x_timestamp${time}` },
      { x_test: `${test}x_resultfailedx_test${test}` },
    ];
    const answers = [];
    for (const changes of stage.random() < 0.5 ? readings : readings.toReversed()) {
      const { headers, ...post } = callbackOf(stage, { changes: { x_message: 'Declined', ...changes } });
      answers.push(await stage.send({ ...post, headers: { 'content-type': headers['content-type'] as string } }));
    }
    return answers;
  },
  error_after_doing: async (stage) => {
    const unheard = await stage.sendUnheard(callbackOf(stage, { sentAt: stage.now - 6 * SECOND_MS }));
    return [unheard, await stage.send(callbackOf(stage))];
  },
};

type Wish = {
  changes?: Readonly<Record<string, string>>;
  amount?: number;
  sequence?: number;
  /** The time in webhook-timestamp; default: now. */
  sentAt?: number;
  secrets?: SecretToken[];
};

/** Builds a callback of the paid order, signed as the service does, with the given deviations. */
function callbackOf(stage: ChaosStage, wish: Wish = {}): ChaosPost {
  const { order, transactionId, now, live } = stage;
  const { changes = {}, amount = order.amount, sequence = 2, sentAt = now, secrets = stage.environment.secrets } = wish;
  const environment = { ...stage.environment, secrets };
  const { x_signature: _, ...fields } = callbackFields(environment, {
    transactionId,
    reference: order.reference,
    amount,
    currency: order.currency,
    result: 'completed',
    message: 'Approved',
    timestamp: now,
  });
  const signed = { ...fields, x_test: String(!live), ...changes };
  const key = (secrets.at(-1) as SecretToken).key;
  const body = callbackBody({ ...signed, x_signature: computeSignature(Object.entries(signed).flat().join(''), key) });
  const event = { webhook_id: `${stage.eventId}_${sequence}`, sequence, content_type: FORM, body };
  return { order: order.reference, query: null, headers: callbackHeaders(environment, event, sentAt), body };
}

const FORM = 'application/x-www-form-urlencoded';

/** Returns a random whole number from 0, below `count`. */
function upTo({ random }: ChaosStage, count: number): number {
  return Math.floor(random() * count);
}
