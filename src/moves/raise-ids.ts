import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { raiseNextId, selectNextIds } from './move-queries.ts';

/** For each environment there is room for so many transactions, in the stretch of a database. */
export const TRANSACTIONS_PER_ENVIRONMENT = 10_000;

export type NextIds = { transaction: number; environment: number };

/**
 * Lets this database number in a stretch of its own: transactions from `first` on, environments from a ten-thousandth of it. Never
 * lower than it has got to. Processes that serve use up the thousand ids that they have reserved.
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
