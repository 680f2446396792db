import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { beginSentence } from '../../lib/begin-sentence.ts';
import type { Language } from '../../lib/language.ts';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import { endpointAddress } from '../../outbox/endpoints/endpoint-address.ts';
import { type FailingEndpoint, selectEndpointsOf } from '../../outbox/endpoints/failing-endpoint-queries.ts';
import { receiverOf } from '../../outbox/webhooks/find-subscribers.ts';
import { sayWebhook } from '../../outbox/webhooks/say-webhook.ts';
import { listHandovers, newHandoverId } from '../../payment-services/hand-over-tokens.ts';
import { handoverState } from '../../payment-services/handover.ts';
import type { ListedHandover } from '../../payment-services/handover-queries.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { selectEventsUrls, type TokenRow } from '../../payment-services/payment-service-queries.ts';
import { actorText, badge, minuteOf, tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { sealedOf } from '../kept-typing.ts';
import { formField, resultNotice } from '../notice.ts';
import { operationPart, type ShownForm, typedInto } from './merchant-operation.ts';
import { environmentsOf, merchantOf } from './visible-merchants.ts';

/** The most endpoints of an environment on the merchant's page. */
export const ENDPOINTS_SHOWN = 100;
/** The newest links to tokens that are shown, beside those that wait among the newest `LINKS_READ`. */
const LINKS_SHOWN = 20;
const LINKS_READ = 1_000;

const DONE: Readonly<Record<string, ConsoleText>> = {
  created: 'merchant.created',
  saved: 'merchant.done',
  resent: 'merchant.resent',
  'resent-part': 'merchant.resent_part',
  proved: 'merchant.proved',
  'link-ended': 'merchant.link_ended',
  'link-gone': 'merchant.link_gone',
};

/**
 * Returns where a person continues after a new proof of identity, to submit the form again.
 */
export function provedPath(merchantId: string): string {
  return `/merchants/${merchantId}?done=proved`;
}

/** Shows one payment service: its tokens with their last use, its endpoints, and its payment methods. */
export const getConsoleMerchant = consoleHandler(async (app, visit) => {
  const merchant = await merchantOf(app, visit);
  if (merchant === null) return visit.send(404, notFoundPage(visit.language));
  return sendMerchant(app, visit, merchant, { said: '', status: 200, typed: sealedOf(visit) });
});

/** Sends the page of a payment service, with `said` at the top if a form was refused. */
export async function sendMerchant(app: App, visit: ConsoleVisit, merchant: ListedPaymentService, shown: ShownForm) {
  const { language, user, send } = visit;
  const environments = environmentsOf(merchant);
  const links = await listHandovers(app, merchant.id, LINKS_READ, environments);
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const may = user.may.has('tokens:manage');
  const rooms: Html[] = [];
  for (const environment of environments) rooms.push(await environmentCard(app, visit, merchant, environment, shown));
  const main = html`${resultNotice(visit, DONE, shown)}
<div class="head"><div><h1>${merchant.name}</h1>
<p class="quiet"><span class="code">${merchant.id}</span> · ${tell(language, 'merchant.since')} ${timeCell(merchant.created_at)}
${merchant.disabled_at !== null && badge('bad', tell(language, 'merchants.disabled'))}</p></div></div>
<p class="actions">${elsewhere(app, visit, merchant)}<a class="button" href="${at}/links">${tell(language, 'pay_link.title')}</a> ${may && html`<a class="button" href="${at}/look">${tell(language, 'shop_page.title')}</a>`}</p>
${rooms}
${links.length > 0 && linkTable(visit, merchant, links)}
${mayAny(user.may, readWith('payment-services:manage')) && (await operationPart(visit, merchant, environments, shown))}`;
  return send(shown.status, { title: merchant.name, main });
}

/** Links to the other screens about this merchant that the person may see. */
function elsewhere(app: App, { language, user }: ConsoleVisit, { id }: ListedPaymentService): Html {
  const at = `${publicPath(app)}/console`;
  const link = (path: string, text: ConsoleText) =>
    html`<a class="button" href="${at}${path}">${tell(language, text)}</a> `;
  return html`${user.may.has('payments:read') && link(`/payments?merchant=${id}`, 'merchant.payments')}${user.may.has('books:read') && link(`/accounts/${id}`, 'merchant.own_account')}
${user.may.has('payments:read') && link(`/requests?merchant=${id}`, 'requests.title')}
${user.may.has('audit:read') && user.environmentIds === null && link(`/audit?subject=${id}`, 'merchant.changes')}`;
}

async function environmentCard(
  app: App,
  { language, user }: ConsoleVisit,
  merchant: ListedPaymentService,
  environment: Environment,
  shown: ShownForm,
): Promise<Html> {
  const tokens = merchant.tokens.filter((token) => token.environment === environment);
  const [{ environment_id, service_token }] = tokens as [TokenRow];
  const [endpoints, urls] = await Promise.all([
    selectEndpointsOf(app.db, environment_id, ENDPOINTS_SHOWN),
    selectEventsUrls(app.db, [environment_id]),
  ]);
  const eventsUrl = urls[0]?.url ?? null;
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const may = user.may.has('tokens:manage');
  const hidden = html`<input type="hidden" name="environment" value="${environment}">`;
  return html`<h2 id="${environment}">${tell(language, `merchant.${environment}`)}</h2>
<div class="card pad"><dl class="facts">
<dt>${tell(language, 'merchant.service_token')}</dt><dd class="code">${service_token}</dd>
</dl>
${secretTable(app, language, tokens)}
${may && tokenForms(language, at, hidden, environment)}
<h3>${tell(language, 'merchant.endpoints')}</h3>
${endpointList(language, endpoints)}
${user.may.has('callbacks:resend') && endpoints.some(isOwed) && resendForm(language, at, hidden, endpoints.filter(isOwed))}
${may ? eventsUrlForm(language, at, { environment, eventsUrl, shown }) : eventsUrlLine(language, eventsUrl)}
</div>`;
}

/** Shows the URL without its query, which can hold a credential of the merchant's server. */
function eventsUrlLine(language: Language, eventsUrl: string | null): Html | false {
  return (
    eventsUrl !== null &&
    html`<p>${tell(language, 'merchant.events_url')}: <span class="code">${endpointAddress(eventsUrl)}</span></p>`
  );
}

function tokenForms(language: Language, at: string, hidden: Html, environment: Environment): Html {
  return html`<div class="actions">
<form action="${at}/rotate">${hidden}<button>${tell(language, 'rotate.button')}</button></form>
</div>
<form method="post" action="${at}/hand-over">${hidden}<input type="hidden" name="id" value="${newHandoverId()}">
<label>${tell(language, 'merchant.hand_over')} · ${tell(language, 'merchant.valid')}
<select name="valid" aria-describedby="hand-over-${environment}"><option value="1d">${tell(language, 'merchant.valid_1d')}</option><option value="3d" selected>${tell(language, 'merchant.valid_3d')}</option><option value="7d">${tell(language, 'merchant.valid_7d')}</option></select></label>
<p class="quiet" id="hand-over-${environment}">${tell(language, 'merchant.hand_over_hint')}</p>
<button>${tell(language, 'merchant.make_link')}</button></form>`;
}

type EventsUrl = { environment: Environment; eventsUrl: string | null; shown: ShownForm };

function eventsUrlForm(language: Language, at: string, { environment, eventsUrl, shown }: EventsUrl): Html {
  const { environment: typedFor, url: typed = '' } = typedInto(shown, 'url');
  const url = typedFor === environment ? typed : (eventsUrl ?? '');
  return html`<form method="post" action="${at}/events-url"><input type="hidden" name="environment" value="${environment}">
${formField(shown, `url-${environment}`, (attributes) => html`<label>${tell(language, 'merchant.events_url')}<input type="url" name="url" maxlength="2048" value="${url}"${attributes}></label>`)}
<p class="actions"><button>${tell(language, 'merchant.save')}</button></p></form>`;
}

function secretTable(app: App, language: Language, tokens: readonly TokenRow[]): Html {
  const head = tellAll(language, ['merchant.secret', 'people.since', 'column.last_used', 'column.state']);
  const rows = tokens.map(({ secret_id, created_at, closes_at, last_used_at }) => [
    html`<span class="code">${secret_id}</span>`,
    timeCell(created_at),
    last_used_at === null ? tell(language, 'merchant.never_used') : timeCell(last_used_at),
    secretState(app, language, closes_at),
  ]);
  return tableOf(head, rows);
}

function secretState(app: App, language: Language, closesAt: number | null): Html {
  if (closesAt === null) return badge('good', tell(language, 'merchant.in_use'));
  if (closesAt <= app.now()) return badge('calm', tell(language, 'merchant.closed'));
  return badge('warn', tell(language, 'merchant.closes', { time: minuteOf(closesAt) }));
}

function endpointList(language: Language, endpoints: readonly FailingEndpoint[]): Html {
  if (endpoints.length === 0) return html`<p class="quiet">${tell(language, 'merchant.no_endpoints')}</p>`;
  const head = tellAll(language, ['column.address', 'column.failing_since', 'column.cause']);
  const rows = endpoints.map((endpoint) => {
    const receiver = receiverOf(endpoint);
    const since = endpoint.failing_since ?? endpoint.disabled_at;
    const found = since === null ? null : causeOf(endpoint.address, endpoint, language);
    return [
      html`<span class="code">${endpoint.address}</span>${receiver !== null && html`<br>${sayWebhook(receiver)[language]}`}`,
      since === null ? badge('good', tell(language, 'merchant.well')) : timeCell(since),
      found === null ? '—' : html`<strong>${beginSentence(found.cause)}</strong><br>${found.fix}`,
    ];
  });
  return tableOf(head, rows);
}

/** Whether callbacks wait for the endpoint, or it fails or is disabled. */
function isOwed({ waiting, failing_since, disabled_at }: FailingEndpoint): boolean {
  return waiting > 0 || failing_since !== null || disabled_at !== null;
}

function resendForm(language: Language, at: string, hidden: Html, endpoints: readonly FailingEndpoint[]): Html {
  return html`<form method="post" action="${at}/resend">${hidden}
<label>${tell(language, 'merchant.resend')} <select name="endpoint">${endpoints.map(({ id, address }) => html`<option value="${id}">${address}</option>`)}</select></label>
<p class="quiet">${tell(language, 'merchant.resend_text')}</p>
<p class="actions"><button>${tell(language, 'callbacks.resend_all')}</button></p></form>`;
}

function linkTable(
  { app, language, user }: ConsoleVisit,
  { id }: ListedPaymentService,
  links: readonly ListedHandover[],
): Html {
  const head = tellAll(language, [
    'merchant.links',
    'merchant.environment',
    'column.made_by',
    'column.when',
    'column.state',
  ]);
  const stateOf = (link: ListedHandover) => handoverState(link, app.now());
  const listed = links.filter((link, place) => place < LINKS_SHOWN || stateOf(link) === 'waiting');
  const rows = listed.map((link) => {
    const state = stateOf(link);
    const time = minuteOf(state === 'opened' ? (link.opened_at ?? 0) : link.ends_at);
    const end = html`<form method="post" action="${publicPath(app)}/console/merchants/${id}/end-link"><button class="link" name="link" value="${link.id}">${tell(language, 'merchant.end_link')}</button></form>`;
    return [
      html`<span class="code">${link.id}</span>`,
      tell(language, `merchant.${link.environment}`),
      actorText(language, link.made_by),
      timeCell(link.made_at),
      html`${tell(language, `link.${state}`, { time, from: link.opened_from ?? '' })} ${state === 'waiting' && user.may.has('tokens:manage') && end}`,
    ];
  });
  return html`<h2>${tell(language, 'merchant.links')}</h2>${tableOf(head, rows)}
${listed.length < links.length && html`<p class="quiet">${tell(language, 'merchant.links_cut', { n: LINKS_SHOWN })} <code>bin/rubrica payment-service links ${id}</code></p>`}`;
}
