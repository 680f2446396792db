import type { App } from '../../app.ts';
import { StorageError } from '../../db/database.ts';
import { type IdPlace, partOf, type Walk } from '../../lib/walk.ts';
import { payoutEvent } from '../../movements/movement.ts';
import { readCuts } from '../../moves/cuts-of-moved.ts';
import { type CallbackContent, callbackBody, callbackFields } from '../../outbox/callback-payload.ts';
import { environmentEventBody, eventBody } from '../../outbox/enqueue-event.ts';
import { findEnvironmentAsEver } from '../../payment-services/find-environment.ts';
import type { SecretToken, ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { isPayoutState, type Payout } from '../../payouts/payout.ts';
import { payoutStateEvent, tefBody } from '../../payouts/payout-notice.ts';
import { selectArrivals } from '../acts/act-check-queries.ts';
import { arrivalOf } from '../acts/read-acts.ts';
import { type Findings, stopping } from '../proof-finding.ts';
import { partsOf, readTold, type Told } from './read-told.ts';
import { type PostedRow, selectPosted, selectPostedSpan } from './told-queries.ts';
import { goesWhereItShould } from './verify-callback-url.ts';
import { isCut } from './verify-events.ts';

/**
 * Rebuilds every callback from its event and its transaction, signed with each Secret Token that its environment ever
 * had, and compares it with the stored bytes; and compares its URL. Returns the number of callbacks. Skips the
 * environments in `skipped`: when the owner of their books has changed, all callbacks differ. Also skips callbacks
 * whose event was deleted for its age. Reads only, in pages.
 */
export async function verifyCallbacks(
  app: App,
  skipped: ReadonlySet<number>,
  findings: Findings,
  walk: Walk<IdPlace>,
): Promise<number> {
  const arrivals = await selectArrivals(app.db);
  const environments = new Map<number, ServiceEnvironment | null>();
  const left = new Set(skipped);
  const span = await selectPostedSpan(app.db);
  const stopped = stopping(findings, walk);
  let { rows, id: last } = walk.from ?? { rows: 0, id: 0 };
  for (let page = walk.page; page === walk.page; ) {
    const posted = await selectPosted(app.db, last, walk.page);
    const cuts = await readCuts(app);
    const told = await readTold(app, posted);
    const isRight = async (environment: ServiceEnvironment | null, row: PostedRow) =>
      environment !== null &&
      isAsTold(environment, row, told) &&
      (await goesWhereItShould(app, environment, row, told, arrivalOf(arrivals, environment.paymentServiceId)));
    // Secret Tokens read after the page include every token that signed one of its callbacks.
    const fresh = new Set<number>();
    for (const row of posted) {
      const { environment_id } = row;
      if (left.has(environment_id)) continue;
      if (row.transaction_id !== 0 && row.type === null && isCut(row.told_at, cuts(environment_id))) continue;
      if (await isRight(environments.get(environment_id) ?? null, row)) continue;
      if (fresh.has(environment_id)) {
        report(stopped, row, isSaidBy(environments.get(environment_id) ?? null, row, told));
        continue;
      }
      fresh.add(environment_id);
      const environment = await findEnvironmentAsEver(app, environment_id).catch(unlessItOpensNot);
      if (environment === undefined) {
        left.add(environment_id);
        reportUnopened(stopped, row);
        continue;
      }
      environments.set(environment_id, environment);
      if (!(await isRight(environment, row))) report(stopped, row, isSaidBy(environment, row, told));
    }
    rows += posted.length;
    last = posted.at(-1)?.id ?? last;
    page = posted.length;
    await walk.reached({ rows, id: last }, partOf(span, last));
  }
  return rows;
}

function report(
  findings: Findings,
  { id, environment_id, transaction_id, webhook_id, told_at }: PostedRow,
  isAsSaid: boolean,
): void {
  const wrong = isAsSaid ? 'goes to a URL that nobody has set' : 'does not say what its event and transaction say';
  const says = `callback ${id} (${webhook_id}) of transaction ${transaction_id} ${wrong}`;
  findings.add({ finding: 'callback_changed', environment_id, subject: `callback ${id}`, since: told_at, says });
}

function isSaidBy(environment: ServiceEnvironment | null, row: PostedRow, told: Told): boolean {
  return environment !== null && isAsTold(environment, row, told);
}

function isAsTold(environment: ServiceEnvironment, row: PostedRow, told: Told): boolean {
  try {
    return row.transaction_id === 0 ? isAsRecorded(environment, row, told) : isAsEnqueued(environment, row);
  } catch (error) {
    // A time that no calendar has cannot be written into a body.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns undefined if no Secret Token of the environment can be decrypted: its callbacks cannot be rebuilt then. */
function unlessItOpensNot(error: unknown): undefined {
  if (error instanceof StorageError) throw error;
}

function reportUnopened(findings: Findings, { environment_id, told_at }: PostedRow): void {
  const subject = `environment ${environment_id}`;
  const says = `the Secret Tokens of ${subject} do not open: somebody changed or moved them, and its callbacks cannot be compared`;
  findings.add({ finding: 'callback_changed', environment_id, subject, since: told_at, says });
}

/**
 * Verifies a callback without a transaction. It reports a payout, whose id is in its `webhook-id`: a movement (`mv_…`)
 * or a payout to a recipient (`po_…`).
 */
function isAsRecorded(environment: ServiceEnvironment, row: PostedRow, told: Told): boolean {
  const { id, state, subscription } = partsOf(row);
  if (id.startsWith('po_')) return isOfPayout(environment, row, told.payouts.get(id));
  const movement = told.movements.get(id);
  if (movement?.kind !== 'payout' || movement.environment_id !== environment.id) return false;
  return state === '' && subscription !== null && row.body === environmentEventBody(environment, payoutEvent(movement));
}

/**
 * Verifies a callback of a payout to a recipient. It goes to a subscriber, whose id ends the `webhook-id`, or to the
 * client who asked for the payout.
 */
function isOfPayout(environment: ServiceEnvironment, row: PostedRow, payout: Payout | undefined): boolean {
  const { state, subscription } = partsOf(row);
  if (payout?.environment_id !== environment.id || !isPayoutState(state)) return false;
  if (subscription === null) return row.body === tefBody(payout, state);
  return row.body === environmentEventBody(environment, payoutStateEvent(payout, state, row.told_at));
}

function isAsEnqueued(environment: ServiceEnvironment, row: PostedRow): boolean {
  const { amount, type, transaction_id: id, reference, currency } = row;
  if (amount === null || type === null) return false;
  if (row.transaction_environment_id !== environment.id) return false;
  if (row.content_type === 'application/json') {
    const event = { type, createdAt: row.told_at, data: dataOf(row) };
    return row.body === eventBody(environment, { id, reference, amount, currency }, event);
  }
  const end = ENDS[type];
  if (end === undefined) return false;
  const content = { transactionId: id, reference, amount, currency, ...end, timestamp: row.told_at };
  return environment.secrets.some((secret) => row.body === bodyWith(environment, secret, content));
}

function bodyWith(environment: ServiceEnvironment, secret: SecretToken, content: CallbackContent): string {
  return callbackBody(callbackFields({ ...environment, secrets: [secret] }, content));
}

/** The result in a callback for each final state. */
const ENDS: Partial<Record<string, Pick<CallbackContent, 'result' | 'message'>>> = {
  'transaction.completed': { result: 'completed', message: 'Approved' },
  'transaction.failed': { result: 'failed', message: 'Declined' },
  'transaction.cancelled': { result: 'failed', message: 'Cancelled' },
  'transaction.expired': { result: 'failed', message: 'Expired' },
};

/** Null if it is not JSON any more; then the bytes differ. */
function dataOf({ data }: PostedRow): Record<string, unknown> | null {
  try {
    return JSON.parse(data ?? 'null') as Record<string, unknown> | null;
  } catch {
    return null;
  }
}
