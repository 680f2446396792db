import { notFound, Problem } from '../error-catalogue.ts';

/** The things that a command names by an id, each with the command that lists the ids. */
const LISTS = {
  payout: { en: 'payout', es: 'el pago', list: 'payout list' },
  batch: { en: 'batch', es: 'el lote', list: 'batch list' },
  file: { en: 'file of payouts', es: 'el archivo de pagos', list: 'payout files' },
  recipient: { en: 'recipient', es: 'el destinatario', list: 'recipient list' },
  deposit: { en: 'deposit', es: 'el depósito', list: 'deposit list' },
  callback: { en: 'callback of development', es: 'el callback de pruebas', list: 'callback list' },
  statement: { en: 'bank statement', es: 'la cartola', list: 'statement list' },
  link: { en: 'link to tokens', es: 'el enlace a tokens', list: 'payment-service links' },
  attention: { en: 'waiting item', es: 'el asunto pendiente', list: 'attention list' },
} as const;

type Named = keyof typeof LISTS;

/**
 * Awaits a look-up by an id. Its NOT_FOUND, which it shares with the API, gets the id and the command that lists the
 * ids.
 */
export async function orUnknown<Found>(kind: Named, id: string, lookUp: Promise<Found>): Promise<Found> {
  try {
    return await lookUp;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error;
    throw unknownOf(kind, id);
  }
}

/** Returns the error for an id that nothing has. It names the command that lists the ids. */
export function unknownOf(kind: Named, id: string): Problem {
  const { en, es, list } = LISTS[kind];
  return notFound(`There is no ${en} ${id}: bin/rubrica ${list}`, `No existe ${es} ${id}: bin/rubrica ${list}`);
}
