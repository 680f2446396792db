import type { FastifyReply } from 'fastify';
import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import type { Language } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney, parseTyped } from '../../lib/money.ts';
import { createPaymentLink, endPaymentLink } from '../../payment-links/create-payment-link.ts';
import { type ListedLink, listPaymentLinks } from '../../payment-links/find-payment-link.ts';
import { LINK_USES, type LinkWish, MOST_LINK_AMOUNT, readSubject } from '../../payment-links/payment-link.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { badge, emptyState, minuteOf, tableOf, testBadge } from '../console-format.ts';
import { type ConsoleText, tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { environmentNamed, environmentsOf, merchantOf } from './visible-merchants.ts';

const SHOWN = 100;
const DAY_MS = 86_400_000;
const VALID: Readonly<Record<string, number>> = { '7d': 7 * DAY_MS, '30d': 30 * DAY_MS, '365d': 365 * DAY_MS };

const DONE: Readonly<Record<string, ConsoleText>> = { created: 'pay_link.created', ended: 'pay_link.was_ended' };

/** The payment links of a merchant in the environments that the person sees, and a form for another. */
export const getConsolePaymentLinks: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const merchant = await merchantOf(app, visit);
    if (merchant === null) return visit.send(404, notFoundPage(visit.language));
    return sendLinks(app, visit, merchant, 200, '');
  }),
};

/** Makes a link. */
export const postConsolePaymentLinks: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, by, request, send, goTo } = visit;
    const merchant = await merchantOf(app, visit);
    const fields = fieldsOf(request);
    const environment = merchant === null ? null : environmentNamed(merchant, fields['environment']);
    const tokens = merchant?.tokens.find((token) => token.environment === environment);
    if (merchant === null || tokens === undefined) return send(404, notFoundPage(language));
    const wish = readWish(fields, app.now());
    if (wish === null) return sendLinks(app, visit, merchant, 400, tell(language, 'pay_link.bad'));
    await createPaymentLink(app, tokens.environment_id, wish, by);
    return goTo(`/merchants/${merchant.id}/links?done=created`);
  }),
};

/** Ends one. */
export const postConsolePaymentLinkEnd: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, by, request, send, goTo } = visit;
    const merchant = await merchantOf(app, visit);
    if (merchant === null) return send(404, notFoundPage(language));
    const { link = '' } = fieldsOf(request);
    const ended = await endPaymentLink(app, link, new Set(environmentIdsOf(merchant)), by);
    return ended === 'unknown' ? send(404, notFoundPage(language)) : goTo(`/merchants/${merchant.id}/links?done=ended`);
  }),
};

/** Null where something in the form cannot be used. */
function readWish(fields: Record<string, string>, now: number): LinkWish | null {
  const { amount: typed = '', currency = '', valid = '' } = fields;
  const amount = currencyExponent(currency) === undefined ? null : parseTyped(typed.trim(), currency);
  const subject = readSubject(fields['subject'] ?? '');
  const uses = LINK_USES.find((one) => one === fields['uses']);
  if (amount === null || amount < 1 || amount > MOST_LINK_AMOUNT || subject === null || uses === undefined) return null;
  const lasts = VALID[valid];
  return { amount, currency, subject, uses, expiresAt: lasts === undefined ? null : now + lasts, urlCallback: null };
}

function environmentIdsOf({ tokens }: ListedPaymentService): number[] {
  return [...new Set(tokens.map(({ environment_id }) => environment_id))];
}

async function sendLinks(
  app: App,
  { language, request, send }: ConsoleVisit,
  merchant: ListedPaymentService,
  status: number,
  said: string,
): Promise<FastifyReply> {
  const links = await listPaymentLinks(app, environmentIdsOf(merchant), SHOWN);
  const { done } = request.query as Record<string, unknown>;
  const text = typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const title = tell(language, 'pay_link.title');
  const main = html`${said !== '' && html`<p class="notice" role="alert">${said}</p>`}
${said === '' && text !== undefined && html`<p class="notice done" role="status">${tell(language, text)}</p>`}
<h1>${title}</h1>
<p><a href="${at}">${merchant.name}</a></p>
<p>${tell(language, 'pay_link.text')}</p>
${
  links.length === 0
    ? emptyState(tell(language, 'pay_link.none'), '')
    : tableOf(
        tellAll(language, ['pay_link.subject', 'column.amount', 'pay_link.paid', 'column.state', 'column.address']),
        links.map((link) => rowOf(language, at, link)),
        [1, 2],
      )
}
${newForm(language, at, merchant)}`;
  return send(status, { title, main });
}

const TONES: Readonly<Record<ListedLink['state'], string>> = {
  open: 'good',
  used: 'calm',
  expired: 'calm',
  ended: 'calm',
};

function rowOf(language: Language, at: string, link: ListedLink): (Html | string | number)[] {
  const { id, url, state, expires_at } = link;
  const end = html`<form method="post" action="${at}/links/end"><button class="link" name="link" value="${id}">${tell(language, 'pay_link.end')}</button></form>`;
  return [
    html`<span>${link.subject} ${testBadge(language, link.environment)}</span>`,
    formatMoney(link.amount, link.currency),
    link.paid,
    html`<span>${badge(TONES[state], tell(language, `pay_link.${state}`))} ${state === 'open' && expires_at !== null && tell(language, 'pay_link.until', { time: minuteOf(expires_at) })} ${state === 'open' && end}</span>`,
    html`<span><a href="${url}" class="code">${url}</a><br><a href="${url}/poster">${tell(language, 'pay_link.poster')}</a> · <a href="${url}/qr.svg">QR</a></span>`,
  ];
}

function newForm(language: Language, at: string, merchant: ListedPaymentService): Html {
  const option = (value: string, text: ConsoleText) => html`<option value="${value}">${tell(language, text)}</option>`;
  return html`<h2>${tell(language, 'pay_link.new')}</h2>
<form class="card pad" method="post" action="${at}/links">
<label>${tell(language, 'pay_link.subject')}<input name="subject" required maxlength="80"></label>
<label>${tell(language, 'column.amount')}<input name="amount" required inputmode="decimal" maxlength="16" placeholder="12990"></label>
<label>${tell(language, 'pay_link.currency')}<input name="currency" required maxlength="3" pattern="[A-Z]{3}" value="CLP"></label>
<label>${tell(language, 'pay_link.uses')}<select name="uses">${option('one', 'pay_link.one')}${option('many', 'pay_link.many')}</select></label>
<label>${tell(language, 'pay_link.valid')}<select name="valid">${option('30d', 'pay_link.valid_30d')}${option('7d', 'pay_link.valid_7d')}${option('365d', 'pay_link.valid_365d')}${option('', 'pay_link.valid_always')}</select></label>
<label>${tell(language, 'merchant.environment')}<select name="environment">${environmentsOf(merchant).map((name) => option(name, `merchant.${name}`))}</select></label>
<p class="actions"><button class="primary">${tell(language, 'pay_link.make')}</button></p></form>`;
}
