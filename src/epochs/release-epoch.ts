import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { updateReleased } from './epoch-queries.ts';

/** Releases the sending that a restore holds. Returns false if nothing was held. `by` is the person who decided. */
export function releaseEpoch(app: App, by: Actor, reason: string | null): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    const at = app.now();
    const released = await updateReleased(tx, at, by.name);
    if (released === 0) return false;
    await recordAudit(tx, { at, by, action: 'store.released', subject: STORE, after: { epochs: released }, reason });
    return true;
  });
}

const STORE = { kind: 'store', id: '' };
