import type { App } from '../app.ts';
import { isHeldBack } from '../epochs/hold.ts';
import { prefixedId } from '../lib/ids.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import { selectAccountInUse } from '../payment-services/method-settings-queries.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { lockTransaction } from '../transactions/transaction-queries.ts';
import { askPaymentMethod } from './ask-payment-method.ts';
import { availableMethods } from './available-methods.ts';
import type { PaymentAttempt } from './payment-attempt.ts';
import { insertAttempt, readEarlierAttempts } from './payment-attempt-queries.ts';
import { settlePayment } from './settle-payment.ts';

/** `redirect`: send the payer to `url` with a form post of `fields`. `asked`: the pay page shows the outcome. */
export type PaymentStart =
  | { kind: 'asked' }
  | { kind: 'redirect'; method: PaymentMethod; url: string; fields: Record<string, string> }
  | { kind: 'refused'; code: StartRefusal };

/** Why no payment was started. `RATE_LIMITED`: the transaction had too many attempts lately. */
export type StartRefusal =
  | 'INVALID_PARAMETER'
  | 'NOT_PAYABLE'
  | 'PAYMENT_IN_PROGRESS'
  | 'HELD_AFTER_RESTORE'
  | 'RATE_LIMITED';

/**
 * More attempts than an undecided payer makes. Attempts that the payer leaves are no declines, which end the order; and
 * a method has a limit for all payers of a merchant.
 */
const MOST_LATELY = 20;
const LATELY_MS = 10 * 60_000;

/** For this long only the process that opened an attempt asks about it; then a worker does. */
const HANDED_OVER_AFTER_MS = 30_000;

/**
 * Pays a transaction with one of its methods. Two tabs, payers or processes can never pay it twice: the attempt is
 * stored before the method is asked, and a second one is refused while the first is open.
 *
 * The method is asked outside the commit. If the process dies meanwhile, a worker looks up the `started` attempt.
 * Rejects with `StorageError`.
 */
export async function startPayment(app: App, transaction: Transaction, methodCode: string): Promise<PaymentStart> {
  const environment = await environmentOf(app, transaction);
  const methods = availableMethods(app, environment, transaction);
  const method = methods.find(({ code }) => code === methodCode);
  if (method === undefined) return { kind: 'refused', code: 'INVALID_PARAMETER' };

  const opened = await openAttempt(app, transaction, method.code);
  if (opened.kind === 'refused') return opened;
  const { attempt } = opened;
  const outcome = await askPaymentMethod(
    app,
    'start',
    { method, environment, transaction, attempt, returned: null },
    0,
  );
  // If the attempt ended before this answer came, the payer cannot pay it any more.
  const settlement = await settlePayment(app, attempt, outcome);
  if (outcome.kind !== 'redirect' || settlement.kind !== 'waiting') return { kind: 'asked' };
  return { kind: 'redirect', method, url: outcome.url, fields: outcome.fields };
}

type Opened = { kind: 'opened'; attempt: PaymentAttempt } | Extract<PaymentStart, { kind: 'refused' }>;

/** Stores an attempt in a separate commit, if the transaction can be paid now. */
function openAttempt(app: App, given: Transaction, methodCode: string): Promise<Opened> {
  const now = app.now();
  const unopened: PaymentAttempt = {
    id: prefixedId('pa'),
    environment_id: given.environment_id,
    transaction_id: given.id,
    created_at: now,
    settled_at: null,
    next_lookup_at: now + HANDED_OVER_AFTER_MS,
    asked_until: null,
    lookups: 0,
    state: 'started',
    payment_method: methodCode,
    account: null,
    external_id: null,
    detail: null,
    commit_sent_at: null,
    commit_answered_at: null,
    contradicted_at: null,
    contradiction: null,
  };
  return app.db.transaction<Opened>(async (tx) => {
    const transaction = await lockTransaction(tx, given);
    if (transaction?.state !== 'pending') return { kind: 'refused', code: 'NOT_PAYABLE' };
    const { mayBePaid, lately } = await readEarlierAttempts(tx, given, now - LATELY_MS);
    if (mayBePaid) return { kind: 'refused', code: 'PAYMENT_IN_PROGRESS' };
    if (transaction.expires_at <= now) return { kind: 'refused', code: 'NOT_PAYABLE' };
    // The transaction may have been paid in the time that the restore lost.
    if (await isHeldBack(tx, { ...transaction, transactionId: transaction.id }))
      return { kind: 'refused', code: 'HELD_AFTER_RESTORE' };
    if (lately >= MOST_LATELY) return { kind: 'refused', code: 'RATE_LIMITED' };
    const attempt = { ...unopened, account: await selectAccountInUse(tx, given.environment_id, methodCode) };
    await insertAttempt(tx, attempt);
    return { kind: 'opened', attempt };
  });
}
