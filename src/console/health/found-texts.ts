import type { InBoth } from '../../error-catalogue.ts';
import type { Language } from '../../lib/language.ts';
import type { ReportKind, ReportLine } from '../../proof/verification-report.ts';

/** THE TABLE of the kinds of changes that a verification of the books finds. */
const FOUND: Readonly<Record<ReportKind, InBoth>> = {
  books_changed: { en: 'Entries of the books', es: 'Asientos de los libros' },
  record_changed: {
    en: 'Payments, refunds, payouts or movements that do not fit their entries',
    es: 'Pagos, devoluciones, pagos a terceros o movimientos que no calzan con sus asientos',
  },
  balance_changed: { en: 'Stored sums of accounts', es: 'Sumas guardadas de las cuentas' },
  owner_changed: { en: 'The owner of the books was changed', es: 'Se cambió de quién son los libros' },
  fee_changed: { en: 'A fee was changed', es: 'Se cambió una comisión' },
  refund_changed: { en: 'A refund was changed', es: 'Se cambió una devolución' },
  payout_changed: { en: 'A payout was changed', es: 'Se cambió un pago a tercero' },
  decision_changed: { en: 'The decision of a person was changed', es: 'Se cambió la decisión de una persona' },
  fact_changed: { en: 'A fact behind the books was changed', es: 'Se cambió un hecho detrás de los libros' },
  fact_missing: { en: 'A fact behind the books was deleted', es: 'Se borró un hecho detrás de los libros' },
  event_changed: { en: 'An event was changed', es: 'Se cambió un evento' },
  event_missing: { en: 'An event was deleted', es: 'Se borró un evento' },
  event_added: { en: 'An event was invented', es: 'Se inventó un evento' },
  callback_changed: { en: 'A callback was changed', es: 'Se cambió un callback' },
  restore_changed: { en: 'A restore or its release was changed', es: 'Se cambió una restauración o su liberación' },
  month_changed: { en: 'A closed month was changed', es: 'Se cambió un mes cerrado' },
  funds_rule_changed: {
    en: 'The rule for the money of a merchant was changed',
    es: 'Se cambió la regla para el dinero de un comercio',
  },
  payout_limits_changed: {
    en: 'The limits of payouts were changed',
    es: 'Se cambiaron los límites de los pagos a terceros',
  },
  recipient_changed: { en: 'A recipient was changed', es: 'Se cambió un destinatario' },
  payout_file_changed: { en: 'A file for the bank was changed', es: 'Se cambió un archivo para el banco' },
  bank_list_changed: { en: 'A list of banks was changed', es: 'Se cambió una lista de bancos' },
  statement_changed: { en: 'A bank statement was changed', es: 'Se cambió una cartola' },
  settlement_changed: { en: 'A settlement file was changed', es: 'Se cambió un archivo de liquidación' },
  webhook_changed: { en: 'A webhook of a user was changed', es: 'Se cambió un webhook de un usuario' },
  rights_changed: { en: 'The rights of a user were changed', es: 'Se cambió lo que puede hacer un usuario' },
  refund_day_changed: {
    en: 'What a person has refunded on a day was changed',
    es: 'Se cambió cuánto devolvió una persona en un día',
  },
  payment_service_changed: { en: 'A merchant was changed', es: 'Se cambió un comercio' },
  payment_link_changed: { en: 'A payment link was changed', es: 'Se cambió un enlace de pago' },
  audit_changed: { en: 'An act of the audit log was changed', es: 'Se cambió un acto de la auditoría' },
  audit_missing: { en: 'An act of the audit log was deleted', es: 'Se borró un acto de la auditoría' },
  audit_added: { en: 'An act of the audit log was invented', es: 'Se inventó un acto de la auditoría' },
  key_changed: { en: 'A key of the service was changed', es: 'Se cambió una llave del servicio' },
  anchor_lost: { en: 'A restore lost anchors', es: 'Una restauración perdió sellos' },
  anchor_missing: { en: 'An anchor is missing', es: 'Falta un sello' },
  anchor_contradicts: { en: 'An anchor contradicts the store', es: 'Un sello contradice la base' },
  anchor_forged: { en: 'An anchor is forged', es: 'Un sello es falso' },
};

/** Returns the name of what was found. A newer version may find what this one has no words for: its code. */
export function nameFound(language: Language, kind: string): string {
  return Object.hasOwn(FOUND, kind) ? FOUND[kind as ReportKind][language] : kind;
}

/** Spanish words in what a verification found about a stored value; each is preceded by its subject or its column. */
const SPANISH_CHANGES: readonly (readonly [en: RegExp, es: string])[] = [
  [/^fee of /, 'comisión de '],
  [/\brate_ppm (?=was )/, 'tasa en millonésimas (rate_ppm) '],
  [/\bfixed (?=was )/, 'monto fijo (fixed) '],
  [/ was never made by this service/, ': este servicio nunca la hizo'],
  [/ was deleted; it was /, ': se borró; era '],
  [/ was ("(?:[^"\\]|\\.)*"|[^,;]+), is /g, ' era $1, es '],
];

/** Returns in Spanish what a verification found about a fee; null for everything else, which is told in English. */
export function sayFeeInSpanish({ kind, en }: ReportLine): string | null {
  if (kind !== 'fee_changed') return null;
  return SPANISH_CHANGES.reduce((text, [from, to]) => text.replace(from, to), en);
}

/** The Spanish names of the rows that a verification reads; each key is the name of a walk. */
const SPANISH_WORK: Readonly<Record<string, string>> = {
  'sums of the accounts': 'sumas de las cuentas',
  entries: 'asientos',
  'payments beside the books': 'pagos al lado de los libros',
  facts: 'hechos',
  refunds: 'devoluciones',
  decisions: 'decisiones',
  'events of the feed': 'eventos de la lista',
  'events of transactions': 'eventos de transacciones',
  callbacks: 'callbacks',
  'payouts and their acts': 'pagos a terceros y sus actos',
  'acts of people beside the books': 'actos de personas al lado de los libros',
};

/** Returns the name of the rows that a verification reads; without a Spanish one, the English name. */
export function nameWork(language: Language, what: string): string {
  return language === 'es' && Object.hasOwn(SPANISH_WORK, what) ? (SPANISH_WORK[what] as string) : what;
}
