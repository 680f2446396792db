import type { App } from '../../app.ts';
import type { Language } from '../../lib/language.ts';
import { withDestination } from '../webhooks/find-subscribers.ts';
import { type Cause, causeOf } from './answer-cause.ts';
import { selectRedirecting } from './endpoint-answer-queries.ts';
import { type FailingEndpoint, selectTroubled } from './failing-endpoint-queries.ts';

/** An endpoint that needs attention, why, and how many of its callbacks ended in a redirect. */
export type TroubledEndpoint = FailingEndpoint & { cause: Cause | null; redirected: number };

/** How many redirected callbacks are searched for log-in pages. Many shops redirect each callback that they take. */
const LOOKED = 5_000;
/** Among how many of the newest callbacks they are searched: older redirects say little of a shop today. */
const LOOKED_BACK = 100_000;

/**
 * Returns the endpoints that fail or are disabled, the longest failing first; then those that redirect callbacks to a
 * log-in page, so that the shop does not handle them.
 */
export async function listTroubled(app: App, limit: number, language: Language): Promise<TroubledEndpoint[]> {
  const failing = (await selectTroubled(app.db, limit)).map((endpoint) => ({
    ...endpoint,
    cause: causeOf(endpoint.address, endpoint, language),
    redirected: 0,
  }));
  const known = new Set(failing.map(({ id }) => id));
  const redirecting = (await withDestination(app.db, await selectRedirecting(app.db, LOOKED, LOOKED_BACK)))
    .filter(({ id }) => !known.has(id))
    .map((endpoint) => {
      const answer = { status: endpoint.status, failure: null, location: endpoint.location };
      const idle = {
        ...answer,
        failed_at: null,
        waiting: 0,
        next_attempt_at: null,
        leased_until: null,
        kept_since: null,
      };
      return { ...endpoint, ...idle, cause: causeOf(endpoint.address, answer, language) };
    })
    .filter(({ cause }) => cause?.code === 'login');
  return [...failing, ...redirecting].slice(0, limit);
}
