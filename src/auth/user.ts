/** Who sent a request with an access token. */
export type User = {
  id: string;
  email: string;
  /** Whether bank accounts may be validated. */
  payouts: boolean;
  /** The environments whose transactions and events this user sees. Null: an operator, who sees all of the installation. */
  environmentIds: ReadonlySet<number> | null;
};

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
