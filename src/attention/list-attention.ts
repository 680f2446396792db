import type { App } from '../app.ts';
import type { AttentionName, AttentionRow } from './attention.ts';
import { ATTENTION_KINDS } from './attention-kinds.ts';

/** Everything that waits for a person, or one kind of it (`null`: all), the oldest first. Read from the store. */
export async function listAttention(app: App, kind: AttentionName | null, limit: number): Promise<AttentionRow[]> {
  const now = app.now();
  const rows: AttentionRow[] = [];
  for (const one of ATTENTION_KINDS.filter((each) => kind === null || each.kind === kind)) {
    const waiting = await one.list(app, limit);
    rows.push(...waiting.map((row) => ({ kind: one.kind, age: Math.max(0, now - row.since), ...row })));
  }
  return rows.sort((one, other) => one.since - other.since).slice(0, limit);
}
