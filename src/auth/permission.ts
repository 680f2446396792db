import type { ErrorCode } from '../error-catalogue.ts';

/** Everything that a user can be allowed to do, in words for people. A user may do nothing else. */
export const PERMISSIONS = {
  'payments:read': 'read payments and their refunds',
  'payments:create': 'create payments with an access token instead of a signature',
  'refunds:create': 'refund payments',
  'events:read': 'read the feed of events',
  'books:read': 'read balances, entries, payouts and deposits of merchants',
  'accounts:validate': 'validate bank accounts (payouts)',
  'recipients:read': 'read recipients and payouts to them',
  'callbacks:resend': 'resend callbacks',
  'callbacks:listen': 'forward development callbacks to their own computer',
  'movements:record': 'record payouts, deposits and decisions, and import files',
  'payouts:create': 'propose payouts',
  'payouts:approve': 'approve payouts that another person proposed',
  'refunds:approve': 'approve refunds that another person requested',
  'payment-services:manage': 'manage payment services, tokens, payment methods and fees',
  'tokens:manage': 'obtain and rotate tokens of payment services, and set where their events go',
  'users:manage': 'manage users and their permissions',
  'privacy:manage': 'find, export and erase the data about a person',
  'audit:read': 'read the audit log and everything that others act on, and verify the books; changes nothing',
} as const satisfies Record<string, string>;

export type Permission = keyof typeof PERMISSIONS;

/** The permissions that a line of a table asks for: one is enough, and a refusal names the first. */
export type Needed = readonly [Permission, ...Permission[]];

/** The same for a screen or list of those who act: auditors read it too. Nothing that shows a secret is opened so. */
export function readWith(permission: Permission): Needed {
  return [permission, 'audit:read'];
}

/** Whether somebody has the permission, or one of those that are needed. */
export function mayAny(may: ReadonlySet<Permission>, needed: Permission | Needed): boolean {
  return typeof needed === 'string' ? may.has(needed) : needed.some((permission) => may.has(permission));
}

/** The rights that a role brings. `environments`: those whose payments it sees, of the payment services that the user has. */
type RoleRights = {
  readonly means: string;
  readonly may: readonly Permission[];
  readonly environments: 'both' | 'development';
  /** In minor units of each currency; in any other there is nothing. Absent: only what is set for the user. */
  readonly refundsPerDay?: Readonly<Record<string, number>>;
};

/**
 * THE TABLE of roles. A user may do what the role says and what was granted beside it, and nothing else. That nobody
 * approves what they made themselves is not said here: it is a rule of what is approved.
 */
export const ROLES = {
  integration: { means: 'a program with the permissions granted to it', may: [], environments: 'both' },
  developer: {
    means: 'payments, events, callbacks and tokens of development',
    may: ['payments:read', 'payments:create', 'events:read', 'callbacks:resend', 'callbacks:listen', 'tokens:manage'],
    environments: 'development',
  },
  support: {
    means: 'reads payments, resends callbacks, refunds up to a daily limit',
    may: ['payments:read', 'refunds:create', 'callbacks:resend'],
    environments: 'both',
    refundsPerDay: { CLP: 100_000 },
  },
  finance: {
    means: 'reads everything, records movements, proposes payouts',
    may: [
      'payments:read',
      'events:read',
      'books:read',
      'accounts:validate',
      'movements:record',
      'payouts:create',
      'audit:read',
    ],
    environments: 'both',
  },
  approver: {
    means: 'approves payouts and refunds of another person',
    may: ['payments:read', 'books:read', 'recipients:read', 'payouts:approve', 'refunds:approve'],
    environments: 'both',
  },
  operator: {
    means: 'payment services, tokens, payment methods, settings; no money',
    may: ['payment-services:manage', 'tokens:manage', 'callbacks:resend'],
    environments: 'both',
  },
  merchant: {
    means: 'people of a merchant: payments, callbacks, account and tokens of their payment services',
    may: ['payments:read', 'books:read', 'callbacks:resend', 'tokens:manage'],
    environments: 'both',
  },
  auditor: {
    means: 'reads everything and verifies it',
    may: ['payments:read', 'events:read', 'books:read', 'recipients:read', 'audit:read'],
    environments: 'both',
  },
  owner: {
    means: 'manages people and roles, and may do everything else',
    may: Object.keys(PERMISSIONS) as Permission[],
    environments: 'both',
  },
} as const satisfies Record<string, RoleRights>;

export type Role = keyof typeof ROLES;

/** Whether a text names a permission. */
export function isPermission(text: string): text is Permission {
  return Object.hasOwn(PERMISSIONS, text);
}

/** Whether a text names a role. */
export function isRole(text: string): text is Role {
  return Object.hasOwn(ROLES, text);
}

/** Reads the rights of a role, with the type that every role has. */
export function rightsOf(role: Role): RoleRights {
  return ROLES[role];
}

/** Lists the permissions of a user of this role, with the ones granted beside it. */
export function permissionsOf(role: Role, granted: Iterable<string>): ReadonlySet<Permission> {
  const may = new Set([...rightsOf(role).may, ...[...granted].filter(isPermission)]);
  // Validated accounts are kept as recipients: the same user reads them.
  return may.has('accounts:validate') ? may.add('recipients:read') : may;
}

/** The roles that bring a permission, and of all roles those that see development alone. */
export function rolesThatMay(permission: Permission): [may: Role[], developmentAlone: Role[]] {
  const roles = Object.keys(ROLES) as Role[];
  return [
    roles.filter((role) => rightsOf(role).may.includes(permission)),
    roles.filter((role) => rightsOf(role).environments === 'development'),
  ];
}

/** How a request is refused that needs it. Existing clients know the refusal of payouts by its own code. */
export function missingCode(permission: Permission): ErrorCode {
  return permission === 'accounts:validate' ? 'PAYOUTS_NOT_ENABLED' : 'PERMISSION_MISSING';
}
