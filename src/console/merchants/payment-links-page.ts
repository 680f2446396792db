import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { wordsOf } from '../../http/problem-words.ts';
import { randomToken } from '../../lib/ids.ts';
import type { Language } from '../../lib/language.ts';
import { parseTyped } from '../../lib/money.ts';
import { createPaymentLink } from '../../payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../payment-links/end-payment-link.ts';
import { type ListedLink, listPaymentLinks } from '../../payment-links/find-payment-link.ts';
import { LINK_USES, type LinkWish, MOST_LINK_AMOUNT, readSubject } from '../../payment-links/payment-link.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { actorText, badge, emptyState, minuteOf, testBadge } from '../console-format.ts';
import {
  amountColumns,
  askedOf,
  type Column,
  containsText,
  type Filter,
  readMatching,
  sendList,
} from '../console-list.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { askFirst, type Fault, formField, resultNotice } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { environmentNamed, environmentsOf, merchantOf } from './visible-merchants.ts';

/** The most links on the screen and in the file: the newest. */
const MOST = 1_000;
const DAY_MS = 86_400_000;
/** How long a link works, in milliseconds; null: without end. */
const VALID: ReadonlyMap<string, number | null> = new Map([
  ['7d', 7 * DAY_MS],
  ['30d', 30 * DAY_MS],
  ['365d', 365 * DAY_MS],
  ['', null],
]);

const DONE: Readonly<Record<string, ConsoleText>> = { created: 'pay_link.created', ended: 'pay_link.was_ended' };

/** Lists the payment links of a merchant in the environments that the person sees, with a form for a new one. */
export const getConsolePaymentLinks = consoleHandler(async (app, visit) => {
  const merchant = await merchantOf(app, visit);
  if (merchant === null) return visit.send(404, notFoundPage(visit.language));
  return sendLinks(app, visit, merchant, 200, { said: '' });
});

/** Creates a link. */
export const postConsolePaymentLinks = consoleHandler(async (app, visit) => {
  const { language, by, request, send, goTo } = visit;
  const merchant = await merchantOf(app, visit);
  const fields = fieldsOf(request);
  const environment = merchant === null ? null : environmentNamed(merchant, fields['environment']);
  const tokens = merchant?.tokens.find((token) => token.environment === environment);
  if (merchant === null || tokens === undefined) return send(404, notFoundPage(language));
  const wish = readWish(language, fields, app.now());
  if ('said' in wish) return sendLinks(app, visit, merchant, 400, wish);
  try {
    await createPaymentLink(app, tokens.environment_id, { ...wish, idempotencyKey: keyOf(fields) }, by);
  } catch (error) {
    const isShown = error instanceof Problem && ['INVALID_BODY', 'NO_PAYMENT_METHOD'].includes(error.code);
    if (!isShown) throw error;
    const said = wordsOf(error, language).detail;
    return sendLinks(app, visit, merchant, 400, { said, field: error.extras.errors?.[0]?.pointer?.slice(1) });
  }
  return goTo(`/merchants/${merchant.id}/links?done=created`);
});

export const postConsolePaymentLinkEnd = consoleHandler(async (app, visit) => {
  const { language, by, request, send, goTo } = visit;
  const merchant = await merchantOf(app, visit);
  if (merchant === null) return send(404, notFoundPage(language));
  const { link = '' } = fieldsOf(request);
  const ended = await endPaymentLink(app, link, new Set(environmentIdsOf(merchant)), by);
  return ended === 'unknown' ? send(404, notFoundPage(language)) : goTo(`/merchants/${merchant.id}/links?done=ended`);
});

/**
 * Returns the idempotency key of a form. A second click creates no second link, although its expiry would differ;
 * changed fields create another link.
 */
function keyOf({ key, amount, currency, subject, uses, valid }: Record<string, string>): string | null {
  if (key === undefined) return null;
  const wished = JSON.stringify([key, amount, currency, subject, uses, valid]);
  return `console ${hash('sha256', wished)}`;
}

