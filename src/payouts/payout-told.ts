import { formatDecimal, toDecimalNumber } from '../lib/money.ts';
import type { PostedEvent } from '../outbox/event.ts';
import { type Payout, type PayoutState, statusOf } from './payout.ts';

/** The answer about a payout, as the bytes of its callback and as `GET /tef/{id}` shows it. */
export type TefResponse = {
  status: 'processing' | 'completed' | 'failed';
  tef: { id: string; amount: number; state: PayoutState; payoutId: string; reason: string | null };
};

/** The same payout as it is, or was, in a state: why belongs to an end alone. */
export function tefResponse(payout: Payout, state: PayoutState = payout.state): TefResponse {
  const { id, reference, amount, currency, reason } = payout;
  const status = statusOf(state);
  return {
    status,
    tef: {
      id: reference,
      amount: toDecimalNumber(amount, currency),
      state,
      payoutId: id,
      reason: status === 'failed' ? reason : null,
    },
  };
}

/** Makes the bytes that are posted to the URL of a payout: the same bytes whenever they are made. */
export function tefBody(payout: Payout, state: PayoutState): string {
  return JSON.stringify({ tefResponse: tefResponse(payout, state) });
}

/**
 * Makes the event of a payout, for the feed and for subscribers. Nothing of the recipient: who may know that asks for the
 * payout.
 */
export function payoutToldEvent(
  { id, environment_id, batch_id, reference, amount, currency, reason }: Payout,
  state: PayoutState,
  at: number,
): PostedEvent & { environmentId: number } {
  const why = statusOf(state) === 'failed' ? { reason } : {};
  const payout = { id, batch: batch_id, reference, amount: formatDecimal(amount, currency), currency, ...why };
  // Nobody is told of a draft.
  const type = `payout.${state as Exclude<PayoutState, 'draft'>}` as const;
  return { environmentId: environment_id, type, createdAt: at, data: { payout } };
}

/** Makes the event of a payout whose state something contradicts. */
export function contradictedEvent(
  { id, environment_id, batch_id, reference, amount, currency, state }: Payout,
  said: string,
  at: number,
): PostedEvent & { environmentId: number } {
  const payout = { id, batch: batch_id, reference, amount: formatDecimal(amount, currency), currency, state, said };
  return { environmentId: environment_id, type: 'payout.contradicted', createdAt: at, data: { payout } };
}
