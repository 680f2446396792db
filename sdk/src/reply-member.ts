import type { RefundReply } from './api-types.ts';
import type { Operation } from './request-types.ts';

const REFUND = 'POST /trxs/{id}/nullification';

/** The members that every reply to an operation has; for operations that are not listed, `data`. */
const MEMBERS: { readonly [O in Operation]?: readonly string[] } = {
  'POST /trxs': ['data.idTrx', 'data.payUrl'],
  'POST /trxs/create': ['payUrl'],
  'GET /trxs/status/{id}': ['idTrx'],
  'GET /v2/trxs/{id}/status': ['data.status'],
  'GET /trxs/{id}/nullification': ['data.nullifications'],
  'GET /trxs/{id}/nullification/status': ['data.status'],
  'POST /remittances/getRemittances': ['remittances'],
  'POST /remittances/getRemittance/{date}': ['remittances'],
  'GET /payments': ['types'],
  'GET /users': ['id'],
  'POST /users/login': ['data.access_token_jwt', 'data.expires_in'],
  'POST /loginToken': ['access_token_jwt', 'expires_in'],
  'GET /events': ['data.events', 'data.next', 'data.has_more'],
  'POST /tef': ['tefResponse'],
  'GET /tef/{id}': ['tefResponse'],
  'GET /balance': ['balance'],
  'GET /availableBalance': ['balance'],
  'GET /payout-batches': ['data.batches'],
  'POST /payout-batches/{id}/approve': ['data.batch'],
  'POST /payout-batches/{id}/reject': ['data.batch'],
  'POST /payout-batches/{id}/cancel': ['data.batch'],
  'POST /payout-batches/{id}/submit': ['data.batch'],
  'POST /payout-files': ['data.files'],
  'GET /payout-files': ['data.files'],
  'GET /bank-statements': ['data.statements'],
  'POST /bank-statements/{id}/uses': ['data.lines'],
  // A refused refund has `data: null`.
  [REFUND]: ['code'],
};

/**
 * Returns whether JSON can be the service's reply to an operation, and not `{}`, `[]` or `{"data":{}}` from another
 * server.
 */
export function isReplyTo(operation: string, json: object): boolean {
  const { data } = json as { data?: unknown };
  if (operation === REFUND && data !== null && memberOf(data, 'verificationToken') === null) return false;
  return (MEMBERS[operation as Operation] ?? ['data']).every((path) => {
    const value = path.split('.').reduce(memberOf, json as unknown);
    // This reply has only the indicators that the query asks for, so `data` may be empty.
    return value !== null && (operation === INDICATORS || !isEmpty(value));
  });
}

/** Returns whether a reply refuses a refund: it has status 200, a code and no data. */
export function isRefusedRefund(operation: string, json: object): json is RefundReply {
  return operation === REFUND && (json as RefundReply).data === null;
}

const INDICATORS = 'GET /indicators/remittances';

function memberOf(value: unknown, name: string): unknown {
  return ((value ?? {}) as Record<string, unknown>)[name] ?? null;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length === 0;
}
