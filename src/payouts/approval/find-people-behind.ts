import { accountOf } from '../../audit/actor.ts';
import { findTokenHolders } from '../../auth/tokens/token-holders.ts';
import { selectNamedUsers } from '../../auth/user-queries.ts';
import type { Reader } from '../../db/database.ts';
import type { Payout } from '../payout.ts';
import type { RecipientRow } from '../recipients/recipient.ts';
import { isMadeWithToken, makersOf, type PeopleBehind } from './approval-rule.ts';

/**
 * Finds the users behind payouts: the makers and those who changed accounts. Also finds the people who know API tokens
 * or passwords of programs that made payouts and of those who changed accounts.
 */
export async function findPeopleBehind(
  db: Reader,
  payouts: readonly Payout[],
  versions: readonly RecipientRow[],
): Promise<PeopleBehind> {
  const changers = payouts.flatMap(({ account_changed_by }) => account_changed_by ?? []);
  const makers = payouts.flatMap(({ proposed_by, proposed_by_id }) => [accountOf(proposed_by), proposed_by_id]);
  const names = new Set([...makers, ...changers]);
  const users = names.size === 0 ? [] : await selectNamedUsers(db, [...names]);
  const programs = payouts.filter(isMadeWithToken);
  const keepers = changers.length === 0 ? [] : versions.map(({ created_by }) => created_by);
  const ids = new Set([...programs.flatMap((payout) => makersOf(payout, users)), ...changers, ...keepers]);
  return { users, holders: ids.size === 0 ? [] : await findTokenHolders(db, [...ids]) };
}
