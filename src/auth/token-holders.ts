import type { TokenHolder } from './api-token-queries.ts';

/** An act of a user, who may be a program. `at` is UTC milliseconds. */
export type ActOfUser = { readonly by: string; readonly at: number };

/**
 * The ids of the people who knew an API token of the user of an act, having made it, unless the token ended before the act:
 * the act may be theirs.
 */
export function holdersAt(holders: readonly TokenHolder[], act: ActOfUser): string[] {
  return holders
    .filter(({ user_id, until }) => user_id === act.by && (until ?? act.at) >= act.at)
    .map(({ holder_id }) => holder_id);
}
