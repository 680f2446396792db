import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { readImageFile } from '../../src/lib/image-file.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { setEventsUrl } from '../../src/outbox/webhooks/set-events-url.ts';
import { removeMethodSettings, setMethodSettings } from '../../src/payment-services/method-settings.ts';
import { rotateSecretToken } from '../../src/payment-services/rotate-secret-token.ts';
import { setLook } from '../../src/payment-services/set-look.ts';
import { setPayerAttempts } from '../../src/payment-services/set-payer-attempts.ts';
import { setReceipts } from '../../src/payment-services/set-receipts.ts';
import { setRequestLimit } from '../../src/payment-services/set-request-limit.ts';
import { setAccountType } from '../../src/payouts/files/set-account-type.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { removePayoutSender, setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertFound, foundIn, leaveOut } from '../support/found-by-hand.ts';
import { pngOf } from '../support/make-image.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tamperings } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { removeTriggers } from '../support/test-books.ts';
import { openPayoutDesk, propose } from '../support/test-payouts.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

type World = Awaited<ReturnType<typeof fill>>;

const LOOK = { site: 'https://shop.example', contact: 'ayuda@shop.example', legalName: 'Tienda SpA' };

const TAMPERINGS: readonly Tamperings<World>[] = [
  {
    name: 'an earlier account at a payment method collects again',
    statements: () => [
      [`update payment_method_accounts set retired_at = 5 where account = '597055555532'`],
      [`update payment_method_accounts set retired_at = null where account = '597000000000'`],
    ],
    found: /^account of ps_\w+ development webpay: account was "597055555532", is "597000000000"$/,
  },
  {
    name: 'an account at a payment method that was removed collects again',
    statements: ({ other }) => [
      ['update payment_method_accounts set retired_at = null where environment_id = $1', other.id],
    ],
    found: /^account of ps_\w+ development webpay: account was null, is "597000000001"; set at was null/,
  },
  {
    name: 'an account at a payment method is deleted',
    statements: () => [[`delete from payment_method_accounts where account = '597055555532'`]],
    found: /account was "597055555532", is null/,
  },
  {
    name: 'an account at a payment method is invented',
    statements: ({ id }) => [
      [
        `insert into payment_method_accounts (environment_id, payment_method, account, sealed_key, created_at)
         values ($1, 'other', '1', 'x', 9000000000000)`,
        id,
      ],
    ],
    found: /^account of ps_\w+ development other: 1 was never set by this service/,
  },
  {
    name: 'an earlier sender sends payouts again',
    statements: ({ id }) => [
      [
        `update payout_senders set retired_at = 5 where environment_id = $1 and url = 'https://bank.example/v2?tenant=1'`,
        id,
      ],
      [`update payout_senders set retired_at = null where environment_id = $1 and url = 'https://bank.example/v1'`, id],
    ],
    found:
      /^sender of payouts of ps_\w+ in development: .*it is https:\/\/bank.example\/v1, and the audit log has https:\/\/bank.example\/v2 at \d+/,
  },
  {
    name: 'payouts go to a stranger',
    statements: ({ id }) => [
      [
        `update payout_senders set url = 'https://evil.example', sealed_key = null
         where environment_id = $1 and retired_at is null`,
        id,
      ],
    ],
    found: /it is https:\/\/evil.example, and the audit log has https:\/\/bank.example\/v2 at \d+$/,
  },
  {
    name: 'payouts go to another customer of the same program',
    statements: () => [
      [
        `update payout_senders set url = 'https://bank.example/v2?tenant=2', sealed_key = null where url like '%?tenant=1'`,
      ],
    ],
    found: /it is https:\/\/bank.example\/v2, and the audit log has https:\/\/bank.example\/v2 at \d+$/,
  },
  {
    name: 'a stranger says what became of earlier payouts',
    statements: () => [
      [`update payout_senders set url = 'https://evil.example' where url = 'https://bank.example/v1'`],
    ],
    found: /https:\/\/evil.example was never set by this service$/,
  },
  {
    name: 'a sender that was removed sends payouts again',
    statements: ({ other }) => [['update payout_senders set retired_at = null where environment_id = $1', other.id]],
    found: /it is simulated, and the audit log has none at \d+$/,
  },
  {
    name: 'a sender is removed',
    statements: () => [['update payout_senders set retired_at = 5 where retired_at is null']],
    found:
      /https:\/\/bank.example\/v2 was never removed; nothing sends payouts, and the audit log has https:\/\/bank.example\/v2/,
  },
  {
    name: 'the type of an account is changed',
    statements: () => [[`update payout_account_types set account_type = 'savings'`]],
    found: /^type of an account in environment \d+: account_type was "checking", is "savings"$/,
  },
  {
    name: 'the type of an account is invented',
    statements: ({ other }) => [
      [`insert into payout_account_types values ($1, 'x', 'sight', 9000000000000, 'x')`, other.id],
    ],
    found: /^type of an account in environment \d+: it was never set by this service$/,
  },
  {
    name: 'the type of an account is invented, and its time is before 1970',
    statements: ({ other }) => [[`insert into payout_account_types values ($1, 'x', 'sight', -1, 'x')`, other.id]],
    found: /^type of an account in environment \d+: it was never set by this service$/,
  },
  {
    name: 'a Secret Token that was replaced signs again',
    statements: ({ id }) => [
      ['update secret_tokens set closes_at = null where environment_id = $1 and closes_at is not null', id],
    ],
    found: /^Secret Tokens of ps_\w+ in development: closes_at was \d+, is null; closes_at was \d+, is null$/,
  },
  {
    name: 'a Secret Token that was replaced signs longer',
    statements: ({ id, firstToken }) => [
      ['update secret_tokens set closes_at = closes_at + 1 where environment_id = $1 and id = $2', id, firstToken],
    ],
    found: /^Secret Tokens of ps_\w+ in development: closes_at was \d+, is \d+$/,
  },
  {
    name: 'a Secret Token is closed by hand',
    statements: ({ other }) => [['update secret_tokens set closes_at = 5 where environment_id = $1', other.id]],
    found: /^Secret Tokens of ps_\w+ in development: closes_at was null, is 5/,
  },
  {
    name: 'a Secret Token is deleted',
    statements: ({ id, firstToken }) => [
      ['delete from secret_tokens where environment_id = $1 and id = $2', id, firstToken],
    ],
    found: /Secret Tokens of ps_\w+ in development: tokens made at \d+ was 1, is 0/,
  },
  {
    name: 'the query of the URL for events of refunds is changed',
    statements: ({ id }) => [
      [`update environments set events_url = 'https://hook.example/in?customer=2' where id = $1`, id],
    ],
    found: /^payment service ps_\w+ in development: the query of events_url was changed$/,
  },
  {
    name: 'the settings of a payment service are changed',
    statements: ({ paymentServiceId }) => [
      [
        `update payment_services set per_minute = 1, payer_attempts = null, receipts = 'off' where id = $1`,
        paymentServiceId,
      ],
    ],
    found:
      /^payment service ps_\w+: per_minute was 700, is 1; payer_attempts was 3, is null; receipts was "en", is "off"$/,
  },
  {
    name: 'a payment service that has no settings gets some',
    statements: ({ other }) => [
      ['update payment_services set per_minute = 1 where id = $1', other.paymentServiceId],
      ['insert into looks (payment_service_id, changed_at, site) values ($1, 1, $2)', other.paymentServiceId, 'x'],
    ],
    found: /^payment service ps_\w+: per_minute was null, is 1; site was null, is "x"$/,
  },
  {
    name: 'the pages of a payment service lead to a stranger',
    statements: () => [[`update looks set site = 'https://evil.example', legal_name = 'Otra', contact = null`]],
    found:
      /^payment service ps_\w+: site was "https:\/\/shop.example", is "https:\/\/evil.example"; contact was .*; legal_name was "Tienda SpA", is "Otra"$/,
  },
  {
    name: 'the logo of a payment service is another one',
    statements: () => [[`update looks set logo = 'AAAA'`]],
    found: /^payment service ps_\w+: the bytes of its logo were changed$/,
  },
];

