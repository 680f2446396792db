import type { App } from '../app.ts';
import { hasLatePayment } from '../books/journal-queries.ts';
import { isShopSilent } from '../outbox/outbox-queries.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import { refuseElsewhere } from '../payment-services/elsewhere.ts';
import { environmentOf } from '../payment-services/find-environment.ts';
import type { Look } from '../payment-services/look.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import { readLook } from '../payment-services/set-look.ts';
import { findByPayToken } from '../transactions/find-transaction.ts';
import { type Transaction, transactionKeyOf } from '../transactions/transaction.ts';
import { countDeclined, selectTransaction } from '../transactions/transaction-queries.ts';
import { DEFAULT_PAYER_ATTEMPTS } from '../transactions/transaction-state.ts';
import { availableMethods } from './available-methods.ts';
import { isOpen, type PaymentAttempt } from './payment-attempt.ts';
import {
  selectAttemptAnywhere,
  selectDecidingAttempt,
  selectLatestAttempt,
  sumRefunded,
} from './payment-attempt-queries.ts';

/**
 * The stage of a payment for the payer. `in_progress`: a payment method has not answered yet. `under_review`: a method
 * has the money, but the transaction is not paid by it. A person resolves that, and no page may tell the payer that
 * nothing was paid.
 */
export type PaymentStage =
  | 'payable'
  | 'in_progress'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'under_review';

/** A payment as its pages show it. */
export type Payment = {
  transaction: Transaction;
  environment: ServiceEnvironment;
  /**
   * The attempt that is open or approved, otherwise the last; null before the first. After the end of the transaction,
   * or of its time, a declined one comes before one that took no money.
   */
  attempt: PaymentAttempt | null;
  /** The method of the attempt, also if it is no longer offered. */
  method: PaymentMethod | null;
  methods: PaymentMethod[];
  look: Look;
  /** The refunded amount of a completed payment, in minor units. */
  refunded: number;
  /** The payment is completed, and the last try of its callback got no response or a status from 502 to 504. */
  shopIsSilent: boolean;
  /** The last attempt ended without money, and the next decline ends the order. */
  isLastTry: boolean;
  stage: PaymentStage;
};

/** Returns the payment of a pay token, or null. Changes nothing. */
export async function findPayment(app: App, token: string): Promise<Payment | null> {
  const transaction = await findByPayToken(app, token);
  return transaction === null ? null : describePayment(app, transaction);
}

/** Describes a payment for its pages. Changes nothing. */
export async function describePayment(app: App, transaction: Transaction): Promise<Payment> {
  const environment = await environmentOf(app, transaction);
  refuseElsewhere(environment);
  const now = app.now();
  const isOver = transaction.state !== 'pending' || transaction.expires_at <= now;
  const attempt = await (isOver ? selectDecidingAttempt : selectLatestAttempt)(app.db, transaction);
  return {
    transaction,
    environment,
    attempt,
    method: app.paymentMethods.find(({ code }) => code === attempt?.payment_method) ?? null,
    methods: availableMethods(app, environment, transaction),
    look: await readLook(app.db, environment.paymentServiceId),
    refunded: transaction.state === 'completed' ? await sumRefunded(app.db, transaction) : 0,
    shopIsSilent: transaction.state === 'completed' && (await isShopSilent(app.db, transaction)),
    isLastTry: hasEndedUnpaid(attempt) && (await hasOneTryLeft(app, environment, transaction)),
    stage: stageOf(transaction, attempt, await hasUnexpectedMoney(app, transaction, attempt), now),
  };
}

/** Returns an attempt with its transaction, or null. */
export async function findAttempt(
  app: App,
  id: string,
): Promise<{ attempt: PaymentAttempt; transaction: Transaction } | null> {
  const attempt = await selectAttemptAnywhere(app.db, id);
  const transaction = attempt === null ? null : await selectTransaction(app.db, transactionKeyOf(attempt));
  return attempt === null || transaction === null ? null : { attempt, transaction };
}

function hasEndedUnpaid(attempt: PaymentAttempt | null): boolean {
  return attempt?.state === 'declined' || attempt?.state === 'aborted';
}

async function hasOneTryLeft(app: App, environment: ServiceEnvironment, transaction: Transaction): Promise<boolean> {
  const most = environment.payerAttempts ?? DEFAULT_PAYER_ATTEMPTS;
  // The setting may have been lowered below the number of declines.
  return transaction.state === 'pending' && (await countDeclined(app.db, transaction)) >= most - 1;
}

/** Only a transaction that was attempted and is not paid can have money that no order asked for. */
async function hasUnexpectedMoney(
  app: App,
  transaction: Transaction,
  attempt: PaymentAttempt | null,
): Promise<boolean> {
  return attempt !== null && transaction.state !== 'completed' && hasLatePayment(app.db, transaction);
}

/** Returns the stage of a payment. A transaction past its time has ended for the payer before the worker records it. */
export function stageOf(
  transaction: Pick<Transaction, 'state' | 'expires_at'>,
  attempt: Pick<PaymentAttempt, 'state'> | null,
  hasLateMoney: boolean,
  now: number,
): PaymentStage {
  if (transaction.state === 'pending') {
    if (attempt !== null && isOpen(attempt)) return 'in_progress';
    if (hasLateMoney) return 'under_review';
    if (transaction.expires_at > now) return 'payable';
    return attempt?.state === 'declined' ? 'failed' : 'expired';
  }
  const isCharged = attempt?.state === 'approved' || hasLateMoney;
  return isCharged && transaction.state !== 'completed' ? 'under_review' : transaction.state;
}
