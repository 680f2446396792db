import type { SeedOptions } from './run-seed.ts';

/** The bugs that the simulation must catch, each with a seed that does. */
export const SIMULATED_PLANTS: readonly { plant: NonNullable<SeedOptions['plant']>; seed: number }[] = [
  { plant: 'mark before send', seed: 2 },
  { plant: 'no lease expiry', seed: 1 },
  { plant: 'redirect as success', seed: 4 },
  { plant: 'time-out as success', seed: 3 },
  { plant: 'lease shorter than time-out', seed: 2 },
  { plant: 'no fencing token', seed: 1 },
  { plant: 'outbox outside the transaction', seed: 2 },
  { plant: 'global queue', seed: 29 },
  { plant: 'Retry-After ignored', seed: 6 },
  { plant: 'schedule ignored', seed: 2 },
  { plant: 'gone endpoint kept', seed: 6 },
  { plant: 'gone endpoint heard too late', seed: 34 },
];
