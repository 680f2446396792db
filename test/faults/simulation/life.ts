import type { World } from './world.ts';

export type Mishap = 'crash' | 'pause' | 'partition' | 'database' | 'drain';

/** What went wrong for a process, and for how long: it explains what would otherwise be a bug. */
export type Trouble = { from: number; to: number; mishap: Mishap };

/**
 * One life of a worker's process, from start to crash. What it asked for and what is answered passes through `arrive`:
 * nothing arrives at a dead process, and what arrives at a paused one waits.
 */
export type Life = {
  readonly name: string;
  /** How far its clock is off. */
  readonly skew: number;
  alive(): boolean;
  /** Cut off from the database. */
  partitioned(): boolean;
  arrive(what: () => void): void;
  crash(why: string): void;
  pause(milliseconds: number): void;
  partition(milliseconds: number): void;
  /** Says that something else went wrong, for a moment. */
  trouble(mishap: Mishap): void;
  readonly troubles: readonly Trouble[];
};

/** Begins a life. `onCrash` is told once. */
export function createLife(world: World, name: string, skew: number, onCrash: () => void): Life {
  const troubles: Trouble[] = [];
  let alive = true;
  let pausedUntil = 0;
  let partitionedUntil = 0;

  const suffer = (mishap: Mishap, milliseconds = 0) => {
    troubles.push({ from: world.now(), to: world.now() + milliseconds, mishap });
  };

  function arrive(what: () => void): void {
    if (!alive) return;
    if (world.now() >= pausedUntil) return what();
    world.after(pausedUntil - world.now(), () => arrive(what));
  }

  return {
    name,
    skew,
    alive: () => alive,
    partitioned: () => world.now() < partitionedUntil,
    arrive,
    crash: (why) => {
      if (!alive) return;
      alive = false;
      suffer('crash');
      world.note(`${name} crashes ${why}`);
      onCrash();
    },
    pause: (milliseconds) => {
      if (!alive || world.now() < pausedUntil) return;
      pausedUntil = world.now() + milliseconds;
      suffer('pause', milliseconds);
      world.note(`${name} pauses for ${milliseconds}`);
    },
    partition: (milliseconds) => {
      if (!alive) return;
      partitionedUntil = world.now() + milliseconds;
      suffer('partition', milliseconds);
      world.note(`${name} loses the database for ${milliseconds}`);
    },
    trouble: (mishap) => suffer(mishap),
    troubles,
  };
}
