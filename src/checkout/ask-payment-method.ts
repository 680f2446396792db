import type { App } from '../app.ts';
import type { PaymentMethod, PaymentOutcome, PaymentRequest } from '../payment-methods/payment-method.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { returnUrl } from './pay-link.ts';
import { isCommitUnanswered, type PaymentAttempt } from './payment-attempt.ts';
import { putQuestion } from './put-question.ts';

type Question = 'start' | 'commit' | 'lookup';

/**
 * Asks a payment method to start a payment, to commit it, or for its status. Never rejects: without an answer within 20
 * s the outcome is `unknown`. That is not a refusal, because the money may have been taken.
 */
export function askPaymentMethod(
  app: App,
  question: Question,
  payment: {
    method: PaymentMethod;
    environment: ServiceEnvironment;
    transaction: Transaction;
    attempt: PaymentAttempt;
    returned: PaymentRequest['returned'];
  },
  lookups: number,
): Promise<PaymentOutcome> {
  const { method, environment, transaction, attempt, returned } = payment;
  const request: PaymentRequest = {
    attemptId: attempt.id,
    externalId: attempt.external_id,
    transactionId: transaction.id,
    environment: environment.environment,
    environmentId: environment.id,
    account: attempt.account,
    amount: transaction.amount,
    currency: transaction.currency,
    returnUrl: returnUrl(app, transaction),
    returned,
    commitUnanswered: isCommitUnanswered(attempt),
    lookups,
    startedAt: attempt.created_at,
  };
  const about = { method: method.code, question, attempt: attempt.id };
  return putQuestion(app, about, () => put(method, question, request));
}

/** A method without a commit is only looked up. */
function put(method: PaymentMethod, question: Question, request: PaymentRequest): Promise<PaymentOutcome> {
  if (question === 'start') return method.start(request);
  return question === 'commit' && method.commit !== undefined ? method.commit(request) : method.lookup(request);
}
