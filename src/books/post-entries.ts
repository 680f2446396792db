import type { Tx } from '../db/database.ts';
import { addToBalances } from './balance-queries.ts';
import type { Posting } from './journal-entry.ts';
import { advanceHead, insertEntries, selectBehind, updateHead } from './journal-queries.ts';
import { linkHash } from './link-hash.ts';
import { ownerHash, recordHash } from './record-hash.ts';

/**
 * Writes a posting into the books as the next link of its environment's chain, in the commit of the change that it
 * explains. Returns the number of the link. The money of an attempt is written once: if a method reports it again,
 * nothing is written and the earlier link is returned.
 *
 * Call it last in a commit. All postings of an environment queue for one row, the end of the chain. A posting that
 * holds this lock waits for nothing else in the books, so the queue stays short and no deadlock can occur.
 */
export async function postEntries(tx: Tx, posting: Posting): Promise<number> {
  const { booked, ...behind } = await selectBehind(tx, posting.environmentId, posting);
  if (booked !== null) return booked;
  const head = await advanceHead(tx, 'journal_heads', posting.environmentId);
  const entries = posting.transfers.map(({ kind, debit, credit, amount, currency, payout }, line) => ({
    environment_id: posting.environmentId,
    link: head.link,
    line,
    created_at: posting.at,
    kind,
    debit_account: debit,
    credit_account: credit,
    amount,
    currency,
    transaction_id: posting.transactionId,
    payment_attempt_id: posting.paymentAttemptId ?? null,
    refund_id: posting.refundId ?? null,
    movement_id: posting.movement?.id ?? null,
    movement_hash: posting.movement?.hash ?? null,
    owner_hash: ownerHash(behind),
    payout_id: payout?.id ?? null,
  }));
  const hashed = entries.map((entry, line) => ({
    ...entry,
    record_hash:
      posting.transfers[line]?.payout?.hash ?? recordHash(entry, behind, behind.attempt_state === 'approved'),
  }));
  const hash = linkHash(head.hash, hashed);
  await insertEntries(
    tx,
    hashed.map((entry) => ({ ...entry, hash })),
  );
  await updateHead(tx, 'journal_heads', posting.environmentId, hash);
  await addToBalances(tx, sumsOf(posting));
  return head.link;
}

/** Sums the debits and credits that a posting adds to each account. Each account appears once. */
function sumsOf({ environmentId, transfers }: Posting) {
  const sides = transfers.flatMap(({ debit, credit, amount, currency }) => [
    { account: debit, currency, debits: amount, credits: 0 },
    { account: credit, currency, debits: 0, credits: amount },
  ]);
  const groups = Map.groupBy(sides, ({ account, currency }) => `${account} ${currency}`);
  return [...groups.values()].map((group) => ({
    environment_id: environmentId,
    account: group[0]?.account as string,
    currency: group[0]?.currency as string,
    debits: group.reduce((sum, { debits }) => sum + debits, 0),
    credits: group.reduce((sum, { credits }) => sum + credits, 0),
  }));
}
