import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Duty } from './upkeep.ts';
import { selectUpkeep, upsertUpkeep } from './upkeep-queries.ts';

/** Records that a duty was done now, and whether the result was right. */
export function noteUpkeep(app: Pick<App, 'db' | 'now'>, duty: Duty, ok: boolean): Promise<void> {
  return app.db.transaction((tx) => upsertUpkeep(tx, { duty, done_at: app.now(), ok }));
}

/**
 * Records that a backup was made by other means at `at` (UTC milliseconds), as a person or a program says. It is in the
 * audit log. A later backup stays the last one, unless a wrong clock dated it with a time to come.
 */
export function noteBackup(app: App, at: number, by: Actor): Promise<void> {
  return app.db.transaction(async (tx) => {
    const now = app.now();
    const last = (await selectUpkeep(tx, 'backup'))?.done_at ?? at;
    await upsertUpkeep(tx, { duty: 'backup', done_at: last > now ? at : Math.max(last, at), ok: true });
    const after = { made_at: new Date(at).toISOString() };
    await recordAudit(tx, { at: now, by, action: 'store.backed_up', subject: { kind: 'store', id: '' }, after });
  });
}
