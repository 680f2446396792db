import type { FastifyReply } from 'fastify';
import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Screen } from '../../http/endpoint.ts';
import { parseTyped } from '../../lib/money.ts';
import { setEventsUrl } from '../../outbox/webhooks/set-events-url.ts';
import { refuseWebpayAccount } from '../../payment-methods/webpay-integration.ts';
import { type GivenUrlRefusal, refuseCallbackUrl } from '../../payment-services/callback-address.ts';
import { disablePaymentService, enablePaymentService } from '../../payment-services/disable-payment-service.ts';
import { readRate } from '../../payment-services/fee.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { removeMethodSettings, setMethodSettings } from '../../payment-services/method-settings.ts';
import { type Environment, MOST_PER_MINUTE, readPerMinute } from '../../payment-services/payment-service.ts';
import { setFee } from '../../payment-services/set-fee.ts';
import { setRequestLimit } from '../../payment-services/set-request-limit.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { typedQuery } from '../kept-typing.ts';
import type { Fault } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { provedPath, sendMerchant } from './merchant-page.ts';
import { environmentNamed, merchantOf, seesProduction } from './visible-merchants.ts';

type Change = {
  app: App;
  language: ConsoleVisit['language'];
  merchant: ListedPaymentService;
  /** The environment that the form names; null if the person does not see it. */
  environment: Environment | null;
  fields: Record<string, string>;
  by: Actor;
};

/** Sets the URL that receives the events of refunds; an empty one turns them off. */
export const postConsoleEventsUrl = changing(async ({ app, language, merchant, environment, fields, by }) => {
  if (environment === null) return null;
  const url = (fields['url'] ?? '').trim() || null;
  const refusal = url === null ? null : refuseCallbackUrl(app, environment, url);
  if (refusal !== null)
    return { said: tell(language, 'merchant.bad_url', { why: whyIn(language, refusal) }), field: `url-${environment}` };
  await setEventsUrl(app, { paymentServiceId: merchant.id, environment }, url, by);
  return '';
});

/** Sets the fee of a method for future payments. */
export const postConsoleFee = provedChange(async ({ app, language, merchant, environment, fields, by }) => {
  const { method = '', currency = '', rate = '', fixed = '' } = fields;
  if (environment === null || !app.paymentMethods.some(({ code }) => code === method)) return null;
  const ppm = readRate(rate.trim());
  if (ppm === null) return { said: tell(language, 'merchant.bad_rate'), field: 'rate' };
  if (currencyExponent(currency) === undefined)
    return { said: tell(language, 'merchant.bad_currency'), field: 'currency' };
  const amount = parseTyped(fixed.trim(), currency);
  if (amount === null) return { said: tell(language, 'merchant.bad_fixed'), field: 'fixed' };
  const target = { paymentServiceId: merchant.id, environment, method, currency };
  await setFee(app, target, { rate_ppm: ppm, fixed: amount }, by);
  return '';
});

/** Sets the merchant's Webpay account, or removes it. */
export const postConsoleMethod = provedChange(async ({ app, language, merchant, environment, fields, by }) => {
  const { method = '', account = '', key = '', remove } = fields;
  if (environment === null || method !== 'webpay') return null;
  const target = { paymentServiceId: merchant.id, environment, method };
  if (remove !== undefined) return (await removeMethodSettings(app, target, by)) ? '' : null;
  const refusal = refuseWebpayAccount(environment, { account, key });
  if (refusal !== null)
    return { said: tell(language, `merchant.bad_${refusal}`), field: refusal === 'key' ? 'key' : 'account' };
  await setMethodSettings(app, target, { account, key }, by);
  return '';
});

/** Sets how many signed requests the merchant may send per minute. */
export const postConsoleLimit = changing(async ({ app, language, merchant, fields, by }) => {
  if (!seesProduction(merchant)) return null;
  const text = (fields['per_minute'] ?? '').trim();
  const perMinute = text === '' ? null : readPerMinute(text);
  if (text !== '' && perMinute === null)
    return { said: tell(language, 'merchant.bad_limit', { most: MOST_PER_MINUTE }), field: 'per_minute' };
  await setRequestLimit(app, merchant.id, perMinute, by);
  return '';
});

/** Enables or disables the merchant: a disabled merchant's signatures are refused. */
export const postConsoleState = provedChange(async ({ app, merchant, fields, by }) => {
  const { state } = fields;
  if (!seesProduction(merchant) || (state !== 'enabled' && state !== 'disabled')) return null;
  await (state === 'enabled' ? enablePaymentService : disablePaymentService)(app, merchant.id, by);
  return '';
});

function whyIn(language: ConsoleVisit['language'], refusal: GivenUrlRefusal): string {
  const { message, fix } = language === 'es' ? refusal.es : refusal;
  return `${message} ${fix}`;
}

/** A form that needs a recent proof of identity. After it the form has what was typed, without the key. */
function provedChange(change: (of: Change) => Promise<Fault | '' | null>): Screen {
  return changing(change, (app, visit, { id }) => {
    const { key: _, ...typed } = fieldsOf(visit.request);
    return requireProof(app, visit, `${provedPath(id)}&${typedQuery(visit, typed)}`);
  });
}

/**
 * A form on the page of a merchant. `change` returns '' when it is done, what is wrong, or null for a form that this
 * page does not have.
 */
function changing(
  change: (of: Change) => Promise<Fault | '' | null>,
  proofAsked: (app: App, visit: ConsoleVisit, merchant: ListedPaymentService) => FastifyReply | null = () => null,
): Screen {
  return consoleHandler(async (app, visit) => {
    const { language, by, request, send, goTo } = visit;
    const fields = fieldsOf(request);
    const merchant = await merchantOf(app, visit);
    if (merchant === null) return send(404, notFoundPage(language));
    const asked = proofAsked(app, visit, merchant);
    if (asked !== null) return asked;
    const environment = environmentNamed(merchant, fields['environment']);
    const fault = await change({ app, language, merchant, environment, fields, by });
    if (fault === null) return send(404, notFoundPage(language));
    if (fault === '') return goTo(`/merchants/${merchant.id}?done=saved`);
    return sendMerchant(app, visit, merchant, { ...fault, status: 400, typed: fields });
  });
}
