import type { App } from '../app.ts';
import {
  type FactContent,
  type FactKind,
  feeContent,
  feeSubject,
  ownerContent,
  refundContent,
} from '../books/book-fact.ts';
import { insertFactsBegun, selectFactsBegun } from '../books/fact-queries.ts';
import { recordFact } from '../books/record-fact.ts';
import { selectFeesOf, selectOwnersUnsaid, selectReservedOf } from './fact-check-queries.ts';

/** The name under which the facts of an older store are recorded. */
const CARRIED_OVER = 'carried over';

/**
 * Records once, in one commit, the facts of an older store: the owners of the books, the fees, and the refunds under
 * way. Later changes record their own facts. Returns whether this process did it.
 */
export async function beginFacts(app: App): Promise<boolean> {
  if ((await selectFactsBegun(app.db)) !== null) return false;
  const at = app.now();
  return app.db.transaction(async (tx) => {
    if (!(await insertFactsBegun(tx, at))) return false;
    for (const owner of await selectOwnersUnsaid(tx)) {
      const record = (kind: FactKind, subject: string, content: FactContent) =>
        recordFact(tx, { environmentId: owner.id, at, kind, subject, content, recordedBy: CARRIED_OVER });
      await record('owner', '', ownerContent(owner));
      for (const fee of await selectFeesOf(tx, owner.id)) await record('fee', feeSubject(fee), feeContent(fee));
      for (const refund of await selectReservedOf(tx, owner.id))
        await record('refund', refund.id, refundContent(refund));
    }
    return true;
  }, 'slow');
}
