import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { disableUser } from '../../src/auth/change-user.ts';
import { resetApiToken } from '../../src/auth/reset-secrets.ts';
import { setRights } from '../../src/auth/set-rights.ts';
import { endApiToken } from '../../src/auth/tokens/end-api-token.ts';
import { makeApiToken } from '../../src/auth/tokens/make-api-token.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { closeMonth, describeMonth } from '../../src/movements/close-month.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { type StoreVerification, verifyStore } from '../../src/proof/verify-store.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { LINE_USES } from '../../src/statements/statement.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tamperings } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, looseKeys, readingThrough, removeTriggers, undone } from '../support/test-books.ts';
import { ANA, approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

/** An account at the bank of the file, which needs no account type. */
const OWN = { ...ANA, bankCode: '001', account: '990011223' };

type World = Awaited<ReturnType<typeof open>>;

const TAMPERINGS: Tamperings<World>[] = [
  {
    name: 'a closed month owes a merchant less',
    statements: () => [[`update closed_months set owed = replace(owed, '"owed":"', '"owed":"1')`]],
    found: /month 2026-01 development was closed with 1(\d+) owed to environment \d+ in CLP .*the entries give \1/,
  },
  {
    name: 'a closed month leaves a merchant out',
    statements: () => [[`update closed_months set owed = '[]'`]],
    found: /month 2026-01 development: accounts was 1, is 0.*was closed with 0 owed/,
  },
  {
    name: 'the person who closed a month is changed',
    statements: () => [[`update closed_months set closed_by = 'ana@example.cl'`]],
    found: /month 2026-01 development: closed_by was "command line: tester@test", is "ana@example.cl"/,
  },
  {
    name: 'a closed month is opened again',
    statements: () => [['delete from closed_months']],
    found: /month 2026-01 development was closed, and that was deleted/,
  },
  {
    name: 'a month is closed by hand',
    statements: () => [[`insert into closed_months values ('2025-12', 'development', 1, 'nobody', '[]')`]],
    found: /month 2025-12 development was never made by this service/,
  },
  {
    name: 'the retained money of a merchant is reduced',
    statements: () => [['update funds_rules set kept_back = 0']],
    found: /rule for the money of environment \d+ in CLP: kept_back was 5000, is 0/,
  },
  {
    name: 'a merchant may overdraw its money',
    statements: () => [['update funds_rules set overdraft = 1000000']],
    found: /overdraft was 0, is 1000000/,
  },
  {
    name: 'a merchant may overdraw its money since before 1970',
    statements: () => [['update funds_rules set overdraft = 1000000, set_at = -1']],
    found: /overdraft was 0, is 1000000; set_at was \d+, is -1/,
  },
  {
    name: 'the person who set a rule for money is changed',
    statements: () => [[`update funds_rules set set_by = 'ana@example.cl', set_at = 5`]],
    found: /set_at was \d+, is 5; set_by was "command line: tester@test", is "ana@example.cl"/,
  },
  {
    name: 'a rule for money is deleted',
    statements: () => [['delete from funds_rules']],
    found: /the rule for the money of ps_\w+ development CLP was deleted/,
  },
  {
    name: 'a rule for money is invented',
    statements: ({ id }) => [[`insert into funds_rules values ($1, 'USD', 0, 1000, 5, 'nobody')`, id]],
    found: /rule for the money of environment \d+ in USD was never made by this service/,
  },
  {
    name: 'the hash of a payout file is changed',
    statements: () => [[`update payout_files set sha256 = '00'`]],
    found: /file of payouts pf_\w+: sha256 was "[0-9a-f]{64}", is "00"; its bytes were changed/,
  },
  {
    name: 'the bytes of a file of payouts are changed',
    statements: () => [
      [`update payout_files set sealed_content = replace(sealed_content, substr(sealed_content, 30, 8), 'AAAAAAAA')`],
    ],
    found: /file of payouts pf_\w+: its bytes were changed/,
  },
  {
    name: 'the bytes of a file of payouts name another master key',
    statements: () => [[`update payout_files set sealed_content = 'v1.AAAAAAAA' || substr(sealed_content, 12)`]],
    found: /file of payouts pf_\w+: its bytes were changed/,
  },
  {
    name: 'the person who made a payout file is changed',
    statements: () => [[`update payout_files set made_by = 'nobody'`]],
    found: /made_by was "user-\d+@example\.cl", is "nobody"/,
  },
  {
    name: 'the sum of a file of payouts is changed',
    statements: () => [['update payout_files set total = total + 1']],
    found: /it was made of 2 payouts with 30001 in all, and 2 payouts with 30000 are in it/,
  },
  {
    name: 'a payout is taken out of its file',
    statements: ({ payouts }) => [['update payouts set file_id = null where id = $1', payouts[0] as string]],
    found: /payouts with 30000 in all, and 1 payouts with \d+ are in it.*payout po_\w+ left without a sender/,
  },
  {
    name: 'a payout that left in a file that is gone names a sender',
    statements: ({ payouts }) => [
      [`update payouts set file_id = null, sender_id = 'snd_x' where id = $1`, payouts[0] as string],
    ],
    found: /payout po_\w+ left without a sender/,
  },
  {
    name: 'a file of payouts is deleted',
    statements: () => [['delete from payout_files']],
    found: /file of payouts pf_\w+ was deleted.*payout po_\w+ left without a sender/,
  },
  {
    name: 'a file of payouts is invented',
    statements: () => [
      [
        `insert into payout_files (id, environment_id, format, name, created_at, made_by, payouts, total, sha256, sealed_content)
         select 'pf_x', environment_id, format, name, created_at, made_by, 0, 0, sha256, sealed_content from payout_files`,
      ],
    ],
    found: /file of payouts pf_x: it was never made by this service; its bytes were changed/,
  },
  {
    name: 'a line of a statement has another amount',
    statements: () => [['update bank_statement_lines set amount = amount - 1 where file_line = 4']],
    found: /bank statement st_\w+: the day, the amount or the origin of a line was changed/,
  },
  {
    name: 'a line that confirms a payout has another amount',
    statements: () => [[`update bank_statement_lines set amount = -1 where used_as = 'payout'`]],
    found: /line 1 confirms po_\w+, which has another amount or is gone/,
  },
  {
    name: 'a deposit line is given to another deposit',
    statements: () => [[`update bank_statement_lines set subject = 'mv_x' where used_as = 'deposit'`]],
    found: /decided as deposit of mv_x by .*has no such decision.*line 2 is mv_x, which has another amount or is gone/,
  },
  {
    name: 'a line in suspense is decided by hand',
    statements: () => [
      [
        `update bank_statement_lines set used_as = 'other', resolved_at = 5, resolved_by = 'nobody', reason = 'rent'
         where used_as = 'suspense'`,
      ],
    ],
    found: /1 line decided as other by nobody: the audit log has no such decision/,
  },
  {
    name: 'a line in suspense is called matched',
    statements: () => [[`update bank_statement_lines set used_as = 'other' where used_as = 'suspense'`]],
    found: /lines imported as suspense was 3, is 2/,
  },
  {
    name: 'the reason of a decision about a line is changed',
    statements: () => [[`update bank_statement_lines set reason = 'wages' where used_as = 'other'`]],
    found:
      /1 line decided as other by .*no such decision.*the audit log has 1 line decided as other by .*which the statement lacks/,
  },
  {
    name: 'a line that was explained again goes back to the earlier decision',
    statements: () => [
      [
        `update bank_statement_lines set used_as = 'other', subject = null, reason = 'mistake' where used_as = 'deposit'`,
      ],
    ],
    found:
      /1 line decided as other by .*: the audit log has no such decision.*the audit log has 1 line decided as deposit of mv_/,
  },
  {
    name: 'a line of a statement is deleted',
    statements: () => [[`delete from bank_statement_lines where used_as = 'suspense'`]],
    found: /lines was 4, is 3/,
  },
  {
    name: 'the file of a statement is changed',
    statements: () => [[`update bank_statements set file_sha256 = 'cd'`]],
    found: /file_sha256 was "(ab)+", is "cd"/,
  },
  {
    name: 'the file of a statement is changed, and its time is before 1970',
    statements: () => [[`update bank_statements set file_sha256 = 'cd', imported_at = -1`]],
    found: /imported_at was \d+, is -1; .*file_sha256 was "(ab)+", is "cd"/,
  },
  {
    name: 'the columns of a statement are changed',
    statements: () => [
      [
        `update bank_statements set payment_service_id = null, lines = 9, first_day = '2026-01-01', last_day = '2026-12-31',
           proof = 'totals'`,
      ],
    ],
    found:
      /payment_service was "ps_\w+", is null; .*lines of the file was 4, is 9; .*first_day was .*; .*last_day was .*; .*proof was "balance", is "totals"/,
  },
  {
    name: 'the account of a statement is changed',
    statements: () => [[`update bank_statements set account = '987654321'`]],
    found: /bank statement st_\w+: its account, or what a line was imported as, was changed/,
  },
  {
    name: 'the note of a line in suspense is changed',
    statements: () => [[`update bank_statement_lines set note = 'several payouts could be meant' where file_line = 4`]],
    found: /bank statement st_\w+: its account, or what a line was imported as, was changed/,
  },
  {
    name: 'the decision about a line is moved to another line',
    statements: () => [
      [
        `update bank_statement_lines set used_as = 'other', (resolved_at, resolved_by, reason) = (
           select x.resolved_at, x.resolved_by, x.reason from bank_statement_lines x where x.used_as = 'other')
         where file_line = 4`,
      ],
      [
        `update bank_statement_lines set used_as = 'suspense', resolved_at = null, resolved_by = null, reason = null
         where file_line = 3`,
      ],
    ],
    found: /bank statement st_\w+: other lines than the audit log has are decided as other by user-/,
  },
  {
    name: 'a line is given to another payout of the same amount',
    statements: ({ payouts: [one, other] }) => [
      ['update payouts set amount = 10000 where id = $1', other as string],
      ['update bank_statement_lines set subject = $1 where subject = $2', other as string, one as string],
    ],
    found: /bank statement st_\w+: its account, or what a line was imported as, was changed/,
  },
  {
    name: 'a line of a merchant is made one of the account of all',
    statements: () => [[`update bank_statement_lines set owner = '' where file_line = 4`]],
    found: /bank statement st_\w+: the owner or the time of a line was changed/,
  },
  {
    name: 'a line in suspense is made older',
    statements: () => [['update bank_statement_lines set kept_at = 1 where file_line = 4']],
    found: /bank statement st_\w+: the owner or the time of a line was changed/,
  },
  {
    name: 'a statement is deleted',
    statements: () => [['delete from bank_statement_lines'], ['delete from bank_statements']],
    found: /bank statement st_\w+ was deleted/,
  },
  {
    name: 'a statement is invented',
    statements: () => [
      [
        `insert into bank_statements (id, environment, account, file_name, file_sha256, imported_at, imported_by, first_day,
           last_day, lines, proof)
         values ('st_x', 'development', '1', 'x', 'x', 1, 'nobody', '2026-01-15', '2026-01-15', 0, 'balance')`,
      ],
    ],
    found: /bank statement st_x: it was never imported by this service/,
  },
  {
    name: 'a permission is granted',
    statements: ({ reader }) => [['insert into user_permissions values ($1, $2)', reader, 'payouts:approve']],
    found: /user usr_\w+: permissions was "events:read", is "events:read payouts:approve"/,
  },
  {
    name: 'a permission is revoked',
    statements: ({ reader }) => [['delete from user_permissions where user_id = $1', reader]],
    found: /user usr_\w+: permissions was "events:read", is ""/,
  },
  {
    name: 'a user gets another role',
    statements: ({ reader }) => [[`update users set role = 'owner' where id = $1`, reader]],
    found: /user usr_\w+: role was "support", is "owner"/,
  },
  {
    name: 'a user sees every payment service',
    statements: ({ reader }) => [['update users set all_payment_services = 1 where id = $1', reader]],
    found: /user usr_\w+: payment_services was "ps_\w+", is "all"/,
  },
  {
    name: 'a user sees one payment service less',
    statements: ({ reader }) => [['delete from user_payment_services where user_id = $1', reader]],
    found: /user usr_\w+: payment_services was "ps_\w+", is ""/,
  },
  {
    name: 'a user may refund more in a day',
    statements: ({ reader }) => [['update user_refund_limits set most = most * 100 where user_id = $1', reader]],
    found: /user usr_\w+: refunds_a_day was ".*5.*", is ".*500/,
  },
  {
    name: 'the daily limit of a user is deleted, so that the limit of the role counts',
    statements: ({ reader }) => [['delete from user_refund_limits where user_id = $1', reader]],
    found: /user usr_\w+: refunds_a_day was ".*5.*", is ""/,
  },
  {
    name: 'a disabled user is enabled',
    statements: ({ leaver }) => [['update users set disabled_at = null where id = $1', leaver]],
    found: /user usr_\w+: disabled_at was \d+, is null/,
  },
  {
    name: 'a user is disabled',
    statements: ({ reader }) => [['update users set disabled_at = 5 where id = $1', reader]],
    found: /user usr_\w+: disabled_at was null, is 5/,
  },
  {
    name: 'an API token that was ended works again',
    statements: ({ tokens }) => [['update api_tokens set ended_at = null where id = $1', tokens.ended]],
    found: /API token tok_\w+: ended_at was \d+, is null/,
  },
  {
    name: 'an API token that a reset ended works again',
    statements: ({ leaver }) => [
      ["update api_tokens set ended_at = null where user_id = $1 and name = 'till'", leaver],
    ],
    found: /API token tok_\w+: ended_at was \d+, is null/,
  },
  {
    name: "a user's first API token that a reset ended works again",
    statements: ({ leaver }) => [
      ["update api_tokens set ended_at = null where user_id = $1 and name = 'first' and ended_at > created_at", leaver],
    ],
    found: /API token tok_\w+: ended_at was \d+, is null/,
  },
  {
    name: 'an API token is ended by hand',
    statements: ({ tokens }) => [['update api_tokens set ended_at = 5 where id = $1', tokens.open]],
    found: /API token tok_\w+: ended_at was null, is 5/,
  },
  {
    name: 'an API token ends later',
    statements: ({ tokens }) => [['update api_tokens set expires_at = expires_at + 1 where id = $1', tokens.open]],
    found: /API token tok_\w+: expires_at was \d+, is \d+/,
  },
  {
    name: "a user's first API token has another maker",
    statements: ({ reader }) => [['update api_tokens set created_by = null where user_id = $1', reader]],
    found: /API token tok_\w+: created_by was "command line: tester@test", is null/,
  },
  {
    name: 'an API token is given to another user under another name',
    statements: ({ tokens, reader }) => [
      [`update api_tokens set user_id = $2, name = 'x', created_at = 5 where id = $1`, tokens.open, reader],
    ],
    found: /API token tok_\w+: created_at was \d+, is 5; name was "shop", is "x"; user was "usr_\w+", is "usr_\w+"/,
  },
  {
    name: 'a user is invented',
    statements: ({ reader, now }) => [
      [
        `insert into users (id, email, role, password_hash, api_token_hash, all_payment_services, token_version, created_at)
         select 'usr_x', 'x@example.cl', 'owner', password_hash, 'usr_x', 1, 1, $2 from users where id = $1`,
        reader,
        now,
      ],
    ],
    found: /user usr_x was never made by this service/,
  },
  {
    name: 'a user is deleted',
    statements: ({ reader }) => [
      ['delete from user_permissions where user_id = $1', reader],
      ['delete from users where id = $1', reader],
    ],
    found: /user usr_\w+ was deleted/,
  },
];

forEachEngine('what people closed, set, made and decided', (openTestDatabase) => {
  test('is compared with the audit log: every change by hand is found, and nothing in a store that was left alone', async () => {
    const world = await open(openTestDatabase);
    const { app } = world;
    const clean = await verifyStore(app);
    assert.ok(clean.ok, JSON.stringify(clean.findings));
    assert.deepEqual(clean.rights, { users: 5, older: 0 });
    await removeTriggers(app.db);
    for (const { name, statements, found } of TAMPERINGS) {
      const verification = await undone(app, async (tx) => {
        await looseKeys(app.db, tx);
        for (const [sql, ...values] of statements(world)) await tx.query(sql, values);
        return verifyStore(readingThrough(app, tx));
      });
      assert.match(says(verification), found, name);
      assert.equal(verification.ok, false, name);
    }
    assert.ok((await verifyStore(app)).ok);
  });

  test('is not missed in a database to which the payment service moved, nor in the one that it left', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    await identityHashes(to);
    const { owner, reader } = await fill(from);
    const [user] = await from.db.query<{ email: string }>('select email from users where id = $1', [reader]);
    await createTestUser(to, { email: user?.email ?? '', paymentServices: [] });
    await movePaymentService(from, to, wishOf(owner));
    for (const app of [from, to]) assert.deepEqual((await verifyStore(app)).findings, []);
    await setFundsRule(to, { ...owner, currency: 'CLP' }, { kept_back: 7000 }, TESTER);
    await to.db.transaction((tx) => tx.query('update funds_rules set kept_back = 0, set_at = set_at + 1'));
    assert.match(says(await verifyStore(to)), /kept_back was 7000, is 0/);
  });

  test('is compared file by file where one act made several', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    await approved(
      app,
      desk,
      Array.from({ length: 101 }, () => wish({ amount: 1000, payee: OWN })),
    );
    const payer = { account: '123456789', rut: '76.123.456-0', name: 'Tienda SpA', agreement: '' };
    const made = await makePayoutFiles(app, { owner, by, format: 'bancochile-masivas', payer, batchId: null });
    assert.deepEqual([made.length, (await verifyStore(app)).findings], [2, []]);
    const sql = `update payout_files set format = 'bice' where payouts = 1`;
    await app.db.transaction((tx) => tx.query(sql));
    assert.match(says(await verifyStore(app)), /^file of payouts pf_\w+: format was "bancochile-masivas", is "bice"$/);
  });

  test('finds nothing where two people made and reset an API token of a user in one millisecond', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestUser(app);
    for (const name of ['command line: ana@host', 'command line: eva@host'])
      assert.ok(await resetApiToken(app, id, { ...TESTER, name }));
    assert.equal(says(await verifyStore(app)), '');
    await app.db.transaction((tx) => tx.query(`update api_tokens set created_by = 'x' where ended_at is null`));
    assert.match(says(await verifyStore(app)), /^API token tok_\w+: created_by was "command line: eva@host", is "x"$/);
  });

  test('has no sums of a month to compare after the clock of a development installation returned to real time', async () => {
    const { app } = await open(openTestDatabase);
    const sql = `update closed_months set owed = replace(owed, '"owed":"', '"owed":"1')`;
    await app.db.transaction((tx) => tx.query(sql));
    assert.match(says(await verifyStore(app)), /^month 2026-01 development was closed with/);
    const shown = async () => {
      const state = await describeMonth(app, '2026-01', 'development');
      return [state?.isAsClosed, state?.clockWentBack];
    };
    assert.deepEqual(await shown(), [false, false]);
    const reset = { at: app.now(), by: TESTER, action: 'clock.reset', subject: { kind: 'store', id: '' } } as const;
    await app.db.transaction((tx) => recordAudit(tx, reset));
    assert.equal(says(await verifyStore(app)), '');
    assert.deepEqual(await shown(), [true, true], 'month show says the same as books verify');
  });

  test('is compared with acts of earlier versions as far as these go, and users from before the log are counted', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestUser(app, { role: 'support', may: ['events:read'], refundLimits: { CLP: 5000 } });
    const [old] = await app.db.query<{ said: string }>(
      `select said_after as said from audit_log where action = 'user.created'`,
    );
    const { granted, own_limits, ...after } = JSON.parse(old?.said ?? '{}');
    assert.deepEqual([granted, own_limits], [['events:read'], true]);
    const act = { at: app.now(), by: TESTER, action: 'user.role_set', subject: { kind: 'user', id } } as const;
    await app.db.transaction((tx) => recordAudit(tx, { ...act, after }));
    await app.db.transaction((tx) =>
      tx.query(
        `insert into users (id, email, role, password_hash, api_token_hash, all_payment_services, token_version, created_at)
         select 'usr_0', 'x@example.cl', role, password_hash, 'usr_0', 1, 1, created_at - 1 from users`,
      ),
    );
    const { ok, rights } = await verifyStore(app);
    assert.deepEqual([ok, rights], [true, { users: 2, older: 1 }]);
    await app.db.transaction((tx) =>
      tx.query(`insert into user_permissions values ($1, 'users:manage'), ('usr_0', 'users:manage')`, [id]),
    );
    await app.db.transaction((tx) => tx.query('update user_refund_limits set most = 9000'));
    assert.match(
      says(await verifyStore(app)),
      /^user usr_\w+: permissions was "events:read", is "events:read users:manage"; refunds_a_day was .*5.*, is .*9.*$/,
    );
    const wasFirst = { at: 0, by: TESTER, action: 'store.migrated', subject: { kind: 'store', id: '' } } as const;
    await app.db.transaction((tx) => recordAudit(tx, { ...wasFirst, after: { applied: ['0001-initial.sql'] } }));
    assert.match(says(await verifyStore(app)), /user usr_0 was never made by this service/);
  });

  test('is compared with acts of earlier versions, which say less of statements and API tokens', async () => {
    const { app } = await open(openTestDatabase);
    await removeTriggers(app.db);
    const acts = await app.db.query<{ link: number; said: string }>(
      `select link, said_after as said from audit_log where action in ('statement.imported', 'api_token.created')`,
    );
    const known = ['environment', 'file_name', 'file_sha256', 'lines', 'lines_sha256', 'name', 'user', ...LINE_USES];
    await app.db.transaction(async (tx) => {
      for (const { link, said } of acts) {
        const earlier = Object.entries(JSON.parse(said)).filter(([name]) => known.includes(name));
        const text = JSON.stringify(Object.fromEntries(earlier));
        await tx.query('update audit_log set said_after = $2 where link = $1', [link, text]);
      }
      await tx.query(`update bank_statements set account = '1', last_day = '2026-12-31'`);
      await tx.query('update api_tokens set created_by = null, expires_at = null');
    });
    assert.match(says(await verifyStore(app)), /^(API token tok_\w+: created_by was "[^;]*", is null(; )?)+$/);
    const migrated = { at: 0, by: TESTER, action: 'store.migrated', subject: { kind: 'store', id: '' } } as const;
    const after = { applied: ['0062-makers-of-api-tokens.sql'] };
    await app.db.transaction((tx) => recordAudit(tx, { ...migrated, after }));
    assert.equal(says(await verifyStore(app)), '');
  });
});

