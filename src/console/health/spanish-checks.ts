import type { CheckName } from '../../health/finding.ts';

/** THE TABLE of the checks of `doctor` in Spanish; in English they have the words that `doctor` prints. */
const SPANISH_CHECKS: Readonly<Record<CheckName, string>> = {
  anchors: 'Sellos de los libros',
  approval: 'Pagos a terceros que no salen',
  'audit-log': 'Auditoría',
  backup: 'Respaldo',
  'bank-list': 'Lista de bancos',
  books: 'Libros',
  callback: 'Callbacks abandonados',
  callbacks: 'Callbacks que esperan',
  database: 'Base de datos',
  disk: 'Disco',
  durability: 'Escritura en el disco',
  endpoint: 'Direcciones que fallan',
  feed: 'Lista de eventos',
  key: 'Firmas rechazadas',
  mail: 'Comprobantes por correo',
  'master-key': 'Clave maestra',
  move: 'Traslados',
  node: 'Node.js',
  passkeys: 'Llaves de acceso',
  payment: 'Pagos en duda',
  payout: 'Pagos a terceros sin resultado',
  policy: 'Páginas en los navegadores',
  port: 'Puerto',
  process: 'Proceso',
  proxy: 'Proxy',
  'public-url': 'Dirección pública',
  refund: 'Devoluciones en duda',
  refund_request: 'Devoluciones por aprobar',
  restore: 'Restauración',
  schema: 'Tablas de la base',
  secrets: 'Secret Tokens',
  settings: 'Configuración',
  settlement: 'Liquidaciones con diferencias',
  statement: 'Líneas de cartolas',
  suspense: 'Dinero sin dueño',
};

/** Returns the Spanish name of a check. A process of another version may report a check that has none: its code. */
export function nameCheck(check: string): string {
  return Object.hasOwn(SPANISH_CHECKS, check) ? SPANISH_CHECKS[check as CheckName] : check;
}
