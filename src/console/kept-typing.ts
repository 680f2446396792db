import type { App } from '../app.ts';
import type { User } from '../auth/user.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { isDay } from '../lib/calendar-day.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../lib/seal.ts';
import { askedOf } from './console-list.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import type { ConsoleVisit } from './console-visit.ts';

const keyOf = perInstance((app: App) => sealingKey(deriveKey(app.config.masterKey, 'kept-typing')));

type Typist = { app: App; user: Pick<User, 'id'> };
type Visit = Typist & Pick<ConsoleVisit, 'request'>;

/**
 * Returns a query with the typed fields, encrypted so that only this person can open it: logs and the browser history
 * keep addresses.
 */
export function typedQuery({ app, user }: Typist, typed: Readonly<Record<string, string>>): string {
  return `typed=${seal(keyOf(app), JSON.stringify(typed), user.id)}`;
}

/** Returns a path with the typed fields that are not empty, encrypted in its query. */
export function keptPath(visit: Typist, path: string, typed: Readonly<Record<string, string>>): string {
  const given = Object.fromEntries(Object.entries(typed).filter(([, text]) => text !== ''));
  return Object.keys(given).length === 0 ? path : `${path}?${typedQuery(visit, given)}`;
}

/**
 * Returns a query with these fields, without the empty ones. It encrypts an e-mail address and everything that could be
 * a RUT or a card number, so such an address works for this person only.
 */
export function addressQuery(visit: Typist, fields: Readonly<Record<string, string>>): string {
  const given = Object.entries(fields).filter(([, text]) => text !== '');
  const own = given.filter(([name, text]) => name === 'email' || name === 'rut' || isOfAPerson(text));
  const plain = String(new URLSearchParams(given.filter((field) => !own.includes(field))));
  if (own.length === 0) return plain;
  return `${plain}${plain === '' ? '' : '&'}${typedQuery(visit, Object.fromEntries(own))}`;
}

/** Shows the links to the first and the next page of a list; null: no next page. They keep the typed filters. */
export function pageLinks(
  visit: Pick<ConsoleVisit, 'app' | 'user' | 'language'>,
  path: string,
  typed: Readonly<Record<string, string>>,
  { after, next }: { after: string; next: string | null },
): Html {
  const { app, language } = visit;
  const link = (cursor: Record<string, string>, text: ConsoleText) =>
    html`<a class="button" href="${publicPath(app)}/console${path}?${addressQuery(visit, { ...typed, ...cursor })}">${tell(language, text)}</a>`;
  return html`<p class="actions">${after !== '' && link({}, 'payments.first')} ${next !== null && link({ after: next }, 'payments.next')}</p>`;
}

function isOfAPerson(text: string): boolean {
  return text.includes('@') || (/^[\d .-]{7,24}[\dk]$/i.test(text) && !isDay(text));
}

/**
 * Returns the text fields of the address, with the fields that `typedQuery` encrypted. Fields encrypted for another
 * person are left out.
 */
export function typedOf(visit: Visit): Record<string, string> {
  const { typed: _, ...asked } = askedOf(visit);
  return { ...asked, ...sealedOf(visit) };
}

/**
 * Returns only the encrypted fields of the address: no link of somebody else fills in what they wrote. `linked`: the
 * fields that links of the console name in plain text, such as the line of a statement.
 */
export function sealedOf(visit: Visit, linked: readonly string[] = []): Record<string, string> {
  const asked = askedOf(visit);
  const named = Object.entries(asked).filter(([name]) => linked.includes(name));
  return { ...Object.fromEntries(named), ...openTyped(visit, asked['typed']) };
}

/** Says that a list is not filtered, where the address holds what only another person opens. */
export function unopenedNote(visit: Visit & Pick<ConsoleVisit, 'language'>): Html | false {
  const { typed } = askedOf(visit);
  return openTyped(visit, typed) === null && html`<p class="notice">${tell(visit.language, 'list.unopened')}</p>`;
}

/** Null: another person's. */
function openTyped({ app, user }: Visit, typed: string | undefined): Record<string, string> | null {
  if (typed === undefined) return {};
  try {
    return JSON.parse(open(keyOf(app), typed, user.id)) as Record<string, string>;
  } catch {
    return null;
  }
}
