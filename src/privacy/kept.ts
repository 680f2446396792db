import type { Language } from '../lib/language.ts';

/** The reasons why a text stays when a person is erased. */
export const KEPT_REASONS = {
  sealed: {
    en: 'it is sealed in a chain that proves where money is',
    es: 'está sellado en una cadena que prueba dónde está el dinero',
  },
  paid_to: {
    en: 'it says where money went: a masked account and the hash of the RUT',
    es: 'dice adónde fue el dinero: una cuenta enmascarada y el hash del RUT',
  },
  bank_file: {
    en: 'it is kept sealed as it went to the bank, with RUT, name and account',
    es: 'se guarda sellado como fue al banco, con RUT, nombre y cuenta',
  },
  paid_why: { en: 'it says what was paid out, and why', es: 'dice qué se pagó, y por qué' },
  paid_out: { en: 'it says what was paid out', es: 'dice qué se pagó' },
  refund_why: { en: 'it says why a refund was asked for', es: 'dice por qué se pidió una devolución' },
  asked_for: { en: 'it says what a payment was asked for', es: 'dice por qué se pidió un pago' },
  held_against: {
    en: 'it says what the money was compared with, and why',
    es: 'dice contra qué se cuadró el dinero, y por qué',
  },
  audit: { en: 'it says who did what, and is sealed', es: 'dice quién hizo qué, y está sellado' },
  verified: {
    en: 'it says what the last verification of the books found; the next one replaces it',
    es: 'dice qué encontró la última verificación de los libros; la siguiente lo reemplaza',
  },
  done_by: { en: 'it says who did it', es: 'dice quién lo hizo' },
  merchant: {
    en: 'it says who a merchant is, or where a merchant is reached: bin/rubrica payment-service',
    es: 'dice quién es un comercio, o dónde se le avisa: bin/rubrica payment-service',
  },
  once: {
    en: 'a program chose it as its Idempotency-Key; it is deleted with its validation',
    es: 'un programa la eligió como su Idempotency-Key; se borra con su validación',
  },
  works_here: {
    en: 'this person works here: bin/rubrica user disable',
    es: 'esta persona trabaja aquí: bin/rubrica user disable',
  },
} as const;

export type KeptReason = keyof typeof KEPT_REASONS;

/** Records that stay: texts of one kind by the names of their rows, with the reason. */
export type Kept = { kind: string; reason: KeptReason; rows: string[] };

/** The same for a person and for the export. */
export type SaidKept = { kind: string; why: string; rows: string[] };

/** Returns the kept records in one language. */
export function sayKept({ kind, reason, rows }: Kept, language: Language): SaidKept {
  return { kind, why: KEPT_REASONS[reason][language], rows };
}
