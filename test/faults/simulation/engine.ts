import type { createCallbackDelivery } from '../../../src/outbox/deliver-callbacks.ts';
import type { resendCallback } from '../../../src/outbox/resend-callback.ts';
import type { createTransaction } from '../../../src/transactions/create-transaction.ts';
import type { expireTransactions } from '../../../src/transactions/expire-transactions.ts';
import type { lockTransaction } from '../../../src/transactions/transaction-queries.ts';
import type { transitionTransaction } from '../../../src/transactions/transition-transaction.ts';
import { importPlanted, type PlantName } from '../plants.ts';

/** The product's own code under simulation, unchanged or with a planted bug. */
export type Engine = {
  createCallbackDelivery: typeof createCallbackDelivery;
  resendCallback: typeof resendCallback;
  createTransaction: typeof createTransaction;
  expireTransactions: typeof expireTransactions;
  lockTransaction: typeof lockTransaction;
  transitionTransaction: typeof transitionTransaction;
};

const MODULES = [
  'src/outbox/deliver-callbacks.ts',
  'src/outbox/resend-callback.ts',
  'src/transactions/create-transaction.ts',
  'src/transactions/expire-transactions.ts',
  'src/transactions/transaction-queries.ts',
  'src/transactions/transition-transaction.ts',
];

export async function loadEngine(plant: PlantName | null): Promise<Engine> {
  const load = (path: string) => (plant === null ? import(`../../../${path}`) : importPlanted(path, plant));
  return Object.assign({}, ...(await Promise.all(MODULES.map(load)))) as Engine;
}
