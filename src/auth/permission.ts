import type { ErrorCode } from '../error-catalogue.ts';

/** All permissions, in words for people. Users can do nothing else. */
export const PERMISSIONS = {
  'payments:read': 'read payments and their refunds',
  'payments:create': 'create payments with an access token instead of a signature',
  'refunds:create': 'refund payments',
  'events:read': 'read the feed of events',
  'books:read': 'read balances, entries, payouts and deposits of merchants',
  'accounts:validate': 'validate bank accounts (payouts)',
  'recipients:read': 'read recipients and payouts to them',
  'callbacks:resend': 'resend callbacks and receipts',
  'callbacks:listen': 'forward development callbacks to their own computer',
  'movements:record': 'record payouts, deposits and decisions, and import files',
  'payouts:create': 'propose payouts',
  'payouts:approve': 'approve payouts that another person proposed',
  'refunds:approve': 'approve refunds that another person requested',
  'payment-services:manage': 'manage merchants, their tokens, payment methods and fees',
  'tokens:manage': 'obtain and rotate tokens of merchants, and set where their events go',
  'users:manage': 'manage users and their permissions',
  'privacy:manage': 'find, export and erase the data about a person',
  'audit:read': 'read the audit log and, without changing anything, what others manage, and verify the books',
} as const satisfies Record<string, string>;

export type Permission = keyof typeof PERMISSIONS;

/** The permissions that an entry of a table accepts: one is enough; a refusal names the first. */
export type Needed = readonly [Permission, ...Permission[]];

/**
 * Returns the permissions for reading a screen or a list: the given one, or an auditor's. Never for anything that shows
 * a secret.
 */
export function readWith(permission: Permission): Needed {
  return [permission, 'audit:read'];
}

/** The permissions of those who end what waits for a person. They take it in charge; who only reads does not. */
export const ENDS_WAITING: Needed = [
  'movements:record',
  'payouts:approve',
  'refunds:approve',
  'callbacks:resend',
  'payment-services:manage',
];

/** Returns one permission as an entry of a table accepts it. */
export function asNeeded(permission: Permission | Needed): Needed {
  return typeof permission === 'string' ? [permission] : permission;
}

/** Returns whether somebody has the permission, or one of those needed. */
export function mayAny(may: ReadonlySet<Permission>, needed: Permission | Needed): boolean {
  return asNeeded(needed).some((permission) => may.has(permission));
}

/** The rights of a role. `environments`: those that it sees, of the user's payment services. */
type RoleRights = {
  readonly means: string;
  readonly may: readonly Permission[];
  readonly environments: 'both' | 'development';
  /** In minor units per currency; other currencies have 0. Absent: only limits set for the user apply. */
  readonly refundsPerDay?: Readonly<Record<string, number>>;
};

/**
 * THE TABLE of roles. Users have the permissions of the role and those granted to them. The rule that nobody approves
 * their own request is not here: it belongs to the approval.
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
    means: 'merchants, tokens, payment methods, settings; no money',
    may: ['payment-services:manage', 'tokens:manage', 'callbacks:resend'],
    environments: 'both',
  },
  merchant: {
    means: 'people of a merchant: its payments, callbacks, account and tokens',
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

/** Returns whether a text names a permission. */
export function isPermission(text: string): text is Permission {
  return Object.hasOwn(PERMISSIONS, text);
}

/** Returns whether a text names a role. */
export function isRole(text: string): text is Role {
  return Object.hasOwn(ROLES, text);
}

/** Returns the rights of a role, with the common type. */
export function rightsOf(role: Role): RoleRights {
  return ROLES[role];
}

/** Returns what the users of a role are. A program has API tokens, and never approves or has a second factor. */
export function kindOfRole(role: Role): 'person' | 'program' {
  return role === 'integration' ? 'program' : 'person';
}

/** Returns the permissions of a user: the role's and the granted ones. */
export function permissionsOf(role: Role, granted: Iterable<string>): ReadonlySet<Permission> {
  const may = new Set([...rightsOf(role).may, ...[...granted].filter(isPermission)]);
  // Validated accounts become recipients, so the same user may read those.
  return may.has('accounts:validate') ? may.add('recipients:read') : may;
}

/** Returns the roles with a permission, and the roles that see development only. */
export function rolesThatMay(permission: Permission): [may: Role[], developmentAlone: Role[]] {
  const roles = Object.keys(ROLES) as Role[];
  return [
    roles.filter((role) => rightsOf(role).may.includes(permission)),
    roles.filter((role) => rightsOf(role).environments === 'development'),
  ];
}

/** Returns the error code for a missing permission. Existing clients know a separate code for payouts. */
export function missingCode(permission: Permission): ErrorCode {
  return permission === 'accounts:validate' ? 'PAYOUTS_NOT_ENABLED' : 'PERMISSION_MISSING';
}
