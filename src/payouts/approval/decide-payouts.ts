import { hash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import type { AuditAction } from '../../audit/audit-action.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { requireUserOf } from '../../auth/person-of.ts';
import { findSetUps, type SetUps } from '../../auth/set-up-by.ts';
import { selectNamedUsers } from '../../auth/user-queries.ts';
import type { BankDirectory } from '../../bank-validation/directory/bank-directory.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import type { Tx } from '../../db/database.ts';
import { rehearse } from '../../db/rehearse.ts';
import { type InBoth, notFound, Problem } from '../../error-catalogue.ts';
import { requireHere } from '../../payment-services/find-environment.ts';
import { lockFunds } from '../../payment-services/lock-funds.ts';
import { selectAccountTypes } from '../files/payout-file-queries.ts';
import { stateWithCode } from '../kept-texts.ts';
import {
  NAMED_IN_AN_ACT,
  PAYOUT_CURRENCY,
  type Payout,
  type PayoutState,
  payoutMoney,
  statesBefore,
  totalOf,
} from '../payout.ts';
import { lockPayouts } from '../payout-queries.ts';
import { selectSenderInUse } from '../payout-sender-queries.ts';
import { selectRecipientVersions } from '../recipients/recipient-queries.ts';
import type { ShownPayout } from '../show-payouts.ts';
import { type PayoutOwner, transitionPayouts } from '../transition-payouts.ts';
import { barredFrom, whyNotPayable } from './approval-rule.ts';
import { findPeopleBehind } from './find-people-behind.ts';
import { checkLimits } from './payout-limits.ts';

/**
 * A person's decision about payouts: the payouts with these ids, or all payouts of a batch that can still change to the
 * new state.
 */
export type PayoutDecision = {
  readonly owner: PayoutOwner;
  readonly named: { readonly ids: readonly string[] } | { readonly batchId: string };
  readonly by: Actor;
  /** The reason; it names no person. Null: an approval without a reason. */
  readonly reason: string | null;
  /** For an approval: the `hashOfShown` that the person saw; undefined: they were shown nothing. */
  readonly shown?: string | undefined;
};

/**
 * Returns a hash of what an approver is shown and others may change until the approval: which payouts wait, and the
 * types of their accounts.
 */
export function hashOfShown(seen: readonly Pick<ShownPayout, 'payout' | 'accountType'>[]): string {
  const said = seen.map(({ payout, accountType }) => `${payout.id} ${accountType ?? ''}`);
  return hash('sha256', said.sort().join('\n'));
}

/**
 * Approves payouts that another person or program made, all or none. Reserves their money, never more than is
 * available, even if several processes approve at once. Returns the payouts.
 *
 * The caller has checked the second factor. Throws `Problem` APPROVAL_REFUSED (the approver's own payout, an account
 * that the approver changed, a bank that is not paid, a verdict that is too old), INSUFFICIENT_BALANCE,
 * PAYOUT_LIMIT_REACHED, PAYOUT_STATE (also if it has changed since it was shown), PERSON_NEEDED, PERMISSION_MISSING or
 * NOT_FOUND.
 */
export async function approvePayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  const { owner, by } = decision;
  await requireHere(app, owner.paymentServiceId);
  const directory = await currentDirectory(app);
  return app.db.transaction(async (tx) => {
    const { now, user, payouts, barred } = await checkApproval(app, tx, decision, directory);
    const approvedBy = { name: by.name, id: user.id, approval: 'person' as const };
    const nextLookAt = (await selectSenderInUse(tx, owner.id)) === null ? null : now;
    const change = { approvedBy, reason: decision.reason, nextLookAt };
    const setUps = await findSetUps(tx, user, await selectNamedUsers(tx, [...barred]), now);
    return decide(tx, decision, payouts, { to: 'approved', at: now, action: 'payout.approved', change, setUps });
  });
}

/** Returns the error of `approvePayouts` for an approval now, before a person confirms it; null without one. */
export async function findApprovalRefusal(app: App, decision: PayoutDecision): Promise<Problem | null> {
  const directory = await currentDirectory(app);
  return rehearse(app.db, (tx) => checkApproval(app, tx, decision, directory)).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
}

