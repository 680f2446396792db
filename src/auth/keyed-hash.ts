import { createHmac } from 'node:crypto';
import type { App } from '../app.ts';
import { installationKey } from '../sealing/kept-key.ts';

const KEY = installationKey('one-time-secret');

/**
 * Returns the stored hash of a one-time secret, bound to `purpose` and `owner`. The key is made at the first use and
 * then stored sealed, so that it survives a change of MASTER_KEY.
 */
export async function keyedHash(app: App, purpose: string, owner: string, secret: string): Promise<string> {
  const key = Buffer.from(await KEY.keep(app), 'hex');
  return createHmac('sha256', key).update(`${purpose}\n${owner}\n${secret}`).digest('base64url');
}
