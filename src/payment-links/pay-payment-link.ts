import type { App } from '../app.ts';
import { selectEpochs } from '../epochs/epoch-queries.ts';
import { isHeldBack } from '../epochs/hold.ts';
import { formatPlain } from '../lib/money.ts';
import { createTransaction } from '../transactions/create-transaction.ts';
import type { Transaction } from '../transactions/transaction.ts';
import { selectByReference } from '../transactions/transaction-queries.ts';
import { linkUrl, type OpenLink } from './find-payment-link.ts';
import { linkReference } from './payment-link.ts';
import { raiseOpened, takeNumber } from './payment-link-queries.ts';

type Payable = Pick<Transaction, 'id' | 'environment_id' | 'pay_secret'>;

/**
 * Returns the transaction in which a payer of an open link pays. A link for one payment has at most one payable
 * transaction: a second payer gets the same one, and a new one is made only after the last ended without a payment.
 * `held`: such a link is from before a restore that nobody has released, so it may have been paid in the lost time.
 */
export async function payPaymentLink(app: App, open: OpenLink): Promise<Payable | 'held'> {
  const { link, environment } = open;
  if (link.uses === 'many') {
    const number = await app.db.transaction((tx) => takeNumber(tx, link));
    const epoch = (await selectEpochs(app.db)).at(-1)?.epoch ?? 0;
    return create(app, open, linkReference(link, number, epoch));
  }
  const last = await selectByReference(app.db, environment.id, linkReference(link, link.opened));
  // A pending transaction whose time is over is returned too; the worker ends it.
  if (last !== null && (last.state === 'pending' || last.state === 'completed')) return last;
  if (await isHeldBack(app.db, { created_at: link.created_at, transactionId: null })) return 'held';
  const number = link.opened + 1;
  // Concurrent payers ask for the same reference and get the same transaction.
  const created = await create(app, open, linkReference(link, number));
  await app.db.transaction((tx) => raiseOpened(tx, link, number));
  return created;
}

async function create(app: App, { link, environment }: OpenLink, reference: string): Promise<Payable> {
  const { amount, currency, subject, url_callback } = link;
  const products = [{ name: subject, quantity: 1, price: formatPlain(amount, currency) }];
  const { transaction } = await createTransaction(app, environment, {
    amount,
    currency,
    reference,
    customerEmail: '',
    sessionId: link.id,
    shopCountry: 'CL',
    urlCallback: url_callback ?? '',
    urlCancel: linkUrl(app, link),
    urlComplete: '',
    unsignedFields: JSON.stringify({ x_products: products }),
  });
  return transaction;
}