function says({ findings }: StoreVerification): string {
  return findings.map((one) => one.says).join('; ');
}

async function open(openTestDatabase: OpenTestDatabase) {
  return fill(createTestApp(await openTestDatabase()));
}

async function fill(app: TestApp) {
  const desk = await openPayoutDesk(app);
  const { environment: owner, maker: by } = desk;
  await setFundsRule(app, { ...owner, currency: 'CLP' }, { kept_back: 5000 }, TESTER);
  const wishes = [wish({ amount: 10_000, reference: 'salary-1' }), wish({ amount: 20_000, reference: 'salary-2' })];
  const payouts = (await approved(app, desk, wishes)).map(({ id }) => id);
  const payer = { account: '123456789', rut: '', name: '', agreement: '' };
  await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
  await importLines(app, owner.paymentServiceId, by);
  const reader = await createTestUser(app, { role: 'support', may: ['events:read'], paymentServices: [] });
  const rights = { paymentServices: [owner.paymentServiceId], refundLimits: { CLP: 5000 } };
  await setRights(app, reader.id, rights, TESTER);
  const leaver = await createTestUser(app);
  app.now.advance(1000);
  await disableUser(app, leaver.id, TESTER);
  const tokens = await makeTokens(app, leaver.id);
  app.now.advance(20 * 86_400_000);
  await createPaidTransaction(app, owner, { amount: 3000 });
  assert.equal(await closeMonth(app, '2026-01', 'development', TESTER), null);
  return { app, owner, id: owner.id, payouts, reader: reader.id, leaver: leaver.id, tokens, now: app.now() };
}

