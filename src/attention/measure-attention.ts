import type { App } from '../app.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { withinTime } from '../lib/within-time.ts';
import type { AttentionKind, AttentionMeasure } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';

/** A kind, and how much of it waits. */
export type MeasuredKind = Pick<AttentionKind, 'kind' | 'nouns'> & AttentionMeasure;

/** How much waits for a person, kind by kind. Read from the store. */
export async function measureAttention(app: App): Promise<MeasuredKind[]> {
  const measured: MeasuredKind[] = [];
  for (const one of ATTENTION_KINDS) {
    measured.push({ kind: one.kind, nouns: one.nouns, ...(await one.measure(app)) });
  }
  return measured;
}

/** Anybody can ask for the metrics, so the store is asked once a second at most, for whoever asks meanwhile too. */
const cacheOf = perInstance((app: App) =>
  createExpiringCache<MeasuredKind[]>({ lifetimeMs: 1000, capacity: 1, now: app.now }),
);
const LIMIT_MS = 2000;

/** Shows the same in the metrics. Where the store does not answer the gauges have no value, which is not 0. */
export async function showAttention(app: App): Promise<void> {
  const { attention, attentionOldest, unresolvedPayments } = app.metrics;
  const measuring = cacheOf(app).get('all', () => measureAttention(app));
  const measured = await withinTime(measuring, LIMIT_MS).catch(() => null);
  attention.reset();
  attentionOldest.reset();
  for (const { kind, count, oldest } of measured ?? []) {
    attention.set({ kind }, count);
    attentionOldest.set({ kind }, oldest === null ? 0 : Math.max(0, app.now() - oldest) / 1000);
    if (kind === 'suspense') unresolvedPayments.set(count);
  }
}
