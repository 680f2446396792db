import type { LookUpAnswer, PayoutSender, Transfer } from './payout-sender.ts';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;

/** `sent`: whether the order is answered. `later`: the answer to a look-up this many milliseconds after sending. */
type Script = { sent: 'answered' | 'lost'; later: (age: number, transfer: Transfer) => LookUpAnswer };

const confirmed: LookUpAnswer = { kind: 'confirmed' };
const failed: LookUpAnswer = { kind: 'failed', reason: 'Cuenta del destinatario cerrada' };
const returned: LookUpAnswer = { kind: 'returned', reason: 'Cuenta destinatario inhabilitada para recibir abonos' };

/** The behaviour by amount in pesos. Other amounts are confirmed at once. */
const SCRIPTS: Readonly<Record<number, Script>> = {
  6001: { sent: 'answered', later: () => failed },
  6002: { sent: 'answered', later: (age) => (age < 10 * SECOND ? { kind: 'pending' } : confirmed) },
  6003: { sent: 'lost', later: () => confirmed },
  6004: { sent: 'lost', later: () => failed },
  6005: { sent: 'answered', later: (age) => (age < 2 * DAY ? confirmed : returned) },
  6006: { sent: 'lost', later: () => ({ kind: 'absent' }) },
  6007: { sent: 'answered', later: (_age, { amount }) => ({ kind: 'contradiction', says: `amount ${amount + 1}` }) },
};

const AT_ONCE: Script = { sent: 'answered', later: () => confirmed };

/**
 * Sends nothing. Only for development tokens.
 *
 * The amount decides the outcome, so that the same payout ends the same way in every test; docs/payouts.md lists the
 * amounts. The sender keeps no state, so any process can answer a look-up.
 */
export function createSimulatedSender(now: () => number): PayoutSender {
  const answerOf = (transfer: Transfer): LookUpAnswer => {
    if (transfer.sentAt === null) return { kind: 'absent' };
    const { later } = SCRIPTS[transfer.amount] ?? AT_ONCE;
    // After `clock reset` a transfer can have been sent in the future: it must not stay pending until then.
    return later(Math.abs(now() - transfer.sentAt), transfer);
  };
  return {
    code: 'simulated',
    send: async (order) => {
      const answer = answerOf({ ...order, sentAt: now() });
      return SCRIPTS[order.amount]?.sent === 'lost' || answer.kind === 'absent' ? { kind: 'unknown' } : answer;
    },
    lookUp: async (transfer) => answerOf(transfer),
  };
}
