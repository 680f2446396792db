import type { PaymentMethod, RefundOutcome } from './payment-method.ts';

/**
 * Collects nothing and refunds nothing. For development tokens only, in every currency.
 *
 * The amount alone decides, so that the same payment has the same end in every test; docs/sandbox.md tells merchants
 * which amount does what. It keeps no state and has no timer: what is not answered at once is answered by a later look-up,
 * from any process.
 */
export const simulatedMethod: PaymentMethod = {
  code: 'simulated',
  name: 'Simulated payment',
  description: 'For development: collects nothing, and the amount decides how the payment ends',
  imagePath: '/assets/simulated-method.svg',
  accepts: ({ environment }) => environment === 'development',
  start: async (payment) => answerOf(payment, 0),
  lookup: async (payment) => answerOf(payment, payment.lookups + 1),
  refunds: {
    windowDays: 90,
    minimumAgeHours: 0,
    partial: true,
    request: async (refund) => answerOf(refund, 0),
    // It remembers nothing, not even what has gone back: who has never asked is not known to it.
    lookup: async (refund) => (refund.askedAt === null ? { kind: 'absent' } : answerOf(refund, refund.lookups)),
  },
};

type Asked = { amount: number; transactionId: number };

type Script = { end: 'approved' | 'declined'; until: 'pending' | 'unknown'; lookups: number };

/** By amount in minor units, that of a payment or of a refund. `lookups`: how many it takes until the end is told; before that `until` is answered. */
const SCRIPTS: Readonly<Record<number, Script>> = {
  5001: { end: 'declined', until: 'pending', lookups: 0 },
  5002: { end: 'approved', until: 'pending', lookups: 1 },
  5003: { end: 'approved', until: 'unknown', lookups: 2 },
  5004: { end: 'declined', until: 'unknown', lookups: 2 },
  5005: { end: 'declined', until: 'pending', lookups: 1 },
};

const APPROVED_AT_ONCE: Script = { end: 'approved', until: 'pending', lookups: 0 };

function answerOf({ amount, transactionId }: Asked, lookupsDone: number): RefundOutcome {
  const script = SCRIPTS[amount] ?? APPROVED_AT_ONCE;
  if (lookupsDone < script.lookups) return { kind: script.until };
  if (script.end === 'declined') return { kind: 'declined', detail: { reason: 'simulated' } };
  return { kind: 'approved', detail: { authorization_code: authorizationCode(transactionId) } };
}

/** Six digits, as cards have; the same for every answer about one payment. */
function authorizationCode(transactionId: number): string {
  return String(transactionId % 1_000_000).padStart(6, '0');
}
