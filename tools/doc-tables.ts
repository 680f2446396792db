import { AUDIT_ACTIONS } from '../src/audit/audit-action.ts';
import { PERMISSIONS, type Permission, ROLES, type Role, rightsOf } from '../src/auth/permission.ts';
import { formatMoney } from '../src/lib/money.ts';
import { ROUTES } from '../src/server/routes.ts';
import { SETTINGS } from '../src/settings.ts';

/**
 * The tables in `docs/` that are generated from tables of the code, by page and by the line with their column names.
 */
const TABLES: Readonly<Record<string, Readonly<Record<string, () => string[]>>>> = {
  'docs/people.md': {
    '| role | means | may |': roleRows,
    '| permission | lets a user | endpoints |': permissionRows,
  },
  'docs/settings.md': { '| setting | default | meaning |': settingRows },
  'docs/audit.md': { '| action | is |': actionRows },
};

export const DOC_PAGES = Object.keys(TABLES);

/** Rewrites the tables of a page and keeps the rest of its text. Throws if the page lacks such a table. */
export function withTables(page: string, text: string): string {
  return Object.entries(TABLES[page] ?? {}).reduce((written, [heading, rows]) => {
    const [before, after, ...more] = written.split(`\n${heading}\n`);
    if (after === undefined || more.length > 0)
      throw new Error(`${page} has no table, or two, with the columns ${heading}`);
    const lines = after.split('\n');
    const end = lines.findIndex((line) => !line.startsWith('|'));
    return [before, heading, lines[0], ...rows(), ...lines.slice(end)].join('\n');
  }, text);
}

function roleRows(): string[] {
  const every = Object.keys(PERMISSIONS).length;
  return (Object.keys(ROLES) as Role[]).map((role) => {
    const { means, may, refundsPerDay = {} } = rightsOf(role);
    const named = may.length === every ? 'everything' : may.map(code).join(' ');
    const limits = Object.entries(refundsPerDay).map(([currency, amount]) => formatMoney(amount, currency));
    return row(code(role), limits.length === 0 ? means : `${means}: ${limits.join(', ')}`, named || '—');
  });
}

function permissionRows(): string[] {
  return (Object.keys(PERMISSIONS) as Permission[]).map((permission) => {
    const endpoints = ROUTES.filter(({ needed }) => needed?.includes(permission));
    const named = endpoints.map(({ method, paths }) => code(`${method} ${paths[0]}`));
    return row(code(permission), PERMISSIONS[permission], named.join(', ') || '—');
  });
}

function settingRows(): string[] {
  return SETTINGS.map(({ name, fallback, meaning }) =>
    row(code(name), fallback === '' ? '—' : code(fallback), meaning),
  );
}

function actionRows(): string[] {
  return Object.entries(AUDIT_ACTIONS).map(([action, meaning]) => row(code(action), meaning));
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
