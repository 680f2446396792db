import type { App } from '../../app.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { LANGUAGE_TAGS } from '../../http/page.ts';
import { REQUEST_LIMITS } from '../../http/request-limits.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { perCent } from '../../payment-services/fee.ts';
import { type ListedFee, selectFees } from '../../payment-services/fee-queries.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { type ListedSettings, selectListedSettings } from '../../payment-services/method-settings-queries.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { badge, tableOf, timeCell } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { askFirst, type Fault, formField } from '../notice.ts';
import { seesProduction } from './visible-merchants.ts';

/**
 * The result of a form of the page: why it was refused, if it was, and its typed fields, which it shows again.
 */
export type ShownForm = Fault & { status: number; typed: Readonly<Record<string, string>> };

/** Returns what was typed into the form that has this field; another form that was sent has none of it. */
export function typedInto({ typed }: ShownForm, field: string): Readonly<Record<string, string>> {
  return Object.hasOwn(typed, field) ? typed : {};
}

/**
 * Shows the operator's settings for a merchant: fees, payment methods, the request limit and whether it is enabled.
 * People who may change them get the forms.
 */
export async function operationPart(
  { app, language, user }: ConsoleVisit,
  merchant: ListedPaymentService,
  environments: readonly Environment[],
  shown: ShownForm,
): Promise<Html> {
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const may = user.may.has('payment-services:manage');
  const choice = (typed: string | undefined) =>
    html`<label>${tell(language, 'merchant.environment')}<select name="environment">${environments
      .toReversed()
      .map(
        (name) =>
          html`<option value="${name}"${name === typed && html` selected`}>${tell(language, `merchant.${name}`)}</option>`,
      )}</select></label>`;
  const isOwn = ({ payment_service_id, environment }: { payment_service_id: string; environment: Environment }) =>
    payment_service_id === merchant.id && environments.includes(environment);
  const fees = (await selectFees(app.db)).filter(isOwn);
  const methods = (await selectListedSettings(app.db)).filter(isOwn);
  return html`<h2>${tell(language, 'merchant.fees')}</h2>
${fees.length === 0 ? html`<p class="quiet">${tell(language, 'merchant.no_fees')}</p>` : feeTable(language, fees)}
${may && feeForm(app, language, at, choice, shown)}
<h2>${tell(language, 'merchant.methods')}</h2>
${methods.length === 0 ? html`<p class="quiet">${tell(language, 'merchant.no_methods')}</p>` : methodTable(language, methods, may ? at : null)}
${may && methodForm(language, at, choice, shown)}
<h2>${tell(language, 'merchant.operation')}</h2>
${may && seesProduction(merchant) ? stateForms(language, at, merchant, shown) : limitLine(language, merchant)}`;
}

type EnvironmentChoice = (typed: string | undefined) => Html;

function feeForm(app: App, language: Language, at: string, choice: EnvironmentChoice, shown: ShownForm): Html {
  const { environment, method, rate = '0', fixed = '0', currency = 'CLP' } = typedInto(shown, 'rate');
  return html`<form class="card pad fields" method="post" action="${at}/fee">${choice(environment)}
${methodChoice(app, language, method)}
${formField(shown, 'rate', (attributes) => html`<label>${tell(language, 'merchant.fee_rate')}<input name="rate" inputmode="numeric" required maxlength="7" value="${rate}"${attributes}></label>`)}
${formField(shown, 'fixed', (attributes) => html`<label>${tell(language, 'merchant.fee_fixed')}<input name="fixed" inputmode="decimal" required maxlength="15" value="${fixed}"${attributes}></label>`)}
${formField(shown, 'currency', (attributes) => html`<label>${tell(language, 'merchant.currency')}<input name="currency" required maxlength="3" value="${currency}"${attributes}></label>`)}
<p class="actions"><button>${tell(language, 'merchant.save')}</button></p></form>`;
}

