import type { App } from '../app.ts';
import { type DescribedRights, describeRights } from './describe-rights.ts';
import { selectFactorOwners } from './factors/factor-queries.ts';
import { selectTokenUses } from './tokens/api-token-queries.ts';
import { selectUsers } from './user-queries.ts';

/** Times are UTC milliseconds. `last_log_in_at`: with a password, a link or an API token; null: no log-in recorded. */
export type ListedUser = DescribedRights & {
  id: string;
  email: string;
  created_at: number;
  disabled_at: number | null;
  second_factor: boolean;
  last_log_in_at: number | null;
};

/** Returns all users, oldest first, without secrets. */
export async function listUsers(app: App): Promise<ListedUser[]> {
  const users = await selectUsers(app.db);
  const rights = await describeRights(app.db, users);
  const [factors, tokenUses] = await Promise.all([selectFactorOwners(app.db), selectTokenUses(app.db)]);
  return users.map(({ id, email, created_at, disabled_at, signed_in_at }, at) => ({
    id,
    email,
    ...(rights[at] as DescribedRights),
    created_at,
    disabled_at,
    second_factor: factors.has(id),
    last_log_in_at: Math.max(signed_in_at ?? 0, tokenUses.get(id) ?? 0) || null,
  }));
}
