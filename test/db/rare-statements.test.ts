import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { measureAttention } from '../../src/attention/measure-attention.ts';
import { deleteValidation } from '../../src/bank-validation/bank-validation-queries.ts';
import { listEntries } from '../../src/books/list-books.ts';
import { listAccounts } from '../../src/books/merchant-statement.ts';
import { reconcileEntries } from '../../src/books/reconcile-entries.ts';
import { selectWentBackLater } from '../../src/books/reconciliation-queries.ts';
import { hasUnanswered, selectAttemptsByCode } from '../../src/checkout/payment-attempt-queries.ts';
import { boundsOfDay } from '../../src/lib/calendar-day.ts';
import { deleteOldMails } from '../../src/mail/deliver-mails.ts';
import { listMails } from '../../src/mail/manage-mails.ts';
import { selectImportedNamed } from '../../src/movements/imported-payment-queries.ts';
import { listCallbacks } from '../../src/outbox/resend-callback.ts';
import { listPaymentLinks } from '../../src/payment-links/find-payment-link.ts';
import { listRefundRequests } from '../../src/refunds/find-refund-request.ts';
import { selectRefunds } from '../../src/refunds/refund-queries.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const DAY = boundsOfDay('2026-01-15');

/** What people, timers and monitoring ask of tables that grow with the payments. */
const ASKED: Readonly<Record<string, (app: TestApp, environmentId: number) => Promise<unknown>>> = {
  'how much waits for a person': measureAttention,
  'what waits for a person': (app) => listAttention(app, null, 10),
  'which receipts wait': (app) => listMails(app, null, 10, new Set()),
  'which receipts have waited longest': (app) => listMails(app, null, 10, new Set(), 'oldest'),
  'which receipts are old': (app) => deleteOldMails(app, async () => new Set(), 10),
  'whether a method has not answered about a payment of a file': (app, environmentId) =>
    hasUnanswered(app.db, { ...DAY, environmentIds: [environmentId], method: 'simulated', amount: 1 }),
  'what a merchant is owed': (app, environmentId) => listAccounts(app, [environmentId]),
  'the entries of a day': (app, environmentId) =>
    reconcileEntries(app, { environmentIds: [environmentId], ...DAY, transactionId: 0 }),
  'the newest entries': (app) => listEntries(app, null, 10),
  'the newest refunds': (app) => selectRefunds(app.db, 10),
  'the newest requests for refunds': (app) => listRefundRequests(app, true, 10),
  'the newest payment links': (app) => listPaymentLinks(app, null, { limit: 10 }),
  'the newest payment links of a merchant': (app, environmentId) =>
    listPaymentLinks(app, [environmentId, environmentId + 1], { limit: 10 }),
  'the newest receipts that were sent': (app) => listMails(app, 'sent', 10, new Set()),
  'the newest callbacks that wait': (app) => listCallbacks(app, { state: 'queued' }, 10),
  'the newest callbacks that were given up': (app) => listCallbacks(app, { state: 'dead' }, 10),
  'the newest callbacks that nobody wants': (app) => listCallbacks(app, { state: 'disabled' }, 10),
  'the keys of a validation that its provider put off': ({ db }) => db.transaction((tx) => deleteValidation(tx, 'v')),
  'the refunds of some payments of a file that were booked later': (app, environmentId) =>
    selectWentBackLater(app.db, [environmentId], ['pa_1', 'pa_2'], { since: DAY.to, requestedBefore: DAY.to }),
  'which attempt has an authorisation code': (app, environmentId) =>
    selectAttemptsByCode(app.db, { ...DAY, environmentIds: [environmentId], method: 'simulated', amount: 1 }, '123'),
};

const LARGE =
  /\b(?:transactions|payment_attempts|refunds|refund_requests|payment_links|callbacks|journal_entries|mails|validation_keys)\b/;

forEachEngine('a question to a large store', (openTestDatabase, engine) => {
  for (const [question, ask] of Object.entries(ASKED)) {
    test(`finds ${question} by an index`, {
      skip: engine === 'postgres' && 'PostgreSQL scans a small table whatever its indexes are',
    }, async () => {
      const app = createTestApp(await openTestDatabase());
      const environment = await createTestEnvironment(app);
      await createPaidTransaction(app, environment);
      const listening = listenToStatements(app);
      await ask(listening.app, environment.id);
      const asked = listening.heard.filter(({ sql }) => LARGE.test(sql));
      assert.ok(asked.length > 0);
      for (const statement of asked) {
        const plan = await explain(app, statement);
        assert.deepEqual(wholeReads(plan), [], `${statement.sql}\n${plan.join('\n')}`);
      }
    });
  }

  test('finds the imported lines of a payment by its names', {
    skip: engine === 'postgres' && 'PostgreSQL scans a small table whatever its indexes are',
  }, async () => {
    const app = createTestApp(await openTestDatabase());
    const listening = listenToStatements(app);
    await selectImportedNamed(listening.app.db, [1, 2], 'webpay', ['1001', 'pa_1']);
    const plan = await explain(app, listening.heard[0] ?? assert.fail());
    assert.match(plan.join('\n'), /imported_payments_of_name \(payment_method=\? AND buy_order=\?\)/);
  });

  test('counts the payments of the links of a page, not of all links', {
    skip: engine === 'postgres' && 'PostgreSQL computes costly columns after it has cut the page',
  }, async () => {
    const app = createTestApp(await openTestDatabase());
    const listening = listenToStatements(app);
    await listPaymentLinks(listening.app, null, { limit: 10 });
    const plan = await explain(app, listening.heard[0] ?? assert.fail());
    const isCounted = (line: string) => line.startsWith('CORRELATED SCALAR SUBQUERY');
    assert.ok(plan.some(isCounted));
    assert.ok(plan.indexOf('USE TEMP B-TREE FOR ORDER BY') < plan.findIndex(isCounted), plan.join('\n'));
  });
});

/**
 * Returns the lines of a plan that read a whole table, or all rows of one merchant. Intermediate tables are small; each
 * is read once, so another read of its name is of a table with the same alias.
 */
function wholeReads(plan: readonly string[]): string[] {
  const intermediate = plan.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)$/.exec(line)?.[1] ?? []);
  // Rows of a merchant that come in the order of an index, except equal ones, are read only up to the limit.
  const isOrdered = plan.some((line) => line.startsWith('USE TEMP B-TREE FOR LAST '));
  return plan.filter((line) => {
    if (/^SEARCH (?!m ).*\(environment_id=\?\)$/.test(line)) return !isOrdered;
    const scanned = /^SCAN (\S+)$/.exec(line)?.[1];
    if (scanned === undefined) return false;
    const at = intermediate.indexOf(scanned);
    if (at >= 0) intermediate.splice(at, 1);
    return at < 0;
  });
}