function methodForm(language: Language, at: string, choice: EnvironmentChoice, shown: ShownForm): Html {
  const { environment, account = '' } = typedInto(shown, 'account');
  return html`<form class="card pad fields" method="post" action="${at}/method">${choice(environment)}<input type="hidden" name="method" value="webpay">
${formField(shown, 'account', (attributes) => html`<label>${tell(language, 'merchant.account')}<input name="account" inputmode="numeric" required pattern="[0-9]{12}" maxlength="12" value="${account}"${attributes}></label>`)}
${formField(shown, 'key', (attributes) => html`<label>${tell(language, 'merchant.key')}<input type="password" name="key" required minlength="8" maxlength="128" autocomplete="off"${attributes}></label>`)}
<p class="actions"><button>${tell(language, 'merchant.save')}</button></p></form>`;
}

/** Shows the request limit. The top of the page says whether the merchant is disabled. */
function limitLine(language: Language, { per_minute }: ListedPaymentService): Html {
  const most = REQUEST_LIMITS.paymentService.most;
  return html`<div class="card pad"><p>${tell(language, 'merchant.limit_now', { count: per_minute ?? most })}</p></div>`;
}

function stateForms(language: Language, at: string, merchant: ListedPaymentService, shown: ShownForm): Html {
  const { per_minute: perMinute = String(merchant.per_minute ?? '') } = typedInto(shown, 'per_minute');
  return html`<form class="card pad" method="post" action="${at}/limit">
${formField(shown, 'per_minute', (attributes) => html`<label>${tell(language, 'merchant.limit', { most: REQUEST_LIMITS.paymentService.most })}<input name="per_minute" inputmode="numeric" maxlength="8" value="${perMinute}"${attributes}></label>`)}
<p class="actions"><button>${tell(language, 'merchant.save')}</button></p></form>
<form class="card pad" method="post" action="${at}/state">${
    merchant.disabled_at === null
      ? askFirst(
          tell(language, 'merchant.disable'),
          tell(language, 'merchant.disable_hint'),
          html`<button name="state" value="disabled">${tell(language, 'merchant.disable')}</button>`,
        )
      : html`<button name="state" value="enabled">${tell(language, 'merchant.enable')}</button>`
  }</form>`;
}

function methodChoice(app: App, language: Language, typed: string | undefined): Html {
  const options = app.paymentMethods.map(
    (method) =>
      html`<option value="${method.code}"${method.code === typed && html` selected`}>${methodName(language, method)}</option>`,
  );
  return html`<label>${tell(language, 'column.method')}<select name="method">${options}</select></label>`;
}

function feeTable(language: Language, fees: readonly ListedFee[]): Html {
  const head = tellAll(language, ['merchant.environment', 'column.method', 'merchant.fees', 'people.since']);
  const rows = fees.map((fee) => [
    tell(language, `merchant.${fee.environment}`),
    methodName(language, { code: fee.payment_method }),
    `${perCent(fee.rate_ppm).toLocaleString(LANGUAGE_TAGS[language], { maximumFractionDigits: 4 })} % + ${formatMoney(fee.fixed, fee.currency)}`,
    timeCell(fee.created_at),
  ]);
  return tableOf(head, rows);
}

/** Shows the payment methods. `at`: the merchant's page, for people who may remove a method; null for others. */
function methodTable(language: Language, methods: readonly ListedSettings[], at: string | null): Html {
  const head = tellAll(language, [
    'merchant.environment',
    'column.method',
    'merchant.account',
    'people.since',
    'column.state',
  ]);
  const rows = methods.map(({ environment, payment_method, account, created_at, retired_at }) => [
    tell(language, `merchant.${environment}`),
    methodName(language, { code: payment_method }),
    html`<span class="code">${account}</span>`,
    timeCell(created_at),
    retired_at === null
      ? inUse(language, at, environment, payment_method)
      : badge('calm', tell(language, 'merchant.retired')),
  ]);
  return tableOf(head, rows);
}

function inUse(language: Language, at: string | null, environment: Environment, method: string): Html {
  if (at === null) return badge('good', tell(language, 'merchant.in_use'));
  const act = tell(language, 'merchant.remove_method');
  const form = html`<form method="post" action="${at}/method"><input type="hidden" name="environment" value="${environment}"><input type="hidden" name="method" value="${method}"><button name="remove" value="1">${act}</button></form>`;
  return askFirst(act, tell(language, 'merchant.remove_text'), form);
}
