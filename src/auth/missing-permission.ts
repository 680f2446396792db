import { Problem } from '../error-catalogue.ts';
import { missingCode, type Permission } from './permission.ts';

/** Returns the refusal of a user without this permission. It names the command that grants it. */
export function missingPermission(permission: Permission): Problem {
  const grant = permission === 'accounts:validate' ? 'payouts on USER' : `grant USER ${permission}`;
  return new Problem(missingCode(permission), {
    detail: {
      en: `The permission ${permission} is missing. Ask a person who manages users: \`bin/rubrica user ${grant}\`.`,
      es: `Falta el permiso ${permission}. Pídelo a quien administra los usuarios: \`bin/rubrica user ${grant}\`.`,
    },
    data: { permission },
  });
}
