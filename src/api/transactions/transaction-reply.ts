import type { App } from '../../app.ts';
import { payUrl } from '../../checkout/pay-link.ts';
import type { Written } from '../../http/endpoint.ts';
import type { Static } from '../../http/json-schema.ts';
import type { PaymentMethod } from '../../payment-methods/payment-method.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import type { TransactionState } from '../../transactions/transaction-state.ts';
import type { CreatedSchema } from './transaction-schemas.ts';

/**
 * Returns the reply of `POST /trxs` as JSON text. The gateway is the first entry and the methods follow, because
 * clients take the first entry, the second, or one by its code.
 */
export function createdReply(
  app: App,
  transaction: Pick<Transaction, 'id' | 'environment_id' | 'pay_secret'>,
  methods: readonly PaymentMethod[],
): Written<Static<typeof CreatedSchema>> {
  const url = payUrl(app, transaction);
  let entries = `{"name":"gateway","code":"gateway","url":"${url}"}`;
  for (const { name, code } of methods) {
    entries += `,{"name":${JSON.stringify(name)},"code":"${code}","url":"${url}?method=${code}"}`;
  }
  const text = `{"message":"Trx creada exitosamente","errors":null,"data":{"idTrx":${transaction.id},"payUrl":[${entries}]}}`;
  return text as Written<Static<typeof CreatedSchema>>;
}

/** Returns the state in the words of the status endpoints: a callback's `completed` is `complete` here. */
export function statusWord(state: TransactionState): 'pending' | 'complete' | 'failed' {
  if (state === 'pending') return 'pending';
  return state === 'completed' ? 'complete' : 'failed';
}
