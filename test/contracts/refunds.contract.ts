import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { RefundOutcome, RefundRequest, Refunds } from '../../src/payment-methods/payment-method.ts';

/** How a method gives back, and how to make a refund of a paid amount, not asked for yet, that it ends as the name says. */
export type RefundsUnderTest = {
  refunds: Refunds;
  refund: (end: 'approved' | 'declined') => RefundRequest;
};

type Said = RefundOutcome | { kind: 'absent' };

/** So long ago that whatever was asked for then is done. */
const ASKED_AT = 0;

/** More look-ups than any method may need. */
const MOST_LOOKUPS = 5;

/** What every payment method that gives money back does; `open` makes a payment that is there to be given back. */
export function describeRefunds(name: string, open: () => Promise<RefundsUnderTest>): void {
  suite(`${name} keeps the contract of refunds`, () => {
    test('its terms can be held', async () => {
      const { refunds } = await open();
      assert.ok(refunds.windowDays > 0);
      assert.ok(refunds.minimumAgeHours >= 0 && refunds.minimumAgeHours < refunds.windowDays * 24);
    });

    test('what was never asked for is absent, however often it is looked up', async () => {
      const { refunds, refund } = await open();
      const asked = refund('approved');
      assert.deepEqual(await look(refunds, asked, 0), { kind: 'absent' });
      assert.deepEqual(await look(refunds, asked, 0), { kind: 'absent' });
    });

    for (const end of ['approved', 'declined'] as const) {
      test(`a refund that is ${end} is told so, at once or by a later look-up, and never as absent`, async () => {
        const { refunds, refund } = await open();
        const said = await carriedOut(refunds, refund(end));
        assert.equal(said.at(-1)?.kind, end);
        assert.ok(said.every(({ kind }) => kind !== 'absent'));
      });

      test(`once ${end}, every look-up says the same`, async () => {
        const { refunds, refund } = await open();
        const asked = refund(end);
        const said = await carriedOut(refunds, asked);
        const { kind } = said.at(-1) as Said;
        for (const lookups of [said.length, said.length + 1]) {
          assert.equal((await look(refunds, { ...asked, askedAt: ASKED_AT }, lookups)).kind, kind);
        }
      });
    }

    test('what it tells of a refund is for finance, and no card number', async () => {
      const { refunds, refund } = await open();
      for (const outcome of await carriedOut(refunds, refund('approved'))) {
        if (!('detail' in outcome)) continue;
        for (const value of Object.values(outcome.detail)) assert.match(typeof value, /^(string|number)$/);
        assert.doesNotMatch(JSON.stringify(outcome.detail), /\d{13,19}/, 'this looks like a card number');
      }
    });
  });
}

/** What `request` says and, until there is an end, what the look-ups say after it. */
async function carriedOut(refunds: Refunds, asked: RefundRequest): Promise<Said[]> {
  const said: Said[] = [await refunds.request(asked).catch(() => ({ kind: 'unknown' as const }))];
  for (let lookups = 1; lookups <= MOST_LOOKUPS && !isEnd(said.at(-1)); lookups++) {
    said.push(await look(refunds, { ...asked, askedAt: ASKED_AT }, lookups));
  }
  return said;
}

/** Throwing is allowed, and means the same as `unknown`. */
function look(refunds: Refunds, asked: RefundRequest, lookups: number): Promise<Said> {
  return refunds.lookup({ ...asked, lookups }).catch(() => ({ kind: 'unknown' as const }));
}

function isEnd(said: Said | undefined): boolean {
  return said?.kind === 'approved' || said?.kind === 'declined';
}
