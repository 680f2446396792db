import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlValue } from '../../src/db/database.ts';
import { type StoreVerification, verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { fillStore, type Merchant } from '../support/full-store.ts';
import { createTestApp } from '../support/test-app.ts';
import { looseKeys, readingThrough, removeTriggers, undone } from '../support/test-books.ts';

/** A change by somebody with the password of the database, and the findings of `books verify`. */
type Tampering = {
  name: string;
  statements: (world: World) => [sql: string, ...values: SqlValue[]][];
  found: RegExp | ((world: World) => RegExp);
};

const TAMPERINGS: Tampering[] = [
  {
    name: 'the environments of two merchants are swapped',
    statements: ({ one, two }) => swap('payment_service_id', one, two),
    found: ({ one }) =>
      new RegExp(
        `links 1 to \\d+ of environment ${one.id} were posted for another.*environment ${one.id}: payment_service_id was`,
      ),
  },
  {
    name: 'the Service Tokens of two merchants are swapped',
    statements: ({ one, two }) => swap('service_token', one, two),
    found: ({ two }) => new RegExp(`environment ${two.id}: service_token was`),
  },
  {
    name: 'development and production of a merchant are swapped',
    statements: ({ one, sibling }) =>
      swap('environment', one, { id: sibling, token: '', owner: '', kind: 'production' }),
    found: /environment was "development", is "production"/,
  },
  {
    name: 'the names of two merchants are swapped',
    statements: ({ one }) => [["update payment_services set name = 'Another' where id = $1", one.owner]],
    found: /name was "Test shop", is "Another"/,
  },
  {
    name: 'the reason of a decision about a refund is edited',
    statements: () => [["update refund_decisions set reason = 'never mind'"]],
    found: /decision rd_\w+: reason was "seen in the portal", is "never mind"/,
  },
  {
    name: 'a decision about a refund is deleted',
    statements: () => [['delete from refund_decisions']],
    found: /rd_\w+ was deleted/,
  },
  {
    name: 'an imported line of the acquirer is edited',
    statements: () => [["update imported_payments set settled_on = '2020-01-01'"]],
    found: /import ip_\w+: settled_on was "2026-01-15", is "2020-01-01"/,
  },
  {
    name: 'an imported line of the acquirer is deleted',
    statements: () => [['delete from imported_payments']],
    found: /ip_\w+ was deleted/,
  },
  {
    name: 'an environment is invented',
    statements: ({ two }) => [
      ['update environments set payment_service_id = payment_service_id'],
      [`insert into payment_services (id, name, created_at) values ('ps_x', 'X', 1)`],
      [
        `insert into environments (id, payment_service_id, environment, service_token) values (990, 'ps_x', 'production', $1)`,
        two.token.slice(1),
      ],
    ],
    found: /environment \d+ was never made by this service/,
  },
  {
    name: 'a merchant gets the Secret Token of another',
    statements: ({ one, two }) => [
      [
        `update secret_tokens set sealed = (select max(s.sealed) from secret_tokens s where s.environment_id = $2)
         where environment_id = $1`,
        one.id,
        two.id,
      ],
    ],
    found: ({ one }) => new RegExp(`the Secret Tokens of environment ${one.id} do not open`),
  },
  {
    name: 'the rate of a fee is changed',
    statements: ({ one }) => [['update fees set rate_ppm = rate_ppm + 1 where environment_id = $1', one.id]],
    found: /fee of simulated CLP: rate_ppm was 100000, is 100001/,
  },
  {
    name: 'the fixed part of a fee is changed',
    statements: ({ one }) => [['update fees set fixed = 0 where environment_id = $1', one.id]],
    found: /fee of simulated CLP: fixed was 50, is 0/,
  },
  {
    name: 'a fee is deleted',
    statements: ({ one }) => [['delete from fees where environment_id = $1', one.id]],
    found: /fee of simulated CLP was deleted/,
  },
  {
    name: 'a fee is invented',
    statements: ({ one }) => [[`insert into fees values ($1, 'webpay', 'CLP', 1, 1, 1)`, one.id]],
    found: /fee of webpay CLP was never made by this service/,
  },
  {
    name: 'the history of a fee is changed',
    statements: ({ one }) => [
      [`update book_facts set recorded_by = 'somebody else' where kind = 'fee' and environment_id = $1`, one.id],
    ],
    found: /fact 2 \(fee simulated CLP\), or the hash before it, was changed/,
  },
  {
    name: 'a fact is deleted',
    statements: ({ one }) => [[`delete from book_facts where environment_id = $1 and link = 2`, one.id]],
    found: /facts 2 to 2 were deleted/,
  },
  {
    name: 'the last facts are deleted',
    statements: ({ one }) => [[`delete from book_facts where environment_id = $1 and link > 3`, one.id]],
    found: /facts 4 to \d+ were cut off/,
  },
  {
    name: 'the fee of a payment is changed',
    statements: ({ paid }) => [['update transactions set fee = fee + 1 where id = $1', paid.id]],
    found: ({ paid }) => new RegExp(`unexplained ${paid.id}`),
  },
  {
    name: 'the reference of a payment is changed',
    statements: ({ paid }) => [[`update transactions set reference = 'ANOTHER' where id = $1`, paid.id]],
    found: ({ paid }) => new RegExp(`unexplained ${paid.id}`),
  },
  {
    name: 'the authorisation code of a payment is changed',
    statements: ({ paid }) => [
      [`update payment_attempts set detail = '{"authorization_code":"9999"}' where transaction_id = $1`, paid.id],
    ],
    found: ({ paid }) => new RegExp(`unexplained ${paid.id}`),
  },
  {
    name: 'the account that collected a payment is changed',
    statements: ({ paid }) => [['update payment_attempts set account = $2 where transaction_id = $1', paid.id, '597']],
    found: ({ paid }) => new RegExp(`unexplained ${paid.id}`),
  },
  {
    name: 'the reference of late money is changed',
    statements: ({ late }) => [[`update transactions set reference = 'ANOTHER' where id = $1`, late.id]],
    found: ({ late }) => new RegExp(`unexplained ${late.id}`),
  },
  {
    name: 'the answer to a completed refund is changed',
    statements: () => [[`update refunds set detail = '{"authorization_code":"1"}' where state = 'completed'`]],
    found: ({ paid }) => new RegExp(`unexplained ${paid.id}`),
  },
  {
    name: 'a refund in process is invented',
    statements: ({ paid }) => [
      [
        `insert into refunds (id, environment_id, transaction_id, sequence, amount, created_at, lookups, state, type,
           requested_by)
         values ('rf_x', $2, $1, 99, 500, 1768478400000, 0, 'processing', 'parcial', 'nobody')`,
        paid.id,
        paid.environment_id,
      ],
    ],
    found: /refund rf_x of transaction \d+ was never made by this service/,
  },
  {
    name: 'a refund in process is given to another merchant',
    statements: ({ two }) => [["update refunds set environment_id = $1 where state = 'processing'", two.id]],
    found: /refund 0rf_\w+ of transaction \d+ was never made by this service/,
  },
  {
    name: 'an approved payment attempt is given to another merchant',
    statements: ({ two, paid }) => [
      ['update payment_attempts set environment_id = $1 where transaction_id = $2', two.id, paid.id],
    ],
    found: ({ paid }) => new RegExp(`unexplained ${paid.id}`),
  },
  {
    name: 'a refund in process is deleted',
    statements: () => [["delete from refunds where state = 'processing'"]],
    found: /0rf_\w+ was deleted; it was .*"amount":700/,
  },
  {
    name: 'the amount of a refund in process is changed',
    statements: () => [["update refunds set amount = 1 where state = 'processing'"]],
    found: /refund 0rf_\w+ of transaction \d+: amount was 700, is 1/,
  },
  {
    name: 'a refund in process is given to another transaction',
    statements: ({ other }) => [["update refunds set transaction_id = $1 where state = 'processing'", other.id]],
    found: /refund 0rf_\w+ of transaction \d+: transaction_id was/,
  },
  {
    name: 'a refund in process is called failed',
    statements: () => [["update refunds set state = 'failed', settled_at = 1 where state = 'processing'"]],
    found: /state was "processing", is "failed"/,
  },
  {
    name: 'a refund in process is called completed',
    statements: () => [["update refunds set state = 'completed', settled_at = 1 where state = 'processing'"]],
    found: /unbooked/,
  },
  {
    name: 'the request time of a refund in process is changed',
    statements: () => [["update refunds set created_at = 5 where state = 'processing'"]],
    found: /created_at was \d+, is 5/,
  },
  {
    name: 'a sum is changed',
    statements: ({ one }) => [
      ["update account_balances set credits = credits + 1 where account = 'bank' and environment_id = $1", one.id],
    ],
    found: /balance bank CLP/,
  },
  {
    name: 'the amount of an entry is changed',
    statements: ({ one }) => [
      ['update journal_entries set amount = amount + 1 where environment_id = $1 and link = 2', one.id],
    ],
    found: /changed link 2/,
  },
  {
    name: 'the owner of an entry is changed',
    statements: ({ one }) => [
      ['update journal_entries set owner_hash = null where environment_id = $1 and link = 2', one.id],
    ],
    found: /changed link 2/,
  },
  {
    name: 'the hash of the record behind an entry is removed',
    statements: ({ one }) => [
      ['update journal_entries set record_hash = null where environment_id = $1 and link = 2', one.id],
    ],
    found: /changed link 2/,
  },
  {
    name: 'an entry is deleted',
    statements: ({ one }) => [['delete from journal_entries where environment_id = $1 and link = 2', one.id]],
    found: /missing link 2/,
  },
  {
    name: 'the event of an end is deleted',
    statements: ({ paid }) => [['delete from events where transaction_id = $1 and sequence = 2', paid.id]],
    found: ({ paid }) => new RegExp(`1 of \\d+ events were deleted.*event evt_${paid.id}_2 was deleted`),
  },
  {
    name: 'an event without a transaction is deleted',
    statements: () => [["delete from events where type = 'payout.recorded'"]],
    found: /2 of \d+ events were deleted/,
  },
  {
    name: 'the content of an event is changed',
    statements: ({ paid }) => [[`update events set data = '{}' where transaction_id = $1 and sequence = 2`, paid.id]],
    found: /in the feed from position \d+ to position \d+ one of \d+ events, or the hash of their link, was changed/,
  },
  {
    name: 'the time of an event is changed',
    statements: ({ paid }) => [
      ['update events set created_at = 1 where transaction_id = $1 and sequence = 2', paid.id],
    ],
    found: ({ paid }) => new RegExp(`transaction ${paid.id} is completed, and no event says so`),
  },
  {
    name: 'the type of an event is changed',
    statements: ({ paid }) => [
      ["update events set type = 'transaction.failed' where transaction_id = $1 and sequence = 2", paid.id],
    ],
    found: ({ paid }) => new RegExp(`one of \\d+ events.*transaction ${paid.id} is completed, and no event says so`),
  },
  {
    name: 'an event is invented',
    statements: ({ paid, one }) => [
      [
        `insert into events (environment_id, transaction_id, sequence, created_at, type) values ($1, $2, 77, 1, 'refund.failed')`,
        one.id,
        paid.id,
      ],
    ],
    found: ({ paid }) => new RegExp(`event evt_${paid.id}_77 was never told by this service`),
  },
  {
    name: 'a transaction gets a number of events too large to verify one by one',
    statements: ({ paid }) => [['update transactions set last_sequence = 2000000000 where id = $1', paid.id]],
    found: ({ paid }) => new RegExp(`events evt_${paid.id}_\\d+ to evt_${paid.id}_2000000000 were deleted`),
  },
  {
    name: 'a link of the feed is deleted',
    statements: () => [['delete from feed_links where link = 1']],
    found: /links 1 to 1 of the feed were deleted/,
  },
  {
    name: 'the time of an event is one that no calendar has',
    statements: ({ paid }) => [['update events set created_at = 9000000000000000 where transaction_id = $1', paid.id]],
    found: /callback \d+ \(evt_\w+\) of transaction \d+ does not say what its event and transaction say/,
  },
  {
    name: 'the body of a callback is changed',
    statements: ({ paid }) => [
      ["update callbacks set body = replace(body, 'completed', 'failed') where transaction_id = $1", paid.id],
    ],
    found: ({ paid }) => new RegExp(`callback \\d+ \\(evt_${paid.id}_2\\) of transaction ${paid.id} does not say`),
  },
  {
    name: 'the body of a sent refund notice is changed',
    statements: () => [
      ["update callbacks set body = replace(body, 'parcial', 'total') where content_type = 'application/json'"],
    ],
    found: /callback \d+ \(evt_\d+_\d+\) of transaction \d+ does not say/,
  },
  {
    name: 'a callback goes to a stranger',
    statements: ({ paid }) => [
      [
        `update callbacks set url = 'https://evil.example/' where transaction_id = $1 and content_type <> 'application/json'`,
        paid.id,
      ],
    ],
    found: ({ paid }) =>
      new RegExp(`callback \\d+ \\(evt_${paid.id}_2\\) of transaction ${paid.id} goes to a URL that nobody has set`),
  },
  {
    name: 'a callback goes to a stranger at an address like one of which a person was erased',
    statements: ({ paid }) => [
      [
        `update callbacks set url = replace(url, 'shop', 'erased') where transaction_id = $1 and content_type <> 'application/json'`,
        paid.id,
      ],
    ],
    found: ({ paid }) =>
      new RegExp(`callback \\d+ \\(evt_${paid.id}_2\\) of transaction ${paid.id} goes to a URL that nobody has set`),
  },
  {
    name: 'a refund notice goes to a stranger',
    statements: () => [[`update callbacks set url = 'https://evil.example/' where content_type = 'application/json'`]],
    found: /callback \d+ \(evt_\d+_\d+\) of transaction \d+ goes to a URL that nobody has set/,
  },
  {
    name: 'the reference of a payout is changed',
    statements: ({ one }) => [
      [`update movements set reference = 'X' where kind = 'payout' and environment_id = $1`, one.id],
    ],
    found: /unexplained mv_/,
  },
];

forEachEngine('tampering with the password of the database', (openTestDatabase) => {
  test('is found and located, and an intact store has no findings', async () => {
    const world = await open(openTestDatabase);
    const { app } = world;
    const clean = await verifyStore(app);
    assert.ok(clean.ok, JSON.stringify(clean));
    await removeTriggers(app.db);
    for (const { name, statements, found } of TAMPERINGS) {
      const verification = await undone(app, async (tx) => {
        await looseKeys(app.db, tx);
        for (const [sql, ...values] of statements(world)) await tx.query(sql, values);
        return verifyStore(readingThrough(app, tx));
      });
      assert.equal(verification.ok, false, name);
      assert.match(told(verification), typeof found === 'function' ? found(world) : found, name);
    }
    assert.ok((await verifyStore(app)).ok);
  });
});

/** Returns the findings in one line. */
function told({ problems, records, balances, findings }: StoreVerification): string {
  return [
    ...problems.map(({ problem, link }) => `${problem} link ${link}`),
    ...records.map((one) =>
      `${one.problem} ${one.transaction_id ?? ''} ${one.refund_id ?? ''}${one.movement_id ?? ''}`.replace(/ +/g, ' '),
    ),
    ...balances.map(({ account, currency }) => `balance ${account} ${currency}`),
    ...findings.map(({ says }) => says),
  ].join('; ');
}

type World = Awaited<ReturnType<typeof open>>;

/** Swaps two values by way of an unused one, because the columns are unique. */
function swap(column: 'payment_service_id' | 'service_token' | 'environment', one: Merchant, two: Merchant) {
  const valueOf = ({ owner, token, kind }: Merchant) =>
    ({ payment_service_id: owner, service_token: token, environment: kind })[column];
  if (column === 'environment') {
    return [
      ["update environments set payment_service_id = 'ps_between' where id = $1", one.id],
      ['update environments set environment = $2 where id = $1', two.id, valueOf(one)],
      [
        'update environments set environment = $2, payment_service_id = $3 where id = $1',
        one.id,
        valueOf(two),
        one.owner,
      ],
    ] satisfies [string, ...SqlValue[]][];
  }
  return [
    [`update environments set ${column} = 'between' where id = $1`, one.id],
    [`update environments set ${column} = $2 where id = $1`, two.id, valueOf(one)],
    [`update environments set ${column} = $2 where id = $1`, one.id, valueOf(two)],
  ] satisfies [string, ...SqlValue[]][];
}

async function open(openTestDatabase: OpenTestDatabase) {
  return fillStore(createTestApp(await openTestDatabase()));
}
