import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { createPaymentService, newServiceId } from '../../payment-services/create-payment-service.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { type Environment, readServiceName } from '../../payment-services/payment-service.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';
import { badge, emptyState } from '../console-format.ts';
import { askedOf, type Column, containsText, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { alertNotice, type Fault, formField, isAtFault } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { listMerchants } from './visible-merchants.ts';

/** Lists the payment services that the person sees, with the last use of their tokens. */
export const getConsoleMerchants = consoleHandler((app, visit) => sendMerchants(app, visit, 200, { said: '' }));

/**
 * Creates a payment service. Its tokens are not shown here: the next page hands them over. The id in the form makes a
 * second click the same merchant; the same form with another name makes another one.
 */
export const postConsoleMerchants = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo } = visit;
  const fields = fieldsOf(request);
  const name = readServiceName(fields['name'] ?? '');
  if (name === null)
    return sendMerchants(app, visit, 400, { said: tell(language, 'merchants.bad_name'), field: 'name' });
  const { id = '' } = fields;
  const find = async () => (await selectPaymentServices(app.db)).find((one) => one.id === id);
  const before = await find();
  const isFree = before === undefined && /^ps_[0-9a-z]{20}$/.test(id);
  const made =
    before?.name === name
      ? before
      : await createPaymentService(app, name, by, isFree ? id : undefined).catch(async (error: unknown) => {
          // The other click was first.
          const first = isFree ? await find() : undefined;
          if (first?.name === name) return first;
          throw error;
        });
  return goTo(`/merchants/${made.id}?done=created`);
});

async function sendMerchants(app: App, visit: ConsoleVisit, status: number, fault: Fault) {
  const { language, user } = visit;
  const { text = '', state = '' } = askedOf(visit);
  const all = await listMerchants(app, user);
  return sendList<ListedPaymentService>(visit, {
    title: tell(language, 'merchants.title'),
    status,
    path: '/merchants',
    columns: columnsFor(app, language),
    rows: all.filter(
      (merchant) => containsText(text, [merchant.name, merchant.id]) && (state === '' || state === stateOf(merchant)),
    ),
    filters: [
      { name: 'text', text: 'list.filter_text', type: 'search' },
      {
        name: 'state',
        text: 'column.state',
        type: STATES.map((name) => [name, tell(language, `merchants.${name}`)] as const),
      },
    ],
    above: alertNotice(fault),
    empty: emptyState(visit, tell(language, 'merchants.none'), 'bin/rubrica payment-service create --name …'),
    below: user.may.has('payment-services:manage') && user.environmentIds === null && newForm(app, visit, fault),
  });
}

function newForm(app: App, { language, request }: ConsoleVisit, fault: Fault): Html {
  const typed = isAtFault(fault, 'name') ? fieldsOf(request)['name'] : '';
  return html`<h2>${tell(language, 'merchants.new')}</h2>
<form class="card pad narrow" method="post" action="${publicPath(app)}/console/merchants">
${formField(fault, 'name', (attributes) => html`<label>${tell(language, 'merchants.name')}<input name="name" required maxlength="100" value="${typed ?? ''}"${attributes}></label>`)}
<input type="hidden" name="id" value="${newServiceId()}">
<p class="actions"><button class="primary">${tell(language, 'merchants.create')}</button></p>
</form>`;
}

const STATES = ['enabled', 'disabled'] as const;

function stateOf({ disabled_at }: ListedPaymentService): (typeof STATES)[number] {
  return disabled_at === null ? 'enabled' : 'disabled';
}

function columnsFor(app: App, language: Language): Column<ListedPaymentService>[] {
  const tokenIn = (environment: Environment): Column<ListedPaymentService> => ({
    name: environment,
    text: `merchant.${environment}`,
    value: (merchant) => serviceToken(merchant, environment),
    // As far as tokens tell one from another.
    cell: (merchant) =>
      html`<span class="code">${serviceToken(merchant, environment)?.slice(0, 12).concat('…') ?? '—'}</span>`,
  });
  return [
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ name }) => name,
      cell: ({ id, name }) =>
        html`<span><a href="${publicPath(app)}/console/merchants/${id}">${name}</a><br><span class="code quiet">${id}</span></span>`,
    },
    { name: 'id', text: 'column.id', value: ({ id }) => id, hidden: true },
    tokenIn('production'),
    tokenIn('development'),
    { name: 'used', text: 'column.last_used', value: lastUse, kind: 'time' },
    { name: 'since', text: 'merchant.since', value: ({ created_at }) => created_at, kind: 'time', hidden: true },
    {
      name: 'state',
      text: 'column.state',
      value: (merchant) => tell(language, `merchants.${stateOf(merchant)}`),
      cell: (merchant) =>
        badge(merchant.disabled_at === null ? 'good' : 'bad', tell(language, `merchants.${stateOf(merchant)}`)),
    },
  ];
}

function serviceToken({ tokens }: ListedPaymentService, environment: Environment): string | null {
  return tokens.find((token) => token.environment === environment)?.service_token ?? null;
}

function lastUse({ tokens }: ListedPaymentService): number | null {
  const uses = tokens.flatMap(({ last_used_at }) => last_used_at ?? []);
  return uses.length === 0 ? null : Math.max(...uses);
}
