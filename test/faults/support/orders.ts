import { openDatabase } from '../../../src/db/open-database.ts';
import { createShopClient } from './shop-client.ts';

/** Creates a transaction whose callback goes to `callbackUrl`, and pays it. Returns its id. */
export async function createPaid(url: string, reference: string, callbackUrl: string): Promise<number> {
  using shop = createShopClient({ callbackUrl });
  const reply = await shop.create(url, reference);
  if (reply.kind !== 'created') throw new Error(`${reference} was ${JSON.stringify(reply)}`);
  await shop.pay(reply.payUrl);
  return reply.id;
}

export type StoredCallback = {
  transaction_id: number;
  state: string;
  attempts: number;
  tried: number;
  finished_at: number | null;
};

/** Returns the state of a transaction, and its callback with the recorded attempts. */
export async function readOutcome(
  databaseUrl: string,
  id: number,
): Promise<{ state: string; callback: StoredCallback | null }> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    const [transaction] = await db.query<{ state: string }>('select state from transactions where id = $1', [id]);
    const [callback] = await db.query<StoredCallback>(
      `select transaction_id, state, attempts, finished_at,
         (select count(*) from delivery_attempts a where a.callback_id = c.id) as tried
       from callbacks c where transaction_id = $1`,
      [id],
    );
    return { state: transaction?.state ?? 'none', callback: callback ?? null };
  } finally {
    await db.close();
  }
}
