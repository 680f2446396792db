import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import { findUser } from '../../auth/find-user.ts';
import { normalizeEmail, type User } from '../../auth/user.ts';
import type { BookedLine } from '../../books/reconciliation-queries.ts';
import { Problem } from '../../error-catalogue.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import { isDay } from '../../lib/calendar-day.ts';
import { addUp, type Sum, subtract } from '../../lib/exact-sum.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type {
  RemittanceItemSchema,
  RemittanceNullificationSchema,
  RemittancePayoutSchema,
} from './remittance-schemas.ts';

/** Optional parameters. Existing clients do not send them: they chose one of two hosts instead. */
export const SCOPE_PARAMETERS = [
  {
    name: 'environment',
    in: 'query',
    description: 'Default: the environment of RUBRICA_ENV. Test payments and real payments are never mixed',
    schema: Type.String({ enum: ['development', 'production'] }),
  },
  { name: 'currency', in: 'query', description: 'Currency of all sums. Default: CLP', schema: Type.String() },
] as const;

export const SCOPE_ERRORS = ['INVALID_PARAMETER', 'INVALID_CURRENCY', 'NO_PERMISSION'] as const;

/** The environments and the currency of a report, and the user whose report it is. */
export type RemittanceScope = { environmentIds: number[]; currency: string; user: User };

type ScopeQuery = {
  /** An e-mail address or id; undefined for the caller's own report. */
  whose: string | undefined;
  environment: 'development' | 'production' | undefined;
  currency: string | undefined;
};

/**
 * Reads the scope of a report. Only an operator may ask for another user's report. Throws `Problem` `NO_PERMISSION` or
 * `INVALID_CURRENCY`.
 */
export async function readScope(app: App, asking: User, query: ScopeQuery): Promise<RemittanceScope> {
  const user = await readUser(app, asking, query.whose);
  const { environment = app.config.mode, currency = 'CLP' } = query;
  if (currencyExponent(currency) === undefined) throw new Problem('INVALID_CURRENCY');
  return { environmentIds: await listEnvironmentIds(app, environment, null, user.environmentIds), currency, user };
}

/**
 * Reads a day such as `2026-01-15`. Some clients send a time in UTC: its date part counts, without conversion. Returns
 * null for anything else.
 */
export function readDay(value: string): string | null {
  const [, day = ''] = /^(.{10})(?:T[\d:.]+Z)?$/.exec(value) ?? [];
  return isDay(day) ? day : null;
}

async function readUser(app: App, asking: User, whose: string | undefined): Promise<User> {
  if (whose === undefined || whose === '' || whose === asking.id) return asking;
  if (normalizeEmail(whose) === asking.email) return asking;
  const user = asking.environmentIds === null ? await findUser(app, whose) : null;
  if (user === null) throw new Problem('NO_PERMISSION');
  return user;
}

/** Returns the payments, refunds and payouts among the entries of one currency. Amounts are decimal numbers. */
export function describeRemittances(lines: readonly BookedLine[], currency: string) {
  const ofCurrency = lines.filter((line) => line.currency === currency);
  const payments = ofCurrency.filter(({ kind }) => kind === 'payment');
  const refunds = ofCurrency.filter(({ kind }) => kind === 'refund');
  const payouts = ofCurrency.filter(({ kind }) => kind === 'payout');
  const paid = sum(payments);
  const refunded = sum(refunds);
  const fees = addUp(payments.map(({ transaction_fee }) => transaction_fee ?? 0));
  return {
    items: payments.map(describeItem),
    nullifications: refunds.map(describeNullification),
    payouts: payouts.map(describePayout),
    paid: toDecimalNumber(paid, currency),
    refunded: toDecimalNumber(refunded, currency),
    total: toDecimalNumber(subtract(paid, addUp([fees, refunded])), currency),
  };
}

function sum(lines: readonly BookedLine[]): Sum {
  return addUp(lines.map(({ amount }) => amount));
}

function describeItem(line: BookedLine): Static<typeof RemittanceItemSchema> {
  const createdAt = line.transaction_created_at ?? line.created_at;
  const fee = line.transaction_fee ?? 0;
  return {
    amount: toDecimalNumber(line.amount, line.currency),
    cost: toDecimalNumber(fee, line.currency),
    total: toDecimalNumber(line.amount - fee, line.currency),
    idTrx: known(line.transaction_id),
    order_id_tienda: known(line.reference),
    createdAt,
    dateTimeCreatedAt: new Date(createdAt).toISOString(),
    isTotalNullified: line.refunded >= line.amount,
    isParcialNullified: line.refunded > 0 && line.refunded < line.amount,
    currency: line.currency,
    document: readDocument(line.unsigned_fields),
    entry: `${line.environment_id}/${line.link}.${line.line}`,
  };
}

function describeNullification(line: BookedLine): Static<typeof RemittanceNullificationSchema> {
  return {
    tipo: known(line.refund_type),
    montoAnulado: toDecimalNumber(line.amount, line.currency),
    status: known(line.refund_state),
    timestamp: Math.floor(line.created_at / 1000),
    dateTime: new Date(line.created_at).toISOString(),
    idTrx: known(line.transaction_id),
    verificationToken: known(line.refund_id),
    entry: `${line.environment_id}/${line.link}.${line.line}`,
  };
}

function describePayout(line: BookedLine): Static<typeof RemittancePayoutSchema> {
  return {
    id: known(line.movement_id),
    reference: known(line.movement_reference),
    total: toDecimalNumber(line.amount, line.currency),
    currency: line.currency,
    createdAt: line.created_at,
    dateTimeCreatedAt: new Date(line.created_at).toISOString(),
    entry: `${line.environment_id}/${line.link}.${line.line}`,
  };
}

/** Returns a column that every entry of its kind has; it is nullable for other kinds. Throws when it is null. */
function known<T>(value: T | null): T {
  if (value === null) throw new Error('An entry in the books lacks what it is about');
  return value;
}

/** Reads `id` and `type` of the shop's own document. The shop does not sign it, so nothing else relies on it. */
function readDocument(unsignedFields: string | null) {
  const { x_document: document } = JSON.parse(unsignedFields ?? '{}') as {
    x_document?: Record<string, unknown> | null;
  };
  const plain = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? value : null);
  return { id: plain(document?.['id']), type: plain(document?.['type']) };
}
