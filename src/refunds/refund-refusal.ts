import type { InBoth } from '../error-catalogue.ts';
import { workingHours } from '../lib/calendar-day.ts';
import { formatMoney } from '../lib/money.ts';
import type { Refunds } from '../payment-methods/payment-method.ts';
import type { Transaction } from '../transactions/transaction.ts';
import type { RefundType } from './refund.ts';

/** Why a refund is refused. The code is stable; existing clients show the message. */
export type RefundRefusal = { code: RefundRefusalCode; message: string };

export const REFUND_REFUSAL_CODES = [
  'TRANSACTION_NOT_COMPLETED',
  'ALREADY_REFUNDED',
  'METHOD_GIVES_NO_REFUNDS',
  'REFUND_WINDOW_CLOSED',
  'REFUND_TOO_EARLY',
  'PARTIAL_REFUND_NOT_ALLOWED',
  'REFUND_AMOUNT_TOO_HIGH',
  'REFUND_AMOUNT_NOT_TOTAL',
  'INSUFFICIENT_BALANCE',
] as const;

export type RefundRefusalCode = (typeof REFUND_REFUSAL_CODES)[number];

/**
 * The refusals for a person who refunds in the console or on the command line. Existing clients of the API read the
 * messages of `refusalOf`.
 */
export const REFUND_REFUSALS: Readonly<Record<RefundRefusalCode, InBoth>> = {
  TRANSACTION_NOT_COMPLETED: {
    en: 'It is not paid: only a completed payment can be refunded.',
    es: 'No está pagada: solo se devuelve un pago completado.',
  },
  ALREADY_REFUNDED: {
    en: 'All of it was refunded already, or is being refunded.',
    es: 'Ya se devolvió todo, o se está devolviendo.',
  },
  METHOD_GIVES_NO_REFUNDS: {
    en: 'Its payment method refunds nothing; the money has to go back in another way.',
    es: 'Su medio de pago no devuelve dinero; tiene que volver de otra manera.',
  },
  REFUND_WINDOW_CLOSED: {
    en: 'It was paid too long ago for its payment method; the money has to go back in another way.',
    es: 'Se pagó hace demasiado tiempo para su medio de pago; el dinero tiene que volver de otra manera.',
  },
  REFUND_TOO_EARLY: {
    en: 'Its payment method refunds only some working hours after the payment: try again later.',
    es: 'Su medio de pago devuelve solo algunas horas hábiles después del pago: inténtalo más tarde.',
  },
  PARTIAL_REFUND_NOT_ALLOWED: {
    en: 'Its payment method refunds all or nothing.',
    es: 'Su medio de pago devuelve todo o nada.',
  },
  REFUND_AMOUNT_TOO_HIGH: {
    en: 'That is more than what is left of the payment.',
    es: 'Es más de lo que queda del pago.',
  },
  REFUND_AMOUNT_NOT_TOTAL: {
    en: 'That is not all that is left of the payment.',
    es: 'No es todo lo que queda del pago.',
  },
  INSUFFICIENT_BALANCE: {
    en: 'The money of the merchant does not cover it: it was paid out, or is reserved. New payments or a deposit of the merchant can cover it.',
    es: 'El dinero del comercio no alcanza: ya se pagó, o está reservado. La pueden cubrir pagos nuevos o un depósito del comercio.',
  },
};

const DAY = 24 * 60 * 60 * 1000;

/**
 * Applies the rules, in the order in which their messages help most. `gone`: the refunded or reserved amount of the
 * payment, in minor units. Returns null if the refund is allowed.
 */
export function refusalOf(
  transaction: Pick<Transaction, 'state' | 'amount' | 'currency' | 'settled_at'>,
  terms: Omit<Refunds, 'request' | 'lookup'> | undefined,
  gone: number,
  wish: { amount: number; type: RefundType },
  now: number,
): RefundRefusal | null {
  const left = transaction.amount - gone;
  const paidAt = transaction.settled_at ?? now;
  if (transaction.state !== 'completed') return refusal('TRANSACTION_NOT_COMPLETED', 'Transacción no esta completada');
  if (left <= 0) return refusal('ALREADY_REFUNDED', 'Transacción ya se encuentra anulada');
  // The wording of the first method, which refunded only credit cards.
  if (terms === undefined) return refusal('METHOD_GIVES_NO_REFUNDS', 'La Trx no es de crédito');
  if (now - paidAt > terms.windowDays * DAY) {
    return refusal('REFUND_WINDOW_CLOSED', `La Trx tiene más de ${terms.windowDays} días`);
  }
  if (workingHours(paidAt, now) < terms.minimumAgeHours) {
    const hours = terms.minimumAgeHours;
    const message = `Transacciones pueden ser anuladas ${hours}hrs hábiles después de haber sido completadas`;
    return refusal('REFUND_TOO_EARLY', message);
  }
  if (wish.type === 'parcial' && !terms.partial) {
    return refusal('PARTIAL_REFUND_NOT_ALLOWED', 'La transacción no se puede anular parcialmente');
  }
  return amountRefusal(wish, left, transaction.currency);
}

/** Refuses a refund that the merchant's money does not cover. */
export function balanceRefusal(): RefundRefusal {
  return refusal('INSUFFICIENT_BALANCE', 'Saldo insuficiente: el dinero ya fue abonado al comercio');
}

/**
 * Computes the part of a payment's fee in the refunded amount `given`. The merchant's part goes back first, so the
 * service returns its fee only after all the rest.
 */
export function feeWithin({ amount, fee }: Pick<Transaction, 'amount' | 'fee'>, given: number): number {
  return Math.max(0, given - (amount - fee));
}

function amountRefusal(
  wish: { amount: number; type: RefundType },
  left: number,
  currency: string,
): RefundRefusal | null {
  const money = formatMoney(left, currency);
  if (wish.amount > left) {
    return refusal('REFUND_AMOUNT_TOO_HIGH', `El monto es mayor que lo que queda por anular: ${money}`);
  }
  if (wish.type === 'total' && wish.amount < left) {
    return refusal('REFUND_AMOUNT_NOT_TOTAL', `El monto no es el total que queda por anular: ${money}`);
  }
  return null;
}

function refusal(code: RefundRefusalCode, message: string): RefundRefusal {
  return { code, message };
}
