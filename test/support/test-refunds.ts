import type { App } from '../../src/app.ts';
import type { PaymentMethod, RefundAnswer, RefundOrder, Refunds } from '../../src/payment-methods/payment-method.ts';
import { simulatedMethod } from '../../src/payment-methods/simulated-method.ts';
import { createRefund, type RefundCreation } from '../../src/refunds/create-refund.ts';
import type { Refund } from '../../src/refunds/refund.ts';
import { selectRefundsOf } from '../../src/refunds/refund-queries.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { TESTER } from './test-actor.ts';

/**
 * Requests a refund for a user; its type is partial unless it is the whole payment. `requestedBy`: the id of a user.
 */
export function refund(
  app: App,
  transaction: Transaction,
  amount: number,
  changes: { type?: 'total' | 'parcial'; idempotencyKey?: string | null; requestedBy?: string } = {},
): Promise<RefundCreation> {
  const { requestedBy: id, ...rest } = changes;
  const type = amount === transaction.amount ? 'total' : 'parcial';
  const by = id === undefined ? TESTER : { ...TESTER, kind: 'person' as const, name: id, userId: id };
  return createRefund(app, transaction, { amount, type, idempotencyKey: null, by, ...rest });
}

/** Requests a refund that must be accepted. */
export async function acceptedRefund(app: App, transaction: Transaction, amount: number): Promise<Refund> {
  const creation = await refund(app, transaction, amount);
  if (creation.kind !== 'accepted') throw new Error(`The refund was not accepted: ${JSON.stringify(creation)}`);
  return creation.refund;
}

/** Lists the state and amount of every refund of a transaction, in order. */
export async function refundsOf(app: App, transaction: Transaction): Promise<[string, number][]> {
  return (await selectRefundsOf(app.db, transaction)).map(({ state, amount }) => [state, amount]);
}

/** A payment method that carries out refunds, unless the test says otherwise, and records the requests. */
export type RefundingMethod = PaymentMethod & {
  readonly refunds: Refunds;
  readonly requested: RefundOrder[];
  readonly lookedUp: RefundOrder[];
};

type Answers = {
  request?: (refund: RefundOrder) => Promise<RefundAnswer>;
  lookup?: (refund: RefundOrder) => Promise<RefundAnswer>;
  terms?: Partial<Omit<Refunds, 'request' | 'lookup'>>;
};

/** Collects like the simulated method, under the same code. */
export function refundingMethod(answers: Answers = {}): RefundingMethod {
  const requested: RefundOrder[] = [];
  const lookedUp: RefundOrder[] = [];
  return {
    ...simulatedMethod,
    requested,
    lookedUp,
    refunds: {
      windowDays: 90,
      minimumAgeHours: 0,
      partial: true,
      ...answers.terms,
      request: async (asked) => {
        requested.push(asked);
        return answers.request?.(asked) ?? { kind: 'approved', detail: {} };
      },
      lookup: async (asked) => {
        lookedUp.push(asked);
        return answers.lookup?.(asked) ?? { kind: 'absent' };
      },
    },
  };
}
