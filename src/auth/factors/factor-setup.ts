import type { App } from '../../app.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../../lib/seal.ts';

const LIFETIME_MS = 15 * 60_000;

const keyOf = perInstance((app: App) => sealingKey(deriveKey(app.config.masterKey, 'factor-setup')));

/** A factor that is being added: its future id, and its secret or the browser's challenge. */
export type FactorSetup = { id: string; secret: string };

/**
 * Seals the state of a form between its steps, for 15 minutes and for `owner` only. A setup that is never finished
 * leaves nothing in the store.
 */
export function beginSetup(app: App, owner: string, setup: FactorSetup): string {
  return seal(keyOf(app), JSON.stringify({ ...setup, until: app.now() + LIFETIME_MS }), owner);
}

/** Opens the state of a form. Null: it was changed, belongs to another owner or has expired. */
export function readSetup(app: App, owner: string, text: string): FactorSetup | null {
  try {
    const { until, id, secret } = JSON.parse(open(keyOf(app), text, owner)) as FactorSetup & { until: number };
    return until > app.now() ? { id, secret } : null;
  } catch {
    return null;
  }
}
