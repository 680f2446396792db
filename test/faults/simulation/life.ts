import type { World } from './world.ts';

export type Mishap = 'crash' | 'pause' | 'partition' | 'database' | 'drain';

/** A fault of a process, and its duration: it explains what would otherwise be a bug. */
export type Trouble = { from: number; to: number; mishap: Mishap };

/**
 * One life of a worker's process, from start to crash. All requests and responses pass through `arrive`: a dead process
 * receives nothing, and a paused one receives everything when it continues.
 */
export type Life = {
  readonly name: string;
  /** The error of its clock, in milliseconds. */
  readonly skew: number;
  alive(): boolean;
  /** Whether it is cut off from the database. */
  partitioned(): boolean;
  arrive(what: () => void): void;
  crash(why: string): void;
  pause(milliseconds: number): void;
  partition(milliseconds: number): void;
  /** Records another fault at this moment. */
  trouble(mishap: Mishap): void;
  readonly troubles: readonly Trouble[];
};

/** Begins a life. Calls `onCrash` once. */
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
