import {
  EVERY_REQUEST,
  type ListedRefundRequest,
  measureWaitingRefundRequests,
  selectWaitingRefundRequests,
} from '../refunds/refund-request-queries.ts';
import type { AttentionKind, Waiting } from './attention.ts';

/** Refunds above their requester's limit: each waits for another person from its request on. */
export const REFUND_REQUEST_ATTENTION: AttentionKind = {
  kind: 'refund_request',
  nouns: ['refund that waits for an approval', 'refunds that wait for an approval'],
  measure: (app) => measureWaitingRefundRequests(app.db),
  list: async (app, limit) => (await selectWaitingRefundRequests(app.db, EVERY_REQUEST, limit)).map(waitingRequest),
};

function waitingRequest(request: ListedRefundRequest): Waiting {
  const { id, payment_service, name, environment, transaction_id, requested_at, amount, currency } = request;
  const { requested_by, reason } = request;
  const elsewhere = request.asked_elsewhere === 1;
  const disabled = request.asker_disabled === 1 ? DISABLED : { en: '', es: '' };
  return {
    payment_service,
    name,
    environment,
    transaction: transaction_id,
    id,
    since: requested_at,
    amount,
    currency,
    reason: elsewhere
      ? ASKED_ELSEWHERE
      : {
          en: `${requested_by}${disabled.en} asks for a refund above the limit, and another person approves it: ${reason}`,
          es: `${requested_by}${disabled.es} pide una devolución sobre su límite, y otra persona la aprueba: ${reason}`,
        },
    command: elsewhere
      ? `bin/rubrica refund reject ${id} --reason TEXT --as EMAIL`
      : `bin/rubrica refund approve ${id} --as EMAIL`,
  };
}

/** The request goes on, and who decides about it should know. */
const DISABLED = { en: ' (disabled)', es: ' (deshabilitado)' };

const ASKED_ELSEWHERE = {
  en: 'it was asked for with an API token of another database, so nobody can approve it: ask for it again',
  es: 'se pidió con un token de API de otra base de datos, y nadie puede aprobarla: pídela de nuevo',
};
