import type { App } from '../app.ts';
import { type Actor, actorElsewhere } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { asMover } from '../db/guard-triggers.ts';
import { selectEpochs, selectHeld } from '../epochs/epoch-queries.ts';
import { addressOf, MoveRefusal, type MoveRow } from './move.ts';
import { deleteAllChanges, selectLastMoves, selectMove, updateMoveBack, updateMoveState } from './move-queries.ts';
import { environmentsOf, setFences, setWatches } from './set-guards.ts';
import { shiftAll } from './switch-over.ts';

/**
 * Ends a move that has not arrived. First the target records that it never will, then the payment service continues in
 * the source. The copy stays in the target, out of reach; a later move resumes from it. Returns the id of the move.
 *
 * A move that has arrived ends too if the target was restored from a backup that is older than it, and the source is
 * held as after a restore: orders may have been paid in the target in the lost time. Throws `MoveRefusal`.
 */
export async function undoMove(from: App, to: App, paymentServiceId: string, by: Actor): Promise<string> {
  const [last] = await selectLastMoves(from.db, paymentServiceId);
  if (last === undefined || last.direction !== 'out' || last.state === 'undone')
    return endLeftBehind(from, to, paymentServiceId, by);
  const { id } = last;
  await to.db.transaction(async (tx) => {
    // The target commits first. This waits for a command that is about to open it there, and only then is its outcome
    // known.
    if (await endIn(tx, to, last, by)) return;
    const other = await selectMove(tx, id);
    if (other === null && last.state === 'moved') await requireForgotten(from, to, last);
    if (other?.state === 'moved')
      throw new MoveRefusal('MOVE_ARRIVED', `It has arrived at ${last.address}. Move it back from there.`);
  });
  await takeBackHere(from, last, paymentServiceId, by);
  return id;
}

async function requireForgotten(from: App, to: App, { address, changed_at }: MoveRow): Promise<void> {
  const isRestored = (await selectEpochs(to.db)).some(({ began_at }) => began_at > changed_at);
  if (address !== addressOf(to) || !isRestored)
    throw new MoveRefusal('MOVE_UNKNOWN', 'That database knows nothing of this move: --to names another one.');
  const held = await selectHeld(from.db);
  if (held !== null && held.began_at > changed_at) return;
  throw new MoveRefusal(
    'MOVE_AFTER_RESTORE',
    'The other database was restored from a backup that is older than the move, so what happened there is lost. Stop the service here, run bin/rubrica after-restore, and then this command again. When you have compared, release it: bin/rubrica release.',
  );
}

/**
 * Lets the payment service continue here, whatever happened to its copy. Throws `MoveRefusal` if the move has changed
 * since `last` was read.
 */
export async function takeBackHere(
  from: App,
  { id, state }: Pick<MoveRow, 'id' | 'state'>,
  paymentServiceId: string,
  by: Actor,
): Promise<void> {
  await from.db.transaction(async (tx) => {
    if (!(await updateMoveBack(tx, { id, state }, from.now())))
      throw new MoveRefusal('MOVE_TAKEN_OVER', 'The move has gone on meanwhile. Call --undo once more.');
    const row = (await selectMove(tx, id)) as MoveRow;
    if (state === 'moved') await asMover(tx, from.db.engine, () => shiftAll(tx, environmentsOf(row), 'back'));
    await setWatches(tx, from.db.engine);
    await setFences(tx, from.db.engine);
    await deleteAllChanges(tx);
    await recordAudit(tx, { ...actOf(paymentServiceId), at: from.now(), by, after: { move: id } });
  }, 'slow');
}

/**
 * Ends a copy in the target whose move is over or unknown in the source, such as after a command that was interrupted
 * while it began or undid a move.
 */
async function endLeftBehind(from: App, to: App, paymentServiceId: string, by: Actor): Promise<string> {
  const [copy] = await selectLastMoves(to.db, paymentServiceId);
  const here = copy === undefined ? null : await selectMove(from.db, copy.id);
  const isOver = here === null ? copy?.address === addressOf(from) : here.state === 'undone';
  const ended =
    copy?.direction === 'in' && isOver && (await to.db.transaction((tx) => endIn(tx, to, copy, by))) ? copy : null;
  if (ended === null) throw new MoveRefusal('MOVE_UNKNOWN', `No move of ${paymentServiceId} from here is under way.`);
  return ended.id;
}

/** Returns false if it is not being copied to the target. */
async function endIn(tx: Tx, to: App, { id, payment_service_id }: MoveRow, by: Actor): Promise<boolean> {
  if (!(await updateMoveState(tx, id, { state: 'undone', changedAt: to.now() }))) return false;
  const act = { ...actOf(payment_service_id), by: actorElsewhere(by) };
  await recordAudit(tx, { ...act, at: to.now(), after: { move: id } });
  return true;
}

const actOf = (paymentServiceId: string) =>
  ({ action: 'payment_service.move_undone', subject: { kind: 'payment_service', id: paymentServiceId } }) as const;
