import { methodNames } from '../checkout/texts.ts';
import type { InBoth } from '../error-catalogue.ts';
import type { RefundState } from '../refunds/refund.ts';
import { sayPaymentContradiction, sayRefundContradiction } from './say-contradiction.ts';

/**
 * The part of a payment attempt or of a refund that tells why it is in doubt. `payment_method` is a code,
 * `contradiction` JSON text.
 */
type DoubtedAttempt = { payment_method: string; commit_sent_at: number | null; contradiction: string | null };
type DoubtedRefund = {
  payment_method: string;
  state: RefundState;
  asked_at: number | null;
  contradiction: string | null;
};

/** Says why a payment attempt waits for a person: what contradicts it, otherwise that its method has not said. */
export function sayPaymentDoubt({ payment_method, commit_sent_at, contradiction }: DoubtedAttempt): InBoth {
  if (contradiction !== null) return sayPaymentContradiction(contradiction, payment_method);
  const method = methodNames(payment_method);
  return {
    en: `${method.en} has not said what became of it${commit_sent_at === null ? '' : '; it was told to take the money'}`,
    es: `${method.es} no ha dicho en qué terminó${commit_sent_at === null ? '' : '; se le pidió que cobrara'}`,
  };
}

const REFUND_NAMES: Readonly<Record<RefundState, InBoth>> = {
  processing: { en: 'under way', es: 'en proceso' },
  completed: { en: 'completed', es: 'completada' },
  failed: { en: 'failed', es: 'fallida' },
};

/** Says why a refund waits for a person. */
export function sayRefundDoubt({ payment_method, state, asked_at, contradiction }: DoubtedRefund): InBoth {
  if (contradiction !== null) {
    const { en, es } = sayRefundContradiction(contradiction, payment_method);
    const name = REFUND_NAMES[state];
    return { en: `${en}; the refund is ${name.en}`, es: `${es}; la devolución está ${name.es}` };
  }
  const method = methodNames(payment_method);
  if (asked_at === null)
    return {
      en: `${method.en} was not asked for it yet: another refund of the payment, or no answer`,
      es: `todavía no se le pidió a ${method.es}: hay otra devolución del pago, o no respondió`,
    };
  return {
    en: `${method.en} was asked for it and has not said what became of it; it is not asked for again by itself, only by refund retry`,
    es: `se le pidió a ${method.es} y no ha dicho en qué terminó; no se pide otra vez por sí sola, solo con refund retry`,
  };
}
