import { webhookKey, webhookMatches } from '../../../protocol/webhook-signature.ts';
import { selectBalances } from '../../books/balance-queries.ts';
import { subtract } from '../../lib/exact-sum.ts';
import { recordMovement } from '../../movements/record-movement.ts';
import { verifyStore } from '../../proof/verify-store.ts';
import { balanceLines } from '../money/books-commands.ts';
import type { PaidOrder } from './demo-payment.ts';
import { ask, type Demo, type Received } from './demo-stage.ts';

const GIVEN_BACK = 2990;
const PAID_OUT = 5000;

/** Refunds a part of the order, verifies the event of its end, makes a payout, and shows the books. */
export async function refundInPart(demo: Demo, order: PaidOrder, accessToken: string): Promise<void> {
  demo.step('Refund a part of it');
  demo.show('POST', `/trxs/${order.transactionId}/nullification {"amount":${GIVEN_BACK},"type":"parcial"}`);
  const response = await ask(`${demo.url}/trxs/${order.transactionId}/nullification`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ amount: GIVEN_BACK, type: 'parcial' }),
  });
  const reply = (await response.json()) as { message: string; data: { verificationToken: string } | null };
  demo.show('message', reply.message);
  demo.check(response.status === 200 && reply.data !== null, `accepted as ${reply.data?.verificationToken}`);
  const received = await nextEvent(demo, 'refund.completed');
  demo.show('event', received.body);
  demo.check(isGenuine(received, order.secretToken), 'the refund was completed, and its event is genuine');

  await payOutAndShow(demo, order);
}

/** Pays out a part of the merchant's money, and shows the accounts. */
async function payOutAndShow(demo: Demo, order: PaidOrder): Promise<void> {
  demo.step('Pay the merchant, and show the books');
  demo.show('command', `bin/rubrica payout create --amount ${PAID_OUT} --currency CLP --reference TEF-1 …`);
  const payout = await recordMovement(
    demo.app,
    { paymentServiceId: order.paymentServiceId, environment: 'development' },
    {
      kind: 'payout',
      reference: 'TEF-1',
      amount: PAID_OUT,
      commission: 0,
      currency: 'CLP',
      paymentMethod: null,
      by: demo.by,
    },
  );
  demo.check(payout.kind === 'recorded', 'it is in the books; repeating the reference changes nothing');
  const balances = (await selectBalances(demo.app.db)).filter(
    (one) => one.payment_service_id === order.paymentServiceId,
  );
  demo.show('command', 'bin/rubrica books balance');
  for (const line of balanceLines(balances)) demo.show('', line);
  const balanceOf = (name: string) => {
    const found = balances.find(({ account }) => account === name);
    return Number(subtract(found?.debits ?? 0, found?.credits ?? 0));
  };
  const fee = -balanceOf('fees:income');
  demo.check(
    fee > 0 && -balanceOf('merchant:payable') === order.amount - fee - GIVEN_BACK - PAID_OUT,
    'the merchant is owed the payment less the fee, the refund and the payout',
  );
  const { ok, entries } = await verifyStore(demo.app);
  demo.check(ok, `all ${entries} entries and their hashes verify (bin/rubrica books verify)`);
}

/** Returns the next event of this type and skips events of other types. */
async function nextEvent(demo: Demo, type: string): Promise<Received> {
  const received = await demo.nextCallback();
  return received.body.startsWith(`{"type":"${type}"`) ? received : nextEvent(demo, type);
}

/** Returns whether the Standard Webhooks headers were signed by the service. */
export function isGenuine({ headers, body }: Received, secretToken: string): boolean {
  const of = (name: string) => headers[name] ?? null;
  const webhook = { id: of('webhook-id'), timestamp: of('webhook-timestamp'), signature: of('webhook-signature') };
  return webhookMatches(webhook, Buffer.from(body), [webhookKey(secretToken)]);
}
