import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { readLines } from '../../src/statements/find-statement.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { type LineSubject, resolveLine } from '../../src/statements/resolve-line.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { TestApp } from '../support/test-app.ts';
import { actor, approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('a bank statement of a payment service that moved', (openTestDatabase) => {
  test('moves back after two of its lines have exchanged their payouts', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    // Both databases have the same MASTER_KEY, which a move of payouts needs.
    await identityHashes(to);
    const desk = await openPayoutDesk(from);
    const [one, other] = (await approved(from, desk, [wish(), wish()])).map(({ id }) => id) as [string, string];
    await from.db.transaction((tx) =>
      transitionPayouts(tx, desk.environment, { ids: [one, other], to: 'sent', at: from.now() }),
    );
    const { environment, paymentServiceId } = desk.environment;
    const evidence = { name: 'cartola.csv', sha256: 'a'.repeat(64), bytes: 1, excerpt: '' };
    const lines = [2, 3].map((line) => ({ line, day: '2026-01-15', amount: -10_000, text: 'CARGO' }));
    const account = { environment, paymentServiceId, account: '123456789' };
    const { id } = await importStatement(from, { ...account, evidence, by: desk.maker }, { lines, proof: 'balance' });
    const resolve = (app: TestApp, fileLine: number, is: LineSubject, by = desk.maker) =>
      resolveLine(app, { statementId: id ?? '', fileLine, is, reason: 'seen at the bank', by });
    const subjects = async (app: TestApp) => (await readLines(app, id ?? '', null)).map(({ subject }) => subject);
    await resolve(from, 2, { use: 'payout', payoutId: one });
    await resolve(from, 3, { use: 'payout', payoutId: other });
    await movePaymentService(from, to, wishOf(desk.environment));

    const there = actor(await createTestUser(to, { email: 'there@example.cl', role: 'owner', may: [] }), 'owner');
    for (const line of [2, 3]) await resolve(to, line, { use: 'suspense' }, there);
    await resolve(to, 2, { use: 'payout', payoutId: other }, there);
    await resolve(to, 3, { use: 'payout', payoutId: one }, there);
    await movePaymentService(to, from, wishOf(desk.environment));
    assert.deepEqual(await subjects(from), [other, one]);
  });
});
