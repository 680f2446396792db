import type { InBoth } from '../../error-catalogue.ts';
import type { CheckName } from '../../health/finding.ts';
import type { Language } from '../../lib/language.ts';

/** THE TABLE of the names of the checks of `doctor`, which prints their codes. */
const CHECKS: Readonly<Record<CheckName, InBoth>> = {
  anchors: { en: 'Anchors of the books', es: 'Sellos de los libros' },
  approval: { en: 'Payouts that do not leave', es: 'Pagos a terceros que no salen' },
  'audit-log': { en: 'Audit log', es: 'Auditoría' },
  backup: { en: 'Backup', es: 'Respaldo' },
  'bank-list': { en: 'List of banks', es: 'Lista de bancos' },
  books: { en: 'Books', es: 'Libros' },
  callback: { en: 'Callbacks that were given up', es: 'Callbacks abandonados' },
  callbacks: { en: 'Callbacks that wait', es: 'Callbacks que esperan' },
  database: { en: 'Database', es: 'Base de datos' },
  disk: { en: 'Disk', es: 'Disco' },
  durability: { en: 'Writes to the disk', es: 'Escritura en el disco' },
  endpoint: { en: 'Addresses that fail', es: 'Direcciones que fallan' },
  feed: { en: 'Feed of events', es: 'Lista de eventos' },
  key: { en: 'Refused signatures', es: 'Firmas rechazadas' },
  mail: { en: 'Receipts by mail', es: 'Comprobantes por correo' },
  'master-key': { en: 'Master key', es: 'Clave maestra' },
  move: { en: 'Moves', es: 'Traslados' },
  node: { en: 'Node.js', es: 'Node.js' },
  passkeys: { en: 'Passkeys', es: 'Llaves de acceso' },
  payment: { en: 'Payments in doubt', es: 'Pagos en duda' },
  payout: { en: 'Payouts without a result', es: 'Pagos a terceros sin resultado' },
  policy: { en: 'Pages in browsers', es: 'Páginas en los navegadores' },
  port: { en: 'Port', es: 'Puerto' },
  process: { en: 'Process', es: 'Proceso' },
  proxy: { en: 'Proxy', es: 'Proxy' },
  'public-url': { en: 'Public address', es: 'Dirección pública' },
  refund: { en: 'Refunds in doubt', es: 'Devoluciones en duda' },
  refund_request: { en: 'Refunds to approve', es: 'Devoluciones por aprobar' },
  restore: { en: 'Restore', es: 'Restauración' },
  schema: { en: 'Tables of the database', es: 'Tablas de la base' },
  secrets: { en: 'Secret Tokens', es: 'Secret Tokens' },
  settings: { en: 'Settings', es: 'Configuración' },
  settlement: { en: 'Settlements with differences', es: 'Liquidaciones con diferencias' },
  statement: { en: 'Lines of bank statements', es: 'Líneas de cartolas' },
  suspense: { en: 'Money in suspense', es: 'Dinero sin dueño' },
};

/** Returns the name of a check. A process of another version may report a check that has none: its code. */
export function nameCheck(language: Language, check: string): string {
  return Object.hasOwn(CHECKS, check) ? CHECKS[check as CheckName][language] : check;
}
