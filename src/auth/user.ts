import type { Permission, Role } from './permission.ts';

/** The user of a request's access token. */
export type User = {
  id: string;
  email: string;
  role: Role;
  /** The name of the API token that the access token was made with; null after a log-in with the password. */
  token: string | null;
  /** The session of the access token; null at the console, and for an access token from before sessions existed. */
  sessionId: string | null;
  /** The permissions of the role and the granted ones. */
  may: ReadonlySet<Permission>;
  /** The environments whose transactions and events the user sees. Null: all. */
  environmentIds: ReadonlySet<number> | null;
};

/** The payment services that a user sees: those with these ids, or all, including future ones. */
export type PaymentServiceScope = 'all' | readonly string[];

/** The most that may be refunded in a day, in minor units by currency. */
export type RefundLimits = Readonly<Record<string, number>>;

/** Returns an e-mail address in the form in which it is stored and looked up. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

/**
 * Returns whether a text can be a user's address: at most 254 visible ASCII characters, one `@`, and a point inside the
 * domain.
 */
export function isEmail(text: string): boolean {
  if (text.length > 254 || !/^[!-?A-~]+@[!-?A-~]+$/.test(text)) return false;
  const domain = text.slice(text.indexOf('@') + 1);
  return domain.slice(1, -1).includes('.');
}