/** SQLite stores a text in a column of numbers. */
const IN_SQLITE: Tamperings<World> = {
  name: 'a Secret Token that was replaced signs again, since a time that is no number, and another row has its place',
  statements: ({ id, firstToken }) => [
    [
      `insert into secret_tokens (id, environment_id, sealed, created_at, closes_at)
       select 'st_x', environment_id, sealed, created_at, closes_at from secret_tokens where environment_id = $1 and id = $2`,
      id,
      firstToken,
    ],
    [`update secret_tokens set created_at = 'x', closes_at = null where id = $1`, firstToken],
  ],
  found: /^Secret Tokens of ps_\w+ in development: tokens made at x was 0, is 1$/,
};

forEachEngine('where the money of a payment service goes and who signs for it', (openTestDatabase, engine) => {
  test('is compared with the audit log: every change by hand is found, and nothing in a store that was left alone', async () => {
    const app = createTestApp(await openTestDatabase());
    await assertFound(app, await fill(app), engine === 'sqlite' ? [...TAMPERINGS, IN_SQLITE] : TAMPERINGS);
  });

  test('is not missed in a database to which it moved, nor in the one that it left', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    const { environment } = await fill(from);
    await identityHashes(to);
    await movePaymentService(from, to, wishOf(environment));
    assert.deepEqual([await foundIn(from), await foundIn(to)], ['', '']);
    to.now.advance(1000);
    await rotateSecretToken(to, environment.paymentServiceId, 'development', 5000, TESTER);
    await setMethodSettings(to, target(environment), { account: '597000000000', key: 'k' }, TESTER);
    await setPayoutSender(to, environment, { kind: 'simulated', url: null, key: null }, TESTER);
    assert.equal(await foundIn(to), '');
    await removeTriggers(to.db);
    await to.db.transaction(async (tx) => {
      await tx.query('update secret_tokens set closes_at = null where environment_id = $1', [environment.id]);
      await tx.query(`update payout_senders set url = 'https://evil.example' where retired_at is null`);
      await tx.query(`update payment_method_accounts set retired_at = 5 where account = '597000000000'`);
    });
    assert.match(
      await foundIn(to),
      /Secret Tokens of ps_\w+ in development: closes_at was \d+, is null.*account was "597000000000", is null.*it is https:\/\/evil.example/,
    );
  });

  test('is compared with acts of earlier versions as far as these go', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await fill(app);
    await removeTriggers(app.db);
    assert.ok((await leaveOut(app, ['url_sha256'])) > 2);
    await app.db.transaction(async (tx) => {
      await tx.query(`update environments set events_url = 'https://hook.example/in' where id = $1`, [id]);
      const whole = `replace(said_after, 'https://bank.example/v2"', 'https://bank.example/v2?tenant=1"')`;
      await tx.query(`update audit_log set said_after = ${whole} where action = 'payout.sender_set'`);
    });
    assert.equal(await foundIn(app), '');
  });

  test('is compared from the first act on where a payment service is older than the audit log', async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment } = await fill(app);
    await removeTriggers(app.db);
    await app.db.transaction(async (tx) => {
      await tx.query('update payment_services set created_at = 1');
      await tx.query('update secret_tokens set created_at = 1');
      await tx.query('update payment_method_accounts set created_at = 1');
      await tx.query(`delete from audit_log where action like 'payment\\_%' escape '\\' or action = 'store.migrated'`);
    });
    assert.doesNotMatch(await foundIn(app), /Secret Tokens|account of/);
    await rotateSecretToken(app, environment.paymentServiceId, 'development', 0, TESTER);
    assert.doesNotMatch(await foundIn(app), /Secret Tokens/);
    await app.db.transaction((tx) => tx.query('update secret_tokens set closes_at = null'));
    assert.match(await foundIn(app), /Secret Tokens of ps_\w+ in development: closes_at was \d+, is null/);
  });
});

