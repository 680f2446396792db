import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import { limitsInForce } from '../../auth/describe-rights.ts';
import type { Held } from '../../auth/manage-rule.ts';
import {
  isPermission,
  isRole,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLES,
  type Role,
  rightsOf,
} from '../../auth/permission.ts';
import type { RightsWish } from '../../auth/set-rights.ts';
import type { PaymentServiceScope, RefundLimits } from '../../auth/user.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { formatPlain, parseTyped } from '../../lib/money.ts';
import { parseObject } from '../../lib/parse-object.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { type Fault, formField } from '../notice.ts';
import { meaningOfPermission, meaningOfRole, nameOfRole } from '../permission-texts.ts';

/**
 * The rights of a person in a form. `granted`: permissions beyond the role. `limits`: the person's own limits;
 * `typedLimit`: their text, if it cannot be read.
 */
export type Rights = {
  role: Role;
  granted: Permission[];
  services: PaymentServiceScope;
  limits: RefundLimits;
  typedLimit?: string;
};

export type FormFields = readonly { name: string; text: string }[];

/** Reads the fields of such a form. Each ticked box repeats its name, which the reader of signed bodies refuses. */
export function ticked({ request }: Pick<ConsoleVisit, 'request'>): FormFields {
  return fieldsIn((request.body as Buffer | undefined)?.toString() ?? '');
}

function fieldsIn(body: string): FormFields {
  return [...new URLSearchParams(body)].map(([name, text]) => ({ name, text }));
}

/** Returns an address of the form, below `/console`, that keeps the fields, if any, for this person. */
export function formPath(visit: ConsoleVisit, path: string, fields: FormFields | null): string {
  if (fields === null) return path;
  const form = String(new URLSearchParams(fields.map(({ name, text }) => [name, text])));
  return `${path}?${typedQuery(visit, { form })}`;
}

/** Returns the fields that such an address keeps; null if it keeps none. */
export function keptForm(visit: ConsoleVisit): FormFields | null {
  const { form } = sealedOf(visit);
  return form === undefined ? null : fieldsIn(form);
}

/** With more merchants than this, people type ids instead of ticking boxes. */
const MOST_TICKED = 100;

/** Shows the fields for a role, permissions, merchants and the refund limit. */
export async function rightsFields(app: App, language: Language, rights: Rights, fault: Fault) {
  const { role, granted, services, limits, typedLimit } = rights;
  const options = (Object.keys(ROLES) as Role[]).map(
    (name) =>
      html`<option value="${name}"${name === role && html` selected`}>${nameOfRole(language, name)}: ${meaningOfRole(language, name)}</option>`,
  );
  const boxes = (Object.keys(PERMISSIONS) as Permission[]).map(
    (name) =>
      html`<label class="inline"><input type="checkbox" name="may" value="${name}"${granted.includes(name) && html` checked`}> <span class="code">${name}</span> ${meaningOfPermission(language, name)}</label>`,
  );
  const scope = (value: 'all' | 'some', text: string) =>
    html`<label class="inline"><input type="radio" name="scope" value="${value}"${(services === 'all') === (value === 'all') && html` checked`}> ${text}</label>`;
  const merchants = await merchantFields(app, language, services === 'all' ? [] : services);
  const limit = typedLimit ?? limitsTyped(limits);
  return html`${formField(fault, 'role', (attributes) => html`<label>${tell(language, 'people.role')}<select name="role"${attributes}>${options}</select></label>`)}
${formField(
  fault,
  'services',
  (
    attributes,
  ) => html`<fieldset role="radiogroup" tabindex="-1"${attributes}><legend>${tell(language, 'rights.scope')}</legend>
${scope('all', tell(language, 'rights.all'))}
${scope('some', tell(language, 'rights.some'))}
${merchants}</fieldset>`,
)}
<fieldset><legend>${tell(language, 'people.granted')}</legend>${boxes}</fieldset>
${formField(fault, 'limit', (attributes) => html`<label>${tell(language, 'rights.limit')}<input name="limit" maxlength="200" value="${limit}"${attributes}></label>`)}`;
}

/**
 * Shows a box for each merchant, also for a `chosen` id that no merchant has, so that saving does not drop it unseen.
 */
async function merchantFields(app: App, language: Language, chosen: readonly string[]): Promise<Html> {
  const merchants = await selectPaymentServices(app.db);
  if (merchants.length > MOST_TICKED) {
    return html`<label class="merchants">${tell(language, 'rights.typed')}<textarea name="services" rows="3" spellcheck="false">${chosen.join('\n')}</textarea></label>`;
  }
  const unknown = chosen.filter((id) => !merchants.some((merchant) => merchant.id === id));
  const listed = [
    ...merchants.toSorted((one, other) => one.name.localeCompare(other.name, 'es')),
    ...unknown.map((id) => ({ id, name: '' })),
  ];
  return html`<div class="merchants">${listed.map(
    ({ id, name }) =>
      html`<label class="inline"><input type="checkbox" name="services" value="${id}"${chosen.includes(id) && html` checked`}> ${name} <span class="code quiet">${id}</span></label>`,
  )}</div>`;
}

