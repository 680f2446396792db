import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { App } from '../../src/app.ts';
import shippedList from '../../src/bank-validation/directory/bank-directory.json' with { type: 'json' };
import { importBankDirectory } from '../../src/bank-validation/directory/import-bank-directory.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { readConfig } from '../../src/config.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { closeMonth } from '../../src/movements/close-month.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { setFundsRule } from '../../src/payment-services/set-funds-rule.ts';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { keepAnchors } from '../../src/proof/anchors/keep-anchors.ts';
import { acceptRestore } from '../../src/proof/restores/accept-restore.ts';
import { type ReportKind, reportOf } from '../../src/proof/verification-report.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { fillStore } from '../support/full-store.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { looseKeys, readingThrough, removeTriggers, undone } from '../support/test-books.ts';
import { approved, openPayoutDesk } from '../support/test-payouts.ts';
import { refund } from '../support/test-refunds.ts';
import { createTestUser } from '../support/test-user.ts';

/** One change by somebody with the password of the database for each kind of finding: `tsc` refuses a kind without. */
const CHANGES: Readonly<Record<ReportKind, string>> = {
  books_changed: `update journal_entries set hash = 'x' where link = 2`,
  record_changed: `update payment_attempts set account = 'x'`,
  balance_changed: 'update account_balances set credits = credits + 1',
  owner_changed: `update payment_services set name = 'x'`,
  fee_changed: 'update fees set fixed = 0',
  refund_changed: `update refunds set amount = 1 where state = 'processing'`,
  payout_changed: `update payouts set bank_code = '037'`,
  decision_changed: `update refund_decisions set reason = 'x'`,
  fact_changed: `update book_facts set recorded_by = 'x' where kind = 'fee'`,
  fact_missing: `delete from book_facts where link = (select min(link) from book_facts where kind = 'refund')`,
  event_changed: `update events set data = '{}' where type = 'transaction.completed'`,
  event_missing: `delete from events where type = 'payout.recorded'`,
  event_added: `insert into events (environment_id, transaction_id, sequence, created_at, type)
    select environment_id, id, 77, 1, 'refund.failed' from transactions`,
  callback_changed: `update callbacks set url = 'https://evil.example/'`,
  restore_changed: 'update epochs set began_at = 5',
  month_changed: `update closed_months set closed_by = 'x'`,
  funds_rule_changed: 'update funds_rules set kept_back = 0',
  payout_limits_changed: 'delete from payout_limits',
  recipient_changed: `update recipients set email_hash = 'x'`,
  payout_file_changed: `update payout_files set made_by = 'x'`,
  bank_list_changed: `update bank_directories set version = 'x'`,
  statement_changed: `update bank_statements set proof = 'totals'`,
  settlement_changed: 'update settlements set matched = 9',
  webhook_changed: `update webhook_subscriptions set url = 'https://evil.example/'`,
  rights_changed: `update users set role = 'owner' where role = 'finance'`,
  refund_day_changed: 'update user_refund_days set refunded = 1',
  payment_service_changed: 'update payment_services set disabled_at = 5',
  payment_link_changed: 'update payment_links set amount = 1',
  audit_changed: `update audit_log set origin = 'x' where link = 2`,
  audit_missing: 'delete from audit_head',
  audit_added: `insert into audit_log select 0, created_at, actor_kind, 'x', user_id, origin, action, subject_kind, subject,
    said_before, said_after, reason, hash from audit_log where action = 'store.restored'`,
  key_changed: `update kept_keys set sealed = 'x' where name = 'books-anchor'`,
  anchor_lost: `insert into epochs select epoch + 60, began_at + 60000, known_until, last_commit_id, last_position,
    first_position, first_transaction_id, null, null from epochs; delete from anchors where number = 3`,
  anchor_missing: 'update anchor_posts set number = 99',
  anchor_contradicts: 'delete from anchors where number = 3',
  anchor_forged: `insert into anchors select 4, day, made_at, 'x', 'x' from anchors where number = 3`,
};

