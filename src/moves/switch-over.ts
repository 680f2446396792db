import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import { type Actor, actorElsewhere } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { normalizeEmail } from '../auth/user.ts';
import { selectUserByEmail, selectUserById } from '../auth/user-queries.ts';
import { deleteUserPaymentService, insertUserPaymentService } from '../auth/user-right-queries.ts';
import type { Tx } from '../db/database.ts';
import { asMover } from '../db/guard-triggers.ts';
import { selectSubscriptionsFor } from '../outbox/webhooks/webhook-subscription-queries.ts';
import type { ComparedFeed } from './align-feeds.ts';
import { compareFeed, compareTouched } from './compare-copy.ts';
import { shiftDue } from './copied-row-queries.ts';
import { copyTails } from './copy-rows.ts';
import { copyWhole } from './copy-whole.ts';
import { bringCut } from './cuts-of-moved.ts';
import { drainChanges, type Touched } from './drain-changes.ts';
import { type Move, MoveRefusal } from './move.ts';
import {
  deleteAllChanges,
  endPause,
  selectChainEnds,
  selectGrantees,
  selectMove,
  updateMoveState,
  updatePause,
} from './move-queries.ts';
import { movingTables } from './moved-tables.ts';
import { setFences, setWatches } from './set-guards.ts';

/** The pause ends after this time if no command continues the move. */
const PAUSE_ENDS_MS = 60_000;

/**
 * Pauses the payment service, copies and compares the rest, and ends it in the source. The fence, the last changes and
 * the state `moved` are one commit, which waits for running writers and refuses later ones. Returns the milliseconds
 * since the first request that had to wait.
 */
export async function leave(move: Move, compared: ComparedFeed, by: Actor): Promise<number> {
  const { from, id } = move;
  const begun = performance.now();
  const until = from.now() + PAUSE_ENDS_MS;
  await from.db.transaction((tx) => updatePause(tx, id, until));
  try {
    await sleep(move.pauseSeenMs);
    await drainChanges(move, new Map());
    await copyTails(move, 'past');
    await copyWhole(move);
    const tail = await compareFeed(move, compared);
    await from.db.transaction((tx) => leaveIn(tx, move, tail, by), 'slow');
  } catch (failure) {
    await from.db.transaction((tx) => endPause(tx, id, until)).catch(() => {});
    throw failure;
  }
  return performance.now() - begun;
}

async function leaveIn(tx: Tx, move: Move, compared: ComparedFeed, by: Actor): Promise<void> {
  const { from, id, scope } = move;
  const { engine } = from.db;
  if (!(await updateMoveState(tx, id, { state: 'moved', changedAt: from.now() })))
    throw new MoveRefusal('MOVE_TAKEN_OVER', 'The move was ended meanwhile: bin/rubrica payment-service moves');
  await setFences(tx, engine);
  const touched: Touched = new Map();
  await drainChanges(move, touched, tx);
  await copyTails(move, 'all', tx);
  await bringCut(move);
  await copyWhole(move, tx);
  await compareTouched(move, tx, touched);
  await compareFeed(move, compared, tx);
  await compareEnds(move, tx);
  await setWatches(tx, engine);
  await asMover(tx, engine, () => shiftAll(tx, scope.environmentIds, 'away'));
  await deleteAllChanges(tx);
  const row = await selectMove(tx, id);
  await recordAudit(tx, {
    at: from.now(),
    by,
    action: 'payment_service.moved_away',
    subject: { kind: 'payment_service', id: scope.paymentServiceId },
    after: { move: id, to: row?.address ?? '', events: move.progress.feed.events },
  });
}

/** Compares the ends of the books' chains, and the links that they name. */
async function compareEnds(move: Move, tx: Tx): Promise<void> {
  const { environmentIds } = move.scope;
  const [here, there] = [await selectChainEnds(tx, environmentIds), await selectChainEnds(move.to.db, environmentIds)];
  if (JSON.stringify(here) === JSON.stringify(there)) return;
  throw new MoveRefusal(
    'MOVE_DIFFERS',
    'The chains of the books do not end alike in both databases. Nothing was switched.',
  );
}

