import type { App } from '../app.ts';
import { addUp, readSum, type Sum } from '../lib/exact-sum.ts';
import type { OpenWalk } from '../lib/walk.ts';
import {
  type LinkSpan,
  selectLinkOfPage,
  selectStoredSums,
  selectSummedEnvironments,
  selectSumsOfLinks,
} from './balance-queries.ts';

export type WrongBalance = { environment_id: number; account: string; currency: string };

type Account = { account: string; currency: string; debits: Sum; credits: Sum };

/**
 * Lists the accounts of these environments, and of all with a stored sum, whose sums differ from the sums of their
 * entries, or that have no entry. Stored sums are read with the end of the books that they include, and entries never
 * change, so entries up to there are read in pages: a process that stops does not wait for all of them.
 */
export async function findWrongBalances(app: App, booked: readonly number[], walks: OpenWalk): Promise<WrongBalance[]> {
  // An interrupted run adds up again: its sums are in memory, so it stores no place.
  const { page } = walks('sums', 'sums of the accounts');
  const environments = [...new Set([...booked, ...(await selectSummedEnvironments(app.db))])];
  const wrong: WrongBalance[] = [];
  for (const environmentId of environments.toSorted((one, other) => one - other)) {
    const stored = await selectStoredSums(app.db, environmentId);
    const head = stored[0]?.head ?? null;
    const end = Number.isSafeInteger(head) ? (head as number) : Number.MAX_SAFE_INTEGER;
    const accounts = new Map<string, Account>();
    const span: LinkSpan = { environmentId, after: Number.MIN_SAFE_INTEGER, until: end };
    for (;;) {
      const last = await selectLinkOfPage(app.db, span, page);
      if (last === null) break;
      await addPage(app, accounts, { ...span, until: last });
      span.after = last;
    }
    for (const { account, currency } of differing(stored, accounts)) {
      wrong.push({ environment_id: environmentId, account, currency });
    }
  }
  return wrong;
}

/** Adds the sums of a page to the sums of its accounts. */
async function addPage(app: App, accounts: Map<string, Account>, span: LinkSpan): Promise<void> {
  for (const { account, currency, debits, credits } of await selectSumsOfLinks(app.db, span)) {
    const key = `${account} ${currency}`;
    const known = accounts.get(key) ?? { account, currency, debits: 0, credits: 0 };
    known.debits = addUp([known.debits, readSum(debits)]);
    known.credits = addUp([known.credits, readSum(credits)]);
    accounts.set(key, known);
  }
}

/** Returns the accounts whose stored sums differ from the entries, in order. */
function differing(
  stored: Awaited<ReturnType<typeof selectStoredSums>>,
  accounts: ReadonlyMap<string, Account>,
): Pick<Account, 'account' | 'currency'>[] {
  const open = new Map<string, Pick<Account, 'account' | 'currency'>>();
  for (const [key, account] of accounts) if (account.debits !== 0 || account.credits !== 0) open.set(key, account);
  for (const { account, currency, debits, credits, garbled } of stored) {
    if (account === null) continue;
    const key = `${account} ${currency}`;
    const summed = accounts.get(key);
    const isRight = garbled === 0 && readSum(debits) === summed?.debits && readSum(credits) === summed.credits;
    if (isRight) open.delete(key);
    else open.set(key, { account, currency });
  }
  const inOrder = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
  return [...open.values()].toSorted(
    (one, other) => inOrder(one.account, other.account) || inOrder(one.currency, other.currency),
  );
}
