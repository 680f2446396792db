import type { DeclineReason, PaymentDetail, PaymentMethod, RefundOutcome } from './payment-method.ts';

type Asked = { amount: number; transactionId: number };

/** `lookups`: the number of look-ups before the end; until then the answer is `until`. */
type Script = { end: 'approved' | 'declined'; until: 'pending' | 'unknown'; lookups: number; reason?: DeclineReason };

/** By amount in minor units, of a payment or of a refund. */
type Scripts = Readonly<Record<number, Script>>;

const SCRIPTS: Scripts = {
  5001: { end: 'declined', until: 'pending', lookups: 0 },
  5002: { end: 'approved', until: 'pending', lookups: 1 },
  5003: { end: 'approved', until: 'unknown', lookups: 2 },
  5004: { end: 'declined', until: 'unknown', lookups: 2 },
  5005: { end: 'declined', until: 'pending', lookups: 1 },
  5010: { end: 'declined', until: 'pending', lookups: 0 },
  5011: { end: 'declined', until: 'pending', lookups: 0, reason: 'insufficient_funds' },
  5012: { end: 'declined', until: 'pending', lookups: 0, reason: 'time_out' },
  5013: { end: 'declined', until: 'pending', lookups: 0, reason: 'authentication' },
  5014: { end: 'declined', until: 'pending', lookups: 0, reason: 'cancelled_at_bank' },
};

/**
 * Collects and refunds nothing. Only for development tokens, in every currency.
 *
 * The amount alone decides the end, so that the same payment ends the same way in every test; docs/sandbox.md lists the
 * amounts. The method keeps no state and has no timer, so any process can look up a pending payment later.
 */
export const simulatedMethod = simulate({
  code: 'simulated',
  name: 'Simulated payment',
  description: 'For development: collects nothing, and the amount decides how the payment ends',
  imagePath: '/assets/simulated-method.svg',
  scripts: SCRIPTS,
  card: { card_last_digits: '6623' },
});

/**
 * A second method, so that a payer has a choice. It approves every amount that the first declines, except one that both
 * decline. Refunds follow the amounts of the first.
 */
export const simulatedTransfer = simulate({
  code: 'simulated-transfer',
  name: 'Simulated transfer',
  description: 'For development: collects nothing, and approves what the simulated payment declines',
  imagePath: '/assets/simulated-transfer.svg',
  scripts: {
    5002: { end: 'approved', until: 'pending', lookups: 1 },
    5010: { end: 'declined', until: 'pending', lookups: 0, reason: 'insufficient_funds' },
  },
});

const APPROVED_AT_ONCE: Script = { end: 'approved', until: 'pending', lookups: 0 };

/** `card`: what an answer about a payment says of the card, as at Webpay. */
type Simulated = Pick<PaymentMethod, 'code' | 'name' | 'description' | 'imagePath'> & {
  scripts: Scripts;
  card?: PaymentDetail;
};

function simulate({ scripts, card, ...named }: Simulated): PaymentMethod {
  return {
    ...named,
    hasNoBuyOrders: true,
    accepts: ({ environment }) => environment === 'development',
    start: async (payment) => answerOf(scripts, payment, 0, card),
    lookup: async (payment) => answerOf(scripts, payment, payment.lookups + 1, card),
    refunds: {
      windowDays: 90,
      minimumAgeHours: 0,
      partial: true,
      request: async (refund) => answerOf(SCRIPTS, refund, 0),
      // The method remembers nothing, not even refunded amounts, so it answers `absent` until the refund was requested.
      lookup: async (refund) =>
        refund.askedAt === null ? { kind: 'absent' } : answerOf(SCRIPTS, refund, refund.lookups),
    },
  };
}

function answerOf(
  scripts: Scripts,
  { amount, transactionId }: Asked,
  lookupsDone: number,
  card: PaymentDetail = {},
): RefundOutcome {
  const script = scripts[amount] ?? APPROVED_AT_ONCE;
  if (lookupsDone < script.lookups) return { kind: script.until };
  if (script.end === 'declined') return { kind: 'declined', detail: { reason: script.reason ?? 'simulated', ...card } };
  return { kind: 'approved', detail: { authorization_code: authorizationCode(transactionId), ...card } };
}

/** Returns an authorisation code of six digits, as cards have; the same for every answer about one payment. */
function authorizationCode(transactionId: number): string {
  return String(transactionId % 1_000_000).padStart(6, '0');
}
