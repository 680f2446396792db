import type { App } from '../app.ts';
import { selectUserPaymentServices, selectUsers } from './user-queries.ts';

/** `payment_services` is null for an operator, who sees all of them. */
export type ListedUser = {
  id: string;
  email: string;
  payouts: boolean;
  payment_services: string[] | null;
  created_at: number;
  disabled_at: number | null;
};

/** Every user, the oldest first; nothing secret. */
export async function listUsers(app: App): Promise<ListedUser[]> {
  const [users, services] = await Promise.all([selectUsers(app.db), selectUserPaymentServices(app.db)]);
  return users.map(({ id, email, payouts, operator, created_at, disabled_at }) => {
    const own = services.filter((row) => row.user_id === id).map((row) => row.payment_service_id);
    return {
      id,
      email,
      payouts: payouts === 1,
      payment_services: operator === 1 ? null : own,
      created_at,
      disabled_at,
    };
  });
}
