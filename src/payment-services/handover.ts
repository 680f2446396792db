import { createHmac } from 'node:crypto';
import type { App } from '../app.ts';
import type { SqlRow } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import { isSameText } from '../lib/same-text.ts';
import { deriveKey } from '../lib/seal.ts';

/**
 * A link that shows the tokens of an environment once, and the Secret Token for which it was made. Times are UTC
 * milliseconds.
 */
export type ShownHandover = {
  id: string;
  environment_id: number;
  secret_id: string;
  made_at: number;
  made_by: string;
  ends_at: number;
  opened_at: number | null;
  /** The network of the reader who opened it. */
  opened_from: string | null;
  /** When a person ended it. */
  ended_at: number | null;
};

export type Handover = SqlRow & ShownHandover & { proof: string };

export type HandoverState = 'waiting' | 'opened' | 'ended' | 'expired';

const HOUR_MS = 3_600_000;

/** How long a link waits for its reader: by default, at least and at most. */
export const HANDOVER_MS = { usual: 72 * HOUR_MS, least: HOUR_MS / 4, most: 14 * 24 * HOUR_MS };

/** Returns the state of a link at `now`. */
export function handoverState(handover: ShownHandover, now: number): HandoverState {
  if (handover.opened_at !== null) return 'opened';
  if (handover.ended_at !== null) return 'ended';
  return handover.ends_at <= now ? 'expired' : 'waiting';
}

const keyOf = perInstance((app: App) => deriveKey(app.config.masterKey, 'token-handover'));

type Proved = Pick<Handover, 'id' | 'environment_id' | 'secret_id' | 'ends_at'>;

/** Makes the proof of a link and its row, an HMAC under this service's key. */
export function proofOf(app: App, { id, environment_id, secret_id, ends_at }: Proved, secret: string): string {
  const text = [id, environment_id, secret_id, ends_at, secret].join('\n');
  return createHmac('sha256', keyOf(app)).update(text).digest('base64url');
}

/** Returns the secret of a link. It is not random, so that a second click shows the same link. */
export function secretOf(app: App, id: string): string {
  return createHmac('sha256', keyOf(app)).update(`secret\n${id}`).digest('base64url');
}

/** Returns whether this service made the row for this link. */
export function provesLink(app: App, handover: Handover, secret: string): boolean {
  return isSameText(proofOf(app, handover, secret), handover.proof);
}

/** Returns the last part of a link's URL: its id and the secret that only its reader knows. */
export function linkText(id: string, secret: string): string {
  return `${id}-${secret}`;
}

/** Reads the last part of a link's URL; null if it is not valid. */
export function readLink(text: string): { id: string; secret: string } | null {
  const [, id, secret] = /^(th_[0-9a-z]{20})-([\w-]{43})$/.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}
