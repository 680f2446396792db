import type { Command } from 'commander';
import type { WaitingAttempt } from '../../checkout/waiting-attempt-queries.ts';
import type { Epoch } from '../../epochs/epoch.ts';
import { formatMoney } from '../../lib/money.ts';
import { formatAge } from '../../lib/time-text.ts';
import type { ListedCallback } from '../../outbox/callback-list-queries.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { findUnreleased, type Unreleased } from '../../proof/restores/find-unreleased.ts';
import { releaseRestore } from '../../proof/restores/release-restore.ts';
import { describeRestore, type SeenRestore } from '../../proof/restores/restore.ts';
import type { WaitingRefund } from '../../refunds/waiting-refund-queries.ts';
import { confirm } from '../confirm.ts';
import { headTable } from '../head-table.ts';
import { readLimit, readReason } from '../options.ts';
import { alreadyDone, type CommandError, chileanTimes, countOf, print, table, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';

type Options = ActingOptions & { limit: string; reason?: string; yes?: boolean };

/** `release`. */
export function addReleaseCommand(program: Command): void {
  acting(program.command('release'))
    .description('after a restore: show what to compare, then release callbacks and refunds; asks unless --yes')
    .option('--limit <number>', 'maximum number of rows of each kind', '100')
    .option('--reason <text>', 'reason why the loss is accepted, kept in the facts and anchors; do not name people')
    .option('--yes', 'release without asking; required without a terminal')
    .option('--json', 'print one JSON object; amounts in minor units, times in UTC milliseconds')
    .action(release);
}

async function release(options: Options): Promise<void> {
  const limit = readLimit(options.limit);
  const reason = options.reason === undefined ? null : readReason(options.reason);
  await withActor(options, async (app, by) => {
    const open = await findUnreleased(app, limit);
    if (open === null) throw nothingHeld();
    if (options.json !== true) print(options, {}, linesOf(open, limit));
    const { callbacks, refunds } = open.counts;
    const { leave } = open.approved_payouts;
    // Without a terminal there is nobody to confirm.
    const asks = options.json !== true && process.stdin.isTTY && process.stderr.isTTY;
    const released = options.yes === true || asks;
    if (released) {
      const leaving = `${countOf(callbacks, 'callback')}, ${countOf(refunds, 'refund')} and ${countOf(leave, 'payout')}`;
      await confirm(`Let ${leaving} go?`, options);
      if ((await releaseRestore(app, open.held.epoch, by, reason)) !== 'released') throw nothingHeld();
    }
    if (options.json === true) print(options, { ...shown(open), released }, []);
    else print(options, {}, [released ? 'Released: the service sends them now, or when it starts.' : NOT_RELEASED]);
    if (!released) process.exitCode = 1;
  });
}

const NOT_RELEASED = 'Nothing was released: compare what is listed, then bin/rubrica release --yes.';

function nothingHeld(): CommandError {
  return alreadyDone('Nothing is held: no restore waits for its release.');
}

function shown({ held, payments, refunds, callbacks, approved_payouts, counts, restore, heads }: Unreleased) {
  const { epoch, began_at, known_until } = held;
  return {
    epoch,
    began_at,
    known_until,
    gap_ms: known_until === null ? null : began_at - known_until,
    counts,
    lost_anchors: restore === null ? null : lostAnchors(restore),
    heads,
    payments,
    refunds,
    approved_payouts,
    callbacks: callbacks.map(({ id, transaction_id, webhook_id, created_at }) => ({
      id,
      transaction_id,
      webhook_id,
      created_at,
    })),
  };
}

function lostAnchors({ anchors, first_made_at, last_made_at }: SeenRestore) {
  return { anchors, first_made_at, last_made_at };
}

/** Returns a sentence about the time whose events are lost. */
export function describeGap({ began_at, known_until }: Epoch): string {
  if (known_until === null)
    return 'The store has no event, so nothing shows how old it is: compare everything before the restore.';
  const gap = formatAge(began_at - known_until);
  return `The newest event in the store is of ${time(known_until)}, ${gap} earlier: it knows nothing of what happened since.`;
}

function linesOf(open: Unreleased, limit: number): string[] {
  const { held } = open;
  const { payments, refunds, callbacks, pending_transactions: pending } = open.counts;
  return [
    `Restored at ${time(held.began_at)}. ${describeGap(held)}`,
    '',
    'Compare with the payment methods and the bank for that time: payments, refunds and payouts that they have and this store does not.',
    `Pending transactions: ${pending}. Some of them may have been paid. They cannot start a payment and do not expire until the release.`,
    ...listed(countOf(payments, 'unresolved payment'), open.payments.map(paymentCells)),
    ...listed(
      `${countOf(refunds, 'unresolved refund')}; each is looked up before it is requested`,
      open.refunds.map(refundCells),
    ),
    ...payoutLines(open.approved_payouts),
    ...listed(countOf(callbacks, 'callback waits', 'callbacks wait'), open.callbacks.map(callbackCells)),
    '',
    ...headLines(open.heads, limit),
    ...(open.restore === null ? [] : [`Anchors: ${chileanTimes(describeRestore(open.restore))}.`]),
    '',
  ];
}

/** Returns the ends of the books, to compare with copies that are kept elsewhere. Says how many it leaves out. */
export function headLines(heads: Unreleased['heads'], limit: number): string[] {
  if (heads.length === 0) return ['The books are empty.'];
  const left = heads.length - limit;
  return [
    'The books end so:',
    ...headTable(heads.slice(0, limit)).map((line) => `  ${line}`),
    ...(left > 0 ? [`  and ${left} more: bin/rubrica books head`] : []),
  ];
}

function payoutLines({ count, amount, leave }: Unreleased['approved_payouts']): string[] {
  if (count === 0) return ['', '0 approved payouts.'];
  const sum = formatMoney(amount, PAYOUT_CURRENCY);
  return [
    '',
    `${countOf(count, 'approved payout')}, ${sum} in all. At the release a sender gets ${leave} of them.`,
    '  The bank may have paid them. List them: bin/rubrica payout list --state approved',
    '  Cancel each one that was paid:         bin/rubrica payout cancel ID --reason TEXT --as EMAIL',
  ];
}

function listed(title: string, rows: string[][]): string[] {
  return ['', `${title}.`, ...table(rows).map((line) => `  ${line}`)];
}

function paymentCells({
  id,
  transaction_id,
  payment_method,
  state,
  since,
  amount,
  currency,
}: WaitingAttempt): string[] {
  return [id, `transaction ${transaction_id}`, payment_method, state, formatMoney(amount, currency), time(since)];
}

function refundCells({ id, transaction_id, since, amount, currency }: WaitingRefund): string[] {
  return [id, `transaction ${transaction_id}`, formatMoney(amount, currency), time(since)];
}

function callbackCells({ id, transaction_id, webhook_id, created_at }: ListedCallback): string[] {
  return [String(id), `transaction ${transaction_id}`, webhook_id, time(created_at)];
}
