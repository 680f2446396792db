import type { BookedLine } from '../../books/reconciliation-queries.ts';
import type { Static } from '../../http/json-schema.ts';
import { addUp, type Sum, subtract } from '../../lib/exact-sum.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import type {
  RemittanceItemSchema,
  RemittanceNullificationSchema,
  RemittancePayoutSchema,
} from './remittance-schemas.ts';

/**
 * Returns the payments, refunds and payouts among the entries of one currency, as `GET /remittances/conciliation`
 * answers them. Amounts are decimal numbers; `totalRemittances` is without fees and refunds.
 */
export function describeRemittances(lines: readonly BookedLine[], currency: string) {
  const ofCurrency = lines.filter((line) => line.currency === currency);
  const payments = ofCurrency.filter(({ kind }) => kind === 'payment');
  const refunds = ofCurrency.filter(({ kind }) => kind === 'refund');
  const payouts = ofCurrency.filter(({ kind }) => kind === 'payout');
  const paid = sum(payments);
  const refunded = sum(refunds);
  const fees = addUp(payments.map(({ transaction_fee }) => transaction_fee ?? 0));
  return {
    totalRemittances: toDecimalNumber(subtract(paid, addUp([fees, refunded])), currency),
    items: payments.map(describeItem),
    totalTransactions: toDecimalNumber(paid, currency),
    totalNullification: toDecimalNumber(refunded, currency),
    nullifications: refunds.map(describeNullification),
    payouts: payouts.map(describePayout),
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