/** Locks the merchant's money and the payouts, and checks everything on which their approval depends. */
async function checkApproval(app: App, tx: Tx, decision: PayoutDecision, directory: BankDirectory) {
  const { owner, by } = decision;
  const now = app.now();
  const { payable } = await lockFunds(tx, owner.id, PAYOUT_CURRENCY);
  const payouts = await lockDecided(tx, decision, 'approved');
  // After the locks: somebody may have taken the permission away while they were awaited.
  const user = await requireUserOf(tx, by, owner.id, 'payouts:approve');
  await requireShown(tx, decision, payouts);
  const versions = await selectRecipientVersions(tx, payouts);
  const byRecipient = Map.groupBy(versions, ({ id }) => id);
  const behind = await findPeopleBehind(tx, payouts, versions);
  const terms = { now, maxAgeDays: app.config.verdictMaxAgeDays, users: behind.users, directory };
  const allBarred = new Set<string>();
  for (const payout of payouts) {
    const own = byRecipient.get(payout.recipient_id) ?? [];
    const barred = barredFrom(payout, own, behind);
    const why = barred.get(user.id) ?? whyNotPayable(payout, own, terms);
    if (why !== null) throw approvalRefused(payout, why);
    for (const id of barred.keys()) allBarred.add(id);
  }
  await checkLimits(tx, { environmentId: owner.id, userId: user.id, now }, payouts);
  const total = totalOf(payouts);
  if (total > payable) {
    const [asked, left] = [payoutMoney(total), payoutMoney(payable)];
    throw new Problem('INSUFFICIENT_BALANCE', {
      detail: {
        en: `${asked} are to be paid, and ${left} are available.`,
        es: `Hay que pagar ${asked}, y hay ${left} disponibles.`,
      },
    });
  }
  return { now, user, payouts, barred: allBarred };
}

async function requireShown(tx: Tx, { owner, shown }: PayoutDecision, payouts: readonly Payout[]): Promise<void> {
  if (shown === undefined) return;
  const types = await selectAccountTypes(tx, owner.id, payouts);
  const now = payouts.map((payout) => ({ payout, accountType: types.get(payout.account_hash) ?? null }));
  if (hashOfShown(now) !== shown) throw new Problem('PAYOUT_STATE', { detail: CHANGED });
}

const CHANGED: InBoth = {
  en: 'The payouts that wait or the type of an account have changed since they were shown: look at them again.',
  es: 'Los pagos que esperan o el tipo de una cuenta cambiaron desde que se mostraron: revísalos otra vez.',
};

/**
 * Throws `Problem` APPROVAL_REFUSED, PERSON_NEEDED or PERMISSION_MISSING unless the actor may approve these payouts of
 * one environment.
 */
export async function requireApprover(tx: Tx, by: Actor, payouts: readonly Payout[]): Promise<void> {
  const [first] = payouts;
  if (first === undefined) return;
  const user = await requireUserOf(tx, by, first.environment_id, 'payouts:approve');
  const versions = await selectRecipientVersions(tx, payouts);
  const behind = await findPeopleBehind(tx, payouts, versions);
  for (const payout of payouts) {
    const own = versions.filter(({ id }) => id === payout.recipient_id);
    const why = barredFrom(payout, own, behind).get(user.id);
    if (why !== undefined) throw approvalRefused(payout, why);
  }
}

/**
 * Rejects payouts that wait for approval; no money was reserved for them. Throws `Problem` PAYOUT_STATE, PERSON_NEEDED,
 * PERMISSION_MISSING or NOT_FOUND.
 */
export function rejectPayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  return decideWith(app, decision, 'payouts:approve', { to: 'rejected', action: 'payout.rejected' });
}

/** Cancels payouts that have not left, approved or not. Reserved money becomes available again. */
export function cancelPayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  return decideWith(app, decision, 'payouts:create', { to: 'cancelled', action: 'payout.cancelled' });
}

/** Submits drafts for approval. */
export function submitPayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  return decideWith(app, decision, 'payouts:create', { to: 'awaiting_approval', action: 'payout.submitted' });
}

function approvalRefused({ id }: Payout, { en, es }: InBoth): Problem {
  return new Problem('APPROVAL_REFUSED', { detail: { en: `${id}: ${en}`, es: `${id}: ${es}` } });
}

