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
  type Role,
  rightsOf,
} from '../../auth/permission.ts';
import type { RightsWish } from '../../auth/set-rights.ts';
import type { PaymentServiceScope, RefundLimits } from '../../auth/user.ts';
import type { Language } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import { formatPlain, parseTyped } from '../../lib/money.ts';
import { listPaymentServices } from '../../payment-services/list-payment-services.ts';
import { tell } from '../console-texts.ts';
import { meaningOfPermission, meaningOfRole } from './meanings.ts';

/**
 * The rights of a person as a form says them: `granted` beside what the role brings, `limits` are the own ones of this person.
 */
export type Rights = { role: Role; granted: Permission[]; services: PaymentServiceScope; limits: RefundLimits };

export type FormFields = readonly { name: string; text: string }[];

/** The fields for a role, permissions, merchants and the limit of refunds; `roles`: between which one chooses. */
export function rightsFields(language: Language, rights: Rights, roles: readonly Role[]): Html {
  const { role, granted, services, limits } = rights;
  const options = roles.map(
    (name) =>
      html`<option value="${name}"${name === role && html` selected`}>${name}: ${meaningOfRole(language, name)}</option>`,
  );
  const boxes = (Object.keys(PERMISSIONS) as Permission[]).map(
    (name) =>
      html`<label class="inline"><input type="checkbox" name="may" value="${name}"${granted.includes(name) && html` checked`}> <span class="code">${name}</span> ${meaningOfPermission(language, name)}</label>`,
  );
  const ids = services === 'all' ? [] : services;
  const scope = (value: 'all' | 'some', text: string) =>
    html`<label class="inline"><input type="radio" name="scope" value="${value}"${(services === 'all') === (value === 'all') && html` checked`}> ${text}</label>`;
  return html`<label>${tell(language, 'people.role')}<select name="role">${options}</select></label>
<fieldset><legend>${tell(language, 'rights.scope')}</legend>
${scope('all', tell(language, 'rights.all'))}
${scope('some', tell(language, 'rights.some'))}
<textarea name="services" rows="3" spellcheck="false" aria-label="${tell(language, 'rights.some')}">${ids.join('\n')}</textarea></fieldset>
<fieldset><legend>${tell(language, 'people.granted')}</legend>${boxes}</fieldset>
<label>${tell(language, 'rights.limit')}<input name="limit" maxlength="200" value="${limitsTyped(limits)}"></label>`;
}

/** Reads them again. `said`: what is wrong, in the language of the person; the rights are then as far as they could be read. */
export async function readRights(
  app: App,
  language: Language,
  fields: FormFields,
): Promise<{ rights: Rights; said: string | null }> {
  const all = (name: string) => fields.filter((field) => field.name === name).map(({ text }) => text);
  const [role = ''] = all('role');
  const granted = all('may').filter(isPermission);
  const ids = all('services')
    .join(' ')
    .split(/[\s,]+/)
    .filter((id) => id !== '');
  const services = all('scope').includes('all') ? 'all' : [...new Set(ids)];
  const limits = readLimits(all('limit').join(' '));
  const rights = {
    role: isRole(role) ? role : 'integration',
    granted,
    services,
    limits: limits ?? {},
  } satisfies Rights;
  if (!isRole(role)) return { rights, said: tell(language, 'rights.bad_role') };
  if (limits === null) return { rights, said: tell(language, 'rights.bad_limit') };
  const unknown = services === 'all' ? undefined : await firstUnknown(app, services);
  return { rights, said: unknown === undefined ? null : tell(language, 'rights.bad_service', { id: unknown }) };
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

/** Lists the changes from one to the other; null: nothing. */
export function changesOf(now: Rights, wanted: Rights): RightsWish | null {
  const brought: readonly Permission[] = rightsOf(wanted.role).may;
  const wish: RightsWish = {
    ...(wanted.role !== now.role && { role: wanted.role }),
    ...lists('grant', without(wanted.granted, now.granted)),
    // A permission of the role cannot be taken from the person, and the grant beside it changes nothing.
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
  const known = new Set((await listPaymentServices(app)).map(({ id }) => id));
  return ids.find((id) => !known.has(id));
}

/** Amounts in the order of their currencies, as a person types them. */
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
