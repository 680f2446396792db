import { listedTransaction } from '../api/transactions/listed-transaction.ts';
import type { App } from '../app.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { listRefusedRequests, readRefused } from '../refused-requests/list-refused-requests.ts';
import { findPayments } from '../search/find-payments.ts';
import { NO_FILTER } from '../search/payment-filter.ts';
import { ask, type Connection } from './remote-service.ts';

/** A request of a shop: it created a transaction, or was refused. */
export type SeenRequest = {
  /** Names it among all. */
  key: string;
  /** UTC milliseconds. */
  at: number;
  merchant: string | null;
  environment: string | null;
  /** `POST /trxs`, where that is known. */
  endpoint: string | null;
  status: number;
  says: string;
  /** The other mistakes, each with its fix. */
  fixes: string[];
};

/** The payment service whose requests are shown, and the time from which on in UTC milliseconds; null says nothing. */
export type RequestFilter = { paymentService: string | null; environment: Environment | null; since: number | null };

/** The newest requests for which the filter holds, in no order. */
export type RequestSource = (filter: RequestFilter) => Promise<SeenRequest[]>;

const MOST = 200;

/** Of the service whose store this is. */
export function ownRequests(app: App): RequestSource {
  return async ({ paymentService, environment, since }) => {
    const filter = { ...NO_FILTER, paymentService, environment, since };
    const asked = { environmentIds: null, paymentServiceId: paymentService, environment, since };
    const [created, refused] = await Promise.all([
      findPayments(app, { filter, environmentIds: null, after: null, limit: MOST }),
      listRefusedRequests(app, asked, MOST),
    ]);
    return [
      ...created.payments.map((payment) => seenCreation(listedTransaction(payment))),
      ...refused.requests
        .map((row) => readRefused(row, 'en'))
        .map((row) => seenRefusal({ ...row, merchant: row.name, path: row.route })),
    ];
  };
}

type RemoteRefusal = Omit<Refusal, 'at' | 'merchant'> & { at: string; payment_service_name: string | null };

/** Of a service elsewhere, as far as the user sees them. */
export function remoteRequests(connection: Connection): RequestSource {
  return async ({ paymentService, environment, since }) => {
    const query = new URLSearchParams({ limit: String(MOST) });
    if (paymentService !== null) query.set('payment_service', paymentService);
    if (environment !== null) query.set('environment', environment);
    if (since !== null) query.set('since', new Date(since).toISOString());
    const [created, refused] = await Promise.all([
      ask<{ transactions: Creation[] }>(connection, 'GET', `/transactions?${query.toString()}`, null),
      ask<{ requests: RemoteRefusal[] }>(connection, 'GET', `/requests?${query.toString()}`, null),
    ]);
    return [
      ...created.transactions.map(seenCreation),
      ...refused.requests.map((row) =>
        seenRefusal({ ...row, at: Date.parse(row.at), merchant: row.payment_service_name }),
      ),
    ];
  };
}

type Creation = Pick<
  ReturnType<typeof listedTransaction>,
  'id' | 'reference' | 'amount' | 'currency' | 'created_at' | 'payment_service_name' | 'environment'
>;

function seenCreation({ id, reference, amount, currency, created_at, ...of }: Creation): SeenRequest {
  return {
    key: `transaction ${id}`,
    at: Date.parse(created_at),
    merchant: of.payment_service_name,
    environment: of.environment,
    // A form of a browser and a shop with an access token create too.
    endpoint: null,
    status: 200,
    says: `transaction ${id}, ${reference}, ${amount} ${currency}`,
    fixes: [],
  };
}

type Refusal = {
  request_id: string;
  at: number;
  merchant: string | null;
  environment: string | null;
  method: string;
  path: string;
  status: number;
  code: string;
  detail: string;
  errors: { pointer: string; message: string; fix: string }[];
};

function seenRefusal({
  request_id,
  at,
  merchant,
  environment,
  method,
  path,
  status,
  ...refusal
}: Refusal): SeenRequest {
  const { code, detail, errors } = refusal;
  return {
    key: `request ${request_id}`,
    at,
    merchant,
    environment,
    endpoint: `${method} ${path}`,
    status,
    says: `${code}: ${detail} (request ${request_id})`,
    fixes: errors
      .filter(({ message }) => !detail.includes(message))
      .map(({ pointer, message, fix }) => `${pointer} ${message} ${fix}`),
  };
}
