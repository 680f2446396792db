import type { App } from '../../app.ts';
import type { Reader } from '../../db/database.ts';
import { createExpiringCache } from '../../lib/expiring-cache.ts';
import { perInstance } from '../../lib/per-instance.ts';
import shipped from './bank-directory.json' with { type: 'json' };
import { type BankDirectory, type BankList, createBankDirectory } from './bank-directory.ts';
import { selectDirectoryContent, selectNewestDirectoryId } from './bank-directory-queries.ts';

/** The bank list of this release, used until `banks import` imports another. A test checks its consistency. */
export const shippedBankDirectory: BankDirectory = createBankDirectory(shipped as BankList);

/** All replicas use an imported list within this time. */
const LIFETIME_MS = 1000;

const holders = perInstance((app: App) => {
  const cache = createExpiringCache<BankDirectory>({ lifetimeMs: LIFETIME_MS, capacity: 1, now: app.now });
  let serving: { id: number | null; directory: BankDirectory } = { id: null, directory: shippedBankDirectory };
  const load = async () => {
    const id = await selectNewestDirectoryId(app.db);
    if (id !== null && id !== serving.id) serving = { id, directory: await readDirectory(app.db, id) };
    return serving.directory;
  };
  return { peek: () => cache.peek(''), get: () => cache.get('', load) as Promise<BankDirectory> };
});

/** Returns the current bank list: the last imported one, else that in the release. */
export async function currentDirectory(app: App): Promise<BankDirectory> {
  const holder = holders(app);
  return holder.peek() ?? holder.get();
}

/** Returns the bank list of the store, which `currentDirectory` may not have yet. */
export async function storedDirectory(db: Reader): Promise<BankDirectory> {
  const id = await selectNewestDirectoryId(db);
  return id === null ? shippedBankDirectory : readDirectory(db, id);
}

/** Reads an imported list; the import has already checked it. */
async function readDirectory(db: Reader, id: number): Promise<BankDirectory> {
  return createBankDirectory(JSON.parse(await selectDirectoryContent(db, id)) as BankList);
}
