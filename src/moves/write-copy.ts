import type { Tx } from '../db/database.ts';
import { asMover } from '../db/guard-triggers.ts';
import { type Move, MoveRefusal } from './move.ts';
import { updateProgress } from './move-queries.ts';

/**
 * Writes copied rows into the target, together with the progress, in one commit. Throws `MoveRefusal` if another
 * command has taken the move over: the rows that this one read may be outdated.
 */
export async function writeCopy(move: Move, work: (tx: Tx) => Promise<void>): Promise<void> {
  const { to, id, progress } = move;
  const written = to.db.transaction(async (tx) => {
    const { mover } = progress;
    const isOurs = await updateProgress(tx, { id, mover, changedAt: to.now() }, JSON.stringify(progress));
    if (!isOurs) {
      throw new MoveRefusal(
        'MOVE_TAKEN_OVER',
        'Another command goes on with this move, or it was undone. See bin/rubrica payment-service moves.',
      );
    }
    await asMover(tx, to.db.engine, () => work(tx));
  }, 'slow');
  await written.catch((error: unknown) => {
    throw isTaken(error) ? new MoveRefusal('MOVE_TAKEN', TAKEN) : error;
  });
}

/** For example a line of an acquirer's file that both databases imported: two merchants cannot own the same money. */
const TAKEN =
  'The other database has something already that may exist once, such as a Service Token or a line of a file. Nothing was switched: end the move with --undo.';

function isTaken(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === UNIQUE_VIOLATION || errcode === SQLITE_CONSTRAINT_UNIQUE;
}

const UNIQUE_VIOLATION = '23505';
const SQLITE_CONSTRAINT_UNIQUE = 2067;
