import type { App } from '../app.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Reader } from '../db/database.ts';
import { type Handover, handoverState, provesLink, readLink } from './handover.ts';
import { type CurrentSecret, selectCurrentSecret, selectHandover, updateOpened } from './handover-queries.ts';
import type { Environment } from './payment-service.ts';
import { openSecret } from './seal-secret.ts';

/** The tokens that a link shows, once. */
export type HandedTokens = { name: string; environment: Environment; service_token: string; secret_token: string };

/** Returns whether a link would show tokens: it waits, and its Secret Token is still the current one. Reads only. */
export async function isHandoverWaiting(app: App, link: string): Promise<boolean> {
  return (await findWaiting(app, app.db, link)) !== null;
}

/**
 * Opens a link; after that it shows nothing to anybody. `from` is the network of the reader, who has no name. Null:
 * there is no such link, it was opened or ended, it has expired, or the Secret Token was rotated.
 */
export function openHandover(app: App, link: string, from: string): Promise<HandedTokens | null> {
  return app.db.transaction(async (tx) => {
    const waiting = await findWaiting(app, tx, link);
    const now = app.now();
    if (waiting === null || !(await updateOpened(tx, waiting.handover.id, now, from))) return null;
    const { handover, secret } = waiting;
    // If the secret cannot be decrypted, this throws, the commit is rolled back and the link stays unused.
    const secretToken = openSecret(app, secret, secret.sealed);
    const { name, environment, service_token, payment_service_id } = secret;
    await recordAudit(tx, {
      at: now,
      by: { kind: 'stranger', name: `reader of ${handover.id}`, userId: null, origin: from },
      action: 'tokens.link_opened',
      subject: { kind: 'payment_service', id: payment_service_id },
      after: { environment, link: handover.id },
    });
    return { name, environment, service_token, secret_token: secretToken };
  });
}

type Waiting = { handover: Handover; secret: CurrentSecret };

async function findWaiting(app: App, db: Reader, link: string): Promise<Waiting | null> {
  const read = readLink(link);
  const handover = read === null ? null : await selectHandover(db, read.id);
  if (read === null || handover === null || !provesLink(app, handover, read.secret)) return null;
  if (handoverState(handover, app.now()) !== 'waiting') return null;
  const secret = await selectCurrentSecret(db, handover.environment_id);
  return secret === null || secret.id !== handover.secret_id ? null : { handover, secret };
}