/** Makes API tokens: one that stays, one that is ended, and several that resets end, also within a millisecond. */
async function makeTokens(app: TestApp, user: string): Promise<{ open: string; ended: string }> {
  const make = async (name: string, expiresAt: number | null) =>
    (await makeApiToken(app, user, { name, expiresAt }, TESTER))?.id ?? '';
  const ended = await make('old', null);
  await make('till', null);
  await endApiToken(app, ended, TESTER);
  app.now.advance(1000);
  await resetApiToken(app, user, TESTER);
  await resetApiToken(app, user, TESTER);
  return { open: await make('shop', app.now() + 90 * 86_400_000), ended };
}

/** Imports a statement with a payout, a decided deposit, a decided unrelated line, and a line in suspense. */
async function importLines(
  app: TestApp,
  paymentServiceId: string,
  by: Parameters<typeof importStatement>[1]['by'],
): Promise<void> {
  const day = dayOf(app.now());
  const lines = [
    { line: 1, day, amount: -10_000, text: 'TEF salary-1' },
    { line: 2, day, amount: 7000, text: 'ABONO' },
    { line: 3, day, amount: -900, text: 'COMISION' },
    { line: 4, day, amount: -800, text: 'ARRIENDO' },
  ];
  const evidence = { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };
  const scope = { environment: 'development' as const, paymentServiceId, account: '123456789' };
  const imported = await importStatement(app, { ...scope, evidence, by }, { lines, proof: 'balance' });
  const of = { statementId: imported.id ?? '', by };
  const deposit = { paymentServiceId: null, paymentMethod: null, commission: 0 };
  await resolveLine(app, { ...of, fileLine: 2, is: { use: 'other' }, reason: 'mistake' });
  await resolveLine(app, { ...of, fileLine: 2, is: { use: 'deposit', deposit }, reason: 'paid in' });
  await resolveLine(app, { ...of, fileLine: 3, is: { use: 'other' }, reason: 'rent' });
}
