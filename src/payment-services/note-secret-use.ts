import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { updateLastUsed } from './payment-service-queries.ts';

const pending = perInstance((_app: App) => new Map<string, number>());

/** Remembers that a Secret Token made a valid signature. In memory, so that the request path writes nothing for it. */
export function noteSecretUse(app: App, secretId: string): void {
  pending(app).set(secretId, app.now());
}

/** Stores the uses since the last call; the worker calls it. They show which token is safe to close. */
export async function storeSecretUse(app: App): Promise<void> {
  const uses = [...pending(app)];
  if (uses.length === 0) return;
  await app.db.transaction(async (tx) => {
    // In one order, so that two processes do not deadlock.
    for (const [id, usedAt] of uses.toSorted(([a], [b]) => (a < b ? -1 : 1))) await updateLastUsed(tx, id, usedAt);
  });
  // After the commit, so that the next call stores what a failed one did not. A later use stays.
  for (const [id, usedAt] of uses) if (pending(app).get(id) === usedAt) pending(app).delete(id);
}
