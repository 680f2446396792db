import type { Tx } from '../db/database.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { type CallbackContent, callbackBody, callbackFields } from './callback-payload.ts';
import { enqueuePost } from './enqueue-post.ts';

/**
 * Puts the callback of a transaction into the outbox, in the transaction of the change. Its body is made and signed
 * here, once.
 */
export async function enqueueCallback(
  tx: Tx,
  environment: ServiceEnvironment,
  callback: CallbackContent & { url: string; sequence: number },
): Promise<void> {
  await enqueuePost(tx, {
    environmentId: environment.id,
    transactionId: callback.transactionId,
    sequence: callback.sequence,
    at: callback.timestamp,
    url: callback.url,
    contentType: 'application/x-www-form-urlencoded',
    body: callbackBody(callbackFields(environment, callback)),
  });
}
