import { ROLES, type Role } from '../../auth/permission.ts';
import type { Language } from '../../lib/language.ts';

/** Returns what a role is for. */
export function meaningOfRole(language: Language, role: Role): string {
  return language === 'es' ? SPANISH_ROLES[role] : ROLES[role].means;
}

const SPANISH_ROLES: Readonly<Record<Role, string>> = {
  integration: 'un programa: lo que se le da',
  developer: 'pagos, eventos, callbacks y tokens de desarrollo',
  support: 've pagos, reenvía callbacks, devuelve hasta un límite al día',
  finance: 've todo, registra movimientos, hace pagos a terceros',
  approver: 'aprueba lo que hizo otra persona',
  operator: 'comercios, tokens, medios de pago, ajustes; nada de dinero',
  merchant: 'personas de un comercio: sus pagos, callbacks, cuenta y tokens',
  auditor: 've todo y lo verifica',
  owner: 'personas y roles, y todo lo demás',
};
