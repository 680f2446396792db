import type { PayoutNotice, TransferNotice } from '../../protocol/verify-notice.ts';
import { formatDecimal, toDecimalNumber } from '../lib/money.ts';
import type { PostedEvent } from '../outbox/event.ts';
import { type Payout, type PayoutState, statusOf } from './payout.ts';

/** The body about a payout, in its callback and in the response of `GET /tef/{id}`. */
export type TefResponse = TransferNotice['tefResponse'] & { tef: { state: PayoutState } };

/** Returns the body for a payout in a state. Only a failed payout has a `reason`. */
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

/** Returns the body of a payout's callback. It is the same bytes each time for the same state. */
export function tefBody(payout: Payout, state: PayoutState): string {
  return JSON.stringify({ tefResponse: tefResponse(payout, state) });
}

/**
 * Returns the event of a payout, for the feed and for subscribers. It contains nothing about the recipient: readers
 * with the permission request the payout.
 */
export function payoutStateEvent(
  { id, environment_id, batch_id, reference, amount, currency, reason }: Payout,
  state: PayoutState,
  at: number,
): PostedEvent & { environmentId: number } {
  const why = statusOf(state) === 'failed' ? { reason } : {};
  const told = { id, batch: batch_id, reference, amount: formatDecimal(amount, currency), currency, ...why };
  const payout = told satisfies PayoutNotice['data']['payout'];
  // A draft has no event.
  const type = `payout.${state as Exclude<PayoutState, 'draft'>}` as const;
  return { environmentId: environment_id, type, createdAt: at, data: { payout } };
}

/** Returns the event of a payout with a contradiction. */
export function contradictedEvent(
  { id, environment_id, batch_id, reference, amount, currency, state }: Payout,
  said: string,
  at: number,
): PostedEvent & { environmentId: number } {
  const told = { id, batch: batch_id, reference, amount: formatDecimal(amount, currency), currency, state, said };
  const payout = told satisfies PayoutNotice['data']['payout'];
  return { environmentId: environment_id, type: 'payout.contradicted', createdAt: at, data: { payout } };
}
