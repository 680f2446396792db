import type { App } from '../../app.ts';
import { type ListedUser, listUsers } from '../../auth/list-users.ts';
import { type Held, heldBy, whyNotManaged } from '../../auth/manage-rule.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';

/** The acts on a person that take one click and a confirmation. */
export type StaffAct =
  | 'disable'
  | 'enable'
  | 'end-sessions'
  | 'end-session'
  | 'end-token'
  | 'end-webhook'
  | 'reset-factors'
  | 'new-password'
  | 'end-link';

/** Returns the user in the path, or null. */
export async function personOf(app: App, { request }: ConsoleVisit): Promise<ListedUser | null> {
  const { id } = request.params as { id: string };
  return (await listUsers(app)).find((user) => user.id === id) ?? null;
}

/**
 * Returns, in the visitor's language, why the visitor may not change this person, or may not give the rights `person`;
 * null if they may. `id` is null for a new person.
 */
export async function refusalFor(
  { app, user, language }: ConsoleVisit,
  person: Held & { id: string | null },
): Promise<string | null> {
  const why = whyNotManaged({ id: user.id, ...(await heldBy(app.db, user.id)) }, person);
  return why === null ? null : tell(language, why === 'self' ? 'people.yourself' : 'people.more');
}

/** The names of the merchants, by their ids. */
export type MerchantNames = ReadonlyMap<string, string>;

/** Returns the names of all merchants. */
export async function merchantNames(app: App): Promise<MerchantNames> {
  return new Map((await selectPaymentServices(app.db)).map(({ id, name }) => [id, name]));
}

/** Returns the names of the merchants that a user sees. */
export function seenBy(language: Language, services: readonly string[] | null, names: MerchantNames): string {
  if (services === null) return tell(language, 'people.sees_all');
  return services.length === 0
    ? tell(language, 'people.sees_none')
    : services.map((id) => names.get(id) ?? id).join(', ');
}

/** Returns how much a user may refund per day, for people. */
export function limitText(language: Language, limits: ListedUser['refund_limits']): string {
  if (limits === null) return tell(language, 'people.no_limit');
  return Object.entries(limits)
    .map(([currency, most]) => formatMoney(most, currency))
    .join(', ');
}
