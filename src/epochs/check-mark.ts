import type { App } from '../app.ts';
import { selectEpochs, selectHanded, selectStoreMark } from './epoch-queries.ts';
import { type Mark, markFile, readMarks } from './mark-file.ts';

/**
 * Why no service may run on the store as it is, in a sentence with what to do: it is older than the one that was seen
 * before, or another. Null: it is the one, or nothing was ever seen. Ids and events would be given out twice otherwise.
 */
export async function whyStoreIsOlder(app: App): Promise<string | null> {
  const { store_id: store, beat, epoch } = await selectStoreMark(app.db);
  const begun = (await selectEpochs(app.db)).at(-1)?.first_transaction_id ?? 0;
  const { transactions } = await selectHanded(app.db);
  for (const mark of readMarks(app.config, store)) {
    if (isWorthless(mark)) continue;
    const seen = `as it was seen at ${new Date(mark.at).toISOString()} it gave out transaction ids up to ${mark.transactions - 1}`;
    // A person has said that it was restored, here or on another machine, and ids go on above all that was seen here.
    const isToldOf = epoch > mark.epoch;
    if (isToldOf && begun >= mark.transactions) continue;
    if (mark.store !== store) return `The store is another than the one that was here before: ${seen}. ${wayOn(app)}`;
    if (isToldOf || epoch < mark.epoch || beat < mark.beat || transactions < mark.transactions)
      return `The store is older than it was: ${seen}, and now it has them up to ${transactions - 1}. ${wayOn(app)}`;
  }
  return null;
}

/** Nothing was ever given out by that store. */
function isWorthless({ transactions, events }: Mark): boolean {
  return transactions <= 1001 && events === 0;
}

function wayOn({ config, db }: App): string {
  const put = db.engine === 'sqlite' ? 'put a backup in its place with bin/rubrica restore FILE, or ' : '';
  return `If it was restored, ${put}say so with bin/rubrica after-restore; if a new one is meant to begin, remove ${markFile(config)}.`;
}
