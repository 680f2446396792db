import type { SeedOptions } from './run-seed.ts';

/** The bugs that the simulation must catch, each with the seed of a small world in which it does. */
export const SIMULATED_PLANTS: readonly { plant: NonNullable<SeedOptions['plant']>; seed: number }[] = [
  { plant: 'mark before send', seed: 22 },
  { plant: 'no lease expiry', seed: 50 },
  { plant: 'redirect as success', seed: 87 },
  { plant: 'time-out as success', seed: 19 },
  { plant: 'lease shorter than time-out', seed: 36 },
  { plant: 'no fencing token', seed: 48 },
  { plant: 'outbox outside the transaction', seed: 51 },
  { plant: 'global queue', seed: 96 },
  { plant: 'Retry-After ignored', seed: 56 },
  { plant: 'schedule ignored', seed: 83 },
  { plant: 'gone endpoint kept', seed: 83 },
  { plant: 'gone endpoint noticed too late', seed: 34 },
  { plant: 'handled redirect repeated', seed: 4 },
  { plant: 'move taken for handled', seed: 39 },
  { plant: 'every 4xx is a refusal', seed: 22 },
  { plant: 'waiting callbacks are not woken', seed: 39 },
  { plant: 'callbacks in progress are woken', seed: 67 },
  { plant: 'waking uses up the schedule', seed: 27 },
  { plant: 'Retry-After forgotten at waking', seed: 43 },
];
