import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { worldTime } from '../../lib/clock.ts';
import type { FetchOutcome } from '../../lib/network/safe-fetch.ts';
import { allowsPrivate } from '../../payment-services/callback-address.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { callbackHeaders } from '../callback-headers.ts';
import { callbackBody, callbackFields } from '../callback-payload.ts';
import { meansTaken } from '../retry-schedule.ts';
import { type KnownEndpoint, selectEndpoint, selectLastUrl } from './endpoint-answer-queries.ts';

/**
 * The verdict on a receiver, from its responses to a correctly signed test event and to one with a wrong signature.
 * `checks`: it responds differently. `takes_anything`: it accepts the wrong signature, so anybody can mark an order as
 * paid. `refuses_ours`: it rejects both with the same status. `unclear`: anything else, such as a failure or 404 for
 * both.
 */
export type SignatureVerdict = 'checks' | 'takes_anything' | 'refuses_ours' | 'unclear';

/** `right` and `wrong`: the responses as a status or the reason of a failure. */
export type SignatureTrial = { verdict: SignatureVerdict; url: string; right: string; wrong: string };

/** The order of the test event. No shop has it, and its result is `pending`, so nothing counts as paid. */
const TEST_REFERENCE = 'RUBRICA-TEST';

/**
 * Posts a test event to an endpoint twice, first with the right signature and then with a wrong one, and returns the
 * verdict. Stores only the entry in the audit log. Null: unknown id, or its tokens are gone.
 */
export async function trySignature(app: App, id: number, by: Actor): Promise<SignatureTrial | null> {
  const endpoint = await selectEndpoint(app.db, id);
  const environment = endpoint === null ? null : await findEnvironmentById(app, endpoint.environment_id);
  if (endpoint === null || environment === null) return null;
  const url = (await selectLastUrl(app.db, endpoint)) ?? endpoint.address;
  await app.db.transaction((tx) =>
    recordAudit(tx, { at: app.now(), by, action: 'endpoint.tested', subject: { kind: 'endpoint', id: String(id) } }),
  );
  const fields = callbackFields(environment, {
    transactionId: 0,
    reference: TEST_REFERENCE,
    amount: 1,
    currency: 'CLP',
    result: 'pending',
    message: 'Pending',
    timestamp: app.now(),
  });
  const send = (signature: string) => {
    const body = callbackBody({ ...fields, x_signature: signature });
    return post(app, endpoint, url, { ...TEST_EVENT, body }, environment);
  };
  const signature = fields['x_signature'] as string;
  const right = await send(signature);
  const wrong = await send(signature.replace(/.$/, (last) => (last === '0' ? '1' : '0')));
  return { verdict: verdictOf(right, wrong), url: endpoint.address, right: wordOf(right), wrong: wordOf(wrong) };
}

const TEST_EVENT = { webhook_id: 'evt_test', sequence: 0, content_type: 'application/x-www-form-urlencoded' };

function post(
  app: App,
  { environment_id, environment: kind }: KnownEndpoint,
  url: string,
  event: typeof TEST_EVENT & { body: string },
  environment: Parameters<typeof callbackHeaders>[0],
): Promise<FetchOutcome> {
  return app.fetch({
    url,
    method: 'POST',
    headers: callbackHeaders(environment, event, worldTime(app.now)),
    body: event.body,
    allowPrivate: allowsPrivate(app, kind),
    merchant: environment_id,
  });
}

/** The statuses by which a receiver rejects a signature. */
const REFUSALS: readonly number[] = [400, 401, 403, 409, 422];

function verdictOf(right: FetchOutcome, wrong: FetchOutcome): SignatureVerdict {
  if (right.kind === 'failed' || wrong.kind === 'failed') return 'unclear';
  if (meansTaken(wrong.status)) return 'takes_anything';
  if (!REFUSALS.includes(wrong.status)) return 'unclear';
  if (right.status !== wrong.status) return right.status < 500 ? 'checks' : 'unclear';
  return 'refuses_ours';
}

function wordOf(outcome: FetchOutcome): string {
  return outcome.kind === 'failed' ? `${outcome.reason}: ${outcome.detail}` : String(outcome.status);
}
