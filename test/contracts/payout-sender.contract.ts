import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { LookUpAnswer, PayoutSender, TransferOrder } from '../../src/payout-senders/payout-sender.ts';

/** The amount that leads to each result. */
export type Amounts = Record<
  'confirmed' | 'failed' | 'slow' | 'lost_confirmed' | 'lost_failed' | 'returned' | 'never_arrives' | 'other_amount',
  number
>;

/** A sender, and the amounts with these results. `pass` advances time by milliseconds. */
export type SenderUnderTest = {
  sender: PayoutSender;
  amounts: Amounts;
  now: () => number;
  pass: (milliseconds: number) => void;
};

const DAY = 86_400_000;

/** Declares the contract of every payout sender. */
export function describePayoutSender(name: string, open: () => Promise<SenderUnderTest>): void {
  suite(`${name} keeps the contract of payout senders`, () => {
    const begin = async (which: keyof Amounts) => {
      const { sender, amounts, now, pass } = await open();
      const order = orderOf(amounts[which]);
      const sent = async () => {
        const answer = await sender.send(order);
        return { answer, transfer: { ...order, sentAt: now() } };
      };
      return { sender, order, sent, pass };
    };
    const kinds: [amount: keyof Amounts, sent: LookUpAnswer['kind'], later: LookUpAnswer['kind']][] = [
      ['confirmed', 'confirmed', 'confirmed'],
      ['failed', 'failed', 'failed'],
      ['slow', 'pending', 'confirmed'],
      ['lost_confirmed', 'unknown', 'confirmed'],
      ['lost_failed', 'unknown', 'failed'],
      ['never_arrives', 'unknown', 'absent'],
      ['returned', 'confirmed', 'returned'],
      ['other_amount', 'contradiction', 'contradiction'],
    ];
    for (const [amount, first, later] of kinds) {
      test(`${amount} is answered ${first}, and ${later} in the end`, async () => {
        const { sender, sent, pass } = await begin(amount);
        const { answer, transfer } = await sent();
        assert.equal(answer.kind, first);
        pass(3 * DAY);
        assert.equal((await sender.lookUp(transfer)).kind, later);
      });
    }

    test('an order that was never sent is absent', async () => {
      const { sender, order } = await begin('confirmed');
      assert.deepEqual(await sender.lookUp(order), { kind: 'absent' });
    });

    test('a look-up changes nothing', async () => {
      const { sender, sent } = await begin('confirmed');
      const { transfer } = await sent();
      assert.deepEqual(await sender.lookUp(transfer), await sender.lookUp(transfer));
    });

    test('the reason of a failure contains no account number', async () => {
      const { sent } = await begin('failed');
      const { answer } = await sent();
      assert.ok(answer.kind === 'failed' && answer.reason.length > 0);
      assert.doesNotMatch(answer.reason, /\d{5}/);
    });
  });
}

let count = 0;

/** Returns an order that was not sent yet. */
export function orderOf(amount: number): TransferOrder {
  return {
    id: `po_test${++count}`,
    environment: 'development',
    amount,
    currency: 'CLP',
    sentAt: null,
    reference: 'factura-12',
    rut: '12531909-2',
    name: 'Ana Núñez',
    email: null,
    bankCode: '012',
    account: '12531909',
    accountType: 'sight',
    message: 'Pago',
  };
}
