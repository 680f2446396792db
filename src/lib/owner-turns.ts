import { QueueFullError } from './fair-queue.ts';

/** Runs work of an owner. Resolves with its result; rejects with its error, or with `QueueFullError`. */
export type OwnerTurns<Owner> = <Done>(owner: Owner, work: () => Promise<Done>) => Promise<Done>;

/**
 * Runs the work of each owner one by one, in order of arrival. Owners do not wait for each other, so a burst of one
 * owner takes one database connection. At most `most` pieces of work of an owner may wait.
 */
export function createOwnerTurns<Owner>(most: number): OwnerTurns<Owner> {
  const turns = new Map<Owner, { last: Promise<unknown>; count: number }>();
  return async (owner, work) => {
    const turn = turns.get(owner) ?? { last: Promise.resolve(), count: 0 };
    if (turn.count > most) throw new QueueFullError(`${most} wait already for the same owner`);
    turns.set(owner, turn);
    turn.count++;
    const done = turn.last.then(work);
    turn.last = done.catch(() => {});
    try {
      return await done;
    } finally {
      turn.count--;
      if (turn.count === 0) turns.delete(owner);
    }
  };
}
