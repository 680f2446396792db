import type { App } from '../app.ts';
import type { User } from '../auth/user.ts';
import type { NewestPage } from '../db/newest-page.ts';
import { notFound, Problem } from '../error-catalogue.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Payout } from './payout.ts';
import {
  type BatchSum,
  type PayoutBatch,
  selectBatchAnywhere,
  selectBatches,
  sumBatches,
} from './payout-batch-queries.ts';
import { selectAllEnvironmentIds, selectByReference } from './payout-owner-queries.ts';
import { type PayoutFilter, selectPayoutAnywhere, selectPayouts } from './payout-queries.ts';

/** The environments whose payouts a user sees; null: all. */
export type PayoutScope = User['environmentIds'];

/**
 * Returns the payout with this id of a client, of the named payment service, or of the only one that has it. If both
 * environments have one, returns the one of RUBRICA_ENV, in which programs make theirs. Throws `Problem` NOT_FOUND or
 * PAYMENT_SERVICE_AMBIGUOUS.
 */
export async function findByReference(
  app: App,
  scope: PayoutScope,
  { reference, paymentServiceId }: { reference: string; paymentServiceId: string | null },
): Promise<Payout> {
  const all = await selectByReference(app.db, await idsOf(app, scope), reference, app.config.mode);
  const found = all.filter((one) => paymentServiceId === null || one.payment_service_id === paymentServiceId);
  const [first] = found;
  if (first === undefined) throw noPayout();
  if (found.every((one) => one.payment_service_id === first.payment_service_id)) return first;
  throw new Problem('PAYMENT_SERVICE_AMBIGUOUS', {
    detail: {
      en: 'Several payment services have a payout with this id: name one as ?payment_service=ps_….',
      es: 'Varios servicios de pago tienen un pago con este id: indica uno con ?payment_service=ps_….',
    },
  });
}

/** Returns a payout by its id, with its payment service and environment. Throws `Problem` NOT_FOUND. */
export async function findPayout(
  app: App,
  scope: PayoutScope,
  id: string,
): Promise<{ payout: Payout; owner: ServiceEnvironment }> {
  const payout = await selectPayoutAnywhere(app.db, id);
  if (payout === null || !(scope?.has(payout.environment_id) ?? true)) throw noPayout();
  return { payout, owner: await environmentOf(app, payout) };
}

/** Returns a page of payouts, newest first. */
export async function listPayouts(
  app: App,
  scope: PayoutScope,
  filter: PayoutFilter,
  page: NewestPage,
): Promise<Payout[]> {
  return selectPayouts(app.db, await idsOf(app, scope), filter, page);
}

/** A batch with the count and amount of its payouts in each state. */
export type ListedBatch = { batch: PayoutBatch; sums: BatchSum[] };

/** Returns a batch by its id, with its payment service and environment. Throws `Problem` NOT_FOUND. */
export async function findBatch(
  app: App,
  scope: PayoutScope,
  id: string,
): Promise<ListedBatch & { owner: ServiceEnvironment }> {
  const batch = await selectBatchAnywhere(app.db, id);
  if (batch === null || !(scope?.has(batch.environment_id) ?? true)) throw noPayout();
  const owner = await environmentOf(app, batch);
  return { batch, sums: await sumBatches(app.db, batch.environment_id, [id]), owner };
}

/** Returns a page of batches, newest first. */
export async function listBatches(app: App, scope: PayoutScope, page: NewestPage): Promise<ListedBatch[]> {
  return sumEach(app, await newestBatches(app, scope, '', page));
}

/** Returns a page of batches without their sums, which cost more. `state`: as in `selectBatches`. */
export async function newestBatches(
  app: App,
  scope: PayoutScope,
  state: string,
  page: NewestPage,
): Promise<PayoutBatch[]> {
  return selectBatches(app.db, await idsOf(app, scope), state, page);
}

/** Adds the count and the sum of the payouts in each state. */
export async function sumEach(app: App, batches: readonly PayoutBatch[]): Promise<ListedBatch[]> {
  const sums: BatchSum[] = [];
  for (const [environmentId, some] of Map.groupBy(batches, ({ environment_id }) => environment_id)) {
    const ids = some.map(({ id }) => id);
    sums.push(...(await sumBatches(app.db, environmentId, ids)));
  }
  return batches.map((batch) => ({ batch, sums: sums.filter(({ batch_id }) => batch_id === batch.id) }));
}

/** Returns the ids of the environments in a scope. */
export async function idsOf(app: App, scope: PayoutScope): Promise<number[]> {
  return scope === null ? selectAllEnvironmentIds(app.db) : [...scope];
}

function noPayout(): Problem {
  return notFound('There is no such payout or batch.', 'No existe ese pago ni ese lote.');
}
