import type { App } from '../app.ts';
import { startPayment } from '../checkout/start-payment.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** Amounts in minor units, from the tables of docs/sandbox.md, with which the simulated methods answer at once. */
export const DECIDING_AMOUNTS = { approved: 1, declined: 5001 } as const;

/** Pays with a simulated method that decides by `amount`. The transaction keeps its own amount. */
export async function paySimulated(app: App, transaction: Transaction, code: string, amount: number): Promise<void> {
  const paymentMethods = app.paymentMethods
    .filter((method) => method.code === code && code.startsWith('simulated'))
    .map((method) => ({
      ...method,
      start: (payment: Parameters<typeof method.start>[0]) => method.start({ ...payment, amount }),
    }));
  await startPayment({ ...app, paymentMethods }, transaction, code);
}
