import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import type { Look } from '../../payment-services/look.ts';
import { MOST_PAYER_ATTEMPTS, RECEIPT_WISHES, type ReceiptWish } from '../../payment-services/payment-service.ts';
import { DEFAULT_PAYER_ATTEMPTS } from '../../transactions/transaction-state.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { doneNotice, type Fault, formField, linkToField } from '../notice.ts';
import { seesProduction } from './visible-merchants.ts';

/** The settings of a payment service that payers see. */
export type ShopPage = { look: Look; payerAttempts: number | null; receipts: ReceiptWish };

/** The texts of a look that are fields of the form with the same names; the RUT is a further field. */
export const LOOK_FIELDS = ['colour', 'site', 'contact', 'legalName', 'terms'] as const;

/** `typed`: the values of a refused form; `refusals`: the reasons. */
type Shown = { page: ShopPage; typed?: Record<string, string>; refusals?: readonly Fault[] };

/** Sends the form, filled with the typed values or with the present settings. */
export function sendLookForm(
  app: App,
  { language, request, send }: ConsoleVisit,
  merchant: ListedPaymentService,
  { page, typed, refusals = [] }: Shown,
): FastifyReply {
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const { done } = request.query as Record<string, unknown>;
  const title = tell(language, 'shop_page.title');
  const main = html`${refusals.length > 0 && html`<div class="notice" role="alert">${refusals.map((fault) => html`<p>${linkToField(fault)}</p>`)}</div>`}
${done === 'saved' && refusals.length === 0 && doneNotice(tell(language, 'shop_page.done'))}
<h1>${title}</h1>
<p><a href="${at}">${merchant.name}</a></p>
<p>${tell(language, 'shop_page.text', { merchant: merchant.name })}</p>
<p class="actions"><a class="button" href="${at}/look/preview">${tell(language, 'shop_page.see')}</a></p>
${seesProduction(merchant) ? formOf(app, language, `${at}/look`, page, { values: typed ?? valuesOf(page), refusals }) : html`<p class="notice">${tell(language, 'shop_page.not_yours')}</p>`}`;
  return send(refusals.length > 0 ? 400 : 200, { title, main });
}

/** Returns the settings as the fields of the form show them. */
export function valuesOf({ look, payerAttempts, receipts }: ShopPage): Record<string, string> {
  const texts = [...LOOK_FIELDS, 'rut' as const].map((name) => [name, look[name] ?? '']);
  return { ...Object.fromEntries(texts), payerAttempts: String(payerAttempts ?? ''), receipts };
}

type Filled = { values: Record<string, string>; refusals: readonly Fault[] };

function formOf(app: App, language: Language, action: string, page: ShopPage, { values, refusals }: Filled): Html {
  const { logo } = page.look;
  const field = (name: string, label: string, attributes: Html, hint = '') =>
    fieldOf(refusals, { name, label, attributes, hint });
  const text = (name: string, label: string, attributes: Html, hint = '') =>
    field(name, label, html`name="${name}" value="${values[name] ?? ''}" ${attributes}`, hint);
  const numbers = { most: MOST_PAYER_ATTEMPTS, usual: DEFAULT_PAYER_ATTEMPTS };
  const chosen = values['receipts'];
  return html`<form class="card pad" method="post" enctype="multipart/form-data" action="${action}">
<input type="hidden" name="shown" value="${JSON.stringify(valuesOf(page))}">
${
  logo !== null &&
  html`<p class="logo"><img src="${publicPath(app)}/looks/${logo.sha256}" alt="${tell(language, 'shop_page.logo_now')}" width="${logo.width}" height="${logo.height}"></p>
<label class="inline"><input type="checkbox" name="noLogo" value="1"> ${tell(language, 'shop_page.no_logo')}</label>`
}
${field('logo', tell(language, 'shop_page.logo'), html`type="file" name="logo" accept="image/png,image/jpeg,image/webp"`, tell(language, 'shop_page.logo_hint'))}
${text('colour', tell(language, 'shop_page.colour'), html`maxlength="7" pattern="#[0-9a-fA-F]{6}" placeholder="#1f6f4a" spellcheck="false"`, tell(language, 'shop_page.colour_hint'))}
${text('site', tell(language, 'shop_page.site'), html`type="url" maxlength="200" placeholder="https://"`)}
${text('contact', tell(language, 'shop_page.contact'), html`maxlength="100"`, tell(language, 'shop_page.contact_hint'))}
${text('legalName', tell(language, 'shop_page.legal_name'), html`maxlength="100" placeholder="Casa Verde SpA"`)}
${text('rut', tell(language, 'shop_page.rut'), html`maxlength="20" placeholder="76111222-8"`)}
${text('terms', tell(language, 'shop_page.terms'), html`type="url" maxlength="200" placeholder="https://"`)}
${text('payerAttempts', tell(language, 'shop_page.attempts'), html`inputmode="numeric" maxlength="2"`, tell(language, 'shop_page.attempts_hint', numbers))}
<label>${tell(language, 'shop_page.receipts')}<select name="receipts">${RECEIPT_WISHES.map((wish) => html`<option value="${wish}"${wish === chosen && html` selected`}>${tell(language, `shop_page.receipts_${wish}`)}</option>`)}</select></label>
<p class="actions"><button class="primary">${tell(language, 'merchant.save')}</button></p></form>`;
}

type Field = { name: string; label: string; attributes: Html; hint: string };

function fieldOf(refusals: readonly Fault[], { name, label, attributes, hint }: Field): Html {
  const fault = refusals.find(({ field }) => field === name) ?? '';
  const hintId = hint === '' ? '' : `${name}-hint`;
  return html`${formField(fault, name, (more) => html`<label>${label}<input ${attributes}${more}></label>`, hintId)}
${hint !== '' && html`<p class="quiet" id="${hintId}">${hint}</p>`}`;
}
