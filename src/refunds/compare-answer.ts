import type { RefundAnswer, RefundOutcome } from '../payment-methods/payment-method.ts';
import type { Refund } from './refund.ts';

/**
 * A method's answer compared with the books. `unasked`: went back at the method and is not in the books. `missing`: is
 * in the books and did not go back at the method. Both in minor units.
 */
export type ComparedAnswer = { outcome: RefundOutcome; unasked: number; missing: number };

/**
 * Compares a method's answer with the amount of the payment that went back by refunds according to the books
 * (`wentBack`). The refund is completed only if the payment's balance shows it; the rest of the difference is reported
 * separately.
 */
export function compareAnswer(
  refund: Pick<Refund, 'amount' | 'state'>,
  { refunded, ...answer }: RefundAnswer,
  wentBack: number,
): ComparedAnswer {
  const outcome: RefundOutcome = answer.kind === 'absent' ? { kind: 'unknown' } : answer;
  if (refunded === undefined) return { outcome, unasked: 0, missing: 0 };
  // A completed refund is already in the books.
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
