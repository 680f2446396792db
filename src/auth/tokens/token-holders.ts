import type { Reader } from '../../db/database.ts';
import { type MadeToken, selectTokenHolders, selectTokensByTokens, type TokenHolder } from './api-token-queries.ts';

/** An act of a user, who may be a program. `at`: UTC milliseconds. */
export type ActOfUser = { readonly by: string; readonly at: number };

/**
 * Clocks of two processes differ by less than this: a token made this shortly after an act may have been made before
 * it.
 */
export const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Returns the ids of the people who may have done an act: they made an API token or the password of its user, not after
 * the act, and it had not ended before the act.
 */
export function holdersAt(holders: readonly TokenHolder[], act: ActOfUser): string[] {
  return holders.filter((holder) => mayActAs(holder, act)).map(({ holder_id }) => holder_id);
}

function mayActAs({ user_id, made_at, until }: TokenHolder, act: ActOfUser): boolean {
  return user_id === act.by && made_at <= act.at + CLOCKS_DIFFER_MS && (until ?? act.at) >= act.at;
}

/**
 * Returns the people who knew API tokens or passwords of these users: their makers, and those who knew the token with
 * which one was made.
 */
export async function findTokenHolders(db: Reader, userIds: readonly string[]): Promise<TokenHolder[]> {
  const indirect = await findIndirectHolders(db);
  return [...(await selectTokenHolders(db, userIds)), ...indirect.filter(({ user_id }) => userIds.includes(user_id))];
}

/**
 * Returns the people who knew the API token with which another token was made. They may know that token too, until it
 * ends.
 */
export async function findIndirectHolders(db: Reader): Promise<TokenHolder[]> {
  const made = await selectTokensByTokens(db);
  if (made.length === 0) return [];
  const known = await selectTokenHolders(db, [...new Set(made.map(({ holder_id }) => holder_id))]);
  return made.flatMap((token) => {
    const people = new Set(makersBehind(known, token).map(({ holder_id }) => holder_id));
    return [...people].filter((id) => id !== token.user_id).map((holder_id) => ({ ...token, holder_id }));
  });
}

/** Returns the tokens that the maker of a token had at that time, the tokens that their makers had, and so on. */
function makersBehind(known: readonly MadeToken[], token: MadeToken): MadeToken[] {
  const behind = new Set<MadeToken>();
  const open = [token];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const act = { by: next.holder_id, at: next.made_at };
    for (const one of known) {
      if (!mayActAs(one, act) || behind.has(one)) continue;
      behind.add(one);
      if (one.by_token === 1) open.push(one);
    }
  }
  return [...behind];
}
