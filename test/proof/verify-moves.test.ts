import assert from 'node:assert/strict';
import { test } from 'node:test';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertFound, foundIn } from '../support/found-by-hand.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tamperings } from '../support/tampering.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

type World = { shop: string };

const MOVED: readonly Tamperings<World>[] = [
  {
    name: 'a payment service that left is served at a stranger’s',
    statements: () => [[`update moves set address = 'https://evil.example'`]],
    found: /^move move_\w+ of ps_\w+: address was "https:\/\/pay-2.example.cl", is "https:\/\/evil.example"$/,
  },
  {
    name: 'a payment service that left is served here too',
    statements: () => [[`update moves set state = 'undone'`]],
    found: /^move move_\w+ of ps_\w+: state was "moved", is "undone"$/,
  },
  {
    name: 'the move of a payment service that left is deleted',
    statements: () => [['delete from moves']],
    found: /^move move_\w+ of ps_\w+: it was deleted$/,
  },
  {
    name: 'the move is of another payment service, at another time',
    statements: () => [[`update moves set payment_service_id = 'ps_x', began_at = 5, direction = 'in'`]],
    found: /payment_service was "ps_\w+", is "ps_x"; direction was "out", is "in"; began_at was \d+, is 5$/,
  },
];

const INVENTED = (direction: string, state: string) =>
  `insert into moves (id, payment_service_id, direction, state, environment_ids, address, began_at, began_by, changed_at, progress)
   values ('move_x', $1, '${direction}', '${state}', '[]', 'https://evil.example', 9000000000000, 'x', 1, '{}')`;

const STAYED: readonly Tamperings<World>[] = [
  {
    name: 'shops and payers are sent to a stranger',
    statements: ({ shop }) => [[INVENTED('out', 'moved'), shop]],
    found: /^move move_x of ps_\w+: it was never begun by this service$/,
  },
  ...['copying', 'undone'].map((state) => ({
    name: `a payment service looks like a copy that is ${state}, of which nothing is compared`,
    statements: ({ shop }: World): [string, ...string[]][] => [
      [INVENTED('in', state), shop],
      ['update fees set fixed = 0'],
      [`update payment_services set disabled_at = 5`],
      [`update environments set events_url = 'https://evil.example'`],
    ],
    found:
      /^move move_x of ps_\w+: it was never begun by this service; .*events_url was null, is "https:\/\/evil.example".*disabled_at was null, is 5/,
  })),
];

forEachEngine('moves of payment services', (openTestDatabase) => {
  test('are compared with the audit log in both databases, and nothing is found in stores that were left alone', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await movePaymentService(from, to, wishOf(merchant));
    assert.equal(await foundIn(to), '');
    await assertFound(from, { shop: merchant.paymentServiceId }, MOVED);
  });

  test('cannot be invented to leave a payment service out of the comparison', async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    await createPaidTransaction(app, shop);
    await assertFound(app, { shop: shop.paymentServiceId }, STAYED);
  });
});
