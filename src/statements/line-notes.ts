import type { InBoth } from '../error-catalogue.ts';

/** Why a line waits for a person, as stored, with the Spanish. A new reason does not compile until it is here. */
const NOTES = {
  'of nothing that is known here': 'no es de nada que se conozca',
  'the payout has left by another line': 'el pago ya salió por otra línea',
  'the payout came back by another line': 'el pago ya volvió por otra línea',
  'the deposit came by another line': 'el depósito ya entró por otra línea',
  'several payouts could be meant': 'puede ser de varios pagos',
  'a payout to the merchant could be meant': 'puede ser un pago anotado al comercio',
  'a payout to the merchant may have come back': 'puede ser un pago anotado al comercio que volvió',
  'a payout that the bank refused may have come back: then it is of nothing here':
    'puede ser un pago que el banco rechazó y devolvió: entonces es ajena, porque su dinero ya es del comercio',
  'a recorded deposit could be meant': 'puede ser un depósito anotado',
  'a deposit of an acquirer that is not recorded': 'un depósito del adquirente que no está anotado',
} as const;

export type LineNote = keyof typeof NOTES;

/** The note of a line that no payout, deposit or acquirer explains. */
export const NOTHING_KNOWN: LineNote = 'of nothing that is known here';

/** Returns a stored note in both languages; any other text stays as it is. */
export function sayNote(note: string): InBoth {
  return { en: note, es: Object.hasOwn(NOTES, note) ? NOTES[note as LineNote] : note };
}