/** Moves open rows out of the worker's reach in the source, or back into it in the target. */
export async function shiftAll(tx: Tx, environmentIds: readonly number[], direction: 'away' | 'back'): Promise<void> {
  for (const [table, rule] of movingTables()) {
    if ('due' in rule && rule.due !== undefined) await shiftDue(tx, table, environmentIds, rule.due, direction);
  }
}

/**
 * `strangers`: users who may see the payment service but are unknown in the other database. A person must invite them.
 * `webhooks`: subscriptions of users, such as `ana@example.cl refunds`, that these users do not have there.
 */
export type Arrival = { strangers: string[]; webhooks: string[] };

/** Opens the payment service in the target. It has left the source before, so at most one database accepts writes. */
export async function arrive(move: Move, by: Actor): Promise<Arrival> {
  const { to, id, scope } = move;
  const strangers = await to.db.transaction(async (tx) => {
    if (!(await updateMoveState(tx, id, { state: 'moved', changedAt: to.now() })))
      throw new MoveRefusal(
        'MOVE_TAKEN_OVER',
        'It has arrived, or the move was undone: bin/rubrica payment-service moves',
      );
    await asMover(tx, to.db.engine, () => shiftAll(tx, scope.environmentIds, 'back'));
    await setFences(tx, to.db.engine);
    const access = await carryAccess(move, tx);
    const row = await selectMove(tx, id);
    await recordAudit(tx, {
      at: to.now(),
      by: actorElsewhere(by),
      action: 'payment_service.moved_here',
      subject: { kind: 'payment_service', id: scope.paymentServiceId },
      after: { move: id, from: row?.address ?? '', users: access.users, withdrawn: access.withdrawn },
    });
    return access.strangers;
  }, 'slow');
  return { strangers, webhooks: await findUnsubscribed(move.from, to, scope.environmentIds) };
}

/**
 * Gives and withdraws the access of users as the source does now. Called after the last wait of the commit, because
 * somebody may change a user of the source until then.
 */
async function carryAccess(move: Move, tx: Tx): Promise<{ users: number; strangers: string[]; withdrawn: string[] }> {
  const { from, scope } = move;
  const grantees = await selectGrantees(from.db, scope.paymentServiceId);
  const granted = grantees.filter(({ disabled_at }) => disabled_at === null);
  const gone = await findWithdrawn(move, tx, new Set(granted.map(({ email }) => email)));
  const strangers: string[] = [];
  for (const { email } of granted) {
    const user = await selectUserByEmail(tx, normalizeEmail(email));
    if (user === null) strangers.push(email);
    else await insertUserPaymentService(tx, user.id, scope.paymentServiceId);
  }
  for (const user of gone) await deleteUserPaymentService(tx, user.id, scope.paymentServiceId);
  return { users: granted.length - strangers.length, strangers, withdrawn: gone.map(({ id }) => id) };
}

/** Returns the subscriptions of users to these environments that the same users do not have in the target. */
export async function findUnsubscribed(from: App, to: App, environmentIds: readonly number[]): Promise<string[]> {
  const there = new Set(await namesOfSubscriptions(to, environmentIds));
  const here = await namesOfSubscriptions(from, environmentIds);
  return [...new Set(here)].filter((name) => !there.has(name)).sort();
}

async function namesOfSubscriptions({ db }: App, environmentIds: readonly number[]): Promise<string[]> {
  const names: string[] = [];
  for (const id of environmentIds) {
    for (const { user_id, webhook } of await selectSubscriptionsFor(db, id)) {
      const user = await selectUserById(db, user_id);
      if (user !== null) names.push(`${user.email} ${webhook}`);
    }
  }
  return names;
}

/**
 * Returns the users of the target who kept a grant from an earlier stay of the payment service, and whom the source
 * knows and no longer lets see it.
 */
async function findWithdrawn({ from, scope }: Move, tx: Tx, granted: ReadonlySet<string>) {
  const withdrawn: { id: string; email: string }[] = [];
  for (const user of await selectGrantees(tx, scope.paymentServiceId)) {
    const known = granted.has(user.email) ? null : await selectUserByEmail(from.db, normalizeEmail(user.email));
    if (known !== null && (known.disabled_at !== null || known.all_payment_services === 0)) withdrawn.push(user);
  }
  return withdrawn;
}
