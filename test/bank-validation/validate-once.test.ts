import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import type { ValidationRow } from '../../src/bank-validation/bank-validation-queries.ts';
import { settleDueValidations } from '../../src/bank-validation/holder/settle-validations.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { validateOnce } from '../../src/bank-validation/validate-once.ts';
import { type Database, StorageError } from '../../src/db/database.ts';
import type { HolderAnswer, ValidationProvider } from '../../src/validation-providers/validation-provider.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';

const USER = { id: 'u_1' };
const INPUT = { rut: '11111111-1', bankCode: '001', account: '123456' };
const KEY = 'payroll-7';

/** Returns a provider that records its questions. It gives the `answers` in order, and then repeats the last one. */
function countingProvider(...answers: HolderAnswer[]): ValidationProvider & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'counting',
    version: '1',
    realHolders: true,
    asked,
    covers: () => true,
    ask: async ({ id }) => {
      asked.push(id);
      return answers[Math.min(asked.length, answers.length) - 1] as HolderAnswer;
    },
  };
}

/** Returns an app whose process dies after `last` commits: nothing later is stored. */
function dyingApp(app: App, last: number): App {
  let commits = 0;
  const db: Database = {
    ...app.db,
    query: (...read) => app.db.query(...read),
    transaction: (run) => {
      commits++;
      const dead = new StorageError('OUTCOME_UNKNOWN', 'the process ended');
      return commits > last ? Promise.reject(dead) : app.db.transaction(run);
    },
  };
  return { ...app, db };
}

forEachEngine('a validation with an idempotency key', (openTestDatabase) => {
  const match: HolderAnswer = { kind: 'match', expiresAt: null, nameMatch: null };

  for (const last of [0, 1, 2, 3]) {
    test(`asks the provider under one id when it is repeated after a crash that follows ${last} commits`, async () => {
      const provider = countingProvider(match);
      const app = createTestApp(await openTestDatabase(), { validationProvider: provider });
      await identityHashes(app);
      await validateOnce(dyingApp(app, last), USER, INPUT, KEY).catch(() => null);
      const again = await validateOnce(app, USER, INPUT, KEY);
      app.now.advance(60_000);
      await settleDueValidations(app, 10);
      const settled = await validateOnce(app, USER, INPUT, KEY);
      assert.deepEqual(
        [settled.validation.id, settled.validation.verdict, settled.replayed],
        [again.validation.id, 'confirmed', true],
      );
      assert.equal(new Set(provider.asked).size, 1);
      assert.equal((await app.db.query('select id from bank_account_validations')).length, 1);
    });
  }

  test('refuses the same key with another name of the holder', async () => {
    const app = createTestApp(await openTestDatabase(), { validationProvider: countingProvider(match) });
    const validate = (holderName: string) => validateOnce(app, USER, { ...INPUT, holderName }, KEY);
    await validate('Ana Díaz');
    assert.equal((await validate('Ana Díaz')).replayed, true);
    await assert.rejects(validate('Eva Soto'), { code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('answers a repeat as pending while the first waits for its answer, and asks nobody again', async () => {
    const provider = countingProvider(match);
    const app = createTestApp(await openTestDatabase(), { validationProvider: provider });
    await identityHashes(app);
    // The budget and the claim are stored, the answer is not.
    await assert.rejects(validateOnce(dyingApp(app, 2), USER, INPUT, KEY), StorageError);
    const { validation, replayed } = await validateOnce(app, USER, INPUT, KEY);
    assert.deepEqual([validation.state, replayed, provider.asked.length], ['pending', true, 1]);
  });

  test('asks the provider once for many concurrent requests, and charges one question', async () => {
    const provider = countingProvider(match);
    const app = createTestApp(await openTestDatabase(), { validationProvider: provider });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => validateOnce(app, USER, INPUT, KEY)));
    assert.equal(new Set(outcomes.map(({ validation }) => validation.id)).size, 1);
    assert.equal(outcomes.filter(({ replayed }) => !replayed).length, 1);
    assert.equal(provider.asked.length, 1);
    const budgets = await app.db.query<{ tokens: number }>('select tokens from provider_budgets');
    assert.deepEqual(
      budgets.map(({ tokens }) => tokens),
      [999, 999],
    );
  });

  const finals: [answer: HolderAnswer, state: string, verdict: string][] = [
    [match, 'completed', 'confirmed'],
    [{ kind: 'no_match', expiresAt: null, detail: 'other_holder' }, 'completed', 'mismatch'],
    [{ kind: 'unavailable' }, 'completed', 'undetermined'],
    [{ kind: 'pending' }, 'pending', 'undetermined'],
  ];
  for (const [answer, state, verdict] of finals) {
    test(`is answered like one without a key when the provider says ${answer.kind}`, async () => {
      const app = createTestApp(await openTestDatabase(), { validationProvider: countingProvider(answer) });
      const keyed = await validateOnce(app, USER, INPUT, KEY);
      const bare = await validateOnce(app, USER, INPUT, null);
      assert.deepEqual([keyed.validation.state, keyed.validation.verdict], [state, verdict]);
      assert.deepEqual({ ...keyed.validation, id: '' }, { ...bare.validation, id: '' });
      const rows = await app.db.query<ValidationRow>('select * from bank_account_validations order by id');
      const [one, other] = rows.map((row) => ({ ...row, id: '', sealed_question: row.sealed_question !== null }));
      assert.deepEqual(
        { ...one, asks: null },
        { ...other, asks: null },
        'the two differ only in the number of questions',
      );
      const repeated = await validateOnce(app, USER, INPUT, KEY);
      assert.deepEqual([repeated.validation.id, repeated.validation.verdict], [keyed.validation.id, verdict]);
    });
  }

  test('is forgotten when the provider limits the rate, so that the same key can ask later', async () => {
    const provider = countingProvider({ kind: 'rate_limited', retryAfterSeconds: 30 }, match);
    const app = createTestApp(await openTestDatabase(), { validationProvider: provider });
    await assert.rejects(validateOnce(app, USER, INPUT, KEY), { code: 'RATE_LIMITED' });
    assert.deepEqual(await app.db.query('select id from bank_account_validations'), []);
    const { validation, replayed } = await validateOnce(app, USER, INPUT, KEY);
    assert.deepEqual([validation.verdict, replayed], ['confirmed', false]);
  });

  test('is validated again when its record was erased', async () => {
    const app = createTestApp(await openTestDatabase());
    const first = await validateOnce(app, USER, INPUT, KEY);
    await app.db.transaction((tx) => tx.query('delete from bank_account_validations'));
    const second = await validateOnce(app, USER, INPUT, KEY);
    assert.equal(second.replayed, false);
    assert.notEqual(second.validation.id, first.validation.id);
    assert.equal((await validateOnce(app, USER, INPUT, KEY)).validation.id, second.validation.id);
  });
});
