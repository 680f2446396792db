import type { World } from './world.ts';

/** The frequency of each fault, drawn once for each seed. Probabilities are per occasion. */
export type FaultPlan = {
  workers: number;
  /** A worker crashes when it polls. */
  crashAtPoll: number;
  /** A worker crashes while one of its requests is under way. */
  crashInFlight: number;
  pause: number;
  restart: number;
  /** A transaction fails: before it, inside it, at its commit, or after it. */
  databaseFault: number;
  /** The number of database outages for all workers in the hour. */
  outages: number;
  requestLost: number;
  answerLost: number;
  arrivesTwice: number;
  /** The largest difference between the clocks of two workers, in milliseconds. */
  skew: number;
  /** The number of simultaneous orders for the merchant that hangs. */
  burst: number;
};

const NOTHING: FaultPlan = {
  workers: 2,
  crashAtPoll: 0,
  crashInFlight: 0,
  pause: 0,
  restart: 0,
  databaseFault: 0,
  outages: 0,
  requestLost: 0,
  answerLost: 0,
  arrivesTwice: 0,
  skew: 0,
  burst: 0,
};

/** Draws the faults of a seed. A quarter of the seeds have the burst. */
export function drawFaultPlan(world: World): FaultPlan {
  const upTo = (most: number) => (world.chance(0.25) ? 0 : world.random() * most);
  return {
    workers: world.between(1, 4),
    crashAtPoll: upTo(0.02),
    crashInFlight: upTo(0.01),
    pause: upTo(0.01),
    restart: upTo(0.005),
    databaseFault: upTo(0.03),
    outages: world.chance(0.5) ? world.between(1, 3) : 0,
    requestLost: upTo(0.2),
    answerLost: upTo(0.2),
    arrivesTwice: upTo(0.1),
    skew: world.between(0, 400),
    burst: world.chance(0.25) ? world.between(100, 400) : 0,
  };
}

/**
 * Returns a plan without faults except for a merchant that hangs, with a burst of callbacks for it: any effect on the
 * others comes from it.
 */
export function burstPlan(burst: number): FaultPlan {
  return { ...NOTHING, burst };
}