/** Parses the form; returns the fault if a field is invalid. */
function readWish(language: Language, fields: Record<string, string>, now: number): LinkWish | Fault {
  const { amount: typed = '', currency = '', valid = '' } = fields;
  const subject = readSubject(fields['subject'] ?? '');
  const uses = LINK_USES.find((one) => one === fields['uses']);
  const lasts = VALID.get(valid);
  if (uses === undefined || lasts === undefined) throw new Problem('INVALID_PARAMETER');
  if (subject === null) return { said: tell(language, 'pay_link.bad_subject'), field: 'subject' };
  if (currencyExponent(currency) === undefined) {
    return { said: tell(language, 'pay_link.bad_currency'), field: 'currency' };
  }
  const amount = parseTyped(typed.trim(), currency);
  if (amount === null || amount < 1 || amount > MOST_LINK_AMOUNT) {
    return { said: tell(language, 'pay_link.bad_amount'), field: 'amount' };
  }
  return { amount, currency, subject, uses, expiresAt: lasts === null ? null : now + lasts, urlCallback: null };
}

function environmentIdsOf({ tokens }: ListedPaymentService): number[] {
  return [...new Set(tokens.map(({ environment_id }) => environment_id))];
}

async function sendLinks(
  app: App,
  visit: ConsoleVisit,
  merchant: ListedPaymentService,
  status: number,
  fault: Fault,
): Promise<FastifyReply> {
  const { language } = visit;
  const { state = '', environment = '', text = '' } = askedOf(visit);
  const passes = (link: ListedLink) =>
    (state === '' || state === link.state) &&
    (environment === '' || environment === link.environment) &&
    containsText(text, [link.subject, link.id]);
  const { rows, cut } = await readMatching(
    MOST,
    (limit) => listPaymentLinks(app, environmentIdsOf(merchant), { limit }),
    `${state}${environment}${text}` === '' ? null : passes,
  );
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const may = visit.user.may.has('tokens:manage');
  return sendList<ListedLink>(visit, {
    title: tell(language, 'pay_link.title'),
    status,
    path: `/merchants/${merchant.id}/links`,
    columns: columnsFor(visit, at, may),
    cut,
    rows,
    filters: filtersFor(language, environmentsOf(merchant)),
    above: html`${resultNotice(visit, DONE, fault)}
<p><a href="${at}">${merchant.name}</a></p>
<p>${tell(language, 'pay_link.text')}</p>`,
    empty: emptyState(
      visit,
      tell(language, 'pay_link.none'),
      `bin/rubrica payment-link create --payment-service ${merchant.id} --amount 12990 --subject …`,
    ),
    below: may && newForm(visit, at, merchant, fault),
  });
}

const TONES: Readonly<Record<ListedLink['state'], string>> = {
  open: 'good',
  used: 'calm',
  expired: 'calm',
  ended: 'calm',
};

function filtersFor(language: Language, environments: readonly Environment[]): Filter[] {
  const states = Object.keys(TONES) as ListedLink['state'][];
  return [
    { name: 'text', text: 'list.filter_text', type: 'search' },
    {
      name: 'state',
      text: 'column.state',
      type: states.map((one) => [one, tell(language, `pay_link.${one}`)] as const),
    },
    {
      name: 'environment',
      text: 'merchant.environment',
      type: environments.map((one) => [one, tell(language, `merchant.${one}`)] as const),
    },
  ];
}

