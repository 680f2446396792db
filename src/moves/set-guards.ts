import type { Database, Tx } from '../db/database.ts';
import { setFence, setWatch } from '../db/guard-triggers.ts';
import { selectOwnerIds } from './copied-row-queries.ts';
import type { MoveRow } from './move.ts';
import { selectLastMoves } from './move-queries.ts';
import { movingTables } from './moved-tables.ts';
import { AMONG_ENVIRONMENTS, type Owner } from './owner.ts';

type Engine = Database['engine'];

/** Returns whether another database serves the payment service: it left, has not arrived, or never will. */
export function isElsewhere({ direction, state }: Pick<MoveRow, 'direction' | 'state'>): boolean {
  return direction === 'out' ? state === 'moved' : state !== 'moved';
}

/**
 * Sets the fences of this database by its moves: writes to a payment service that is served elsewhere are refused.
 * Waits for running writers, and takes effect with the commit of `tx`.
 */
export async function setFences(tx: Tx, engine: Engine): Promise<void> {
  const elsewhere = (await selectLastMoves(tx, null)).filter(isElsewhere);
  for (const [table, { owner, fence }] of inOrderOfLocks()) {
    const values = await valuesOf(tx, owner, elsewhere);
    await setFence(tx, engine, { table, column: owner.column, values, updates: fence });
  }
}

/** Records changes of the payment services that are being copied from here, if any. */
export async function setWatches(tx: Tx, engine: Engine): Promise<void> {
  const copied = (await selectLastMoves(tx, null)).filter(
    ({ direction, state }) => direction === 'out' && state === 'copying',
  );
  const environments = copied.flatMap(environmentsOf);
  for (const [table, rule] of inOrderOfLocks()) {
    if (rule.how === 'rows') {
      const values = await valuesOf(tx, rule.owner, copied);
      await setWatch(tx, engine, { table, column: rule.owner.column, values, name: table, key: rule.name });
    }
  }
  const column = AMONG_ENVIRONMENTS.column;
  await setWatch(tx, engine, { table: CALLBACKS, column, values: environments, name: CALLBACKS, key: 'id' });
  const attempts = { table: 'delivery_attempts', column, values: environments };
  await setWatch(tx, engine, { ...attempts, name: CALLBACKS, key: 'callback_id' });
}

/** Changes of delivery attempts are recorded as changes of their callback. */
const CALLBACKS = 'callbacks';

/**
 * Commits write these tables first, and the next list last. Triggers created in another order would deadlock with them.
 */
const WRITTEN_FIRST = ['transactions', 'payment_attempts', 'refunds', 'environments'];
const WRITTEN_LAST =
  'events endpoints callbacks delivery_attempts journal_heads journal_entries account_balances'.split(' ');

function inOrderOfLocks() {
  const tables = movingTables();
  const between = tables.length;
  const placeOf = (table: string) => {
    if (WRITTEN_FIRST.includes(table)) return WRITTEN_FIRST.indexOf(table) - WRITTEN_FIRST.length;
    return WRITTEN_LAST.includes(table) ? between + WRITTEN_LAST.indexOf(table) : 0;
  };
  return tables.toSorted(([one], [other]) => placeOf(one) - placeOf(other));
}

/** Returns the ids of a move's environments. */
export function environmentsOf({ environment_ids }: Pick<MoveRow, 'environment_ids'>): number[] {
  return JSON.parse(environment_ids) as number[];
}

async function valuesOf(tx: Tx, { column, of }: Owner, moves: readonly MoveRow[]): Promise<(number | string)[]> {
  if (column === AMONG_ENVIRONMENTS.column) return moves.flatMap(environmentsOf);
  const ids = moves.map(({ payment_service_id }) => payment_service_id);
  return of === undefined ? ids : selectOwnerIds(tx, of, ids);
}
