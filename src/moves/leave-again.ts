import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { asMover } from '../db/guard-triggers.ts';
import { selectEpochs } from '../epochs/epoch-queries.ts';
import { addressOf, MoveRefusal, type MoveRow } from './move.ts';
import {
  deleteAllChanges,
  hasTransactionsOf,
  insertMove,
  selectLastMoves,
  selectMove,
  updateMoveState,
} from './move-queries.ts';
import { environmentsOf, setFences, setWatches } from './set-guards.ts';
import { shiftAll } from './switch-over.ts';

/**
 * Records again that a payment service left, in a source that was restored from an older backup. Otherwise both
 * databases would serve it: the source would pay, refund, expire and tell shops once more. Returns the move; null: the
 * source was not restored, or knows of the move, or the payment service is not served in the target.
 *
 * Throws `MoveRefusal` MOVE_AFTER_RESTORE if the source has taken orders since the restore, because the target lacks
 * them.
 */
export async function leaveAgain(from: App, to: App, paymentServiceId: string, by: Actor): Promise<MoveRow | null> {
  const epoch = (await selectEpochs(from.db)).at(-1);
  const [there] = await selectLastMoves(to.db, paymentServiceId);
  if (epoch === undefined || there?.direction !== 'in' || there.state !== 'moved') return null;
  if (there.address !== addressOf(from)) return null;
  const environmentIds = environmentsOf(there);
  return from.db.transaction(async (tx) => {
    const here = await selectMove(tx, there.id);
    if (here !== null && here.state !== 'copying') return null;
    if (await hasTransactionsOf(tx, environmentIds, epoch)) throw hasOrders(paymentServiceId);
    const at = from.now();
    if (here === null) await insertMove(tx, { ...there, ...LEFT, address: addressOf(to), changed_at: at });
    else await updateMoveState(tx, there.id, { state: 'moved', changedAt: at });
    await setFences(tx, from.db.engine);
    await setWatches(tx, from.db.engine);
    await asMover(tx, from.db.engine, () => shiftAll(tx, environmentIds, 'away'));
    await deleteAllChanges(tx);
    await recordAudit(tx, {
      at,
      by,
      action: 'payment_service.moved_away',
      subject: { kind: 'payment_service', id: paymentServiceId },
      after: { move: there.id, to: addressOf(to), restored: true },
    });
    return there;
  }, 'slow');
}

const LEFT = { direction: 'out', progress: '{}', paused_until: null, arrived_at: null } as const;

function hasOrders(paymentServiceId: string): MoveRefusal {
  return new MoveRefusal(
    'MOVE_AFTER_RESTORE',
    `${paymentServiceId} has taken orders here since the restore, and the other database, which serves it, does not have them. Disable it here, and tell its shop which orders to send there again.`,
  );
}
