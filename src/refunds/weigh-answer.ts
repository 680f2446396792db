import type { RefundAnswer, RefundOutcome } from '../payment-methods/payment-method.ts';
import type { Refund } from './refund.ts';

/**
 * The worth of an answer beside the books. `unasked`: so much more went back at the method than they know. `missing`: so much
 * less.
 */
export type Weighed = { outcome: RefundOutcome; unasked: number; missing: number };

/**
 * Holds what a method says against what went back of the payment by our books (`wentBack`). A refund is done only if the
 * payment's balance shows it; whatever else the balance shows is somebody else's doing, and is told apart.
 */
export function weighAnswer(
  refund: Pick<Refund, 'amount' | 'state'>,
  { refunded, ...answer }: RefundAnswer,
  wentBack: number,
): Weighed {
  const outcome: RefundOutcome = answer.kind === 'absent' ? { kind: 'unknown' } : answer;
  if (refunded === undefined) return { outcome, unasked: 0, missing: 0 };
  // A completed refund is in the books already.
  const ours = outcome.kind === 'approved' && refund.state !== 'completed' ? refund.amount : 0;
  const surplus = refunded - wentBack - ours;
  if (surplus >= 0) return { outcome, unasked: surplus, missing: 0 };
  const difference = refunded - wentBack;
  return {
    outcome: ours > 0 ? { kind: 'unknown' } : outcome,
    unasked: Math.max(0, difference),
    missing: Math.max(0, -difference),
  };
}
