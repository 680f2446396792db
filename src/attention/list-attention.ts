import type { App } from '../app.ts';
import { sayIn } from '../error-catalogue.ts';
import type { AttentionName, AttentionRow } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';

/** Everything that waits for a person, or one kind of it (`null`: all), the oldest first. Read from the store. */
export async function listAttention(
  app: App,
  kind: AttentionName | null,
  limit: number,
  language: 'en' | 'es' = 'en',
): Promise<AttentionRow[]> {
  const now = app.now();
  const rows: AttentionRow[] = [];
  for (const one of ATTENTION_KINDS.filter((each) => kind === null || each.kind === kind)) {
    const waiting = await one.list(app, limit);
    for (const row of waiting) {
      const reason = sayIn(row.reason, language);
      rows.push({ kind: one.kind, age: Math.max(0, now - row.since), ...row, reason });
    }
  }
  return rows.sort((one, other) => one.since - other.since).slice(0, limit);
}
