import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteOldValidations } from '../../src/bank-validation/delete-old-validations.ts';
import { eraseValidations } from '../../src/bank-validation/erase-validations.ts';
import { exportValidations } from '../../src/bank-validation/export-validations.ts';
import { findValidation } from '../../src/bank-validation/find-validation.ts';
import { settleDueValidations } from '../../src/bank-validation/holder/settle-validations.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { validateBatch } from '../../src/bank-validation/validate-batch.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { StorageError } from '../../src/db/database.ts';
import { Problem } from '../../src/error-catalogue.ts';
import { BatcherFullError } from '../../src/lib/batcher.ts';
import { checkCharacter } from '../../src/lib/modulo-eleven.ts';
import { createSimulatedProvider } from '../../src/validation-providers/simulated-provider.ts';
import type { HolderAnswer, ValidationProvider } from '../../src/validation-providers/validation-provider.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type TestDatabase } from '../support/engines.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';

const USER = { id: 'user_a' };
const OTHER = { id: 'user_b' };
const HOLDER = '11111111-1';
const ONLINE_IDS = [
  'rut.issued',
  'rut.alive',
  'account.exists',
  'account.open',
  'account.currency',
  'holder.match',
  'holder.name_match',
];

forEachEngine('validating a bank account', (openTestDatabase) => {
  test('stores the record before it answers, without the RUT and the account', async () => {
    const { app, db } = await open();
    const validation = await validateBankAccount(app, USER, account('12345678-5', '012', '00987654321'));
    assert.deepEqual([validation.state, validation.verdict], ['completed', 'plausible']);
    assert.match(validation.id, /^bav_[0-9a-z]{9}[0-9a-f]{16}$/);

    const [row] = await db.query('select * from bank_account_validations');
    assert.deepEqual([row?.['actor'], row?.['account_masked'], row?.['bank_code']], ['user_a', '•••••4321', '012']);
    assert.match(String(row?.['rut_hash']), /^[0-9a-f]{32}$/);
    assert.match(String(row?.['account_hash']), /^[0-9a-f]{32}$/);
    for (const secret of ['12345678', '87654321']) assert.ok(!JSON.stringify(row).includes(secret));
  });

  test('gives at most plausible without a provider, and each online check says why it was not performed', async () => {
    const { app } = await open();
    const { checks } = await validateBankAccount(app, USER, account(HOLDER, '001', '900000000001'));
    const online = checks.filter(({ id }) => ONLINE_IDS.includes(id));
    assert.deepEqual(
      online.map(({ id }) => id),
      ONLINE_IDS,
    );
    for (const { result, code } of online)
      assert.deepEqual([result, code], ['not_performed', 'NO_PROVIDER_CONFIGURED']);
  });

  test('gives undetermined for an unknown bank code, and invalid with UNKNOWN_BANK=fail, in batches too', async () => {
    const asked: string[] = [];
    const validationProvider = providerOf(async ({ bankCode }) => {
      asked.push(bankCode);
      return answerOf('match');
    });
    for (const [setting, result, verdict] of [
      ['', 'warn', 'undetermined'],
      ['warn', 'warn', 'undetermined'],
      ['fail', 'fail', 'invalid'],
    ] as const) {
      const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', UNKNOWN_BANK: setting });
      const { app } = await open({ config, validationProvider });
      asked.length = 0;
      const one = await validateBankAccount(app, USER, account('12345678-5', '999', '1234509876'));
      const [batched] = await validateBatch(app, USER, [account('12345678-5', '999', '1234509876')]);
      assert.ok(batched !== undefined && 'validation' in batched);
      for (const validation of [one, batched.validation, await findValidation(app, USER, one.id)]) {
        const known = validation?.checks.find(({ id }) => id === 'bank.known');
        assert.deepEqual([known?.result, known?.code, validation?.verdict], [result, 'BANK_UNKNOWN', verdict], setting);
      }
      assert.equal(asked.length > 0, result === 'warn', 'no provider is asked about an invalid account');
      const codes = ['001', '152', '693'];
      const others = await Promise.all(
        codes.map((code) => validateBankAccount(app, USER, account('12345678-5', code, '1234509876'))),
      );
      assert.deepEqual(
        others.map((other) => other.verdict),
        ['confirmed', 'undetermined', 'undetermined'],
        'a wrong code, or one from a single source, is undetermined',
      );
    }
    assert.throws(() => readConfig({ MASTER_KEY: '5a'.repeat(32), UNKNOWN_BANK: 'maybe' }), /UNKNOWN_BANK/);
  });

  test('returns a stored validation as it was answered, except the RUT', async () => {
    const { app } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
    const inputs = [
      account('12345678-5', '012', '12345678'),
      account('12345678-5', '049', '1234509876'),
      account(' 055555555-5 ', '063', '222222222'),
      account('12345678-6', 'x7', '12-34'),
      account('12345678-5', '999', '1234509876'),
      account('12345678-5', '152', '1234'),
      account('76086428-5', '012', '76086428'),
      account(HOLDER, '001', '900000000001'),
      account(HOLDER, '001', '900000000002'),
      account(HOLDER, '001', '900000000003'),
      account(HOLDER, '001', '900000000004'),
    ];
    for (const input of inputs) {
      const answered = await validateBankAccount(app, USER, input);
      const found = await findValidation(app, USER, answered.id);
      assert.deepEqual(found, { ...answered, rut: null });
    }
  });

  test('answers for another user’s validation as if it did not exist', async () => {
    const { app } = await open();
    const { id } = await validateBankAccount(app, USER, account(HOLDER, '001', '1234509876'));
    assert.equal(await findValidation(app, OTHER, id), null);
    assert.equal(await findValidation(app, USER, 'bav_0'), null);
  });

  test('fails when the store cannot keep the record', async () => {
    const { app, db } = await open();
    await db.close();
    await assert.rejects(validateBankAccount(app, USER, account(HOLDER, '001', '1234509876')));
  });

  const magic: [account: string, verdict: string, result: string, code: string | null][] = [
    ['900000000001', 'confirmed', 'pass', null],
    ['900000000002', 'mismatch', 'fail', 'HOLDER_NO_MATCH'],
    ['900000000003', 'plausible', 'warn', 'HOLDER_CLOSE_MATCH'],
    ['900000000004', 'undetermined', 'not_performed', 'HOLDER_NOT_CHECKABLE'],
    ['900000000005', 'undetermined', 'error', 'PROVIDER_TIMEOUT'],
    ['900000000008', 'mismatch', 'fail', 'HOLDER_NO_MATCH'],
    ['900000000010', 'plausible', 'not_performed', 'NO_PROVIDER_CONFIGURED'],
  ];
  for (const [number, verdict, result, code] of magic) {
    test(`gives ${verdict} for the magic account ${number}`, async () => {
      const { app } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
      const validation = await validateBankAccount(app, USER, account(HOLDER, '001', number));
      const holder = validation.checks.find(({ id }) => id === 'holder.match');
      assert.deepEqual([validation.verdict, holder?.result, holder?.code], [verdict, result, code]);
    });
  }

  test('shows the caller no difference between another holder and a closed account; only the store has it', async () => {
    const { app, db } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
    const mismatch = await validateBankAccount(app, USER, account(HOLDER, '001', '900000000002'));
    const closed = await validateBankAccount(app, USER, account(HOLDER, '001', '900000000008'));
    const shown = (validation: object) => ({ ...validation, id: '', maskedAccount: '' });
    assert.deepEqual(shown(closed), shown(mismatch));
    const rows = await db.query('select provider_detail from bank_account_validations order by account_masked');
    assert.deepEqual(
      rows.map((row) => row['provider_detail']),
      ['other_holder', 'account_closed'],
    );
  });

  const slow: [account: string, verdict: string][] = [
    ['900000000006', 'confirmed'],
    ['900000000007', 'mismatch'],
  ];
  for (const [number, verdict] of slow) {
    test(`gives pending for the magic account ${number}, then ${verdict}, with one event`, async () => {
      const { app, db } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
      const pending = await validateBankAccount(app, USER, account(HOLDER, '001', number));
      assert.deepEqual([pending.state, pending.verdict], ['pending', 'undetermined']);
      assert.deepEqual(await findValidation(app, USER, pending.id), { ...pending, rut: null });
      const [kept] = await db.query('select sealed_question from bank_account_validations');
      assert.ok(!String(kept?.['sealed_question']).includes(number));
      assert.equal(await settleDueValidations(app, 10), 0, 'it is not due yet');

      app.now.advance(1000);
      assert.equal(await settleDueValidations(app, 10), 1);
      assert.equal(await settleDueValidations(app, 10), 0);
      const settled = await findValidation(app, USER, pending.id);
      assert.deepEqual([settled?.state, settled?.verdict], ['completed', verdict]);
      const events = await db.query('select type, user_id, data from events');
      assert.deepEqual(
        events.map((event) => ({ ...event })),
        [
          {
            type: 'bank_account_validation.updated',
            user_id: 'user_a',
            data: JSON.stringify({ id: pending.id, verdict, state: 'completed' }),
          },
        ],
      );
      const [after] = await db.query('select sealed_question from bank_account_validations');
      assert.equal(after?.['sealed_question'], null, 'the question is deleted after the answer');
    });
  }

  test('becomes pending while a slow provider does not answer, and stores the late answer', async () => {
    const late = Promise.withResolvers<HolderAnswer>();
    const { app } = await open({ validationProvider: providerOf(() => late.promise) });
    const pending = await validateBankAccount(app, USER, account(HOLDER, '001', '1234509876'));
    assert.equal(pending.state, 'pending');
    late.resolve({ kind: 'match', expiresAt: null, nameMatch: null });
    assert.ok(await comesTrue(async () => (await findValidation(app, USER, pending.id))?.verdict === 'confirmed'));
  });

  test('has a question asked again, once, by another process when its own process dies', async () => {
    const silent = providerOf(() => new Promise(() => {}));
    const { app, db } = await open({ validationProvider: silent });
    const pending = await validateBankAccount(app, USER, account(HOLDER, '001', '0012345678'));
    const asked: object[] = [];
    const answering = providerOf(async (question) => {
      asked.push(question);
      return { kind: 'match', expiresAt: null, nameMatch: null };
    });
    const replicas = [1, 2].map(() => createTestApp(db, { now: app.now, validationProvider: answering }));
    app.now.advance(60_000);
    await Promise.all(replicas.map((replica) => settleDueValidations(replica, 10)));
    assert.deepEqual(asked, [
      { id: pending.id, rut: HOLDER, bankCode: '001', account: '0012345678', name: null, asks: 1 },
    ]);
    assert.equal((await findValidation(app, USER, pending.id))?.verdict, 'confirmed');
  });

  test('gives up an unanswered question after an hour, and leaves the verdict undetermined', async () => {
    const { app } = await open({ validationProvider: providerOf(async () => ({ kind: 'pending' })) });
    const pending = await validateBankAccount(app, USER, account(HOLDER, '001', '1234509876'));
    for (let step = 0; step < 8; step++) {
      app.now.advance(900_000);
      await settleDueValidations(app, 10);
    }
    const settled = await findValidation(app, USER, pending.id);
    assert.deepEqual([settled?.state, settled?.verdict], ['completed', 'undetermined']);
    assert.equal(settled?.checks.find(({ id }) => id === 'holder.match')?.code, 'PROVIDER_TIMEOUT');
  });

  test('gives up a question after an hour also when its provider was removed or it cannot be decrypted', async () => {
    const { app, db } = await open({ validationProvider: providerOf(async () => ({ kind: 'pending' })) });
    const pending = [];
    for (const number of ['1234509876', '1234509877'])
      pending.push(await validateBankAccount(app, USER, account(HOLDER, '001', number)));
    const [, broken] = pending;
    const spoil = "update bank_account_validations set sealed_question = 'x' where id = $1";
    await db.transaction((tx) => tx.query(spoil, [broken?.id ?? '']));
    const without = createTestApp(db, { now: app.now });
    for (const one of [app, without]) {
      app.now.advance(1_900_000);
      await settleDueValidations(one, 10);
    }
    app.now.advance(900_000);
    await settleDueValidations(without, 10);
    for (const { id } of pending) {
      const settled = await findValidation(app, USER, id);
      assert.deepEqual([settled?.state, settled?.verdict], ['completed', 'undetermined']);
    }
    assert.equal(
      (await db.query('select id from bank_account_validations where sealed_question is not null')).length,
      0,
    );
  });

  test('treats a provider that throws as unavailable', async () => {
    const { app } = await open({ validationProvider: providerOf(() => Promise.reject(new Error('12345678-5'))) });
    const { verdict } = await validateBankAccount(app, USER, account(HOLDER, '001', '1234509876'));
    assert.equal(verdict, 'undetermined');
  });

  test('never sends the provider an account that fails offline', async () => {
    const { app } = await open({ validationProvider: providerOf(() => assert.fail('asked')) });
    const { verdict, checks } = await validateBankAccount(app, USER, account('12345678-6', '001', '1234509876'));
    assert.equal(verdict, 'invalid');
    assert.equal(checks.find(({ id }) => id === 'holder.match')?.code, 'PREREQUISITE_FAILED');
  });

  test('gives the same result in a batch as alone, and one refusal spoils no other result', async () => {
    const { app } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
    const inputs = Array.from({ length: 250 }, (_, index) =>
      account(`${10_000_000 + index}-K`, '012', `${index}12345`),
    );
    inputs[100] = account(HOLDER, '001', '900000000009');
    inputs[200] = account(HOLDER, '001', '900000000001');
    inputs[201] = { rut: null, bankCode: 12, account: {} };
    const results = await validateBatch(app, USER, inputs);
    for (const [index, result] of results.entries()) {
      if (index === 100) {
        assert.ok('problem' in result && result.problem.code === 'RATE_LIMITED');
        continue;
      }
      assert.ok('validation' in result);
      const single = await validateBankAccount(app, USER, inputs[index] as object as ReturnType<typeof account>);
      assert.deepEqual({ ...result.validation, id: '' }, { ...single, id: '' });
    }
  });

  test('stores a batch in one commit, and nothing of a refused batch', async () => {
    const { app, db } = await open();
    const gate = Promise.withResolvers<void>();
    let commits = 0;
    const transaction: TestDatabase['transaction'] = async (work) => {
      commits++;
      await gate.promise;
      return db.transaction(work);
    };
    const busy = createTestApp({ ...db, transaction }, { now: app.now });
    const inputs = Array.from({ length: 600 }, (_, index) => account(HOLDER, '012', `${index}12345`));
    // Creates the key of the hashes first, because that is a separate commit.
    await identityHashes(app);
    const first = validateBatch(busy, USER, inputs);
    await comesTrue(() => commits === 1);
    const refused: unknown[] = [];
    const others = Array.from({ length: 65 }, () =>
      validateBatch(busy, USER, inputs.slice(0, 2)).catch((error: unknown) => refused.push(error)),
    );
    await comesTrue(() => refused.length > 0);
    gate.resolve();
    assert.equal((await first).length, 600);
    await Promise.all(others);
    for (const error of refused) assert.ok(error instanceof BatcherFullError);
    const taken = others.length - refused.length;
    assert.equal(commits, 1 + taken);
    const [kept] = await db.query<{ rows: number }>('select count(*) as rows from bank_account_validations');
    assert.equal(kept?.rows, 600 + 2 * taken);

    const failing = createTestApp({ ...db, transaction: () => Promise.reject(outOfRoom()) }, { now: app.now });
    await assert.rejects(validateBatch(failing, USER, inputs), { code: 'STORAGE_FULL' });
  });

  test('reports a store failure as the result of its entry alone, and keeps the rest of the batch', async () => {
    const { app, db } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
    const inputs = [account('12345678-K', '012', '12345'), account(HOLDER, '001', '900000000001')];
    let commits = 0;
    const transaction: TestDatabase['transaction'] = (work) =>
      commits++ === 0 ? db.transaction(work) : Promise.reject(outOfRoom());
    const busy = createTestApp({ ...db, transaction }, { now: app.now, validationProvider: app.validationProvider });
    // Creates the key of the hashes first, because that is a separate commit.
    await identityHashes(app);
    const [first, second] = await validateBatch(busy, USER, inputs);
    assert.ok(first !== undefined && 'validation' in first);
    assert.ok(second !== undefined && 'problem' in second && second.problem.code === 'STORAGE_FULL');
    assert.deepEqual(await findValidation(app, USER, first.validation.id), { ...first.validation, rut: null });
  });

  test('exports everything about a RUT in any spelling, and nothing after it was erased', async () => {
    const { app, db } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
    await validateBankAccount(app, USER, account(HOLDER, '001', '900000000002'));
    app.now.advance(1);
    await validateBankAccount(app, OTHER, account('011.111.111-1', '049', '1234509876'));
    await validateBankAccount(app, USER, account('12345678-5', '001', '1234509876'));

    const exported = await exportValidations(app, '11.111.111-1');
    const told = exported?.validations.map(({ asked_by, verdict, bank_code, account }) => ({
      asked_by,
      verdict,
      bank_code,
      account,
    }));
    assert.deepEqual(told, [
      { asked_by: 'user_a', verdict: 'mismatch', bank_code: '001', account: '•••••0002' },
      { asked_by: 'user_b', verdict: 'plausible', bank_code: '049', account: '•••••9876' },
    ]);
    assert.ok(exported?.validations[0]?.checks.some(({ id }) => id === 'holder.match'));

    assert.deepEqual(await eraseValidations(app, '111111111'), { rut: HOLDER, erased: 2 });
    assert.deepEqual(await exportValidations(app, HOLDER), { rut: HOLDER, validations: [] });
    assert.deepEqual(await eraseValidations(app, HOLDER), { rut: HOLDER, erased: 0 });
    assert.equal((await exportValidations(app, '12345678-5'))?.validations.length, 1);
    assert.equal((await db.query('select * from provider_questions')).length, 0);
    assert.equal(await exportValidations(app, '12345678-6'), null);
    assert.equal(await eraseValidations(app, ''), null);
  });

  test('exports what no response tells: the open question, and why the provider did not match', async () => {
    const { app, db } = await open({ validationProvider: createSimulatedProvider(createTestClock()) });
    await validateBankAccount(app, USER, { ...account(HOLDER, '001', '900000000006'), holderName: 'Ana Díaz' });
    app.now.advance(1);
    await validateBankAccount(app, USER, account(HOLDER, '001', '900000000008'));
    const read = async () =>
      (await exportValidations(app, HOLDER))?.validations.map((one) => [one.state, one.provider_detail, one.question]);
    const closed = ['completed', 'account_closed', null];
    assert.deepEqual(await read(), [['pending', null, { account: '900000000006', name: 'Ana Díaz' }], closed]);
    await db.transaction((tx) =>
      tx.query(`update bank_account_validations set actor = 'user_b' where state = 'pending'`),
    );
    assert.deepEqual(await read(), [['pending', null, null], closed], 'a changed row does not stop the export');
  });

  test('keeps validations for two years', async () => {
    const { app } = await open();
    const old = await validateBankAccount(app, USER, account(HOLDER, '001', '1234509876'));
    app.now.advance(729 * 86_400_000);
    const recent = await validateBankAccount(app, USER, account(HOLDER, '001', '1234509876'));
    assert.equal(await deleteOldValidations(app, 10), 0);
    app.now.advance(2 * 86_400_000);
    assert.equal(await deleteOldValidations(app, 10), 1);
    assert.equal(await findValidation(app, USER, old.id), null);
    assert.equal((await findValidation(app, USER, recent.id))?.id, recent.id);
  });

  async function open(parts: { validationProvider?: ValidationProvider; config?: Config } = {}) {
    const db: TestDatabase = await openTestDatabase();
    return { db, app: createTestApp(db, { now: createTestClock(), ...parts }) };
  }
});

