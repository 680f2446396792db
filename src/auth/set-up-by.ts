import { accountOf } from '../audit/actor.ts';
import type { Tx } from '../db/database.ts';
import { selectSetUps } from './set-up-queries.ts';

const SET_UP_MS = 7 * 86_400_000;

/**
 * The first of these names that has let a user in within the last days: made or invited them, gave them their role, a new password or no
 * second factor. Null: none has. Two addresses may be one person's, and what one asks for and the other approves is for an auditor to see.
 */
export async function whoSetUp(
  tx: Tx,
  { userId, among, now }: { userId: string; among: readonly string[]; now: number },
): Promise<string | null> {
  const accounts = new Set((await selectSetUps(tx, userId, now - SET_UP_MS)).map(accountOf));
  return among.map(accountOf).find((account) => accounts.has(account)) ?? null;
}
