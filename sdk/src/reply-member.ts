import type { Operation } from './request-types.ts';

const REFUND = 'POST /trxs/{id}/nullification';

/** The member that the answer to an operation never lacks: `data`, but for these. */
const MEMBERS: { readonly [O in Operation]?: string } = {
  'POST /trxs/create': 'payUrl',
  'GET /trxs/status/{id}': 'idTrx',
  'POST /remittances/getRemittances': 'remittances',
  'POST /remittances/getRemittance/{date}': 'remittances',
  'GET /payments': 'types',
  'GET /users': 'id',
  'POST /loginToken': 'access_token_jwt',
  'POST /tef': 'tefResponse',
  'GET /tef/{id}': 'tefResponse',
  'GET /balance': 'balance',
  'GET /availableBalance': 'balance',
  // The `data` of a refund that is refused is null.
  [REFUND]: 'code',
};

/** Whether JSON can be the answer of the service to an operation, and not `{}` or `[]` of something else. */
export function isReplyTo(operation: string, json: object): boolean {
  const member = MEMBERS[operation as Operation] ?? 'data';
  return ((json as Record<string, unknown>)[member] ?? null) !== null && (operation !== REFUND || 'data' in json);
}
