import { createHmac } from 'node:crypto';
import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { keepKey } from '../sealing/kept-key.ts';

const KEY_NAME = 'one-time-secret';

const keys = perInstance((_app: App): { key: Promise<string> | null } => ({ key: null }));

/**
 * Returns the stored hash of a one-time secret, bound to `purpose` and `owner`. The key is made at the first use and
 * then stored sealed, so that it survives a change of MASTER_KEY.
 */
export async function keyedHash(app: App, purpose: string, owner: string, secret: string): Promise<string> {
  const kept = keys(app);
  kept.key ??= keepKey(app, KEY_NAME).catch((error: unknown) => {
    kept.key = null;
    throw error;
  });
  const key = Buffer.from(await kept.key, 'hex');
  return createHmac('sha256', key).update(`${purpose}\n${owner}\n${secret}`).digest('base64url');
}
