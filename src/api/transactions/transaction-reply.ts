import type { App } from '../../app.ts';
import { payUrl } from '../../checkout/pay-link.ts';
import type { Written } from '../../http/endpoint.ts';
import type { Static } from '../../http/json-schema.ts';
import type { PaymentMethod } from '../../payment-methods/payment-method.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import type { TransactionState } from '../../transactions/transaction-state.ts';
import type { CreatedSchema } from './transaction-schemas.ts';

/**
 * The reply of `POST /trxs` as JSON text. The gateway comes first and every method after it, so that a client which
 * takes the first entry, the second, or one by its code finds what it expects.
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

/** The words that clients ask the state by: `complete` here is `completed` in a callback. */
export function statusWord(state: TransactionState): 'pending' | 'complete' | 'failed' {
  if (state === 'pending') return 'pending';
  return state === 'completed' ? 'complete' : 'failed';
}
