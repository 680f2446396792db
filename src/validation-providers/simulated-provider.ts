import { compareNames } from './compare-names.ts';
import type { HolderAnswer, HolderQuestion, ValidationProvider } from './validation-provider.ts';

const HOLDER = '11111111-1';
const BANK = '001';
/** The name of the invented holder. If the account matches, the caller's name is compared with it. */
const NAME = 'María José González Pérez';
const VALID_MS = 24 * 60 * 60 * 1000;

type Outcome = (now: number, question: HolderQuestion) => HolderAnswer;

const match =
  (kind: 'match' | 'close_match'): Outcome =>
  (now, { name }) => ({ kind, expiresAt: now + VALID_MS, nameMatch: name === null ? null : compareNames(name, NAME) });
const noMatch =
  (detail: string): Outcome =>
  (now) => ({ kind: 'no_match', expiresAt: now + VALID_MS, detail });
const firstPending =
  (then: Outcome): Outcome =>
  (now, question) =>
    question.asks === 0 ? { kind: 'pending' } : then(now, question);

/** One account for each outcome, of RUT 11.111.111-1 at bank 001. The provider covers no other account. */
const MAGIC_ACCOUNTS: ReadonlyMap<string, Outcome> = new Map<string, Outcome>([
  ['900000000001', match('match')],
  ['900000000002', noMatch('other_holder')],
  ['900000000003', match('close_match')],
  ['900000000004', () => ({ kind: 'not_checkable' })],
  ['900000000005', () => ({ kind: 'timeout' })],
  ['900000000006', firstPending(match('match'))],
  ['900000000007', firstPending(noMatch('other_holder'))],
  ['900000000008', noMatch('account_closed')],
  ['900000000009', () => ({ kind: 'rate_limited', retryAfterSeconds: 30 })],
]);

/** The provider for development: no network, and always the same answers for the same account. */
export function createSimulatedProvider(now: () => number): ValidationProvider {
  return {
    name: 'simulated',
    version: '1',
    realHolders: false,
    covers: (question) => outcomeOf(question) !== undefined,
    ask: async (question) => outcomeOf(question)?.(now(), question) ?? { kind: 'not_checkable' },
  };
}

function outcomeOf({ rut, bankCode, account }: HolderQuestion): Outcome | undefined {
  return rut === HOLDER && bankCode === BANK ? MAGIC_ACCOUNTS.get(account) : undefined;
}
