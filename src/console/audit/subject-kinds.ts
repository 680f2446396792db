import type { Language } from '../../lib/language.ts';

/** Returns the name of what an act was done to; of a kind that this version does not know, the stored word. */
export function nameOfSubject(language: Language, kind: string): string {
  const names = language === 'es' ? SPANISH_SUBJECTS : ENGLISH_SUBJECTS;
  return (Object.hasOwn(names, kind) ? names[kind] : undefined) ?? kind.replaceAll('_', ' ');
}

/** Returns what an act was done to, as the store has it, with the words beside the ids in the language. */
export function sayWhich(language: Language, id: string): string {
  if (language === 'en') return id;
  return id
    .replace(/(?<= )development$/, 'desarrollo')
    .replace(/(?<= )production$/, 'producción')
    .replace(/^(\d+) to (\d+)$/, '$1 a $2')
    .replace(/^(\d+) payouts$/, '$1 pagos a terceros')
    .replace(/^epoch (\d+)$/, 'época $1')
    .replace(/^others$/, 'otros')
    .replace(/^none$/, 'ninguna')
    .replace(/^an e-mail address$/, 'un correo')
    .replace(/^a RUT$/, 'un RUT');
}

/** The screens call a payment service a merchant. */
const ENGLISH_SUBJECTS: Readonly<Record<string, string>> = {
  movement: 'recorded by hand',
  payment_service: 'merchant',
};

const SPANISH_SUBJECTS: Readonly<Record<string, string>> = {
  anchor: 'ancla',
  api_token: 'token de la API',
  approval: 'pago a terceros que no sale',
  backup: 'respaldo',
  bank_list: 'lista de bancos',
  batch: 'lote',
  books: 'libros',
  endpoint: 'dirección de callbacks',
  environment: 'ambiente',
  factor: 'segundo factor',
  imported_payment: 'línea de un archivo',
  invitation: 'invitación',
  key: 'firmas rechazadas',
  mail: 'comprobante por correo',
  month: 'mes',
  move: 'traslado',
  movement: 'registrado a mano',
  payment: 'pago en duda',
  payment_attempt: 'intento de pago',
  payment_link: 'enlace de pago',
  payment_service: 'comercio',
  payout: 'pago a terceros',
  'payout file': 'archivo de banco',
  permission: 'permiso',
  person: 'persona',
  process: 'proceso',
  recipient: 'destinatario',
  refund: 'devolución',
  refund_request: 'devolución por aprobar',
  restore: 'restauración',
  sealed_texts: 'textos cifrados',
  session: 'sesión',
  settlement: 'liquidación',
  statement: 'cartola',
  store: 'base de datos',
  suspense: 'dinero sin dueño',
  token_link: 'enlace de tokens',
  transaction: 'transacción',
  user: 'usuario',
};
