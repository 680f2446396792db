import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshWalks, type IdPlace, type OpenWalk, type Place } from '../../src/lib/walk.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../src/payment-links/end-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import { disablePaymentService, enablePaymentService } from '../../src/payment-services/disable-payment-service.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tampering } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction, looseKeys, readingThrough, removeTriggers, undone } from '../support/test-books.ts';
import { refund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

type World = Awaited<ReturnType<typeof fill>>;

const TAMPERINGS: readonly Tampering<World>[] = [
  {
    name: 'events of refunds go to a stranger',
    statement: ({ id }) => [`update environments set events_url = 'https://evil.example' where id = $1`, id],
    found:
      /^payment service ps_\w+ in development: events_url was "https:\/\/shop.example\/e", is "https:\/\/evil.example"$/,
  },
  {
    name: 'events of refunds of an environment that has no URL go to a stranger',
    statement: ({ id }) => [`update environments set events_url = 'https://evil.example' where id <> $1`, id],
    found: /^payment service ps_\w+ in production: events_url was null, is "https:\/\/evil.example"/,
  },
  {
    name: 'events of refunds go nowhere',
    statement: ({ id }) => ['update environments set events_url = null where id = $1', id],
    found: /events_url was "https:\/\/shop.example\/e", is null$/,
  },
  {
    name: 'a payment service is disabled',
    statement: ({ paymentServiceId }) => [
      'update payment_services set disabled_at = 5 where id = $1',
      paymentServiceId,
    ],
    found: /^payment service ps_\w+: disabled_at was null, is 5$/,
  },
  {
    name: 'a disabled payment service is enabled',
    statement: ({ disabled }) => ['update payment_services set disabled_at = null where id = $1', disabled],
    found: /^payment service ps_\w+: disabled_at was \d+, is null$/,
  },
  {
    name: 'a payment link costs less',
    statement: ({ open }) => ['update payment_links set amount = 1 where id = $1', open],
    found: /^payment link pl_\w+: amount was 12990, is 1$/,
  },
  {
    name: 'a payment link pays another merchant',
    statement: ({ open }) => [
      `update payment_links set environment_id = (select max(e.id) from environments e where e.id <> payment_links.environment_id) where id = $1`,
      open,
    ],
    found: /^payment link pl_\w+: (payment_service|environment) was "\w+", is "\w+"/,
  },
  {
    name: 'callbacks of a payment link go to a stranger',
    statement: ({ open }) => [`update payment_links set url_callback = 'https://evil.example' where id = $1`, open],
    found: /^payment link pl_\w+: its subject or its URL for callbacks was changed$/,
  },
  {
    name: 'a payment link says something else',
    statement: ({ open }) => [`update payment_links set subject = 'Regalo' where id = $1`, open],
    found: /^payment link pl_\w+: its subject or its URL for callbacks was changed$/,
  },
  {
    name: 'a payment link can be paid many times, for longer, by another maker',
    statement: ({ open }) => [
      `update payment_links set uses = 'many', expires_at = 9, currency = 'USD', created_at = 5, created_by = 'x' where id = $1`,
      open,
    ],
    found: /currency was "CLP", is "USD"; uses was .*; expires_at was .*; created_at was .*; created_by was .*$/,
  },
  {
    name: 'a payment link that was ended is open again',
    statement: ({ ended }) => ['update payment_links set ended_at = null where id = $1', ended],
    found: /^payment link pl_\w+: ended_at was \d+, is null$/,
  },
  {
    name: 'a payment link is ended',
    statement: ({ open }) => ['update payment_links set ended_at = 5 where id = $1', open],
    found: /^payment link pl_\w+: ended_at was null, is 5$/,
  },
  {
    name: 'a payment link is deleted',
    statement: ({ open }) => ['delete from payment_links where id = $1', open],
    found: /^payment link pl_\w+ was deleted$/,
  },
  {
    name: 'a payment link is invented',
    statement: ({ id }) => [
      `insert into payment_links (id, environment_id, amount, currency, subject, uses, created_at, created_by, opened)
       values ('pl_x', $1, 1, 'CLP', 'x', 'one', 9000000000000, 'x', 0)`,
      id,
    ],
    found: /^payment link pl_x: it was never made by this service$/,
  },
  {
    name: 'what a person has refunded on a day is deleted',
    statement: () => ['delete from user_refund_days'],
    found:
      /^refunds in CLP of user usr_\w+ on 2026-\d\d-\d\d: refunded was 2500, is null; .*: refunded was 300, is null$/,
  },
  {
    name: 'what a person has refunded on a day is reduced',
    statement: () => ['update user_refund_days set refunded = 1 where refunded = 300'],
    found: /^refunds in CLP of user usr_\w+ on 2026-\d\d-\d\d: refunded was 300, is 1$/,
  },
  {
    name: 'a person begins a day below nothing',
    statement: ({ user }) => [`insert into user_refund_days values ($1, 'CLP', '2030-01-01', -5)`, user],
    found: /^refunds in CLP of user usr_\w+ on 2030-01-01: refunded is -5$/,
  },
];

forEachEngine('a payment service, a payment link and what a person has refunded', (openTestDatabase) => {
  test('are compared with their acts, and nothing is found in a store that was left alone', async () => {
    const app = createTestApp(await openTestDatabase());
    const world = await fill(app);
    assert.equal(await found(app), '');
    await removeTriggers(app.db);
    for (const { name, statement, found: expected } of TAMPERINGS) {
      const [sql, ...values] = statement(world);
      const says = await undone(app, async (tx) => {
        await looseKeys(app.db, tx);
        await tx.query(sql, values);
        return found(readingThrough(app, tx));
      });
      assert.match(says, expected, name);
    }
  });

  test('show a sum that was reset between two refunds, also after the second one', async () => {
    const app = createTestApp(await openTestDatabase());
    const { user, paid } = await fill(app);
    await app.db.transaction((tx) => tx.query('delete from user_refund_days where refunded = 300'));
    await refund(app, paid, 700, { requestedBy: user, idempotencyKey: 'd' });
    assert.match(await found(app), /^refunds in CLP of user usr_\w+ on 2026-\d\d-\d\d: refunded was 300, is 0$/);
  });

  test('went to the URL for refund events that was set then', async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment } = await fill(app);
    await setEventsUrl(app, environment, 'https://shop.example/other', TESTER);
    assert.equal(await found(app), '');
    const evil = `update callbacks set url = 'https://evil.example/e?key=1' where content_type = 'application/json' returning id`;
    const changed = await app.db.transaction((tx) => tx.query(evil));
    const says = (await found(app)).split('; ');
    assert.equal(says.length, changed.length);
    for (const one of says)
      assert.match(one, /^callback \d+ \(evt_[\d_]+\) of transaction \d+ goes to a URL that nobody has set$/);
  });

  test('are compared in pages of any size, and an interrupted comparison goes on with the next person', async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment, paid } = await fill(app);
    const other = await createTestUser(app, { role: 'support', may: [], refundLimits: { CLP: 5000 } });
    const more = await createPaidTransaction(app, environment, { amount: 10_000 });
    for (const [of, key] of [
      [paid, 'd'],
      [more, 'e'],
      [more, 'f'],
    ] as const) {
      await refund(app, of, 100, { requestedBy: other.id, idempotencyKey: key });
    }
    const places: Place[] = [];
    const paged = (from: Place | null, page: number) => {
      const reached = async (place: Place) => void places.push(place);
      const walk = { from, page, reached, found: () => {}, contradicted: () => {} };
      return ((name: string, what: string) =>
        name === 'refund days' ? walk : freshWalks()(name, what)) as unknown as OpenWalk;
    };
    for (const page of [1, 2, 3, 4]) {
      assert.deepEqual((await verifyStore(app, [], [], paged(null, page))).findings, [], `pages of ${page}`);
      assert.equal(places.at(-1)?.rows, 6);
    }
    const last = places.at(-1) as IdPlace<string>;
    await app.db.transaction((tx) => tx.query('delete from user_refund_days'));
    const says = async (from: Place | null) =>
      (await verifyStore(app, [], [], paged(from, 2))).findings.map((one) => one.says).join('; ');
    assert.match(await says(null), /(refunds in CLP of user usr_\w+ on .*: refunded was \d+, is null(; )?){3}/);
    assert.equal(await says(last), '');
    const first = places.find((place) => (place as IdPlace<string>).id !== '');
    assert.match(await says(first ?? null), /^(refunds in CLP of user usr_\w+ on [^;]*(; )?){1,2}$/);
  });

  test('are not missed in a database to which they moved, nor in the one that they left', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    const { environment, open } = await fill(from);
    await movePaymentService(from, to, wishOf(environment));
    assert.deepEqual([await found(from), await found(to)], ['', '']);
    to.now.advance(1000);
    await setEventsUrl(to, environment, 'https://shop.example/new', TESTER);
    await endPaymentLink(to, open, null, TESTER);
    await disablePaymentService(to, environment.paymentServiceId, TESTER);
    assert.equal(await found(to), '');
    await to.db.transaction((tx) => tx.query(`update environments set events_url = 'https://evil.example'`));
    await to.db.transaction((tx) => tx.query('update payment_links set ended_at = 5'));
    await to.db.transaction((tx) => tx.query('update payment_services set disabled_at = null'));
    assert.match(await found(to), /events_url was "https:\/\/shop.example\/new"[^]*disabled_at was[^]*ended_at was/);
  });

  test('are compared with acts of earlier versions as far as these go', async () => {
    const added = ['content_sha256', 'day', 'refunded_that_day'];
    const app = createTestApp(await openTestDatabase());
    await fill(app);
    await removeTriggers(app.db);
    const acts = await app.db.query<{ link: number; said: string }>(
      `select link, said_after as said from audit_log where action in ('payment_link.created', 'refund.requested')`,
    );
    await app.db.transaction(async (tx) => {
      for (const { link, said } of acts) {
        const earlier = Object.entries(JSON.parse(said)).filter(([name]) => !added.includes(name));
        const text = JSON.stringify(Object.fromEntries(earlier));
        await tx.query('update audit_log set said_after = $2 where link = $1', [link, text]);
      }
    });
    assert.equal(await found(app), '');
    await app.db.transaction((tx) => tx.query(`update payment_links set subject = 'x', amount = 1`));
    assert.match(await found(app), /^payment link pl_\w+: amount was 12990, is 1; payment link pl_\w+: amount/);
  });
});

