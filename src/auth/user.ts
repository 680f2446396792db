import type { Permission, Role } from './permission.ts';

/** The user of a request's access token. */
export type User = {
  id: string;
  email: string;
  role: Role;
  /** The name of the API token that its access token was made with; null after a log-in with the password. */
  token: string | null;
  /** The permissions of the role, and those granted beside it. */
  may: ReadonlySet<Permission>;
  /** The environments whose transactions and events this user sees. Null: of all payment services. */
  environmentIds: ReadonlySet<number> | null;
};

/** The payment services whose payments a user sees: those with these ids, or all there are and will be. */
export type PaymentServiceScope = 'all' | readonly string[];

/** Minor units that may be refunded in a day, by currency. */
export type RefundLimits = Readonly<Record<string, number>>;

/** The form in which an e-mail address is stored and looked up. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** Whether a text can be the address of a user: one `@` between visible ASCII characters, at most 254 in all. */
export function isEmail(text: string): boolean {
  if (text.length > 254 || !/^[!-?A-~]+@[!-?A-~]+$/.test(text)) return false;
  const domain = text.slice(text.indexOf('@') + 1);
  return domain.slice(1, -1).includes('.');
}
