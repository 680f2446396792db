import { formatMoney, parseDecimal } from '../lib/money.ts';

/**
 * A kept contradiction of a refund (JSON of `refund_unasked`, `refund_missing` or `refund_declined`, amounts as on the wire) as a sentence, with
 * what ends it. Any other text is said as it is.
 */
export function sayRefundContradiction(text: string, method: string): { en: string; es: string } {
  const { event, unasked, missing, currency = '' } = readObject(text);
  if (event === 'refund_unasked' && unasked !== undefined) {
    const amount = amountOf(unasked, currency);
    return {
      en: `${amount} went back at ${method} that no refund asked for, and is in suspense. Where it is this refund, settle it as completed: it takes its amount out of suspense. Where it is not, resolve the suspense, and then retry or settle the refund`,
      es: `${method} devolvió ${amount} que ninguna devolución pedía, y están en suspenso. Si es esta devolución, ciérrala como completed: toma su monto del suspenso. Si no lo es, resuelve el suspenso y después reintenta o cierra la devolución`,
    };
  }
  if (event === 'refund_missing' && missing !== undefined) {
    const amount = amountOf(missing, currency);
    return {
      en: `the books say that ${amount} more went back than ${method} says`,
      es: `los libros dicen que se devolvieron ${amount} más de lo que dice ${method}`,
    };
  }
  if (event === 'refund_declined') {
    return {
      en: `${method} had completed it, and says now that it was declined. Ask there whether the money went back, and settle the refund as completed where it did`,
      es: `${method} la había completado y ahora dice que la rechazó. Pregunta ahí si el dinero volvió; si volvió, cierra la devolución como completed`,
    };
  }
  return {
    en: `${method} says something else than the books: ${text}`,
    es: `${method} dice algo distinto de los libros: ${text}`,
  };
}

/**
 * A kept contradiction of a payment as a sentence: its reason, where it is one of ours, and then its other members as they were
 * told, in the order in which they were kept.
 */
export function sayPaymentContradiction(text: string, method: string): { en: string; es: string } {
  const { reason = '', ...members } = readObject(text);
  const told = Object.entries(members).map(([name, value]) => `${name} ${value}`);
  const known = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  const rest = known === undefined && reason !== '' ? [`reason ${reason}`, ...told] : told;
  const details = rest.length === 0 ? text : rest.join(', ');
  const said = known ?? { en: 'says something else than what is known', es: 'dice algo distinto de lo que se sabe' };
  return { en: `${method} ${said.en}: ${details}`, es: `${method} ${said.es}: ${details}` };
}

/** The reasons that our methods name. */
const REASONS: Readonly<Record<string, { en: string; es: string }>> = {
  other_payment: { en: 'answered with another payment', es: 'respondió con otro pago' },
  two_ends: { en: 'says both that it was paid and that it was not', es: 'dice que se pagó y también que no' },
  given_back_elsewhere: {
    en: 'says that the money went back by nothing that we asked for',
    es: 'dice que el dinero volvió por algo que no pedimos',
  },
};

function amountOf(decimal: string, currency: string): string {
  const amount = parseDecimal(decimal, currency);
  return amount === null ? `${decimal} ${currency}` : formatMoney(amount, currency);
}

function readObject(text: string): Record<string, string> {
  if (!text.startsWith('{')) return {};
  return JSON.parse(text) as Record<string, string>;
}
