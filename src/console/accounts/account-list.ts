import type { App } from '../../app.ts';
import { listAccounts, type MerchantAccount } from '../../books/merchant-statement.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { ENVIRONMENTS, type Environment } from '../../payment-services/payment-service.ts';
import { emptyState, tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { listMerchants, readEnvironment } from '../merchants/visible-merchants.ts';

/** The accounts of the merchants that the person sees, in one environment: test money and earned money are never mixed. */
export const getConsoleAccounts: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, user, send } = visit;
    const environment = environmentAsked(app, visit);
    const merchants = await listMerchants(app, user);
    const byId = new Map(merchants.flatMap((merchant) => idOf(merchant, environment).map((id) => [id, merchant])));
    const accounts = await listAccounts(app, [...byId.keys()]);
    const rows = accounts.map((account) => {
      const merchant = byId.get(account.environment_id);
      const query = new URLSearchParams({ environment, currency: account.currency });
      return [
        html`<a href="${publicPath(app)}/console/accounts/${merchant?.id ?? ''}?${String(query)}">${merchant?.name ?? ''}</a>`,
        ...sumsOf(account),
      ];
    });
    const title = tell(language, 'accounts.title');
    const name = tell(language, `merchant.${environment}`).toLowerCase();
    const other = ENVIRONMENTS.find((one) => one !== environment) ?? environment;
    const main = html`<div class="head"><h1>${title}</h1>
<a class="button" href="${publicPath(app)}/console/accounts?environment=${other}">${tell(language, 'accounts.other', { environment: tell(language, `merchant.${other}`).toLowerCase() })}</a></div>
<p class="quiet">${tell(language, 'accounts.text', { environment: name })} ${tell(language, 'account.in_process_hint')}</p>
${rows.length === 0 ? emptyState(tell(language, 'accounts.none'), 'bin/rubrica books balance') : tableOf(accountHead(visit), rows, [1, 2, 3, 4])}`;
    return send(200, { title, main });
  }),
};

/** The environment of the address; without one, as the program runs. */
export function environmentAsked(app: App, { request }: ConsoleVisit): Environment {
  const { environment } = request.query as Record<string, unknown>;
  return readEnvironment(app, environment);
}

/** The id of an environment of a merchant, if the person sees it. */
export function idOf({ tokens }: ListedPaymentService, environment: Environment): number[] {
  return tokens
    .filter((token) => token.environment === environment)
    .map(({ environment_id }) => environment_id)
    .slice(0, 1);
}

/** The columns of an account. */
export function accountHead({ language }: ConsoleVisit): string[] {
  return (['merchant', 'owed', 'reserved', 'available', 'in_process'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
}

/** The sums of an account as people write them. */
export function sumsOf({ owed, reserved, available, in_process, currency }: MerchantAccount): (Html | string)[] {
  return [owed, reserved, available, in_process].map((sum) => formatMoney(sum, currency));
}
