import type { Command } from 'commander';
import type { App } from '../app.ts';
import { selectWaitingAttempts, type WaitingAttempt } from '../checkout/waiting-attempt-queries.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { findHeld } from '../epochs/hold.ts';
import { releaseEpoch } from '../epochs/release-epoch.ts';
import { formatPlain } from '../lib/money.ts';
import type { ListedCallback } from '../outbox/callback-list-queries.ts';
import { countQueued } from '../outbox/outbox-queries.ts';
import { listCallbacks } from '../outbox/resend-callback.ts';
import { selectWaitingRefunds, type WaitingRefund } from '../refunds/waiting-refund-queries.ts';
import { countPending } from '../transactions/transaction-queries.ts';
import { formatAge } from './attention-commands.ts';
import { confirm } from './confirm.ts';
import { readLimit } from './options.ts';
import { alreadyDone, print, table, time } from './print.ts';
import { withApp } from './with-app.ts';

type Options = { limit: string; yes?: boolean; json?: boolean };

/** `release`. */
export function addReleaseCommand(program: Command): void {
  program
    .command('release')
    .description(
      'after a restore: show what is to be compared, and let callbacks and refunds go; without --yes it asks',
    )
    .option('--limit <number>', 'how many of each kind to list', '100')
    .option('--yes', 'release without asking; needed where there is no terminal')
    .option('--json', 'print one JSON object; amounts in minor units, times in UTC milliseconds')
    .action(release);
}

/** What the store knows of that somebody else may know more of. Lists are cut at the limit, counts are not. */
type Open = {
  payments: WaitingAttempt[];
  refunds: WaitingRefund[];
  callbacks: ListedCallback[];
  pending: number;
  queued: number;
};

async function release(options: Options): Promise<void> {
  const limit = readLimit(options.limit);
  await withApp(async (app) => {
    const held = await findHeld(app);
    if (held === null) throw alreadyDone('Nothing is held: no restore waits for its release.');
    const open = await findOpen(app, limit);
    if (options.json !== true) print(options, {}, linesOf(held, open));
    const released = options.yes === true || (options.json !== true && process.stdin.isTTY);
    if (released) {
      await confirm(`Let ${open.queued} callbacks and ${open.refunds.length} refunds go?`, options);
      await releaseEpoch(app, 'command line');
    }
    if (options.json === true) print(options, { ...shown(held, open), released }, []);
    else print(options, {}, [released ? 'Released: the running service sends them now.' : NOT_RELEASED]);
    if (!released) process.exitCode = 1;
  });
}

const NOT_RELEASED = 'Nothing was released: compare what is listed, then bin/rubrica release --yes.';

async function findOpen(app: App, limit: number): Promise<Open> {
  return {
    payments: await selectWaitingAttempts(app.db, app.now(), limit),
    refunds: await selectWaitingRefunds(app.db, { accepted: app.now(), asked: app.now() }, limit),
    callbacks: await listCallbacks(app, { state: 'queued' }, limit),
    pending: await countPending(app.db),
    queued: await countQueued(app.db),
  };
}

function shown(held: Epoch, { payments, refunds, callbacks, pending, queued }: Open) {
  const { epoch, began_at, known_until } = held;
  return {
    epoch,
    began_at,
    known_until,
    gap_ms: known_until === null ? null : began_at - known_until,
    counts: { payments: payments.length, refunds: refunds.length, callbacks: queued, pending_transactions: pending },
    payments,
    refunds,
    callbacks: callbacks.map(({ id, transaction_id, webhook_id, created_at }) => ({
      id,
      transaction_id,
      webhook_id,
      created_at,
    })),
  };
}

/** From when to when nothing is known. */
export function describeGap({ began_at, known_until }: Epoch): string {
  if (known_until === null) return 'There is no event in the store: all that ever happened in it before is lost.';
  const gap = formatAge(Math.max(0, began_at - known_until));
  return `The newest event in the store is of ${time(known_until)} UTC: the ${gap} after it are lost.`;
}

function linesOf(held: Epoch, open: Open): string[] {
  return [
    `Restored at ${time(held.began_at)} UTC. ${describeGap(held)}`,
    '',
    `Compare with the payment methods and the bank for that time: payments and refunds that they have and this store has not.`,
    `${open.pending} transactions are pending; some of them may have been paid. They begin no payment and do not expire until the release.`,
    ...listed(`${open.payments.length} payments without an end`, open.payments.map(paymentCells)),
    ...listed(
      `${open.refunds.length} refunds without an end; each is looked up before it is asked for`,
      open.refunds.map(refundCells),
    ),
    ...listed(`${open.queued} callbacks wait`, open.callbacks.map(callbackCells)),
    '',
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
  return [id, `transaction ${transaction_id}`, payment_method, state, money(amount, currency), time(since)];
}

function refundCells({ id, transaction_id, since, amount, currency }: WaitingRefund): string[] {
  return [id, `transaction ${transaction_id}`, money(amount, currency), time(since)];
}

function callbackCells({ id, transaction_id, webhook_id, created_at }: ListedCallback): string[] {
  return [String(id), `transaction ${transaction_id}`, webhook_id, time(created_at)];
}

function money(amount: number, currency: string): string {
  return `${formatPlain(amount, currency)} ${currency}`;
}