/**
 * Parses the fields of that form. `fault`: what is wrong, in the person's language, or null; `rights` then has what
 * could be parsed.
 */
export async function readRights(
  app: App,
  language: Language,
  fields: FormFields,
): Promise<{ rights: Rights; fault: Fault | null }> {
  const all = (name: string) => fields.filter((field) => field.name === name).map(({ text }) => text);
  const [role = ''] = all('role');
  const granted = all('may').filter(isPermission);
  const ids = all('services')
    .join(' ')
    .split(/[\s,]+/)
    .filter((id) => id !== '');
  const services = all('scope').includes('all') ? 'all' : [...new Set(ids)];
  const typedLimit = all('limit').join(' ');
  const limits = readLimits(typedLimit);
  const rights = {
    role: isRole(role) ? role : 'integration',
    granted,
    services,
    limits: limits ?? {},
    ...(limits === null && { typedLimit }),
  } satisfies Rights;
  const refuse = (field: string, said: string) => ({ rights, fault: { said, field } });
  if (!isRole(role)) return refuse('role', tell(language, 'rights.bad_role'));
  if (limits === null) return refuse('limit', tell(language, 'rights.bad_limit'));
  const unknown = services === 'all' ? undefined : await firstUnknown(app, services);
  if (unknown !== undefined) return refuse('services', tell(language, 'rights.bad_service', { id: unknown }));
  return { rights, fault: null };
}

/** Lists everything that somebody with these rights may do. */
export function heldWith({ role, granted, services, limits }: Rights): Held {
  return {
    role,
    permissions: [...permissionsOf(role, granted)],
    payment_services: services === 'all' ? null : [...services],
    refund_limits: limitsInForce(role, limits),
  };
}

/**
 * Returns the wanted rights with the present ones in place of the parts that the person left as the form showed them
 * (`shown`, as JSON): somebody may have changed them meanwhile.
 */
export function withoutOld(wanted: Rights, shown: string, now: Rights): Rights {
  const before = parseObject(shown);
  if (before === null) return wanted;
  const isLeft = (part: 'role' | 'granted' | 'services' | 'limits') => sorted(wanted[part]) === sorted(before[part]);
  return {
    role: isLeft('role') ? now.role : wanted.role,
    granted: isLeft('granted') ? now.granted : wanted.granted,
    services: isLeft('services') ? now.services : wanted.services,
    limits: isLeft('limits') ? now.limits : wanted.limits,
  };
}

function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts: unknown[] = Array.isArray(value) ? value : Object.entries(value);
  return parts
    .map((part) => JSON.stringify(part))
    .sort()
    .join();
}

/** Lists the changes from `now` to `wanted`; null if nothing changes. */
export function changesOf(now: Rights, wanted: Rights): RightsWish | null {
  const brought: readonly Permission[] = rightsOf(wanted.role).may;
  const wish: RightsWish = {
    ...(wanted.role !== now.role && { role: wanted.role }),
    ...lists('grant', without(wanted.granted, now.granted)),
    // A permission of the role cannot be revoked, and granting it too changes nothing.
    ...lists('revoke', without(without(now.granted, wanted.granted), brought)),
    ...(!sameScope(now.services, wanted.services) && { paymentServices: wanted.services }),
    ...(limitsTyped(now.limits) !== limitsTyped(wanted.limits) && { refundLimits: wanted.limits }),
  };
  return Object.keys(wish).length === 0 ? null : wish;
}

function without(list: readonly Permission[], those: readonly Permission[]): Permission[] {
  return list.filter((one) => !those.includes(one));
}

function lists<Name extends 'grant' | 'revoke'>(name: Name, list: Permission[]): { [N in Name]?: Permission[] } {
  return list.length === 0 ? {} : ({ [name]: list } as { [N in Name]?: Permission[] });
}

function sameScope(one: PaymentServiceScope, other: PaymentServiceScope): boolean {
  const text = (scope: PaymentServiceScope) => (scope === 'all' ? scope : [...scope].sort().join(' '));
  return text(one) === text(other);
}

async function firstUnknown(app: App, ids: readonly string[]): Promise<string | undefined> {
  const known = new Set((await selectPaymentServices(app.db)).map(({ id }) => id));
  return ids.find((id) => !known.has(id));
}

/** Formats the limits for typing, ordered by currency. */
function limitsTyped(limits: RefundLimits): string {
  return Object.entries(limits)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, most]) => (currency === 'CLP' ? '' : `${currency}:`) + formatPlain(most, currency))
    .join(' ');
}

function readLimits(text: string): RefundLimits | null {
  const limits: Record<string, number> = {};
  for (const part of text.split(/[\s;]+/).filter((one) => one !== '')) {
    const [, currency = 'CLP', typed = part] = /^([A-Z]{3}):(.+)$/.exec(part) ?? [];
    const most = currencyExponent(currency) === undefined ? null : parseTyped(typed, currency);
    if (most === null) return null;
    limits[currency] = most;
  }
  return limits;
}
