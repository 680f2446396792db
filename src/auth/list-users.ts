import type { App } from '../app.ts';
import { type DescribedRights, describeRights } from './describe-rights.ts';
import { selectUsers } from './user-queries.ts';

export type ListedUser = DescribedRights & {
  id: string;
  email: string;
  created_at: number;
  disabled_at: number | null;
};

/** Every user, the oldest first; nothing secret. */
export async function listUsers(app: App): Promise<ListedUser[]> {
  const users = await selectUsers(app.db);
  const rights = await describeRights(app.db, users);
  return users.map(({ id, email, created_at, disabled_at }, at) => {
    return { id, email, ...(rights[at] as DescribedRights), created_at, disabled_at };
  });
}
