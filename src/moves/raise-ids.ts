import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { raiseNextId, selectNextIds } from './move-queries.ts';

/** The transaction ids per environment id in the range of a database. */
export const TRANSACTIONS_PER_ENVIRONMENT = 10_000;

export type NextIds = { transaction: number; environment: number };

/**
 * Moves the id counters of this database into a separate range: transactions from `first` on, environments from a
 * ten-thousandth of it. Counters never fall. Running processes first use up the thousand ids that they have reserved.
 */
export async function raiseIds(app: App, first: number, by: Actor): Promise<NextIds> {
  return app.db.transaction(async (tx) => {
    const before = await selectNextIds(tx);
    const next = {
      transaction: await raiseNextId(tx, 'transaction', first),
      environment: await raiseNextId(tx, 'environment', Math.ceil(first / TRANSACTIONS_PER_ENVIRONMENT)),
    };
    const subject = { kind: 'store', id: '' };
    await recordAudit(tx, { at: app.now(), by, action: 'ids.raised', subject, before, after: next });
    return next;
  });
}
