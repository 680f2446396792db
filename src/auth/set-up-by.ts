import { accountOf } from '../audit/actor.ts';
import type { Tx } from '../db/database.ts';
import { selectSetUps } from './set-up-queries.ts';

const SET_UP_MS = 7 * 86_400_000;

/**
 * Returns the first of these names that has set up a user within the last 7 days: created, invited or enabled them,
 * changed their rights, or reset their password or second factors. Null: none of them. Two addresses may belong to one
 * person, so an auditor should see it if one requests and the other approves.
 */
export async function whoSetUp(
  tx: Tx,
  { userId, among, now }: { userId: string; among: readonly string[]; now: number },
): Promise<string | null> {
  const accounts = new Set((await selectSetUps(tx, userId, now - SET_UP_MS)).map(accountOf));
  return among.map(accountOf).find((account) => accounts.has(account)) ?? null;
}
