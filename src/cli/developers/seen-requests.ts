import { listedTransaction } from '../../api/transactions/listed-transaction.ts';
import type { App } from '../../app.ts';
import { followClock } from '../../epochs/follow-clock.ts';
import { formatMoney, parseDecimal } from '../../lib/money.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { listRefusedRequests, readRefused } from '../../refused-requests/list-refused-requests.ts';
import { findPayments } from '../../search/find-payments.ts';
import { NO_FILTER } from '../../search/payment-filter.ts';
import { CommandError } from '../print.ts';
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

/**
 * Selects requests by payment service, environment, and earliest time in UTC milliseconds. Null does not filter.
 * `isNew`: whether a request was not shown before.
 */
export type RequestFilter = {
  paymentService: string | null;
  environment: Environment | null;
  since: number | null;
  isNew: (request: SeenRequest) => boolean;
};

/** Returns the requests that match the filter, in no order; without `since` only the newest. */
export type RequestSource = (filter: RequestFilter) => Promise<SeenRequest[]>;

/** The requests of a page. */
const MOST = 200;

type Page = { seen: SeenRequest[]; next: string | null };

/** Reads page after page, the newest first, until a page has nothing new. */
async function readPages(
  { since, isNew }: RequestFilter,
  read: (after: string | null) => Promise<Page>,
): Promise<SeenRequest[]> {
  const all: SeenRequest[] = [];
  for (let after: string | null = null; ; ) {
    const { seen, next }: Page = await read(after);
    all.push(...seen);
    if (next === null || since === null || (seen.length > 0 && !seen.some(isNew))) return all;
    after = next;
  }
}

/** Reads requests from this store, whose clock another process may advance. */
export function ownRequests(app: App): RequestSource {
  return async (wanted) => {
    const { paymentService, environment, since } = wanted;
    const filter = { ...NO_FILTER, paymentService, environment, since };
    const asked = { environmentIds: null, paymentServiceId: paymentService, environment, since };
    const both = await Promise.all([
      readPages(wanted, async (after) => {
        const { payments, next } = await findPayments(app, { filter, environmentIds: null, after, limit: MOST });
        return { seen: payments.map((payment) => seenCreation(listedTransaction(payment))), next };
      }),
      readPages(wanted, async (after) => {
        const { requests, next } = await listRefusedRequests(app, { ...asked, after }, MOST);
        const read = requests.map((row) => readRefused(row, 'en'));
        return { seen: read.map((row) => seenRefusal({ ...row, merchant: row.name, path: row.route })), next };
      }),
    ]);
    // Follows the clock after it has read the requests: a process that shows a request of an advanced clock then knows
    // that the clock was ahead, and notices when it goes back.
    if (!(await followClock(app)))
      throw new CommandError('The clock of this store went back. Start bin/rubrica logs tail again.');
    return both.flat();
  };
}

type RemoteRefusal = Omit<Refusal, 'at' | 'merchant'> & { at: string; payment_service_name: string | null };

/** Reads requests from a remote service, as far as the user may see them. */
export function remoteRequests(connection: Connection): RequestSource {
  return async (wanted) => {
    const { paymentService, environment, since } = wanted;
    const pathOf = (list: string, after: string | null) => {
      const query = new URLSearchParams({ limit: String(MOST) });
      if (paymentService !== null) query.set('payment_service', paymentService);
      if (environment !== null) query.set('environment', environment);
      if (since !== null) query.set('since', new Date(since).toISOString());
      if (after !== null) query.set('after', after);
      return `/${list}?${query.toString()}`;
    };
    type Listed<Rows> = Rows & { next: string | null };
    const both = await Promise.all([
      readPages(wanted, async (after) => {
        type Answer = Listed<{ transactions: Creation[] }>;
        const { transactions, next } = await ask<Answer>(connection, 'GET', pathOf('transactions', after), null);
        return { seen: transactions.map(seenCreation), next };
      }),
      readPages(wanted, async (after) => {
        type Answer = Listed<{ requests: RemoteRefusal[] }>;
        const { requests, next } = await ask<Answer>(connection, 'GET', pathOf('requests', after), null);
        const seen = requests.map((row) =>
          seenRefusal({ ...row, at: Date.parse(row.at), merchant: row.payment_service_name }),
        );
        return { seen, next };
      }),
    ]);
    return both.flat();
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
    fixes: unsaidErrors(detail, errors),
  };
}

/** Returns a line for each error of a refused request, without what its `detail` says already. */
export function unsaidErrors(detail: string, errors: Refusal['errors']): string[] {
  return errors.flatMap(({ pointer, message, fix }) => {
    const unsaid = [message, fix].filter((text) => !detail.includes(text));
    return unsaid.length === 0 ? [] : [[pointer, ...unsaid].join(' ').trim()];
  });
}