forEachEngine('the budget for provider questions', (openTestDatabase) => {
  test('is spent by fifty mismatches; the refusal has the time to wait, and offline checks go on', async () => {
    const { app, db, refusedAfter } = await open('no_match');
    const problem = await refusedAfter(USER, 50);
    assert.equal(problem.extras.waitMs, 30_000);
    const { verdict } = await validateBankAccount(app, USER, account('12345678-6', '001', '1234509876'));
    assert.equal(verdict, 'invalid');
    const refusals = await db.query('select actor, refusals from provider_refusals');
    assert.deepEqual(
      refusals.map((row) => ({ ...row })),
      [{ actor: 'user_a', refusals: 1 }],
    );
    await validateBankAccount(app, OTHER, account(rutAt(90), '001', '1234509876'));
  });

  test('is charged a twentieth of a mismatch for a match', async () => {
    const { refusedAfter } = await open('match');
    await refusedAfter(USER, 1000);
  });

  test('gets two tokens back each minute', async () => {
    const { app, refusedAfter } = await open('no_match');
    await refusedAfter(USER, 50);
    app.now.advance(29_999);
    await refusedAfter(USER, 0);
    app.now.advance(1);
    await refusedAfter(USER, 1);
  });

  test('limits questions about one RUT from all users together', async () => {
    const { app } = await open('no_match');
    for (let asked = 0; asked < 50; asked++) {
      await validateBankAccount(app, { id: `user_${asked}` }, account(HOLDER, '001', `12345098${asked + 10}`));
    }
    await assert.rejects(validateBankAccount(app, { id: 'one more' }, account(HOLDER, '001', '1234509876')), refused);
  });

  test('does not limit the invented holder of the sandbox for each RUT', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { validationProvider: createSimulatedProvider(createTestClock()) });
    for (let asked = 0; asked < 60; asked++) {
      await validateBankAccount(app, { id: `user_${asked}` }, account(HOLDER, '001', '900000000002'));
    }
  });

  test('cannot be exceeded by concurrent questions', async () => {
    const { app, asked } = await open('no_match');
    const results = await validateBatch(
      app,
      USER,
      Array.from({ length: 100 }, (_, at) => account(rutAt(at), '001', '1234509876')),
    );
    assert.equal(results.filter((result) => 'problem' in result).length, 50);
    assert.equal(asked(), 50);
  });

  test('answers a batch in full if its matches fit, although its open questions hold more than that', async () => {
    const { app, db, asked } = await open('match');
    const accounts = Array.from({ length: 120 }, (_, at) => account(rutAt(at), '001', '1234509876'));
    const results = await validateBatch(app, USER, accounts);
    const verdicts = results.map((result) =>
      'validation' in result ? result.validation.verdict : result.problem.code,
    );
    assert.deepEqual(Map.groupBy(verdicts, (verdict) => verdict).get('confirmed')?.length, 120, verdicts.join(' '));
    assert.equal(asked(), 120);
    const left = await db.query(`select tokens from provider_budgets where bucket = 'user:user_a'`);
    assert.deepEqual(
      left.map((row) => ({ ...row })),
      [{ tokens: 880 }],
    );
    assert.deepEqual(await db.query('select * from provider_refusals'), [], 'nothing was refused');
  });

  test('refuses the rest of a batch when the tokens are spent, without waiting for them to refill', async () => {
    const { app } = await open('match');
    await app.db.transaction(async (tx) => {
      await tx.query(`insert into provider_budgets (bucket, tokens, refilled_at) values ('user:user_a', 1, $1)`, [
        app.now(),
      ]);
    });
    const accounts = [0, 1, 2].map((at) => account(rutAt(at), '001', '1234509876'));
    const results = await validateBatch(app, USER, accounts);
    assert.deepEqual(
      results.map((result) => ('problem' in result ? result.problem.code : result.validation.verdict)),
      ['confirmed', 'RATE_LIMITED', 'RATE_LIMITED'],
    );
  });

  test('is shared by replicas', async () => {
    const { app, db } = await open('no_match');
    const replica = createTestApp(db, {
      now: app.now,
      validationProvider: providerOf(async () => answerOf('no_match')),
    });
    for (let at = 0; at < 25; at++) {
      await validateBankAccount(app, USER, account(rutAt(at), '001', '1234509876'));
      await validateBankAccount(replica, USER, account(rutAt(25 + at), '001', '1234509876'));
    }
    await assert.rejects(validateBankAccount(replica, USER, account(rutAt(60), '001', '1234509876')), refused);
  });

  test('allows a user a thousand different RUTs a day, and repeats of the same RUT', async () => {
    const { app } = await open('match');
    for (let at = 0; at < 1000; at++) {
      await validateBankAccount(app, USER, account(rutAt(at), '001', '1234509876'));
      app.now.advance(30_000);
    }
    await validateBankAccount(app, USER, account(rutAt(999), '001', '1234509876'));
    const error = await validateBankAccount(app, USER, account(rutAt(1000), '001', '1234509876')).catch(
      (thrown: unknown) => thrown,
    );
    // 12:00 UTC and 1,000 half minutes later, it is 8 h 20 min on; midnight is 3 h 40 min away.
    assert.equal((error as Problem).extras.waitMs, (3 * 3600 + 40 * 60) * 1000);
    app.now.advance(4 * 3_600_000);
    await validateBankAccount(app, USER, account(rutAt(1000), '001', '1234509876'));
  });

  test('deletes a bucket when it is full again, and not before', async () => {
    const { app, db, refusedAfter } = await open('no_match');
    const buckets = async () => (await db.query('select bucket from provider_budgets')).length;
    await refusedAfter(USER, 50);
    assert.equal(await buckets(), 51, 'one counter for the user and one for each RUT');
    app.now.advance((1000 + 20) * 30_000);
    await deleteOldValidations(app, 10);
    assert.equal(await buckets(), 51);
    app.now.advance(3_600_000);
    await validateBankAccount(app, USER, account(rutAt(0), '001', '1234509876'));
    await deleteOldValidations(app, 10);
    assert.equal(await buckets(), 2, 'only the counters of the last question are left');
    await refusedAfter(USER, 49);
  });

  test('deletes the record of a refusal on the next day, and not before', async () => {
    const { app, db, refusedAfter } = await open('no_match');
    const days = async () => (await db.query('select day from provider_refusals')).length;
    await refusedAfter(USER, 50);
    await deleteOldValidations(app, 10);
    assert.equal(await days(), 1);
    app.now.advance(86_400_000);
    await deleteOldValidations(app, 10);
    assert.equal(await days(), 0);
  });

  async function open(kind: 'match' | 'no_match') {
    const db = await openTestDatabase();
    let asked = 0;
    const validationProvider = providerOf(async () => {
      asked++;
      return answerOf(kind);
    });
    const app = createTestApp(db, { now: createTestClock(), validationProvider });
    let at = 0;
    const refusedAfter = async (actor: { id: string }, answers: number) => {
      const next = () => validateBankAccount(app, actor, account(rutAt(at++), '001', '1234509876'));
      for (let answered = 0; answered < answers; answered++) await next();
      const error = await next().catch((thrown: unknown) => thrown);
      assert.ok(refused(error), `not refused after ${answers}`);
      return error as Problem;
    };
    return { app, db, refusedAfter, asked: () => asked };
  }
});

function account(rut: unknown, bankCode: unknown, number: unknown) {
  return { rut, bankCode, account: number };
}

function outOfRoom(): StorageError {
  return new StorageError('STORAGE_FULL', new Error('no room'));
}

function rutAt(index: number): string {
  const body = String(20_000_000 + index);
  return `${body}-${checkCharacter(body)}`;
}

function providerOf(ask: ValidationProvider['ask']): ValidationProvider {
  return { name: 'test', version: '1', realHolders: true, covers: () => true, ask };
}

function answerOf(kind: 'match' | 'no_match'): HolderAnswer {
  return kind === 'match' ? { kind, expiresAt: null, nameMatch: null } : { kind, expiresAt: null, detail: null };
}

function refused(error: unknown): boolean {
  return error instanceof Problem && error.code === 'RATE_LIMITED';
}
