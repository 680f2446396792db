import type { Reader, SqlRow } from '../db/database.ts';
import type { MoveRow } from '../moves/move.ts';

/** An act about a move; `said` has its id. */
export type MoveAct = SqlRow & { subject: string; created_at: number; action: string; said: string | null };

/** Lists all acts about moves of payment services, in order: a payment service moves a few times in its life. */
export function selectMoveActs(db: Reader): Promise<MoveAct[]> {
  return db.query<MoveAct>(
    `select subject, created_at, action, said_after as said from audit_log
     where action in ('payment_service.move_begun', 'payment_service.moved_away', 'payment_service.moved_here',
       'payment_service.move_undone') order by link`,
  );
}

export function selectMoves(db: Reader): Promise<MoveRow[]> {
  return db.query<MoveRow>('select * from moves order by id');
}
