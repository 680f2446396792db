import type { App } from '../../app.ts';
import type { Language } from '../../lib/language.ts';
import { type Destination, withDestination } from '../webhooks/find-subscribers.ts';
import { type Cause, causeOf, tellCause } from './answer-cause.ts';
import type { CauseCode } from './cause-texts.ts';
import {
  type EndpointAnswer,
  type KnownEndpoint,
  selectEndpoint,
  selectEndpointOfCallback,
  selectLastDelivered,
  selectUndelivered,
} from './endpoint-answer-queries.ts';
import { type ReceiverLines, receiverLines } from './receiver-lines.ts';

/** The diagnosis of an endpoint, and what its newest response is about. */
export type Diagnosis = Destination & {
  endpoint: KnownEndpoint;
  /** Null: its last responses are fine. */
  found: Cause | null;
  /** The other causes among the last responses, each with its count. */
  others: readonly { cause: string; times: number }[];
  /** Newest first, at most `LOOKED`. */
  answers: readonly EndpointAnswer[];
  /** The last delivered callback, if it is recent enough. */
  took: EndpointAnswer | null;
  /** The lines of code to change, in three programming languages; null if code cannot fix the cause. */
  lines: ReceiverLines | null;
};

/** How many of its last callbacks are read. */
const LOOKED = 20;
/** How many callbacks of the store are searched for the last delivered one. */
const LOOKED_BACK = 2000;

/**
 * Reads the last responses of an endpoint and returns why it does not accept callbacks, and the fix. Null: unknown id.
 */
export async function diagnoseEndpoint(
  app: App,
  id: number,
  language: Language,
  timeText: (utcMs: number) => string,
): Promise<Diagnosis | null> {
  const endpoint = await selectEndpoint(app.db, id);
  if (endpoint === null) return null;
  const answers = await selectUndelivered(app.db, endpoint, LOOKED);
  const before = Math.min(...answers.map(({ callback }) => callback), Number.MAX_SAFE_INTEGER);
  const took = await selectLastDelivered(app.db, endpoint, before, LOOKED_BACK);
  const newest = answers[0] ?? took;
  const { webhook_id = null, content_type = null } = newest ?? {};
  const post = { webhook_id, content_type, environment_id: endpoint.environment_id };
  const [destination] = (await withDestination(app.db, [post])) as [typeof post & Destination];
  const { user_webhook, events_url } = destination;
  const said = newest === null ? null : causeOf(newest.url, newest, language);
  const since = endpoint.failing_since ?? newest?.at ?? 0;
  const found =
    said?.code === 'not_found' && took !== null
      ? tellCause('not_found_since', language, { since: timeText(since) })
      : said;
  const lines = found === null ? null : receiverLines(found.code, endpoint.address);
  const others = othersOf(answers, said?.code ?? null, language);
  return { endpoint, user_webhook, events_url, found, others, answers, took, lines };
}

/** Diagnoses the endpoint of a callback. Null: unknown id. */
export async function diagnoseCallback(
  app: App,
  callback: number,
  language: Language,
  timeText: (utcMs: number) => string,
): Promise<Diagnosis | null> {
  const endpoint = await selectEndpointOfCallback(app.db, callback);
  return endpoint === null ? null : diagnoseEndpoint(app, endpoint, language, timeText);
}

function othersOf(answers: readonly EndpointAnswer[], code: CauseCode | null, language: Language) {
  const times = new Map<string, number>();
  for (const answer of answers) {
    const cause = causeOf(answer.url, answer, language);
    if (cause !== null && cause.code !== code) times.set(cause.cause, (times.get(cause.cause) ?? 0) + 1);
  }
  return [...times].map(([cause, count]) => ({ cause, times: count }));
}
