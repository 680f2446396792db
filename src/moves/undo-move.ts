import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { asMover } from '../db/guard-triggers.ts';
import { MoveRefusal } from './move.ts';
import { deleteAllChanges, selectLastMoves, selectMove, updateMoveBack, updateMoveState } from './move-queries.ts';
import { environmentsOf, setFences, setWatches } from './set-guards.ts';
import { shiftAll } from './switch-over.ts';

/**
 * Ends a move before it has arrived: first the other database says that it never will, then the payment service goes on here. What
 * was copied stays there, out of reach; a later move goes on from it. Answers the id of the move.
 */
export async function undoMove(from: App, to: App, paymentServiceId: string, by: Actor): Promise<string> {
  const [last] = await selectLastMoves(from.db, paymentServiceId);
  if (last === undefined || last.direction !== 'out' || last.state === 'undone')
    throw new MoveRefusal('MOVE_UNKNOWN', `No move of ${paymentServiceId} from here is under way.`);
  const { id } = last;
  const act = {
    action: 'payment_service.move_undone',
    subject: { kind: 'payment_service', id: paymentServiceId },
  } as const;
  await to.db.transaction(async (tx) => {
    // First the word, which waits for a command that is about to open it there; only then is it known what that one did.
    if (await updateMoveState(tx, id, { state: 'undone', changedAt: to.now() })) {
      await recordAudit(tx, { ...act, at: to.now(), by: { ...by, userId: null }, after: { move: id } });
      return;
    }
    const other = await selectMove(tx, id);
    if (other === null && last.state === 'moved')
      throw new MoveRefusal('MOVE_UNKNOWN', 'That database knows nothing of this move: --to names another one.');
    if (other?.state === 'moved')
      throw new MoveRefusal('MOVE_ARRIVED', `It has arrived at ${last.address}. Move it back from there.`);
  });
  await from.db.transaction(async (tx) => {
    if (!(await updateMoveBack(tx, last, from.now())))
      throw new MoveRefusal('MOVE_TAKEN_OVER', 'The move has gone on meanwhile. Call --undo once more.');
    if (last.state === 'moved') await asMover(tx, from.db.engine, () => shiftAll(tx, environmentsOf(last), 'back'));
    await setWatches(tx, from.db.engine);
    await setFences(tx, from.db.engine);
    await deleteAllChanges(tx);
    await recordAudit(tx, { ...act, at: from.now(), by, after: { move: id } });
  }, 'slow');
  return id;
}
