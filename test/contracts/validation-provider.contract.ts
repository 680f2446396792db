import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { NameMatch } from '../../src/validation-providers/compare-names.ts';
import type {
  HolderAnswer,
  HolderQuestion,
  ValidationProvider,
} from '../../src/validation-providers/validation-provider.ts';

/** The holder's name that the provider knows. */
export const HOLDER_NAME = 'María José González Pérez';

/** A provider, and accounts of the holder 11.111.111-1 at bank 001, each with the result of its name. */
export type ProviderUnderTest = {
  provider: ValidationProvider;
  accounts: Record<
    | 'match'
    | 'close_match'
    | 'no_account'
    | 'other_holder'
    | 'account_closed'
    | 'not_checkable'
    | 'timeout'
    | 'pending_then_match'
    | 'pending_then_no_match'
    | 'rate_limited',
    string
  >;
};

/** Declares the contract of every validation provider. */
export function describeValidationProvider(name: string, open: () => Promise<ProviderUnderTest>): void {
  suite(`${name} keeps the contract of validation providers`, () => {
    const kinds: [account: keyof ProviderUnderTest['accounts'], kind: HolderAnswer['kind']][] = [
      ['match', 'match'],
      ['close_match', 'close_match'],
      ['no_account', 'no_match'],
      ['other_holder', 'no_match'],
      ['account_closed', 'no_match'],
      ['not_checkable', 'not_checkable'],
      ['timeout', 'timeout'],
      ['pending_then_match', 'pending'],
      ['pending_then_no_match', 'pending'],
      ['rate_limited', 'rate_limited'],
    ];
    for (const [account, kind] of kinds) {
      test(`${account} is answered ${kind}`, async () => {
        const { provider, accounts } = await open();
        const question = questionOf(accounts[account]);
        assert.equal(provider.covers(question), true);
        assert.equal((await provider.ask(question)).kind, kind);
      });
    }

    test('the same question has the same answer', async () => {
      const { provider, accounts } = await open();
      for (const account of [accounts.match, accounts.other_holder, accounts.not_checkable]) {
        const question = questionOf(account);
        assert.deepEqual(await provider.ask(question), await provider.ask(question));
      }
    });

    test('a pending question is answered when it is asked again', async () => {
      const { provider, accounts } = await open();
      const outcomes = { match: accounts.pending_then_match, no_match: accounts.pending_then_no_match };
      for (const [kind, account] of Object.entries(outcomes)) {
        assert.equal((await provider.ask(questionOf(account))).kind, 'pending');
        assert.equal((await provider.ask({ ...questionOf(account), asks: 1 })).kind, kind);
      }
    });

    test('a missing account, another holder and a closed account differ only in the detail for the operator', async () => {
      const { provider, accounts } = await open();
      const answers = await Promise.all(
        [accounts.no_account, accounts.other_holder, accounts.account_closed].map((account) =>
          provider.ask(questionOf(account)),
        ),
      );
      const shown = answers.map((answer) => ({ ...answer, detail: null }));
      assert.deepEqual(shown[1], shown[0]);
      assert.deepEqual(shown[2], shown[0]);
    });

    const names: [asked: string | null, match: NameMatch | null][] = [
      ['GONZALEZ PEREZ MARIA JOSE', 'exact'],
      ['María González', 'close'],
      ['M. González', 'partial'],
      ['Pedro Soto', 'none'],
      [null, null],
    ];
    for (const [asked, match] of names) {
      test(`the name ${asked} gives the match ${match}, and the answer contains no name`, async () => {
        const { provider, accounts } = await open();
        for (const account of [accounts.match, accounts.close_match]) {
          const answer = await provider.ask({ ...questionOf(account), name: asked });
          assert.equal('nameMatch' in answer ? answer.nameMatch : 'left out', match);
          assert.doesNotMatch(JSON.stringify(answer), /gonz|soto/i);
        }
      });
    }

    test('names are not compared when the account belongs to another holder', async () => {
      const { provider, accounts } = await open();
      const [without, fitting, other] = await Promise.all(
        [null, HOLDER_NAME, 'Pedro Soto'].map((name) => provider.ask({ ...questionOf(accounts.other_holder), name })),
      );
      assert.deepEqual([fitting, other], [without, without]);
    });

    test('a refusal for too many questions says how long to wait', async () => {
      const { provider, accounts } = await open();
      const answer = await provider.ask(questionOf(accounts.rate_limited));
      assert.ok(answer.kind === 'rate_limited' && answer.retryAfterSeconds >= 1);
    });

    test('its name and version can be stored in a record', async () => {
      const { provider } = await open();
      assert.match(`${provider.name}@${provider.version}`, /^[\w.-]+@[\w.-]+$/);
    });
  });
}

/** Returns a question. The same account has the same id. */
export function questionOf(account: string): HolderQuestion {
  return { id: `bav_test${account}`, rut: '11111111-1', bankCode: '001', account, name: null, asks: 0 };
}
