import type { Reader } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import type { Payout } from '../payouts/payout.ts';
import { selectUnbookedLines } from './unbooked-line-queries.ts';

/**
 * Throws `Problem` PAYOUT_STATE if a line of a bank statement shows money of the contradicted payout that is neither
 * booked nor called unrelated by a person: the end of the contradiction would hide it.
 */
export async function refuseUnbooked(db: Reader, payout: Payout): Promise<void> {
  if (payout.contradicted_at === null) return;
  const lines = await selectUnbookedLines(db, payout);
  if (lines.length === 0) return;
  const named = lines.join(', ');
  throw new Problem('PAYOUT_STATE', {
    detail: {
      en: `The bank statement shows money of ${payout.id} that the books do not have (line ${named}). Say first what the line is: “It left at the merchant’s expense” books it (statement resolve, after --use suspense if it is matched with the payout). If the money is recorded already, say “A payout that left” with its id (mv_…); as other, with your reason, the line books nothing.`,
      es: `La cartola muestra dinero de ${payout.id} que no está en los libros (línea ${named}). Di primero qué es la línea: «Salió a costa del comercio» lo anota (statement resolve, después de --use suspense si está asignada al pago). Si ese dinero ya está anotado, elige «Un pago que salió» con su id (mv_…); como ajena (other), con tu motivo, no anota nada.`,
    },
  });
}