forEachEngine('a change in a store where every kind of record exists', (openTestDatabase) => {
  test('is found as its own kind and as no other, for every kind that a verification names', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-anchors-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const app = await fill(openTestDatabase, folder);
    assert.deepEqual(await kindsIn(app), []);
    await removeTriggers(app.db);
    for (const [kind, statements] of Object.entries(CHANGES)) {
      const found = await undone(app, async (tx) => {
        await looseKeys(app.db, tx);
        for (const sql of statements.split(';')) await tx.query(sql);
        return kindsIn(readingThrough(app, tx));
      });
      assert.deepEqual(found, [kind]);
    }
  });
});

/** Returns the kinds that `books verify` and `audit verify` find. */
async function kindsIn(app: App): Promise<string[]> {
  const books = await reportOf(app, await verifyStore(app));
  const audit = await verifyAudit(app);
  return Object.keys({ ...books.found, ...audit.found });
}

/** Fills a store with every kind of record, with three anchors, the second of which accepts a restore. */
async function fill(openTestDatabase: OpenTestDatabase, anchorDir: string): Promise<TestApp> {
  const config = readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ANCHOR_DIR: anchorDir });
  const app = createTestApp(await openTestDatabase(), { config });
  const { one, other } = await fillStore(app);
  const owner = { paymentServiceId: one.owner, environment: one.kind };
  const { id: userId } = await createTestUser(app, { refundLimits: { CLP: 5000 } });
  const refunded = await refund(app, other, 300, { requestedBy: userId });
  assert.equal(refunded.kind, 'accepted');
  const told = { userId, webhook: 'refunds', url: 'https://client.example/', method: 'POST' } as const;
  await setWebhook(app, told, { ...TESTER, kind: 'person', userId });
  await setFundsRule(app, { ...owner, currency: 'CLP' }, { kept_back: 5000 }, TESTER);
  const link = {
    amount: 990,
    currency: 'CLP',
    subject: 'Clase',
    uses: 'one',
    expiresAt: null,
    urlCallback: null,
  } as const;
  await createPaymentLink(app, one.id, link, TESTER);
  await importBankDirectory(app, shippedList, TESTER);
  await payOut(app);
  await keepFile(app, other.id);
  app.now.advance(20 * 86_400_000);
  assert.equal(await closeMonth(app, '2026-01', 'production', TESTER), null);
  await keepAnchors(app);
  await beginEpoch(app, [], 0, TESTER);
  await acceptRestore(app, TESTER, null);
  app.now.advance(86_400_000);
  await keepAnchors(app);
  return app;
}

/** Pays out in a file for the bank, and imports the bank's statement. */
async function payOut(app: TestApp): Promise<void> {
  const desk = await openPayoutDesk(app);
  const { environment: owner, maker: by } = desk;
  await setPayoutLimits(app, owner, { per_day: 90_000 }, TESTER);
  await approved(app, desk);
  const payer = { account: '123456789', rut: '', name: '', agreement: '' };
  await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
  const account = { environment: 'development', paymentServiceId: null, account: '123456789' } as const;
  const evidence = { name: 'cartola.csv', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };
  const lines = [{ line: 1, day: dayOf(app.now()), amount: -10_000, text: 'TEF' }];
  await importStatement(app, { ...account, evidence, by }, { lines, proof: 'balance' });
}

/** Keeps a settlement file with one payment. */
async function keepFile(app: TestApp, id: number): Promise<void> {
  const text = `fecha;orden de compra;monto\n2026-01-15;${id};30000\n`;
  const settlement = await readSettlement(Readable.from([Buffer.from(text)]));
  const scope = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
  const evidence = { name: 'abono.csv', sha256: 'ab'.repeat(32) };
  assert.equal((await keepSettlement(app, scope, settlement, { evidence, by: TESTER })).kind, 'kept');
}
