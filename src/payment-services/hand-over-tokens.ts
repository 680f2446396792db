import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { prefixedId } from '../lib/ids.ts';
import { changeService } from './find-environment.ts';
import {
  type Handover,
  handoverState,
  linkText,
  proofOf,
  provesLink,
  type ShownHandover,
  secretOf,
} from './handover.ts';
import {
  insertHandover,
  type ListedHandover,
  selectCurrentSecret,
  selectHandover,
  selectHandovers,
  selectWaitingHandovers,
  updateEnded,
} from './handover-queries.ts';
import { ENVIRONMENTS, type Environment } from './payment-service.ts';
import { lockEnvironmentId } from './payment-service-queries.ts';

export type NewHandover = { id: string; link: string; ends_at: number };

/**
 * Creates a link that shows the Service Token and the Secret Token of an environment to its first reader, within
 * `validMs`. `link` is the last part of its URL; the store has only a proof of it. A second call with the id of a link
 * that waits, for the same person and wish, returns that link. Null: no such payment service. Throws `Problem`
 * PAYMENT_SERVICE_MOVED.
 */
export async function handOverTokens(
  app: App,
  target: { paymentServiceId: string; environment: Environment },
  validMs: number,
  by: Actor,
  id = newHandoverId(),
): Promise<NewHandover | null> {
  const { paymentServiceId, environment } = target;
  return changeService(app, paymentServiceId, async (tx) => {
    const environmentId = await lockEnvironmentId(tx, paymentServiceId, environment);
    const current = environmentId === null ? null : await selectCurrentSecret(tx, environmentId);
    if (current === null) return null;
    const now = app.now();
    const before = await selectHandover(tx, id);
    const wish = { environment_id: current.environment_id, secret_id: current.id, made_by: by.name };
    if (before !== null && isSame(before, wish, validMs) && handoverState(before, now) === 'waiting')
      return { id, link: linkText(id, secretOf(app, id)), ends_at: before.ends_at };
    const place = { ...wish, id: before === null ? id : newHandoverId(), ends_at: now + validMs };
    const secret = secretOf(app, place.id);
    const row = { ...place, proof: proofOf(app, place, secret), made_at: now };
    await insertHandover(tx, { ...row, opened_at: null, opened_from: null, ended_at: null });
    await recordAudit(tx, {
      at: now,
      by,
      action: 'tokens.handed_over',
      subject: { kind: 'payment_service', id: paymentServiceId },
      after: { environment, link: place.id, ends_at: new Date(place.ends_at).toISOString() },
    });
    return { id: place.id, link: linkText(place.id, secret), ends_at: place.ends_at };
  });
}

function isSame(
  before: Handover,
  wish: Pick<Handover, 'environment_id' | 'secret_id' | 'made_by'>,
  validMs: number,
): boolean {
  return (
    before.environment_id === wish.environment_id &&
    before.secret_id === wish.secret_id &&
    before.made_by === wish.made_by &&
    before.ends_at - before.made_at === validMs
  );
}

/** Returns an id for a link. */
export function newHandoverId(): string {
  return prefixedId('th');
}

/** Lists the links of a payment service (null: of all) in these environments, the newest first. */
export function listHandovers(
  app: App,
  paymentServiceId: string | null,
  limit: number,
  environments: readonly Environment[] = ENVIRONMENTS,
): Promise<ListedHandover[]> {
  return selectHandovers(app.db, { paymentServiceId: paymentServiceId ?? '', environments }, limit);
}

/** Ends a link, so that it shows nothing. Returns false if it was opened, was ended or has expired. */
export function endHandover(app: App, handover: Pick<ShownHandover, 'id'>, by: Actor): Promise<boolean> {
  const at = app.now();
  return app.db.transaction(async (tx) => {
    if (!(await updateEnded(tx, handover.id, at))) return false;
    await recordAudit(tx, { at, by, action: 'tokens.link_ended', subject: { kind: 'token_link', id: handover.id } });
    return true;
  });
}

/**
 * Ends the waiting links that were made with another MASTER_KEY: they no longer open, and the lists would say that they
 * wait. Returns how many.
 */
export async function endHandoversOfOldKey(app: App, by: Actor): Promise<number> {
  const waiting = await selectWaitingHandovers(app.db, app.now());
  let ended = 0;
  for (const handover of waiting) {
    const isOurs = provesLink(app, handover, secretOf(app, handover.id));
    if (!isOurs && (await endHandover(app, handover, by))) ended++;
  }
  return ended;
}
