import type { App } from '../app.ts';
import type { MoveRow } from './move.ts';
import { selectAllMoves } from './move-queries.ts';

export type ListedMove = Pick<
  MoveRow,
  | 'id'
  | 'payment_service_id'
  | 'direction'
  | 'state'
  | 'address'
  | 'began_at'
  | 'began_by'
  | 'changed_at'
  | 'arrived_at'
>;

/** Lists every move from and to this database, the newest first. */
export async function listMoves(app: App): Promise<ListedMove[]> {
  const rows = await selectAllMoves(app.db);
  return rows.map(
    ({ id, payment_service_id, direction, state, address, began_at, began_by, changed_at, arrived_at }) => ({
      id,
      payment_service_id,
      direction,
      state,
      address,
      began_at,
      began_by,
      changed_at,
      arrived_at,
    }),
  );
}