function target({ paymentServiceId }: { paymentServiceId: string }) {
  return { paymentServiceId, environment: 'development', method: 'webpay' } as const;
}

/**
 * Makes a payment service whose accounts, senders, tokens, settings and pages were set several times, and another one.
 */
async function fill(app: TestApp) {
  const desk = await openPayoutDesk(app);
  const { environment } = desk;
  const { id, paymentServiceId } = environment;
  const other = await createTestEnvironment(app);
  const [{ id: firstToken } = { id: '' }] = await app.db.query<{ id: string }>(
    'select id from secret_tokens where environment_id = $1',
    [id],
  );
  const [payout] = await propose(app, desk);
  await setAccountType(app, payout as Payout, 'savings', desk.maker);
  app.now.advance(1000);
  await setAccountType(app, payout as Payout, 'checking', desk.maker);
  await setMethodSettings(app, target(environment), { account: '597000000000', key: 'k' }, TESTER);
  await setMethodSettings(app, target(environment), { account: '597055555532', key: 'k' }, TESTER);
  await setMethodSettings(app, target(other), { account: '597000000001', key: 'k' }, TESTER);
  await removeMethodSettings(app, target(other), TESTER);
  const sender = (url: string, key: string) => setPayoutSender(app, environment, { kind: 'http', url, key }, TESTER);
  await sender('https://bank.example/v1', 'one');
  await sender('https://bank.example/v1', 'two');
  app.now.advance(1000);
  await sender('https://bank.example/v2?tenant=1', 'two');
  await setPayoutSender(app, other, { kind: 'simulated', url: null, key: null }, TESTER);
  await removePayoutSender(app, other, TESTER);
  await rotateSecretToken(app, paymentServiceId, 'development', 3_600_000, TESTER);
  app.now.advance(1000);
  await rotateSecretToken(app, paymentServiceId, 'development', 0, TESTER);
  await setEventsUrl(app, environment, 'https://hook.example/in?customer=1', TESTER);
  await setRequestLimit(app, paymentServiceId, 700, TESTER);
  await setPayerAttempts(app, paymentServiceId, 3, TESTER);
  await setReceipts(app, paymentServiceId, 'en', TESTER);
  const bytes = pngOf(64, 64);
  const image = readImageFile(bytes);
  assert.ok(image !== null);
  await setLook(app, paymentServiceId, { ...LOOK, logo: { image, bytes } }, TESTER);
  return { environment, id, paymentServiceId, other, firstToken };
}
