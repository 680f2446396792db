import { formatMoney, parseDecimal } from '../lib/money.ts';

/**
 * A kept contradiction of a refund (JSON of `refund_unasked` or `refund_missing`, amounts as on the wire) as a sentence, with
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
  return {
    en: `${method} says something else than the books: ${text}`,
    es: `${method} dice algo distinto de los libros: ${text}`,
  };
}

/** The members of a kept contradiction of a payment, as `name value`, in the order in which they were kept. */
export function sayPaymentContradiction(text: string): string {
  const members = Object.entries(readObject(text));
  return members.length === 0 ? text : members.map(([name, value]) => `${name} ${value}`).join(', ');
}

function amountOf(decimal: string, currency: string): string {
  const amount = parseDecimal(decimal, currency);
  return amount === null ? `${decimal} ${currency}` : formatMoney(amount, currency);
}

function readObject(text: string): Record<string, string> {
  if (!text.startsWith('{')) return {};
  return JSON.parse(text) as Record<string, string>;
}