async function found(app: Parameters<typeof verifyStore>[0]): Promise<string> {
  return (await verifyStore(app)).findings.map(({ says }) => says).join('; ');
}

/** Makes refunds on two days, one open and one ended payment link, and a disabled payment service. */
async function fill(app: TestApp) {
  const environment = await createTestEnvironment(app);
  const { id, paymentServiceId } = environment;
  const paid = await createPaidTransaction(app, environment, { amount: 10_000 });
  const { paymentServiceId: disabled } = await createTestEnvironment(app);
  const user = await createTestUser(app, { role: 'support', may: [], refundLimits: { CLP: 5000 } });
  const ask = (amount: number, key: string) => refund(app, paid, amount, { requestedBy: user.id, idempotencyKey: key });
  await setEventsUrl(app, environment, 'https://shop.example/e?key=1', TESTER);
  await ask(1000, 'a');
  await ask(1500, 'b');
  app.now.advance(86_400_000);
  await ask(300, 'c');
  const wish: LinkWish = { ...WISH, expiresAt: app.now() + 86_400_000 };
  const { link: open } = await createPaymentLink(app, id, wish, TESTER);
  const { link: ended } = await createPaymentLink(app, id, WISH, TESTER);
  app.now.advance(1000);
  await endPaymentLink(app, ended.id, null, TESTER);
  await disablePaymentService(app, paymentServiceId, TESTER);
  app.now.advance(1000);
  await enablePaymentService(app, paymentServiceId, TESTER);
  await disablePaymentService(app, disabled, TESTER);
  return { environment, id, paymentServiceId, paid, disabled, user: user.id, open: open.id, ended: ended.id };
}

const WISH: LinkWish = {
  amount: 12_990,
  currency: 'CLP',
  subject: 'Curso de cerámica',
  uses: 'one',
  expiresAt: null,
  urlCallback: 'https://shop.example/callback',
};
