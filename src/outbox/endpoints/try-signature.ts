import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { worldTime } from '../../lib/clock.ts';
import type { FetchOutcome } from '../../lib/network/safe-fetch.ts';
import { allowsPrivate } from '../../payment-services/callback-address.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { callbackHeaders } from '../callback-headers.ts';
import { callbackBody, callbackFields } from '../callback-payload.ts';
import { causeOf, type StoredAnswer } from './answer-cause.ts';
import type { CauseCode } from './cause-texts.ts';
import { type KnownEndpoint, selectEndpoint, selectLastUrl } from './endpoint-answer-queries.ts';

/**
 * The verdict on a receiver, from its responses to a correctly signed test event and to one with a wrong signature.
 * `checks`: it responds differently. `takes_anything`: it accepts the wrong signature, so anybody can mark an order as
 * paid. `refuses_ours`: it rejects both with the same status. `redirects`: it sends both to another URL, so neither was
 * handled. `unclear`: anything else, such as a failure or 404 for both.
 */
export type SignatureVerdict = 'checks' | 'takes_anything' | 'refuses_ours' | 'redirects' | 'unclear';

/**
 * `right` and `wrong`: the responses as a status or the reason of a failure. `to`: the URL to which `redirects` leads,
 * if the responses name it.
 */
export type SignatureTrial = {
  verdict: SignatureVerdict;
  url: string;
  right: string;
  wrong: string;
  to: string | null;
};

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
  const verdict = verdictOf(url, right, wrong);
  const to = verdict === 'redirects' ? targetOf(url, right) : null;
  return { verdict, url: endpoint.address, right: wordOf(right), wrong: wordOf(wrong), to };
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

function verdictOf(url: string, right: FetchOutcome, wrong: FetchOutcome): SignatureVerdict {
  if (right.kind === 'failed' || wrong.kind === 'failed') return 'unclear';
  const [ofRight, ofWrong] = [right, wrong].map((answer) => causeOf(url, storedAnswer(answer))?.code);
  if (leadsAway(ofRight) && leadsAway(ofWrong)) return 'redirects';
  if (ofWrong === undefined) return 'takes_anything';
  if (!REFUSALS.includes(wrong.status)) return 'unclear';
  if (right.status !== wrong.status) return right.status < 500 ? 'checks' : 'unclear';
  return 'refuses_ours';
}

type Answered = Extract<FetchOutcome, { kind: 'answered' }>;

function storedAnswer({ status, location, excerpt }: Answered): StoredAnswer {
  return { status, failure: null, location: location ?? null, excerpt };
}

function leadsAway(code: CauseCode | undefined): boolean {
  return code === 'moved' || code === 'redirect';
}

/** Returns the whole URL, because a response may name the path alone. */
function targetOf(url: string, outcome: FetchOutcome): string | null {
  const { location } = outcome as Answered;
  return location ? (URL.parse(location, url)?.href ?? null) : null;
}

function wordOf(outcome: FetchOutcome): string {
  return outcome.kind === 'failed' ? `${outcome.reason}: ${outcome.detail}` : String(outcome.status);
}
