import type { App } from '../app.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { withinTime } from '../lib/within-time.ts';
import { type FailingEndpoint, selectFailing } from '../outbox/failing-endpoint-queries.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import type { AttentionKind, AttentionMeasure } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';
import { listHere } from './list-attention.ts';

/** A kind, and how much of it waits. */
export type MeasuredKind = Pick<AttentionKind, 'kind' | 'nouns'> & AttentionMeasure;

/** How much waits for a person, kind by kind. Read from the store. */
export async function measureAttention(app: App): Promise<MeasuredKind[]> {
  const { paymentServices } = await findElsewhere(app);
  const measured: MeasuredKind[] = [];
  for (const one of ATTENTION_KINDS) {
    measured.push({ kind: one.kind, nouns: one.nouns, ...(await measureHere(app, one, paymentServices)) });
  }
  return measured;
}

/** Above this the count has everything in it, because a scrape must not read more rows. */
const MOST_READ = 1000;

/** Where a payment service has moved away, what it left is not counted: nobody could end that here. */
async function measureHere(app: App, one: AttentionKind, elsewhere: ReadonlySet<string>): Promise<AttentionMeasure> {
  const all = await one.measure(app);
  if (elsewhere.size === 0 || all.count === 0 || all.count > MOST_READ) return all;
  const here = await listHere(app, one, elsewhere, all.count);
  return { count: here.length, oldest: here.length === 0 ? null : Math.min(...here.map(({ since }) => since)) };
}

/** Anybody can ask for the metrics, so the store is asked once a second at most, for all who ask meanwhile. */
const cacheOf = perInstance((app: App) =>
  createExpiringCache<{ kinds: MeasuredKind[]; endpoints: FailingEndpoint[] }>({
    lifetimeMs: 1000,
    capacity: 1,
    now: app.now,
  }),
);
const LIMIT_MS = 2000;
/** So many endpoints have gauges of their own: merchants may name any number. */
const ENDPOINTS_SHOWN = 20;

/** Shows the same in the metrics, and the endpoints that have failed for longest. Where the store does not answer the gauges have no value, which is not 0. */
export async function showAttention(app: App): Promise<void> {
  const { attention, attentionOldest, unresolvedPayments } = app.metrics;
  const measuring = cacheOf(app).get('all', async () => ({
    kinds: await measureAttention(app),
    endpoints: await selectFailing(app.db, ENDPOINTS_SHOWN, (await findElsewhere(app)).environments),
  }));
  const measured = await withinTime(measuring, LIMIT_MS).catch(() => null);
  attention.reset();
  attentionOldest.reset();
  for (const { kind, count, oldest } of measured?.kinds ?? []) {
    attention.set({ kind }, count);
    attentionOldest.set({ kind }, oldest === null ? 0 : Math.max(0, app.now() - oldest) / 1000);
    if (kind === 'suspense') unresolvedPayments.set(count);
  }
  showEndpoints(app, measured?.endpoints ?? []);
}

function showEndpoints({ metrics, now }: App, endpoints: readonly FailingEndpoint[]): void {
  metrics.endpointWaiting.reset();
  metrics.endpointFailingSeconds.reset();
  for (const { id, payment_service, waiting, failing_since } of endpoints) {
    const labels = { payment_service, endpoint: String(id) };
    metrics.endpointWaiting.set(labels, waiting);
    metrics.endpointFailingSeconds.set(labels, Math.max(0, now() - (failing_since ?? 0)) / 1000);
  }
}
