import type { App } from '../app.ts';
import { publicBase } from '../checkout/pay-link.ts';
import type { NewestPage } from '../db/newest-page.ts';
import { refuseElsewhere } from '../payment-services/elsewhere.ts';
import { environmentOf, loadEnvironment } from '../payment-services/find-environment.ts';
import type { Look } from '../payment-services/look.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { readLook } from '../payment-services/set-look.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { type LinkState, linkStateOf, type PaymentLink } from './payment-link.ts';
import {
  isLinkPaid,
  type ListedLinkRow,
  type OwnedLink,
  selectLinkAnywhere,
  selectLinks,
  selectListedLinkAnywhere,
} from './payment-link-queries.ts';

export type OpenLink = {
  link: PaymentLink;
  environment: ServiceEnvironment;
  look: Look;
  state: LinkState;
};

/** Returns the link of a URL, or null. The link of a disabled payment service has ended. */
export async function findPaymentLink(app: App, id: string): Promise<OpenLink | null> {
  const link = /^pl_[0-9a-z]{20}$/.test(id) ? await selectLinkAnywhere(app.db, id) : null;
  if (link === null) return null;
  const environment = await environmentOf(app, link);
  refuseElsewhere(environment);
  const isEnabled = (await loadEnvironment(app, environment.serviceToken)) !== null;
  const isPaid = link.uses === 'one' && (await isLinkPaid(app.db, link));
  return {
    link,
    environment,
    look: await readLook(app.db, environment.paymentServiceId),
    state: linkStateOf(link, { isPaid, isEnabled }, app.now()),
  };
}

/**
 * Returns the URL of the transaction's link if the link is for one payment and another transaction of it was paid
 * meanwhile, also by late money; otherwise null. The payer is then asked for no more money.
 */
export async function findPaidLink(
  app: App,
  { id: own, reference, environment_id }: Pick<Transaction, 'id' | 'reference' | 'environment_id'>,
): Promise<string | null> {
  const [, id] = /^(pl_[0-9a-z]{20})-/.exec(reference) ?? [];
  const link = id === undefined ? null : await selectLinkAnywhere(app.db, id);
  if (link === null || link.environment_id !== environment_id || link.uses !== 'one') return null;
  return (await isLinkPaid(app.db, link, own)) ? linkUrl(app, link) : null;
}

/** Returns the link's URL for payers. */
export function linkUrl(app: App, { id }: Pick<PaymentLink, 'id'>): string {
  return `${publicBase(app)}/link/${id}`;
}

export type ListedLink = OwnedLink & { state: LinkState; url: string };

/** Returns a page of the links of some environments (null: of all), newest first. */
export async function listPaymentLinks(
  app: App,
  environmentIds: readonly number[] | null,
  page: NewestPage,
): Promise<ListedLink[]> {
  const rows = await selectLinks(app.db, environmentIds, page);
  return rows.map((row) => listed(app, row));
}

/** Returns a link, or null; `environmentIds`: the environments that the person sees, null for all. */
export async function findListedLink(
  app: App,
  id: string,
  environmentIds: ReadonlySet<number> | null,
): Promise<ListedLink | null> {
  const row = await selectListedLinkAnywhere(app.db, id);
  return row === null || environmentIds?.has(row.environment_id) === false ? null : listed(app, row);
}

function listed(app: App, { service_disabled_at, ...row }: ListedLinkRow): ListedLink {
  const standing = { isPaid: row.paid > 0, isEnabled: service_disabled_at === null };
  return { ...row, state: linkStateOf(row, standing, app.now()), url: linkUrl(app, row) };
}