type Step = { to: PayoutState; action: AuditAction };

async function decideWith(
  app: App,
  decision: PayoutDecision,
  permission: 'payouts:approve' | 'payouts:create',
  step: Step,
): Promise<Payout[]> {
  await requireHere(app, decision.owner.paymentServiceId);
  return app.db.transaction(async (tx) => {
    const payouts = await lockDecided(tx, decision, step.to);
    await requireUserOf(tx, decision.by, decision.owner.id, permission);
    const change = { reason: decision.reason };
    return decide(tx, decision, payouts, { ...step, at: app.now(), change });
  });
}

/**
 * Locks the named payouts and returns those that may change to the state `to`. Throws `Problem` NOT_FOUND or
 * PAYOUT_STATE if there are no such payouts, or if one named by its id may not change to it.
 */
async function lockDecided(tx: Tx, { owner, named }: PayoutDecision, to: PayoutState): Promise<Payout[]> {
  const all = await lockPayouts(tx, { environmentId: owner.id, ...named });
  if (all.length === 0 || ('ids' in named && all.length < new Set(named.ids).size)) {
    throw notFound('There is no such payout or batch.', 'No existe ese pago o ese lote.');
  }
  const before = statesBefore(to);
  const ready = all.filter(({ state }) => before.includes(state));
  const other = all.find(({ state }) => !before.includes(state));
  if (other !== undefined && ('ids' in named || ready.length === 0)) {
    throw new Problem('PAYOUT_STATE', { detail: whyNotTo(other, to) });
  }
  return ready;
}

function whyNotTo({ id, state }: Payout, to: PayoutState): InBoth {
  const [from, target] = [stateWithCode(state), stateWithCode(to)];
  if (state === to) {
    return {
      en: `${id} is already in ${target.en}: there is nothing left to do.`,
      es: `${id} ya está en ${target.es}: no queda nada por hacer.`,
    };
  }
  if (state === 'draft') {
    return {
      en: `${id} is a draft: submit it first.`,
      es: `${id} es un borrador: primero envíalo a aprobación.`,
    };
  }
  const before = statesBefore(to).map(stateWithCode);
  const all = { en: before.map(({ en }) => en).join(' or '), es: before.map(({ es }) => es).join(' o ') };
  return {
    en: `${id} is in ${from.en}: only a payout in ${all.en} can go to ${target.en}.`,
    es: `${id} está en ${from.es}: solo un pago en ${all.es} puede pasar a ${target.es}.`,
  };
}

type Deciding = Step & { at: number; change: Parameters<typeof transitionPayouts>[3]; setUps?: SetUps };

async function decide(
  tx: Tx,
  { owner, named, by, reason }: PayoutDecision,
  payouts: readonly Payout[],
  { to, at, action, change, setUps = {} }: Deciding,
): Promise<Payout[]> {
  const moved = await transitionPayouts(tx, owner, { ids: payouts.map(({ id }) => id), to, at }, change);
  const acts =
    'batchId' in named
      ? [{ subject: { kind: 'batch', id: named.batchId }, decided: moved }]
      : actsOfNamed(named.ids, moved);
  for (const { subject, decided } of acts) {
    const after = {
      payment_service: owner.paymentServiceId,
      environment: owner.environment,
      payouts: decided.length,
      total: payoutMoney(totalOf(decided)),
      state: to,
      ...setUps,
    };
    await recordAudit(tx, { at, by, action, subject, after, reason, environmentId: owner.id });
  }
  return moved;
}

/** Returns an act for each part of the payouts, in the order in which they were named. */
function actsOfNamed(named: readonly string[], moved: readonly Payout[]) {
  const byId = new Map(moved.map((payout) => [payout.id, payout]));
  const ids = [...new Set(named)];
  return Array.from({ length: Math.ceil(ids.length / NAMED_IN_AN_ACT) }, (_, act) => {
    const some = ids.slice(act * NAMED_IN_AN_ACT, (act + 1) * NAMED_IN_AN_ACT);
    return { subject: { kind: 'payout', id: some.join(' ') }, decided: some.flatMap((id) => byId.get(id) ?? []) };
  });
}
