import { signWebhook } from '../../../protocol/webhook-signature.ts';
import type { App } from '../../app.ts';
import { worldTime } from '../../lib/clock.ts';
import { deriveKey } from '../../lib/seal.ts';
import { type Anchor, anchorKey, anchorLine } from './anchor.ts';
import {
  type AnchorRow,
  claimPost,
  hasDuePost,
  notePosted,
  type PostPlace,
  postponePost,
  selectAnchorsAfter,
} from './anchor-queries.ts';

/** Longer than the request time-out, so that no other process posts meanwhile. */
const CLAIM_MS = 60_000;
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Posts unposted anchors to ANCHOR_URL, in order, until all are posted or one fails. A failed post is retried after a
 * minute, then after twice as long each time, at most an hour. Any 2xx is a success.
 */
export async function postAnchors(app: App): Promise<void> {
  const url = app.config.anchorUrl;
  while (url !== null && !app.stopping.aborted && (await hasDuePost(app.db, app.now()))) {
    const now = app.now();
    const place = await app.db.transaction((tx) => claimPost(tx, now, now + CLAIM_MS));
    if (place === null || !(await postNext(app, url, place))) return;
  }
}

async function postNext(app: App, url: string, { number, attempts }: PostPlace): Promise<boolean> {
  const [row] = await selectAnchorsAfter(app.db, number, 1);
  if (row === undefined) return false;
  const body = anchorLine(row);
  const outcome = await app.fetch({
    url,
    method: 'POST',
    headers: await headersOf(app, webhookId(row), body),
    body,
    // The operator chose the URL, like the validation provider's.
    allowPrivate: true,
  });
  const taken = outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  const at = app.now() + pause;
  await app.db.transaction((tx) => (taken ? notePosted(tx, number, row.number) : postponePost(tx, number, at)));
  if (!taken) {
    const answer = outcome.kind === 'answered' ? outcome.status : outcome.detail;
    app.log.warn({ anchor: row.number, answer, again_in_ms: pause }, 'ANCHOR_URL did not take an anchor');
  }
  return taken;
}

/**
 * Returns the id of a post. It contains the epoch after a restore, like an event id, because lost numbers are reused.
 */
function webhookId({ number, content }: AnchorRow): string {
  const { epoch } = JSON.parse(content) as Anchor;
  return epoch === undefined ? `anchor_${number}` : `anchor_${number}_${epoch}`;
}

/**
 * Returns the headers of Standard Webhooks. Their key is derived from the anchor key; `books anchor --post-key` shows
 * it.
 */
async function headersOf(app: App, id: string, body: string): Promise<Record<string, string>> {
  const timestamp = Math.floor(worldTime(app.now) / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Rubrica',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(id, timestamp, body, await postKey(app)),
  };
}

/** Returns the 32-byte key that signs posts to ANCHOR_URL. */
export async function postKey(app: App): Promise<Buffer> {
  return deriveKey(Buffer.from(await anchorKey(app), 'hex'), 'anchor-post');
}
