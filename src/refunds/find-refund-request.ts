import type { App } from '../app.ts';
import { isOfToken } from '../audit/actor.ts';
import { findTokenHolders } from '../auth/tokens/token-holders.ts';
import type { User } from '../auth/user.ts';
import { selectUserById } from '../auth/user-queries.ts';
import type { Reader } from '../db/database.ts';
import { type InBoth, notFound } from '../error-catalogue.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { transactionKeyOf } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import { barredFromRequest, type RefundRequest } from './refund-request.ts';
import {
  EVERY_REQUEST,
  type ListedRefundRequest,
  type RefundRequestSearch,
  selectRefundRequestAnywhere,
  selectRefundRequests,
  selectRefundRequestsBy,
  selectWaitingRefundRequests,
} from './refund-request-queries.ts';

/** Returns a request by its id, with the currency of its payment. For the operator. Throws `Problem` NOT_FOUND. */
export async function findRefundRequest(app: App, id: string): Promise<{ request: RefundRequest; currency: string }> {
  const request = await selectRefundRequestAnywhere(app.db, id);
  const transaction = request === null ? null : await selectTransaction(app.db, transactionKeyOf(request));
  if (request !== null && transaction !== null) return { request, currency: transaction.currency };
  throw notFound(
    `There is no request of a refund ${id}: bin/rubrica refund requests`,
    `No existe la solicitud de devolución ${id}: bin/rubrica refund requests`,
  );
}

/**
 * Lists the waiting requests of the installation, the oldest first; with `all` every request, the newest first. If a
 * payment service has moved to another database, its requests wait there and are not listed as waiting here.
 */
export async function listRefundRequests(app: App, all: boolean, limit: number): Promise<ListedRefundRequest[]> {
  if (!all) return listWaitingRequests(app, null, limit);
  return selectRefundRequests(app.db, EVERY_REQUEST, limit);
}

/** The state and the payment service that a person asks for. An empty text: any. */
type RefundRequestFilter = Pick<RefundRequestSearch, 'state' | 'paymentService'>;

/** Lists the waiting requests of the environments that a person sees (null: all), the oldest first. */
export async function listWaitingRequests(
  app: App,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
  filter: RefundRequestFilter = EVERY_REQUEST,
): Promise<ListedRefundRequest[]> {
  return selectWaitingRefundRequests(app.db, await searchOf(app, environmentIds, filter), limit);
}

/** Lists the waiting and decided requests of the environments that a person sees (null: all), the newest first. */
export async function listSeenRequests(
  app: App,
  environmentIds: ReadonlySet<number> | null,
  limit: number,
  filter: RefundRequestFilter = EVERY_REQUEST,
): Promise<ListedRefundRequest[]> {
  return selectRefundRequests(app.db, await searchOf(app, environmentIds, filter), limit);
}

/**
 * Lists the requests that this person made, waiting and decided, the newest first. If another database has the payment
 * service, that database lists them: what became of them is not known here.
 */
export async function listOwnRequests(
  app: App,
  { id, email, environmentIds }: Pick<User, 'id' | 'email' | 'environmentIds'>,
  limit: number,
  filter: RefundRequestFilter = EVERY_REQUEST,
): Promise<ListedRefundRequest[]> {
  return selectRefundRequestsBy(app.db, { id, email }, await searchOf(app, environmentIds, filter), limit);
}

/** Leaves out the requests of environments that another database has: it lists them. */
async function searchOf(
  app: App,
  environmentIds: ReadonlySet<number> | null,
  filter: RefundRequestFilter,
): Promise<RefundRequestSearch> {
  const { environments } = await findElsewhere(app);
  return {
    ...filter,
    environmentIds: environmentIds === null ? null : [...environmentIds],
    elsewhere: [...environments],
  };
}

/** Returns why this person may never approve the request, whatever their permissions; null: they may. */
export async function findBarFromRequest(
  db: Reader,
  request: RefundRequest,
  user: { id: string; email: string },
): Promise<InBoth | null> {
  const asker = (await selectUserById(db, request.requested_by_id))?.id ?? null;
  const isKnown = asker !== null && isOfToken(request.requested_kind, request.requested_by);
  return barredFromRequest(request, user, { asker, holders: isKnown ? await findTokenHolders(db, [asker]) : [] });
}