/** `may`: whether the person may end links. */
function columnsFor({ app, user, language }: ConsoleVisit, at: string, may: boolean): Column<ListedLink>[] {
  const payments = user.may.has('payments:read') ? `${publicPath(app)}/console/payments` : null;
  return [
    {
      name: 'subject',
      text: 'pay_link.subject',
      value: ({ subject }) => subject,
      cell: ({ subject, environment }) => html`<span>${subject} ${testBadge(language, environment)}</span>`,
    },
    { name: 'environment', text: 'merchant.environment', value: ({ environment }) => environment, hidden: true },
    ...amountColumns<ListedLink>((row) => row),
    {
      name: 'paid',
      text: 'pay_link.paid',
      kind: 'number',
      value: ({ paid }) => paid,
      cell: ({ id, paid }) => (payments !== null && paid > 0 ? html`<a href="${payments}?q=${id}">${paid}</a>` : paid),
    },
    {
      name: 'state',
      text: 'column.state',
      value: ({ state }) => tell(language, `pay_link.${state}`),
      cell: (link) => stateCell(language, at, link, may),
    },
    { name: 'made', text: 'column.when', kind: 'time', value: ({ created_at }) => created_at },
    { name: 'by', text: 'column.made_by', value: ({ created_by }) => actorText(language, created_by), hidden: true },
    { name: 'ends', text: 'people.expires', kind: 'time', value: ({ expires_at }) => expires_at, hidden: true },
    {
      name: 'address',
      text: 'column.address',
      value: ({ url }) => url,
      cell: ({ url }) =>
        html`<span><a href="${url}" class="code">${url}</a><br><a href="${url}/poster">${tell(language, 'pay_link.poster')}</a> · <a href="${url}/qr.svg">QR</a></span>`,
    },
  ];
}

function stateCell(
  language: Language,
  at: string,
  { id, state, expires_at, ended_at }: ListedLink,
  may: boolean,
): Html {
  // A link with state `ended` but without `ended_at` belongs to a disabled payment service. Enabling the service opens
  // it again, so the link can be ended.
  const canEnd = state === 'open' || (state === 'ended' && ended_at === null);
  const act = tell(language, 'pay_link.end');
  const form = html`<form method="post" action="${at}/links/end"><button name="link" value="${id}">${act}</button></form>`;
  const end = askFirst(act, tell(language, 'pay_link.end_text'), form);
  return html`<span>${badge(TONES[state], tell(language, `pay_link.${state}`))} ${state === 'open' && expires_at !== null && tell(language, 'pay_link.until', { time: minuteOf(expires_at) })} ${may && canEnd && end}</span>`;
}

/** Asks for a new link; after a refusal it keeps what was typed. */
function newForm({ language, request }: ConsoleVisit, at: string, merchant: ListedPaymentService, fault: Fault): Html {
  const typed = fault.said === '' ? {} : fieldsOf(request);
  const choice = (name: string, text: ConsoleText, options: readonly (readonly [string, ConsoleText])[]) =>
    html`<label>${tell(language, text)}<select name="${name}">${options.map(
      ([value, means]) =>
        html`<option value="${value}"${value === typed[name] && html` selected`}>${tell(language, means)}</option>`,
    )}</select></label>`;
  const input = (name: string, text: ConsoleText, more: Html, value = '') =>
    formField(
      fault,
      name,
      (attributes) =>
        html`<label>${tell(language, text)}<input name="${name}" required value="${typed[name] ?? value}"${more}${attributes}></label>`,
    );
  return html`<h2>${tell(language, 'pay_link.new')}</h2>
<form class="card pad narrow" method="post" action="${at}/links">
${input('subject', 'pay_link.subject', html` maxlength="80"`)}
${input('amount', 'column.amount', html` inputmode="decimal" maxlength="16" placeholder="12990"`)}
${input('currency', 'pay_link.currency', html` maxlength="3" pattern="[A-Z]{3}"`, 'CLP')}
${choice('uses', 'pay_link.uses', USES)}
${choice('valid', 'pay_link.valid', LASTS)}
${choice(
  'environment',
  'merchant.environment',
  environmentsOf(merchant).map((name) => [name, `merchant.${name}`] as const),
)}
<input type="hidden" name="key" value="${randomToken(16)}">
<p class="actions"><button class="primary">${tell(language, 'pay_link.make')}</button></p></form>`;
}

const USES = [
  ['one', 'pay_link.one'],
  ['many', 'pay_link.many'],
] as const;

const LASTS = [
  ['30d', 'pay_link.valid_30d'],
  ['7d', 'pay_link.valid_7d'],
  ['365d', 'pay_link.valid_365d'],
  ['', 'pay_link.valid_always'],
] as const;
