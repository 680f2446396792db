import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAccounts, makeStatement, readStatementLines } from '../../src/books/merchant-statement.ts';
import { selectNewestLines, selectStatementLines } from '../../src/books/statement-queries.ts';
import { recordMovement } from '../../src/movements/record-movement.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { loadEnvironment } from '../../src/payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { createRefund } from '../../src/refunds/create-refund.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

const DAY_MS = 86_400_000;

forEachEngine('the account of a merchant', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const service = await createPaymentService(app, 'Norte', TESTER);
    const shop = (await loadEnvironment(app, service.development.service_token)) as ServiceEnvironment;
    const target = { paymentServiceId: service.id, environment: 'development' as const };
    await setFee(app, { ...target, method: 'simulated', currency: 'CLP' }, { rate_ppm: 10_000, fixed: 0 }, TESTER);
    const first = await createPaidTransaction(app, shop, { reference: 'A-1', amount: 10_000 });
    app.now.advance(DAY_MS);
    await createPaidTransaction(app, shop, { reference: 'A-2', amount: 20_000 });
    await recordMovement(app, target, {
      kind: 'payout',
      amount: 5_000,
      commission: 0,
      currency: 'CLP',
      reference: 'TEF-1',
      paymentMethod: null,
      by: TESTER,
    });
    app.now.advance(DAY_MS);
    await createPaidTransaction(app, shop, { reference: 'A-3', amount: 40_000 });
    return { app, service, shop, first };
  };
  const dayOf = (day: number) => ({ from: Date.UTC(2026, 0, day, 3), to: Date.UTC(2026, 0, day + 1, 3) });

  test('a statement opens with the previous closing balance, and its lines add up to the difference', async () => {
    const { app, shop } = await open();
    const scope = { environmentId: shop.id, currency: 'CLP' };
    const days = await Promise.all([15, 16, 17].map((day) => makeStatement(app, { ...scope, ...dayOf(day) })));
    assert.deepEqual(
      days.map(({ opening, closing }) => [opening, closing]),
      [
        [0, 9_900],
        [9_900, 24_700],
        [24_700, 64_300],
      ],
    );
    assert.deepEqual(
      days[1]?.kinds.map(({ kind, entries, amount }) => [kind, entries, amount]),
      [
        ['fee', 1, -200],
        ['payment', 1, 20_000],
        ['payout', 1, -5_000],
      ],
    );
    const lines = await Array.fromAsync(readStatementLines(app, { ...scope, ...dayOf(16) }));
    assert.deepEqual(
      lines.map(({ kind, amount, reference }) => [kind, amount, reference]),
      [
        ['payment', 20_000, 'A-2'],
        ['fee', -200, 'A-2'],
        ['payout', -5_000, 'TEF-1'],
      ],
    );
  });

  // Otherwise SQLite reads the whole period for each page.
  test('a page of a statement is searched from its place in the period, in both directions', async () => {
    const { app, shop } = await open();
    const scope = { environmentId: shop.id, currency: 'CLP', from: 0, to: Number.MAX_SAFE_INTEGER };
    const lines = await Array.fromAsync(readStatementLines(app, scope));
    const place = lines[2] ?? assert.fail();
    const { app: listened, all } = listenToStatements(app);
    const next = await selectStatementLines(listened.db, scope, place, 10);
    const previous = await selectNewestLines(listened.db, scope, { kind: '', before: place }, 10);
    assert.deepEqual(next, lines.slice(3));
    assert.deepEqual(previous.toReversed(), lines.slice(0, 2));
    const periods = all.map(({ parameters: [, , from, to] }) => [from, to]);
    assert.deepEqual(periods, [
      [place.created_at, scope.to],
      [scope.from, place.created_at + 1],
    ]);
  });

  test('money reserved for a refund is owed and not available', async () => {
    const { app, shop, first } = await open();
    await createRefund(app, first, {
      amount: 4_000,
      type: 'parcial',
      idempotencyKey: 'k',
      by: TESTER,
      reason: 'agotado',
    });
    const [account] = await listAccounts(app, [shop.id]);
    assert.deepEqual(
      [account?.owed, account?.reserved, account?.available, account?.in_process],
      [64_300, 4_000, 60_300, 0],
    );
  });

  test('the console shows the account to users of the merchant and of finance, and not to other merchants', async () => {
    const { app, service } = await open();
    await using server = await startTestServer(app);
    const other = await createPaymentService(app, 'Sur', TESTER);
    const cookieOf = async (role: 'merchant' | 'finance', paymentServices: 'all' | string[]) => {
      return (await createTestUser(app, { role, may: [], paymentServices })).console;
    };
    const at = `/console/accounts/${service.id}`;
    const period = '?environment=development&from=2026-01-16&to=2026-01-16';
    for (const cookie of [await cookieOf('merchant', [service.id]), await cookieOf('finance', 'all')]) {
      assert.match((await server.get('/console/accounts?environment=development', cookie)).text, /Norte.*\$64\.300/s);
      const page = await server.get(`${at}${period}`, cookie);
      assert.match(page.text, /\$9\.900 CLP.*-?\$?−?.*\$24\.700 CLP/s);
      const csv = await server.get(`${at}/statement.csv${period}`, cookie);
      assert.deepEqual(csv.text.trim().split('\r\n').length, 4);
      assert.match(csv.text, /Pagado al comercio,-5000,,TEF-1/);
      assert.equal(
        (await server.get(`${at}?environment=development&from=2026-01-17&to=2026-01-16`, cookie)).status,
        400,
      );
      const unknown = await server.get(`${at}?environment=development&currency=PESOS`, cookie);
      assert.equal(unknown.status, 400);
      assert.match(unknown.text, /Escribe el código de la moneda/);
      assert.equal((await server.get(`${at}/statement.csv${period}&currency=PESOS`, cookie)).status, 404);
      const lower = await server.get(`${at}${period}&currency=clp`, cookie);
      assert.match(lower.text, /\$24\.700 CLP/, 'the code of the currency may be in lower case');
    }
    const stranger = await cookieOf('merchant', [other.id]);
    for (const path of [at, `${at}${period}`, `${at}/statement.csv${period}`])
      assert.equal((await server.get(path, stranger)).status, 404, path);
    assert.doesNotMatch((await server.get('/console/accounts?environment=development', stranger)).text, /Norte/);
  });
});
