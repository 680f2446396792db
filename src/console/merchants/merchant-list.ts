import type { App } from '../../app.ts';
import type { Language } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { createPaymentService } from '../../payment-services/create-payment-service.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { readServiceName } from '../../payment-services/payment-service.ts';
import { badge, emptyState, tableOf, timeCell } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { listMerchants } from './visible-merchants.ts';

/** The payment services that the person sees, with the last use of their tokens. */
export const getConsoleMerchants: Screen = {
  handle: consoleHandler((app, visit) => sendMerchants(app, visit, 200, '')),
};

/** Makes a payment service. Its tokens are not shown: the page that follows hands them over. */
export const postConsoleMerchants: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, by, request, goTo } = visit;
    const name = readServiceName(fieldsOf(request)['name'] ?? '');
    if (name === null) return sendMerchants(app, visit, 400, tell(language, 'merchants.bad_name'));
    const { id } = await createPaymentService(app, name, by);
    return goTo(`/merchants/${id}?done=created`);
  }),
};

async function sendMerchants(app: App, { language, user, send }: ConsoleVisit, status: number, said: string) {
  const merchants = await listMerchants(app, user);
  const title = tell(language, 'merchants.title');
  const head = tellAll(language, ['column.merchant', 'column.tokens', 'column.last_used']);
  const rows = merchants.map((merchant) => [
    html`<a href="${publicPath(app)}/console/merchants/${merchant.id}">${merchant.name}</a>
${merchant.disabled_at !== null && badge('bad', tell(language, 'merchants.disabled'))}<br><span class="code quiet">${merchant.id}</span>`,
    tokenNames(language, merchant),
    timeCell(lastUse(merchant)),
  ]);
  const mayCreate = user.may.has('payment-services:manage') && user.environmentIds === null;
  const main = html`${said !== '' && html`<p class="notice" role="alert">${said}</p>`}
<h1>${title}</h1>
${rows.length === 0 ? emptyState(tell(language, 'merchants.none'), 'bin/rubrica payment-service create --name …') : tableOf(head, rows)}
${
  mayCreate &&
  html`<h2>${tell(language, 'merchants.new')}</h2>
<form class="card pad" method="post" action="${publicPath(app)}/console/merchants">
<label>${tell(language, 'merchants.name')}<input name="name" required maxlength="100"></label>
<p class="actions"><button class="primary">${tell(language, 'merchants.create')}</button></p>
</form>`
}`;
  return send(status, { title, main });
}

/** The Service Tokens by their environment, as far as they tell one from another. */
function tokenNames(language: Language, { tokens }: ListedPaymentService): Html {
  const byToken = new Map(tokens.map((token) => [token.service_token, token.environment]));
  return html`${[...byToken].map(
    ([token, environment]) =>
      html`${tell(language, `merchant.${environment}`)} <span class="code">${token.slice(0, 12)}…</span><br>`,
  )}`;
}

function lastUse({ tokens }: ListedPaymentService): number | null {
  const uses = tokens.flatMap(({ last_used_at }) => last_used_at ?? []);
  return uses.length === 0 ? null : Math.max(...uses);
}
