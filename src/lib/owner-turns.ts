import { QueueFullError } from './fair-queue.ts';

/** Runs work of an owner. Resolves with its answer; rejects with its error, or with `QueueFullError`. */
export type OwnerTurns<Owner> = <Done>(owner: Owner, work: () => Promise<Done>) => Promise<Done>;

/**
 * One piece of work of an owner at a time, in the order in which it came, while owners do not wait for each other: a burst of one
 * takes one connection of the database. More than `most` of an owner may not wait.
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
