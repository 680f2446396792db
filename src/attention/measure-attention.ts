import type { App } from '../app.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { withinTime } from '../lib/within-time.ts';
import { type FailingEndpoint, selectFailing } from '../outbox/endpoints/failing-endpoint-queries.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import type { AttentionKind, AttentionMeasure } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';
import { listHere } from './list-attention.ts';

/** A kind, and how many of its items wait. */
export type MeasuredKind = Pick<AttentionKind, 'kind' | 'nouns'> & AttentionMeasure;

/** Counts what waits for a person, kind by kind. Reads the store. */
export async function measureAttention(app: App): Promise<MeasuredKind[]> {
  const { paymentServices } = await findElsewhere(app);
  const measured: MeasuredKind[] = [];
  for (const one of ATTENTION_KINDS) {
    measured.push({ kind: one.kind, nouns: one.nouns, ...(await measureHere(app, one, paymentServices)) });
  }
  return measured;
}

/** Above this number the count includes all payment services, because a scrape must not read more rows. */
const MOST_READ = 1000;

/** Excludes items of payment services that moved away: they cannot be ended here. */
async function measureHere(app: App, one: AttentionKind, elsewhere: ReadonlySet<string>): Promise<AttentionMeasure> {
  const all = await one.measure(app);
  if (elsewhere.size === 0 || all.count === 0 || all.count > MOST_READ) return all;
  const here = await listHere(app, one, elsewhere, all.count);
  return { count: here.length, oldest: here.length === 0 ? null : Math.min(...here.map(({ since }) => since)) };
}

/** Anybody can read the metrics, so the store is read at most once a second for all readers. */
const cacheOf = perInstance((app: App) =>
  createExpiringCache<{ kinds: MeasuredKind[]; endpoints: FailingEndpoint[] }>({
    lifetimeMs: 1000,
    capacity: 1,
    now: app.now,
  }),
);
const LIMIT_MS = 2000;
/** The most endpoints with separate gauges: merchants may name any number of endpoints. */
const ENDPOINTS_SHOWN = 20;

/**
 * Shows these counts in the metrics, and the endpoints that have failed for longest. If the store does not respond, the
 * gauges have no value, which is not 0.
 */
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
