/**
 * Everything planned for later than `furthest` becomes due `now`, in UTC milliseconds; not in `elsewhere` environments.
 */
export type Recall = { now: number; furthest: number; elsewhere: readonly number[] };
