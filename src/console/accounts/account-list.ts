import type { App } from '../../app.ts';
import { listAccounts, type MerchantAccount } from '../../books/merchant-statement.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Sum } from '../../lib/exact-sum.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { selectKeptBack } from '../../payment-services/funds-rule-queries.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import { payableOf } from '../../payment-services/lock-funds.ts';
import { ENVIRONMENTS, type Environment } from '../../payment-services/payment-service.ts';
import { emptyState } from '../console-format.ts';
import { type Column, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { listMerchants, readEnvironment } from '../merchants/visible-merchants.ts';

/**
 * Lists the accounts of the merchants that the person sees, in one environment. Test money and earned money are never
 * mixed.
 */
export const getConsoleAccounts = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const environment = environmentAsked(app, visit);
  const merchants = await listMerchants(app, user);
  const byId = new Map(merchants.flatMap((merchant) => idOf(merchant, environment).map((id) => [id, merchant])));
  const accounts = await listPayable(app, [...byId.keys()]);
  const name = tell(language, `merchant.${environment}`).toLowerCase();
  return sendList<ListedAccount>(visit, {
    title: tell(language, 'accounts.title'),
    path: '/accounts',
    columns: columnsFor(app, environment),
    rows: accounts.map((account) => ({ ...account, merchant: byId.get(account.environment_id) ?? null })),
    filters: [
      {
        name: 'environment',
        text: 'callbacks.environment',
        type: ENVIRONMENTS.map((one) => [one, tell(language, `merchant.${one}`)] as const),
        otherwise: app.config.mode,
        isOne: true,
      },
    ],
    above: html`<p class="quiet">${tell(language, 'accounts.text', { environment: name })} ${tell(language, 'account.in_process_hint')}</p>`,
    empty: emptyState(visit, tell(language, 'accounts.none'), 'bin/rubrica books balance'),
  });
});

/** An account with the money that can be paid out: what is available without the amount that is kept back. */
type PayableAccount = MerchantAccount & { payable: Sum };

const SUMS = ['owed', 'reserved', 'available', 'payable', 'in_process'] as const;

/** Lists the accounts of merchants in these environments. */
export async function listPayable(app: App, environmentIds: readonly number[]): Promise<PayableAccount[]> {
  const accounts = await listAccounts(app, environmentIds);
  const rules = accounts.length === 0 ? [] : await selectKeptBack(app.db, environmentIds);
  return accounts.map((account) => {
    const { environment_id, currency, available } = account;
    const rule = rules.find((one) => one.environment_id === environment_id && one.currency === currency);
    return { ...account, payable: payableOf(available, rule?.kept_back ?? 0) };
  });
}

type ListedAccount = PayableAccount & { merchant: ListedPaymentService | null };

function columnsFor(app: App, environment: Environment): Column<ListedAccount>[] {
  const sums = SUMS.map(
    (name): Column<ListedAccount> => ({
      name,
      text: `column.${name}`,
      kind: 'number',
      value: (row) => Number(formatPlain(row[name], row.currency)),
      cell: (row) => formatMoney(row[name], row.currency),
    }),
  );
  return [
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ merchant }) => merchant?.name ?? null,
      cell: ({ merchant, currency }) =>
        html`<a href="${publicPath(app)}/console/accounts/${merchant?.id ?? ''}?${String(new URLSearchParams({ environment, currency }))}">${merchant?.name ?? ''}</a>`,
    },
    { name: 'currency', text: 'column.currency', value: ({ currency }) => currency, hidden: true },
    ...sums,
  ];
}

/** Returns the environment in the address; without one, the environment in which the program runs. */
export function environmentAsked(app: App, { request }: ConsoleVisit): Environment {
  const { environment } = request.query as Record<string, unknown>;
  return readEnvironment(app, environment);
}

/** Returns the id of a merchant's environment if the person sees it, else an empty list. */
export function idOf({ tokens }: ListedPaymentService, environment: Environment): number[] {
  return tokens
    .filter((token) => token.environment === environment)
    .map(({ environment_id }) => environment_id)
    .slice(0, 1);
}

/** Returns the names of the columns of an account. */
export function accountHead({ language }: ConsoleVisit): string[] {
  return (['merchant', ...SUMS] as const).map((name) => tell(language, `column.${name}`));
}

/** Formats the sums of an account for people. */
export function sumsOf(account: PayableAccount): (Html | string)[] {
  return SUMS.map((name) => formatMoney(account[name], account.currency));
}
