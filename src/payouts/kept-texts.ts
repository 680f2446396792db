import type { InBoth } from '../error-catalogue.ts';
import type { SenderContradiction, SenderSilence } from '../payout-senders/payout-sender.ts';
import { isPayoutState, type PayoutState } from './payout.ts';

/** The names of the states, which people read everywhere. The API, the feed and commands have the codes. */
export const STATE_NAMES = {
  draft: { en: 'Draft', es: 'Borrador' },
  awaiting_approval: { en: 'Waits for approval', es: 'Espera aprobación' },
  approved: { en: 'Approved', es: 'Aprobado' },
  rejected: { en: 'Rejected', es: 'Rechazado' },
  cancelled: { en: 'Taken back', es: 'Retirado' },
  sent: { en: 'Sent', es: 'Enviado' },
  unknown: { en: 'No answer', es: 'Sin respuesta' },
  confirmed: { en: 'Arrived', es: 'Llegó' },
  failed: { en: 'Refused by the bank', es: 'El banco lo rechazó' },
  returned: { en: 'Came back', es: 'Volvió' },
} as const satisfies Record<PayoutState, InBoth>;

/** Returns the name of a state with its code, which options and programs take. */
export function stateWithCode(state: PayoutState): InBoth {
  const { en, es } = STATE_NAMES[state];
  return { en: `"${en}" (${state})`, es: `«${es}» (${state})` };
}

/**
 * Returns a state for a sentence of a command or a proof. A text that is no state, as somebody wrote into the store,
 * stays as it is.
 */
export function nameState(state: string): string {
  return isPayoutState(state) ? `in ${stateWithCode(state).en}` : state;
}

/** The fix for an account at a bank that is not paid. */
export const ANOTHER_BANK = {
  en: 'Use an account at another bank, or import a bank list that confirms this one.',
  es: 'Usa una cuenta de otro banco, o importa una lista de bancos que confirme este.',
} as const satisfies InBoth;

/** Our own reasons, with their Spanish. A new reason does not compile until it is here. */
const REASONS = {
  'the sender did not answer': 'el proveedor no respondió',
  'the sender says that it never had it': 'el proveedor dice que nunca lo recibió',
  'it came back in the statement of the bank': 'volvió en la cartola del banco',
  'the bank gave no reason': 'el banco no dio un motivo',
  'no reason was given': 'no se dio un motivo',
} as const satisfies Record<SenderSilence, string> & Record<string, string>;

/** Why a program's payout waits for a person, with the Spanish. */
const WAITS = {
  'no automatic approval is set': 'no está permitida ninguna aprobación automática',
  'the service was restored and is being compared': 'el servicio se restauró y se está comparando',
  'the account was changed since the last payment': 'la cuenta cambió desde el último pago',
  'its recipient was erased': 'su destinatario fue borrado',
  'the account of its recipient was changed': 'la cuenta de su destinatario cambió',
  'no transfer catalogue has its bank': 'ningún catálogo de transferencias tiene su banco',
  'the balance does not cover it': 'el saldo no alcanza',
  'the limit of the day is reached': 'se alcanzó el límite del día',
  'the limit of a day for programs is reached': 'se alcanzó el límite diario de los programas',
} as const;

export type WhyNotAutomatic = keyof typeof WAITS | `above ${string}` | `more than ${number} in an hour`;

/** A reason in our own words. The store has it in English, in the same column as the words of people and banks. */
export type KeptReason = keyof typeof REASONS | `waits for a person: ${WhyNotAutomatic}`;

/** Returns a stored reason in both languages. Words of a person or a bank are not translated. */
export function sayReason(text: string): InBoth {
  const [, why] = /^waits for a person: (.+)$/.exec(text) ?? [];
  if (why !== undefined) return { en: text, es: `espera a una persona: ${whyInSpanish(why)}` };
  return { en: text, es: wordsOf(REASONS, text) };
}

function whyInSpanish(why: string): string {
  const [, most] = /^above (.+)$/.exec(why) ?? [];
  if (most !== undefined) return `supera ${most}`;
  const [, count] = /^more than (\d+) in an hour$/.exec(why) ?? [];
  return count === undefined ? wordsOf(WAITS, why) : `más de ${count} en una hora`;
}

/** A report about a payout that cannot be true, as stored. */
export type KeptContradiction =
  | 'confirmed'
  | 'failed'
  | 'returned'
  | SenderContradiction
  | typeof SECOND_LINE
  | typeof STILL_PENDING
  | typeof LEFT_OTHERWISE
  | typeof NEVER_HAD;

/** The contradiction of a payout for which the bank's statement has a second line. */
export const SECOND_LINE = 'a second line of the statement';

/** The contradiction of a failed payout that its sender still has, and may pay. */
export const STILL_PENDING = 'the sender still has it';

/** The contradiction of a payout that a sender has, although it left in another way or was taken back. */
export const LEFT_OTHERWISE = 'a provider has it too';

/** The contradiction of a confirmed payout that its sender never received, and why one without an end is `unknown`. */
export const NEVER_HAD = 'the sender says that it never had it';

const CONTRADICTIONS = {
  [SECOND_LINE]: 'una segunda línea de la cartola',
  [STILL_PENDING]: 'el proveedor todavía lo tiene',
  [LEFT_OTHERWISE]: 'un proveedor también lo tiene',
  [NEVER_HAD]: 'el proveedor dice que nunca lo recibió',
  'another transfer': 'otra transferencia',
} as const satisfies Record<Exclude<KeptContradiction, PayoutState | `amount ${string}`>, string>;

/** Returns a stored contradiction in both languages. */
export function sayContradiction(text: string): InBoth {
  if (isPayoutState(text)) return STATE_NAMES[text];
  const [, amount] = /^amount (.+)$/.exec(text) ?? [];
  return { en: text, es: amount === undefined ? wordsOf(CONTRADICTIONS, text) : `monto ${amount}` };
}

function wordsOf(table: Readonly<Record<string, string>>, text: string): string {
  return Object.hasOwn(table, text) ? (table[text] as string) : text;
}
