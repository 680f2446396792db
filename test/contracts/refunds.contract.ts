import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { RefundAnswer, RefundOrder, Refunds } from '../../src/payment-methods/payment-method.ts';

/**
 * The refunds of a method, and a function that creates a refund request for a paid amount, not yet sent, that ends as
 * named.
 */
export type RefundsUnderTest = {
  refunds: Refunds;
  refund: (end: 'approved' | 'declined') => RefundOrder;
  /**
   * For a method that reads the refunded balance of a payment: the events that can happen to the payment and to
   * responses about it.
   */
  balance?: {
    giveBackElsewhere: (amount: number) => void;
    loseNextAnswer: () => void;
    loseNextRequest: () => void;
    /** Freezes the balance that the method reports; null reports the real one again. */
    holdBack: (until: 'now' | null) => void;
  };
};

/** Long enough ago that every refund requested then is done. */
const ASKED_AT = 0;

const unknown: RefundAnswer = { kind: 'unknown' };

/** More look-ups than any method may need. */
const MOST_LOOKUPS = 5;

/** Declares the contract of every payment method with refunds; `open` creates a payment that can be refunded. */
export function describeRefunds(name: string, open: () => Promise<RefundsUnderTest>): void {
  suite(`${name} keeps the contract of refunds`, () => {
    test('its terms are valid', async () => {
      const { refunds } = await open();
      assert.ok(refunds.windowDays > 0);
      assert.ok(refunds.minimumAgeHours >= 0 && refunds.minimumAgeHours < refunds.windowDays * 24);
    });

    test('a refund that was never requested is absent, however often it is looked up', async () => {
      const { refunds, refund } = await open();
      const asked = refund('approved');
      assert.equal((await look(refunds, asked, 0)).kind, 'absent');
      assert.equal((await look(refunds, asked, 0)).kind, 'absent');
    });

    for (const end of ['approved', 'declined'] as const) {
      test(`a refund that is ${end} is reported as ${end}, at once or by a later look-up, and never as absent`, async () => {
        const { refunds, refund } = await open();
        const said = await carriedOut(refunds, refund(end));
        assert.equal(said.at(-1)?.kind, end);
        assert.ok(said.every(({ kind }) => kind !== 'absent'));
      });

      test(`once ${end}, every look-up says the same`, async () => {
        const { refunds, refund, balance } = await open();
        const asked = refund(end);
        const said = await carriedOut(refunds, asked);
        const { kind } = said.at(-1) as RefundAnswer;
        for (const lookups of [said.length, said.length + 1]) {
          const again = await look(refunds, { ...asked, askedAt: ASKED_AT }, lookups);
          // A method that knows refunds only by the balance does not remember refusals.
          if (balance === undefined || end === 'approved') assert.equal(again.kind, kind);
          else assert.equal(again.kind, 'unknown');
        }
      });
    }

    test('a request repeated after the refund is done is never declined', async () => {
      const { refunds, refund } = await open();
      const asked = refund('approved');
      assert.equal((await carriedOut(refunds, asked)).at(-1)?.kind, 'approved');
      const again = await refunds.request({ ...asked, askedAt: ASKED_AT }).catch(() => unknown);
      assert.notEqual(again.kind, 'declined');
    });

    test('the details of a refund are plain values without a card number', async () => {
      const { refunds, refund } = await open();
      for (const outcome of await carriedOut(refunds, refund('approved'))) {
        if (!('detail' in outcome)) continue;
        for (const value of Object.values(outcome.detail)) assert.match(typeof value, /^(string|number)$/);
        assert.doesNotMatch(JSON.stringify(outcome.detail), /\d{13,19}/, 'the detail has no card number');
      }
    });
  });
}

/** Declares the further contract of a method that reads the refunded balance of a payment. */
export function describeRefundBalance(name: string, open: () => Promise<Required<RefundsUnderTest>>): void {
  suite(`${name} reads the refunded balance of a payment`, () => {
    test('refunds made elsewhere are counted before and after a refund', async () => {
      const { refunds, refund, balance } = await open();
      const asked = refund('approved');
      balance.giveBackElsewhere(700);
      assert.deepEqual(await look(refunds, asked, 0), { kind: 'absent', refunded: 700 });
      const answer = await refunds.request(asked);
      assert.deepEqual([answer.kind, answer.refunded], ['approved', asked.amount + 700]);
    });

    for (const lost of ['loseNextAnswer', 'loseNextRequest'] as const) {
      test(`after ${lost} it never reports the refund as absent, however late its balance is`, async () => {
        const { refunds, refund, balance } = await open();
        const asked = { ...refund('approved'), askedAt: ASKED_AT };
        balance.holdBack('now');
        balance[lost]();
        assert.equal((await refunds.request(refund('approved')).catch(() => unknown)).kind, 'unknown');
        assert.equal((await look(refunds, asked, 1000)).kind, 'unknown');
        balance.holdBack(null);
        assert.equal((await look(refunds, asked, 1001)).kind, lost === 'loseNextAnswer' ? 'approved' : 'unknown');
      });
    }
  });
}

/** Returns the answer of `request` and of each look-up until the refund ends. */
async function carriedOut(refunds: Refunds, asked: RefundOrder): Promise<RefundAnswer[]> {
  const said: RefundAnswer[] = [await refunds.request(asked).catch(() => unknown)];
  for (let lookups = 1; lookups <= MOST_LOOKUPS && !isEnd(said.at(-1)); lookups++) {
    said.push(await look(refunds, { ...asked, askedAt: ASKED_AT }, lookups));
  }
  return said;
}

/** Looks the refund up; an error counts as `unknown`. */
function look(refunds: Refunds, asked: RefundOrder, lookups: number): Promise<RefundAnswer> {
  return refunds.lookup({ ...asked, lookups }).catch(() => unknown);
}

function isEnd(said: RefundAnswer | undefined): boolean {
  return said?.kind === 'approved' || said?.kind === 'declined';
}
