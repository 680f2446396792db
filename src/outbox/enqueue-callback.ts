import type { Tx } from '../db/database.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { type CallbackContent, callbackBody, callbackFields } from './callback-payload.ts';
import { ensureEndpoint, insertCallback } from './outbox-queries.ts';

/**
 * Puts a callback into the outbox, in the commit of the change that it tells of.
 *
 * The body is made and signed here, once: every delivery attempt sends these bytes. An endpoint that has answered 410
 * gets no more; its callbacks are kept as `disabled`, for an operator to send again.
 */
export async function enqueueCallback(
  tx: Tx,
  environment: ServiceEnvironment,
  callback: CallbackContent & { url: string; sequence: number },
): Promise<void> {
  const endpoint = await ensureEndpoint(tx, environment.id, endpointAddress(callback.url));
  const disabled = endpoint.disabled_at !== null;
  await insertCallback(tx, {
    transaction_id: callback.transactionId,
    environment_id: environment.id,
    endpoint_id: endpoint.id,
    sequence: callback.sequence,
    created_at: callback.timestamp,
    next_attempt_at: callback.timestamp,
    finished_at: disabled ? callback.timestamp : null,
    attempts: 0,
    state: disabled ? 'disabled' : 'queued',
    webhook_id: `evt_${callback.transactionId}_${callback.sequence}`,
    url: callback.url,
    body: callbackBody(callbackFields(environment, callback)),
  });
}

/** The queue that a URL belongs to: without its query, which merchants fill with the order. */
function endpointAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
