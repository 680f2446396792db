import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hashOfUrl, withoutQuery } from '../audit/said-url.ts';
import { Problem } from '../error-catalogue.ts';
import { prefixedId } from '../lib/ids.ts';
import { changeService } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import type { PayoutSender, SenderSetting } from '../payout-senders/payout-sender.ts';
import { openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import { updateApprovedDue } from './due-payout-queries.ts';
import { PAYOUT_CURRENCY, payoutMoney, totalOf } from './payout.ts';
import {
  insertPayoutSender,
  type PayoutSenderRow,
  retireSender,
  selectSenderInUse,
  updateSenderKey,
} from './payout-sender-queries.ts';
import type { PayoutOwner } from './transition-payouts.ts';

export const PAYOUT_SENDER_KEYS: SealedKind = {
  name: 'payout-sender-keys',
  label: 'payout-sender-key',
  table: 'payout_senders',
  column: 'sealed_key',
  key: ['id', 'environment_id'],
  // A key does not open in a row with another URL: it would be sent there.
  owner: ['url'],
  where: 'sealed_key is not null',
  place: ({ id, environment_id, url }) => `payout_senders/${id}/${environment_id}/${url}`,
};

/** The count and the total (CLP) of the approved payouts that now leave by the sender, or wait for a file again. */
export type SenderSet = { readonly id: string | null; readonly payouts: number; readonly total: number };

/**
 * Sets the sender of an environment's approved payouts, including those that already wait. Another URL or kind retires
 * the previous sender; its payouts are still looked up there. The same URL with another key stays the same sender.
 *
 * Throws `Problem` INVALID_PAYOUT for the simulated sender in production.
 */
export function setPayoutSender(
  app: App,
  owner: PayoutOwner,
  { kind, url, key }: Omit<SenderSetting, 'environment'>,
  by: Actor,
): Promise<SenderSet> {
  if (kind === 'simulated' && owner.environment !== 'development') {
    throw new Problem('INVALID_PAYOUT', {
      detail: {
        en: 'The simulated sender moves no money: it is for development alone.',
        es: 'El emisor simulado no mueve dinero: es solo para pruebas.',
      },
    });
  }
  return changeService(app, owner.paymentServiceId, async (tx) => {
    // Approvals take the same lock, so that no approved payout is left without a sender.
    await lockFunds(tx, owner.id, PAYOUT_CURRENCY);
    const at = app.now();
    const before = await selectSenderInUse(tx, owner.id);
    const isSame = before?.kind === kind && before.url === url;
    const id = isSame ? before.id : prefixedId('snd');
    const place = { id, environment_id: owner.id, url };
    const sealed = key === null ? null : sealAs(app, PAYOUT_SENDER_KEYS, place, key);
    const row = { ...place, kind, sealed_key: sealed, set_at: at, set_by: by.name, retired_at: null };
    if (isSame) await updateSenderKey(tx, row);
    else {
      await retireSender(tx, owner.id, at);
      await insertPayoutSender(tx, row);
    }
    const due = await updateApprovedDue(tx, owner.id, at);
    const [payouts, total] = [due.length, totalOf(due)];
    const urls = { url: withoutQuery(url), url_sha256: hashOfUrl(url) };
    const after = { kind, ...urls, payouts, total: payoutMoney(total) };
    await recordAudit(tx, { ...actOf(owner, by, before), at, action: 'payout.sender_set', after });
    return { id, payouts, total };
  });
}

/**
 * Removes the sender; approved payouts wait for a file again. Payouts that left are still looked up there. Returns null
 * if no sender was in use.
 */
export function removePayoutSender(app: App, owner: PayoutOwner, by: Actor): Promise<SenderSet | null> {
  return changeService(app, owner.paymentServiceId, async (tx) => {
    await lockFunds(tx, owner.id, PAYOUT_CURRENCY);
    const at = app.now();
    const before = await selectSenderInUse(tx, owner.id);
    if (before === null) return null;
    await retireSender(tx, owner.id, at);
    const waiting = await updateApprovedDue(tx, owner.id, null);
    await recordAudit(tx, { ...actOf(owner, by, before), at, action: 'payout.sender_removed' });
    return { id: before.id, payouts: waiting.length, total: totalOf(waiting) };
  });
}

/**
 * Opens the sender of a row with its key. Throws if MASTER_KEY or the row was changed, or if there is no such sender
 * here.
 */
export function openSender(app: App, { environment }: PayoutOwner, row: PayoutSenderRow): PayoutSender {
  const { kind, url, sealed_key } = row;
  const key = sealed_key === null ? null : openAs(app, PAYOUT_SENDER_KEYS, row, sealed_key);
  return app.openPayoutSender({ kind, environment, url, key });
}

function actOf({ paymentServiceId, environment }: PayoutOwner, by: Actor, before: PayoutSenderRow | null) {
  return {
    by,
    subject: { kind: 'environment', id: `${paymentServiceId} ${environment}` },
    before: { kind: before?.kind ?? null, url: withoutQuery(before?.url ?? null) },
  };
}
