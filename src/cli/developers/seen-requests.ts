import { listedTransaction } from '../../api/transactions/listed-transaction.ts';
import type { App } from '../../app.ts';
import { formatMoney, parseDecimal } from '../../lib/money.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { listRefusedRequests, readRefused } from '../../refused-requests/list-refused-requests.ts';
import { findPayments } from '../../search/find-payments.ts';
import { NO_FILTER } from '../../search/payment-filter.ts';
import { ask, type Connection } from './remote-service.ts';

/** A shop's request, which created a transaction or was refused. */
export type SeenRequest = {
  /** A unique key. */
  key: string;
  /** UTC milliseconds. */
  at: number;
  merchant: string | null;
  environment: string | null;
  /** For example `POST /trxs`; null if unknown. */
  endpoint: string | null;
  status: number;
  says: string;
  /** The other errors, each with its fix. */
  fixes: string[];
};

/** Selects requests by payment service, environment, and earliest time in UTC milliseconds. Null does not filter. */
export type RequestFilter = { paymentService: string | null; environment: Environment | null; since: number | null };

/** Returns the newest requests that match the filter, in no order. */
export type RequestSource = (filter: RequestFilter) => Promise<SeenRequest[]>;

const MOST = 200;

/** Reads requests from this store. */
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

/** Reads requests from a remote service, as far as the user may see them. */
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
  const minor = parseDecimal(amount, currency);
  return {
    key: `transaction ${id}`,
    at: Date.parse(created_at),
    merchant: of.payment_service_name,
    environment: of.environment,
    // Browser forms and shops with an access token create transactions too.
    endpoint: null,
    status: 200,
    says: `transaction ${id}, ${reference}, ${minor === null ? `${amount} ${currency}` : formatMoney(minor, currency)}`,
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
