import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TokenHolder } from '../../src/auth/tokens/api-token-queries.ts';
import { shippedBankDirectory } from '../../src/bank-validation/directory/current-directory.ts';
import { barredFrom, type PeopleBehind, whyNotPayable } from '../../src/payouts/approval/approval-rule.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import type { RecipientRow } from '../../src/payouts/recipients/recipient.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 15);

/** A payout by `maker` to version 2 of its recipient, whose account `changer` has changed. */
const payout = {
  recipient_id: 're_1',
  recipient_version: 2,
  account_hash: 'new',
  bank_code: '012',
  account_changed_by: 'changer',
  proposed_by: 'maker@example.cl',
  proposed_by_id: 'maker',
  proposed_kind: 'program',
  created_at: NOW,
} as Payout;

const version = (version: number, account_hash: string, created_by: string, validated_at = NOW) =>
  ({ version, account_hash, created_by, created_at: validated_at, validated_at, expires_at: null }) as RecipientRow;

const holder = (user_id: string, holder_id: string, rest: Partial<TokenHolder> = {}): TokenHolder => ({
  user_id,
  holder_id,
  made_at: 0,
  until: null,
  any_act: 1,
  ...rest,
});

const barred = (versions: readonly RecipientRow[], holders: PeopleBehind['holders'] = []) =>
  [...barredFrom(payout, versions, { users: [], holders }).keys()].sort();

test('a person who revalidated a changed account before the payout was made may not approve it; a later one may', () => {
  const versions = [version(1, 'old', 'first'), version(2, 'new', 'again'), version(3, 'new', 'later')];
  assert.deepEqual(barred(versions), ['again', 'changer', 'maker']);
});

test('if the account was also the last one paid, only the requester is barred from approving', () => {
  const paidBefore = { ...payout, account_changed_by: null };
  assert.deepEqual(
    [...barredFrom(paidBefore, [version(2, 'new', 'again')], { users: [], holders: [] }).keys()],
    ['maker'],
  );
});

test('holders of a token of the program are barred if the token was valid when the program made the payout', () => {
  const holders = [
    holder('maker', 'holds'),
    holder('maker', 'held', { until: NOW }),
    holder('maker', 'held-before', { until: NOW - 1 }),
    holder('maker', 'holds-after', { made_at: NOW + 6 * MINUTE }),
    holder('maker', 'held-by-another-clock', { made_at: NOW + 4 * MINUTE }),
    holder('another', 'of-another'),
  ];
  assert.deepEqual(barred([], holders), ['changer', 'held', 'held-by-another-clock', 'holds', 'maker']);
});

test('holders of a token of a program that changed or revalidated the account are barred like the program', () => {
  const holders = [
    holder('changer', 'holds'),
    holder('changer', 'held-then', { until: NOW - 1 }),
    holder('changer', 'held-before', { until: NOW - DAY - 1 }),
    holder('again', 'held-again', { until: NOW }),
    holder('changer', 'made-after', { made_at: NOW - DAY + 6 * MINUTE }),
    holder('later', 'held-later'),
    holder('again', 'made-a-person', { any_act: 0 }),
  ];
  const versions = [
    version(0, 'old', 'first'),
    version(1, 'new', 'changer', NOW - DAY),
    version(2, 'new', 'again'),
    version(3, 'new', 'later'),
  ];
  assert.deepEqual(barred(versions, holders), ['again', 'changer', 'held-again', 'held-then', 'holds', 'maker']);
  const paidBefore = { ...payout, account_changed_by: null };
  assert.deepEqual([...barredFrom(paidBefore, versions, { users: [], holders }).keys()], ['maker']);
});

const MAKER = { id: 'maker', email: 'maker@example.cl' };

test('a payout is not payable after its recipient’s account changed, whatever the verdicts say', () => {
  const rule = { now: NOW, maxAgeDays: 30, users: [MAKER], directory: shippedBankDirectory };
  assert.equal(whyNotPayable(payout, [version(2, 'new', 'a')], rule), null);
  assert.equal(whyNotPayable(payout, [version(2, 'new', 'a'), version(3, 'new', 'a')], rule), null);
  const changed = whyNotPayable(payout, [version(2, 'new', 'a'), version(3, 'newer', 'a')], rule);
  assert.match(changed?.en ?? '', /account of its recipient was changed/);
  assert.match(whyNotPayable(payout, [], rule)?.en ?? '', /erased/);
  const elsewhere = whyNotPayable(payout, [version(2, 'new', 'a')], { ...rule, users: [{ ...MAKER, id: 'here' }] });
  assert.match(elsewhere?.en ?? '', /another database/);
});

test('the newest verdict counts, until it reaches the maximum age', () => {
  const rule = { now: NOW, maxAgeDays: 30, users: [MAKER], directory: shippedBankDirectory };
  const old = version(2, 'new', 'a', NOW - 30 * DAY);
  assert.match(whyNotPayable(payout, [old], rule)?.en ?? '', /too old/);
  assert.equal(whyNotPayable(payout, [old, version(3, 'new', 'a', NOW - 30 * DAY + 1)], rule), null);
});
