import type { App } from '../../app.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../../lib/seal.ts';

const LIFETIME_MS = 15 * 60_000;

const keyOf = perInstance((app: App) => sealingKey(deriveKey(app.config.masterKey, 'factor-setup')));

/** A factor that is being set up: the id that it will have, and its secret or the question that a browser answers. */
export type FactorSetup = { id: string; secret: string };

/**
 * Seals what a form carries from one step to the next, for 15 minutes and for `owner` alone: a person who never finishes
 * leaves nothing in the store.
 */
export function beginSetup(app: App, owner: string, setup: FactorSetup): string {
  return seal(keyOf(app), JSON.stringify({ ...setup, until: app.now() + LIFETIME_MS }), owner);
}

/** Null: somebody changed it, it is another owner's, or its time is over. */
export function readSetup(app: App, owner: string, text: string): FactorSetup | null {
  try {
    const { until, id, secret } = JSON.parse(open(keyOf(app), text, owner)) as FactorSetup & { until: number };
    return until > app.now() ? { id, secret } : null;
  } catch {
    return null;
  }
}
