import type { App } from '../app.ts';
import { openUnlessChanged } from '../sealing/sealed-kind.ts';
import { selectSecretsAfter } from './payment-service-queries.ts';
import { SECRET_TOKENS } from './seal-secret.ts';

const PAGE = 500;

/**
 * Returns the id of a payment service that has or had this Secret Token; null: none. Decrypts every Secret Token of the
 * store, page by page: it is meant for a command, not for requests.
 */
export async function findSecretHolder(app: App, secretToken: string): Promise<string | null> {
  let last = '';
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectSecretsAfter(app.db, last, PAGE);
    const holder = rows.find((row) => openUnlessChanged(app, SECRET_TOKENS, row, row.sealed) === secretToken);
    if (holder !== undefined) return holder.payment_service_id;
    last = rows.at(-1)?.id ?? last;
    page = rows.length;
  }
  return null;
}
