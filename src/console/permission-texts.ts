import { PERMISSIONS, type Permission, ROLES, type Role, rolesThatMay } from '../auth/permission.ts';
import type { Language } from '../lib/language.ts';

/** The roles in Spanish: the name, of a function and not of a person, and what the role is for. */
const SPANISH_ROLES: Readonly<Record<Role, readonly [name: string, means: string]>> = {
  integration: ['programa', 'un programa: lo que se le da'],
  developer: ['desarrollo', 'pagos, eventos, callbacks y tokens de desarrollo'],
  support: ['soporte', 've pagos, reenvía callbacks, devuelve hasta un límite al día'],
  finance: ['finanzas', 've todo, registra movimientos, hace pagos a terceros'],
  approver: ['aprobación', 'aprueba lo que hizo otra persona'],
  operator: ['operación', 'comercios, tokens, medios de pago, ajustes; nada de dinero'],
  merchant: ['comercio', 'personas de un comercio: sus pagos, callbacks, cuenta y tokens'],
  auditor: ['auditoría', 've todo y lo verifica'],
  owner: ['titular', 'personas y roles, y todo lo demás'],
};

/** Returns the name of a role for a person: its code, in Spanish after its name. */
export function nameOfRole(language: Language, role: Role): string {
  return language === 'es' ? `${SPANISH_ROLES[role][0]} (${role})` : role;
}

/** Returns what a role is for, in the language of the screen. */
export function meaningOfRole(language: Language, role: Role): string {
  return language === 'es' ? SPANISH_ROLES[role][1] : ROLES[role].means;
}

/** Returns what a permission lets a person do, in the language of the screen. */
export function meaningOfPermission(language: Language, permission: Permission): string {
  return (language === 'es' ? SPANISH_PERMISSIONS : PERMISSIONS)[permission];
}

/** Says who has a permission, for a person who has not: what they may do, and the roles that may. */
export function whoMay(language: Language, permission: Permission): string {
  const [roles] = rolesThatMay(permission);
  const means = meaningOfPermission(language, permission);
  return language === 'es'
    ? `quien puede ${means} (${roles.map((role) => SPANISH_ROLES[role][0]).join(', ')})`
    : `a person who may ${means} (${roles.join(', ')})`;
}

/** `PERMISSIONS` in Spanish. */
const SPANISH_PERMISSIONS: Readonly<Record<Permission, string>> = {
  'payments:read': 'ver pagos y sus devoluciones',
  'payments:create': 'crear pagos con un token de acceso en vez de una firma',
  'refunds:create': 'devolver pagos',
  'events:read': 'leer la lista de eventos',
  'books:read': 'ver lo que se debe a un comercio y lo que se le pagó',
  'accounts:validate': 'validar cuentas bancarias (pagos a terceros)',
  'recipients:read': 'ver a quién van los pagos a terceros',
  'callbacks:resend': 'enviar callbacks y comprobantes otra vez',
  'callbacks:listen': 'recibir los callbacks de desarrollo en un computador propio',
  'movements:record': 'registrar abonos, depósitos y decisiones, e importar archivos',
  'payouts:create': 'hacer pagos a terceros',
  'payouts:approve': 'aprobar pagos a terceros que hizo otra persona',
  'refunds:approve': 'aprobar devoluciones que pidió otra persona',
  'payment-services:manage': 'crear comercios, rotar tokens, definir medios de pago y comisiones',
  'tokens:manage': 'obtener y rotar los tokens de los comercios, y decir dónde se les avisa',
  'users:manage': 'crear usuarios y decir qué pueden hacer',
  'privacy:manage': 'buscar, exportar y borrar lo que se guarda de una persona',
  'audit:read': 'leer la auditoría y, sin cambiar nada, lo que otros administran, y verificar los libros',
};
