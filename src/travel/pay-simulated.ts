import type { App } from '../app.ts';
import { startPayment } from '../checkout/start-payment.ts';
import type { Transaction } from '../transactions/transaction.ts';

/** In minor units, from the tables of docs/sandbox.md: what the simulated methods are told so that they answer at once. */
export const DECIDING_AMOUNTS = { approved: 1, declined: 5001 } as const;

/** Pays with a simulated method that goes by `amount`; the transaction keeps its own. */
export async function paySimulated(app: App, transaction: Transaction, code: string, amount: number): Promise<void> {
  const paymentMethods = app.paymentMethods
    .filter((method) => method.code === code && code.startsWith('simulated'))
    .map((method) => ({
      ...method,
      start: (payment: Parameters<typeof method.start>[0]) => method.start({ ...payment, amount }),
    }));
  await startPayment({ ...app, paymentMethods }, transaction, code);
}
