import { accountOf, isOfToken } from '../audit/actor.ts';
import type { TokenHolder } from '../auth/tokens/api-token-queries.ts';
import { holdersAt } from '../auth/tokens/token-holders.ts';
import type { SqlRow } from '../db/database.ts';
import type { InBoth } from '../error-catalogue.ts';
import type { RefundType } from './refund.ts';

export const REFUND_REQUEST_STATES = ['waiting', 'approved', 'rejected'] as const;

export type RefundRequestState = (typeof REFUND_REQUEST_STATES)[number];

/**
 * A row of `refund_requests`: a refund above the requester's limit. `amount` is in minor units of the payment's
 * currency, times are UTC milliseconds. It reserves nothing; `refund_id` is the refund that its approval made.
 */
export type RefundRequest = SqlRow & {
  id: string;
  environment_id: number;
  transaction_id: number;
  amount: number;
  type: RefundType;
  reason: string;
  /** The requester as records name them: an e-mail address, perhaps with an API token. */
  requested_by: string;
  requested_by_id: string;
  requested_kind: 'person' | 'program';
  requested_at: number;
  state: RefundRequestState;
  decided_by: string | null;
  decided_by_id: string | null;
  decided_at: number | null;
  decision_reason: string | null;
  refund_id: string | null;
};

const ASKED = {
  en: 'you asked for it yourself: another person approves it.',
  es: 'la pediste tú: la aprueba otra persona.',
};
const HOLDS_TOKEN = {
  en: 'you may know an API token or the password of the user that asked for it: another person approves it.',
  es: 'puede que conozcas un token de API o la contraseña del usuario que la pidió: la aprueba otra persona.',
};

/** The payment service moved here from another database, where the approver may have known the API token. */
const ASKED_ELSEWHERE = {
  en: 'it was asked for with an API token of another database: reject it and ask for it again.',
  es: 'se pidió con un token de API de otra base de datos: recházala y pídela de nuevo.',
};

/**
 * Returns whether this user made the request. Compares e-mail addresses too: in the database of a moved payment service
 * the same person has another id.
 */
export function hasAsked(request: RefundRequest, { id, email }: { id: string; email: string }): boolean {
  return request.requested_by_id === id || accountOf(request.requested_by) === email;
}

/**
 * Returns why a person may never approve a request, whatever their permissions; null: they may. `asker` is the id of
 * the requester (null: not in this database), `holders` are the people who made the requester's API tokens.
 */
export function barredFromRequest(
  request: RefundRequest,
  user: { id: string; email: string },
  { asker, holders }: { asker: string | null; holders: readonly TokenHolder[] },
): InBoth | null {
  if (hasAsked(request, user)) return ASKED;
  if (!isOfToken(request.requested_kind, request.requested_by)) return null;
  if (asker === null) return ASKED_ELSEWHERE;
  return holdersAt(holders, { by: asker, at: request.requested_at }).includes(user.id) ? HOLDS_TOKEN : null;
}
