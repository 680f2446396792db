import { foldText } from '../lib/fold-text.ts';
import type { PayoutOutcome } from './settle-outcomes.ts';

/** Ends of a participle: of both genders, of one and of several. */
const ENDS = '[oa]s?';
const WELL = '( (ok|con exito|exitosamente|correctamente|sin errores))?';
const BY_BANK = '( por (el )?banco( (de )?(destino|receptor|destinatario|beneficiario))?)?';

/** The phrases of banks, whole: more words may say the opposite, as in `Procesado con errores` or `Aprobado, pendiente de pago`. */
const PHRASES: readonly (readonly [RegExp, PayoutOutcome])[] = [
  [new RegExp(`^(devuelt${ENDS}${BY_BANK}|return(ed)?)$`), 'returned'],
  [new RegExp(`^(no pagad${ENDS}|(fallid|anulad)${ENDS}${BY_BANK}|error|fail(ed|ure)?)$`), 'failed'],
  // Also with its reason behind it, unless that says that it may still be paid.
  [/^rechazad[oa]s?(?! .*(pendient|proces|curso|parcial|reintent|revis|pagad|abonad))/, 'failed'],
  // Not `cancelado`, which in Chile is paid as well as called off.
  [/^(reject(ed|ion)?|cancell?ed)$/, 'failed'],
  [new RegExp(`^(pagad|abonad|aprobad|procesad|realizad|confirmad)${ENDS}${WELL}$`), 'confirmed'],
  [new RegExp(`^(exitos${ENDS}|exitosamente|confirm(ed)?|paid|ok|success(ful|fully)?)$`), 'confirmed'],
];

/** Reads what a bank says became of a payout, in any letters, accents and spaces. Null: a person has to say what it means. */
export function readOutcome(text: string): PayoutOutcome | null {
  const phrase = foldText(text)
    .replace(/[\s.,:;_-]+/g, ' ')
    .trim();
  return PHRASES.find(([pattern]) => pattern.test(phrase))?.[1] ?? null;
}
