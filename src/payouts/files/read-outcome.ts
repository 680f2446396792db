import { foldText } from '../../lib/fold-text.ts';
import type { PayoutOutcome } from '../settling/settle-outcomes.ts';

/** The endings of a Spanish participle: both genders, singular and plural. */
const ENDS = '[oa]s?';
const WELL = '( (ok|con exito|exitosamente|correctamente|sin errores))?';
const BY_BANK = '( por (el )?banco( (de )?(destino|receptor|destinatario|beneficiario))?)?';

/**
 * The complete phrases of banks. More words may mean the opposite, such as `Procesado con errores` or `Aprobado,
 * pendiente de pago`.
 */
const PHRASES: readonly (readonly [RegExp, PayoutOutcome])[] = [
  [new RegExp(`^(devuelt${ENDS}${BY_BANK}|return(ed)?)$`), 'returned'],
  [new RegExp(`^(no pagad${ENDS}|(fallid|anulad)${ENDS}${BY_BANK}|error|fail(ed|ure)?)$`), 'failed'],
  // A reason may follow, unless it says that the payout may still be paid.
  [/^rechazad[oa]s?(?! .*(pendient|proces|curso|parcial|reintent|revis|pagad|abonad))/, 'failed'],
  // Not `cancelado`: in Chile it means both paid and called off.
  [/^(reject(ed|ion)?|cancell?ed)$/, 'failed'],
  [new RegExp(`^(pagad|abonad|aprobad|procesad|realizad|confirmad)${ENDS}${WELL}$`), 'confirmed'],
  [new RegExp(`^(exitos${ENDS}|exitosamente|confirm(ed)?|paid|ok|success(ful|fully)?)$`), 'confirmed'],
];

/** Returns the outcome that a bank's words mean, whatever the case, accents and spaces. Null: a person must decide. */
export function readOutcome(text: string): PayoutOutcome | null {
  const phrase = foldText(text)
    .replace(/[\s.,:;_-]+/g, ' ')
    .trim();
  return PHRASES.find(([pattern]) => pattern.test(phrase))?.[1] ?? null;
}
