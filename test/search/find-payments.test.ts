import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { Problem } from '../../src/error-catalogue.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { findPaymentLink, linkUrl, type OpenLink } from '../../src/payment-links/find-payment-link.ts';
import { payPaymentLink } from '../../src/payment-links/pay-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import { findPayments, type PaymentSearch } from '../../src/search/find-payments.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { NO_FILTER, type PaymentFilter } from '../../src/search/payment-filter.ts';
import { searchPayments, searchWithParts } from '../../src/search/search-payments.ts';
import { selectBehindPlace, selectSearchProgress } from '../../src/search/search-queries.ts';
import { termsOf } from '../../src/search/search-term.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { advanceClock, resetClock } from '../../src/travel/advance-clock.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const DAY = 86_400_000;
const OTHER_KEY = readConfig({ MASTER_KEY: '6b'.repeat(32), LOG_LEVEL: 'silent' });

const LINK_WISH: LinkWish = {
  amount: 12_990,
  currency: 'CLP',
  subject: 'Curso',
  uses: 'many',
  expiresAt: null,
  urlCallback: null,
};

const search = (filter: Partial<PaymentFilter>, changes: Partial<PaymentSearch> = {}): PaymentSearch => ({
  filter: { ...NO_FILTER, ...filter },
  environmentIds: null,
  after: null,
  limit: 50,
  ...changes,
});

/** Runs the worker's loop until everything is indexed. The loop pauses while the process is busy. */
async function indexAll(app: TestApp): Promise<void> {
  const done = await comesTrue(async () => {
    await indexPayments(app);
    return (await selectBehindPlace(app.db, await selectSearchProgress(app.db), 1)).length === 0;
  });
  assert.ok(done);
}

type Listed = { code?: string; data: { transactions: { id: number; card_last_digits: string | null }[] } };

forEachEngine('payments are found', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    const other = await createTestEnvironment(app, 'production');
    return { app, shop, other };
  };

  const idsFor = async (app: TestApp, filter: Partial<PaymentFilter>) =>
    (await findPayments(app, search(filter))).payments.map(({ id }) => id);

  test('by reference, e-mail, amount and authorisation code, before and after they are indexed', async () => {
    const { app, shop } = await open();
    const paid = await createPaidTransaction(app, shop, {
      reference: 'A-1',
      customerEmail: 'Ana@Example.cl',
      amount: 700,
    });
    const waiting = await createTestTransaction(app, shop, { reference: 'A-2', amount: 800 });
    const look = async () => [
      await idsFor(app, { reference: 'A-1' }),
      await idsFor(app, { email: 'aNA@example.cl' }),
      await idsFor(app, { amount: { amount: 800, currency: 'CLP' } }),
      await idsFor(app, { authorizationCode: String(paid.id).padStart(6, '0') }),
      await idsFor(app, { reference: 'a-1' }),
      await idsFor(app, { amount: { amount: 800, currency: 'USD' } }),
      await idsFor(app, {}),
    ];
    const expected = [[paid.id], [paid.id], [waiting.id], [paid.id], [], [], [waiting.id, paid.id]];
    assert.deepEqual(await look(), expected);
    const terms = async () => (await app.db.query('select term from search_terms')).length;
    assert.equal(await terms(), 0);
    await indexAll(app);
    assert.equal(await terms(), 11);
    assert.deepEqual(await look(), expected);
  });

  // With plain hashes somebody with the table alone could test e-mail addresses.
  test('by index terms that cannot be computed without the key of the store', async () => {
    const { app, shop } = await open();
    await createTestTransaction(app, shop, { customerEmail: 'ana@example.cl' });
    await indexAll(app);
    const stored = await app.db.query<{ term: number }>('select term from search_terms');
    const [own, others] = await Promise.all([app, createTestApp(app.db, { config: OTHER_KEY })].map(termsOf));
    const plain = Number.parseInt(hash('sha256', 'email:ana@example.cl').slice(0, 13), 16);
    const isStored = (term?: number) => stored.some((row) => row.term === term);
    assert.deepEqual([own?.of('email', 'ANA@example.cl'), others?.of('email', 'ana@example.cl'), plain].map(isStored), [
      true,
      false,
      false,
    ]);
  });

  test('only in the caller’s environments, and only if all filters match', async () => {
    const { app, shop, other } = await open();
    const mine = await createTestTransaction(app, shop, { reference: 'A-1' });
    const theirs = await createTestTransaction(app, other, { reference: 'A-1' });
    for (const indexed of [false, true]) {
      if (indexed) await indexAll(app);
      const found = async (changes: Partial<PaymentSearch>, filter: Partial<PaymentFilter> = {}) =>
        (await findPayments(app, search({ reference: 'A-1', ...filter }, changes))).payments.map(({ id }) => id);
      assert.deepEqual(await found({}), [theirs.id, mine.id]);
      assert.deepEqual(await found({ environmentIds: new Set([shop.id]) }), [mine.id]);
      assert.deepEqual(await found({ environmentIds: new Set() }), []);
      assert.deepEqual(await found({}, { environment: 'production' }), [theirs.id]);
      assert.deepEqual(await found({}, { paymentService: shop.paymentServiceId }), [mine.id]);
      assert.deepEqual(await found({}, { state: 'completed' }), []);
      assert.deepEqual(await found({}, { amount: { amount: 1, currency: 'CLP' } }), []);
    }
  });

  test('page by page while more than a page is not indexed yet', async () => {
    const { app, shop } = await open();
    const ids: number[] = [];
    const create = async (count: number) => {
      for (let made = 0; made < count; made++)
        ids.unshift((await createTestTransaction(app, shop, { reference: `N-${ids.length}`, amount: 5000 })).id);
    };
    const walk = async (filter: Partial<PaymentFilter>, limit: number, between: () => Promise<void>) => {
      const found: number[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof findPayments>> = await findPayments(
          app,
          search(filter, { after, limit }),
        );
        found.push(...page.payments.map(({ id }) => id));
        after = page.next;
        if (after !== null) await between();
      } while (after !== null);
      return found;
    };
    await create(3);
    const old = await createPaidTransaction(app, shop, { reference: 'OLD', amount: 5000 });
    ids.unshift(old.id);
    await indexAll(app);
    app.now.advance(DAY);
    await create(2);
    app.now.advance(DAY);
    await create(3);
    // A recent refund does not change the place of the payment in the list.
    await acceptedRefund(app, old, 100);
    const filters = [{}, { amount: { amount: 5000, currency: 'CLP' } }, { email: 'buyer@example.cl' }];
    for (const filter of filters)
      for (const limit of [1, 2, 3, 50]) assert.deepEqual(await walk(filter, limit, async () => {}), ids, `${limit}`);
    assert.deepEqual(
      await walk({}, 2, () => indexAll(app)),
      ids,
      'each payment is listed once, also while the index is written',
    );
  });

  test('page by page over several days, each once, newest first', async () => {
    const { app, shop } = await open();
    const ids: number[] = [];
    for (let day = 0; day < 3; day++) {
      for (let order = 0; order < 3; order++) {
        ids.unshift((await createTestTransaction(app, shop, { reference: `${day}-${order}`, amount: 5000 })).id);
      }
      app.now.advance(DAY);
    }
    await indexAll(app);
    for (const filter of [{}, { amount: { amount: 5000, currency: 'CLP' } }, { email: 'buyer@example.cl' }]) {
      const found: number[] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof findPayments>> = await findPayments(
          app,
          search(filter, { after, limit: 2 }),
        );
        assert.ok(page.payments.length <= 2);
        found.push(...page.payments.map(({ id }) => id));
        after = page.next;
      } while (after !== null);
      assert.deepEqual(found, ids);
    }
    const from = app.now() - 2 * DAY;
    assert.deepEqual(await idsFor(app, { since: from }), ids.slice(0, 6));
    assert.deepEqual(await idsFor(app, { until: from }), ids.slice(6));
    assert.deepEqual(await idsFor(app, { since: from, until: from + DAY }), ids.slice(3, 6));
  });

  test('by an amount from years ago without a query for each day since', async () => {
    const { app, shop } = await open();
    const amount = { amount: 4321, currency: 'CLP' };
    const old = await createTestTransaction(app, shop, { amount: 4321, reference: `OLD-${app.now()}` });
    const day = Math.floor(app.now() / DAY);
    app.now.advance(3_000 * DAY);
    const last = await createTestTransaction(app, shop, { amount: 4321, reference: `OLD-${app.now()}` });
    await indexAll(app);
    const { app: listened, all: heard } = listenToStatements(app);
    const found = async () => (await findPayments(listened, search({ amount }))).payments.map(({ id }) => id);
    assert.deepEqual(await found(), [last.id, old.id]);
    assert.ok(heard.length < 20, `${heard.length} statements`);
    for (const from of [day + 1, day + 3_001]) {
      await app.db.transaction((tx) => tx.query('update search_progress set amount_days_from = $1', [from]));
      await app.db.transaction((tx) => tx.query('delete from amount_days where day < $1', [from]));
      heard.length = 0;
      assert.deepEqual(await found(), [last.id, old.id], `known from ${from - day} days after the first`);
      assert.ok(heard.length < 30, `${heard.length} statements`);
    }
  });

  test('for one merchant without reading the rows of others', async () => {
    const { app, shop, other } = await open();
    for (let order = 0; order < 30; order++) await createTestTransaction(app, other, { reference: `O-${order}` });
    const mine = await createTestTransaction(app, shop, { reference: 'MINE' });
    await indexAll(app);
    const { app: listened, all: heard } = listenToStatements(app);
    const wishes: [Partial<PaymentFilter>, Partial<PaymentSearch>][] = [
      [{}, { environmentIds: new Set([shop.id]) }],
      [{ paymentService: shop.paymentServiceId }, {}],
    ];
    for (const [filter, changes] of wishes) {
      heard.length = 0;
      const found = await findPayments(listened, search(filter, changes));
      assert.deepEqual(
        found.payments.map(({ id }) => id),
        [mine.id],
      );
      const terms = heard.flatMap(({ sql, parameters }) =>
        sql.includes('from search_terms where') ? (parameters[1] as number) : [],
      );
      assert.ok(terms.length > 0);
      for (const term of terms) {
        const read = await app.db.query('select transaction_id from search_terms where term = $1', [term]);
        assert.ok(read.length <= 1, `${read.length} rows were read`);
      }
    }
    const both = search({}, { environmentIds: new Set([shop.id, other.id]), limit: 40 });
    assert.equal((await findPayments(app, both)).payments.length, 31);
  });

  test('even if they are older than the payment with the lowest id, as after a move', async () => {
    const { app, shop, other } = await open();
    app.now.advance(5 * DAY);
    const low = await createTestTransaction(app, other, { reference: 'OF-HERE' });
    app.now.advance(-4 * DAY);
    const high = await createTestTransaction(app, shop, { reference: 'MOVED', amount: 4321 });
    await indexAll(app);
    app.now.advance(40 * DAY);
    assert.ok(high.id > low.id && high.created_at < low.created_at);
    assert.deepEqual(await idsFor(app, {}), [low.id, high.id]);
    assert.deepEqual(await idsFor(app, { amount: { amount: 4321, currency: 'CLP' } }), [high.id]);
  });

  test('with those of the future and those after it once a development clock was set back', async () => {
    const app = createTestApp(await openTestDatabase());
    await advanceClock(app, 10 * DAY, TESTER);
    app.now.advance(10 * DAY);
    const shop = await createTestEnvironment(app);
    const ahead = await createTestTransaction(app, shop, { reference: 'AHEAD', amount: 700 });
    await indexAll(app);
    await resetClock(app, TESTER);
    app.now.advance(-10 * DAY);
    const later = await createTestTransaction(app, shop, { reference: 'LATER', amount: 700 });
    await indexAll(app);
    assert.deepEqual(await idsFor(app, {}), [ahead.id, later.id]);
    assert.deepEqual(await idsFor(app, { amount: { amount: 700, currency: 'CLP' } }), [ahead.id, later.id]);
    assert.deepEqual(await idsFor(app, { until: app.now() + DAY }), [later.id]);
  });

  test('only with a valid cursor', async () => {
    const { app } = await open();
    for (const after of ['x', '', 'MQ', Buffer.from('1.x').toString('base64url')]) {
      await assert.rejects(findPayments(app, search({}, { after })), (error) => {
        assert.ok(error instanceof Problem);
        assert.equal(error.code, 'INVALID_PARAMETER');
        return true;
      });
    }
  });

  test('after concurrent indexing, which writes each term once and omits none', async () => {
    const { app, shop } = await open();
    for (let order = 0; order < 5; order++) await createPaidTransaction(app, shop);
    await Promise.all([indexAll(app), indexAll(app), indexAll(app)]);
    const [{ terms } = { terms: 0 }] = await app.db.query<{ terms: number }>(
      'select count(*) as terms from search_terms',
    );
    assert.equal(terms, 5 * 6);
    assert.equal((await idsFor(app, { email: 'buyer@example.cl' })).length, 5);
  });

  test('by one search box that recognizes each kind of term', async () => {
    const { app, shop, other } = await open();
    const paid = await createPaidTransaction(app, shop, { reference: 'ORD 7', amount: 12_990 });
    const refund = await acceptedRefund(app, paid, 1000);
    await indexAll(app);
    const [attempt] = await app.db.query<{ id: string }>('select id from payment_attempts');
    const [callback] = await app.db.query<{ id: number }>('select id from callbacks');
    const cases: [string, string][] = [
      [String(paid.id), 'id'],
      ['ORD 7', 'reference'],
      [' buyer@EXAMPLE.cl ', 'email'],
      [String(paid.id).padStart(6, '0'), 'authorization_code'],
      ['$12.990', 'amount'],
      ['12990 clp', 'amount'],
      ['CLP 12,990', 'amount'],
      [refund.id, 'refund'],
      [attempt?.id ?? '', 'payment_attempt'],
      [String(callback?.id), 'callback'],
      [`evt_${paid.id}_2`, 'id'],
      [`https://pay.example.cl/pay/${paid.id.toString(36)}-${paid.pay_secret}?method=webpay`, 'id'],
    ];
    for (const [text, by] of cases) {
      const { payments, complete } = await searchPayments(app, text, null, 10);
      assert.deepEqual(
        [text, payments.map(({ id, found_by }) => [id, found_by]), complete],
        [text, [[paid.id, by]], true],
      );
      assert.deepEqual((await searchPayments(app, text, new Set([other.id]), 10)).payments, []);
    }
    for (const text of ['', '   ', 'x'.repeat(301), '$', '0', 'ORD', 'nobody@example.cl', '12.990 XYZ']) {
      assert.deepEqual((await searchPayments(app, text, null, 10)).payments, [], text);
    }
  });

  test('by their payment link: its id, its address, its poster', async () => {
    const { app, shop, other } = await open();
    const make = async () => (await createPaymentLink(app, shop.id, LINK_WISH, TESTER)).link;
    const [link, unpaid] = [await make(), await make()];
    const pay = async () => {
      const opened = await findPaymentLink(app, link.id);
      return ((await payPaymentLink(app, opened as OpenLink)) as Transaction).id;
    };
    const paid = [await pay(), await pay(), await pay()];
    const url = linkUrl(app, link);
    for (const text of [link.id, ` ${url} `, `${url}/`, `${url}/poster`, `${url}?x=1`]) {
      const { payments } = await searchPayments(app, text, null, 10);
      const found = payments.map(({ id, found_by }) => [id, found_by]);
      assert.deepEqual(
        found,
        paid.toReversed().map((id) => [id, 'payment_link']),
        text,
      );
      assert.deepEqual((await searchPayments(app, text, new Set([other.id]), 10)).payments, [], 'of others');
    }
    assert.deepEqual(
      (await searchPayments(app, link.id, null, 2)).payments.map(({ id }) => id),
      paid.slice(1).toReversed(),
    );
    assert.deepEqual((await searchPayments(app, unpaid.id, null, 10)).payments, []);
    await indexAll(app);
    const one = await searchPayments(app, `${link.id}-2`, null, 10);
    assert.deepEqual(
      one.payments.map(({ id, found_by }) => [id, found_by]),
      [[paid[1], 'reference']],
    );
  });

  test('by a part of their reference', async () => {
    const { app, shop, other } = await open();
    const old = await createTestTransaction(app, shop, { reference: 'WC-7784-A' });
    const idsOf = async (text: string, environments: ReadonlySet<number> | null = null) => {
      const { payments, isAll } = await searchWithParts(app, text, environments, 10);
      for (const { found_by } of payments) assert.equal(found_by, 'reference_part');
      assert.equal(isAll, true);
      return payments.map(({ id }) => id);
    };
    assert.deepEqual(await idsOf('7784'), [old.id], 'a payment is found before it is in the index');
    await indexAll(app);
    for (const text of ['7784', '#7784', ' wc-7784 ', '784-a']) assert.deepEqual(await idsOf(text), [old.id], text);
    const nothing = ['77', '#77', '7785', '', 'x'.repeat(101), 'nobody@wc-7784-a.cl'];
    for (const text of nothing) assert.deepEqual(await idsOf(text), [], text);
    assert.deepEqual(
      await idsOf('7784', new Set([other.id])),
      [],
      'a user without its payment service does not find it',
    );
    assert.deepEqual(await idsFor(app, { referencePart: 'wc-77', state: 'completed' }), []);
    assert.deepEqual(await idsFor(app, { referencePart: 'wc-77', state: 'pending' }), [old.id]);
    const whole = await searchWithParts(app, 'WC-7784-A', null, 10);
    assert.deepEqual(
      whole.payments.map(({ found_by }) => found_by),
      ['reference'],
    );
  });

  test('by a number that is the number of a transaction and in the reference of another', async () => {
    const { app, shop, other } = await open();
    const one = await createTestTransaction(app, shop, { reference: 'A' });
    const named = await createTestTransaction(app, shop, { reference: `ORD-${one.id}/2` });
    await createTestTransaction(app, shop, { reference: `ORD-${one.id}0` });
    const find = async (text: string, environments: ReadonlySet<number> | null = null) =>
      (await searchWithParts(app, text, environments, 10)).payments.map(({ id, found_by }) => [id, found_by]);
    const both = [
      [one.id, 'id'],
      [named.id, 'reference_part'],
    ];
    for (const indexed of [false, true]) {
      if (indexed) await indexAll(app);
      assert.deepEqual(await find(` ${one.id} `), both);
      assert.deepEqual(await find(String(one.id), new Set([other.id])), []);
    }
    const whole = await createTestTransaction(app, other, { reference: String(one.id) });
    assert.deepEqual(await find(String(one.id)), [
      [one.id, 'id'],
      [whole.id, 'reference'],
    ]);
  });

  test('by the last four digits of the card that paid, after what else has these digits', async () => {
    const { app, shop, other } = await open();
    const paid = await createPaidTransaction(app, shop, { reference: 'A' });
    const named = await createTestTransaction(app, shop, { reference: 'B-7712' });
    await createPaidTransaction(app, shop, { reference: 'C' });
    const detail = JSON.stringify({ authorization_code: '1213', card_last_digits: '7712' });
    const sql = 'update payment_attempts set detail = $1 where transaction_id = $2';
    await app.db.transaction((tx) => tx.query(sql, [detail, paid.id]));
    const find = async (environments: ReadonlySet<number> | null, text = '7712') =>
      (await searchWithParts(app, text, environments, 10)).payments.map(({ id, found_by }) => [id, found_by]);
    for (const text of ['…7712', '**** 7712']) assert.deepEqual(await find(null, text), await find(null), text);
    for (const indexed of [false, true]) {
      if (indexed) await indexAll(app);
      assert.deepEqual(await find(null), [
        [named.id, 'reference_part'],
        [paid.id, 'card'],
      ]);
      assert.deepEqual(await find(new Set([other.id])), []);
      assert.deepEqual(await idsFor(app, { cardDigits: '7712' }), [paid.id]);
      assert.deepEqual(await idsFor(app, { cardDigits: '771' }), []);
    }
    const { headers } = await createTestUser(app);
    await using server = await startTestServer(app);
    const list = async (query: string) => jsonOf(await server.get(`/transactions?${query}`, headers)) as Listed;
    const { data } = await list('card_last_digits=7712');
    assert.deepEqual(
      data.transactions.map((one) => [one.id, one.card_last_digits]),
      [[paid.id, '7712']],
    );
    assert.deepEqual(
      (await list('reference_part=b-7')).data.transactions.map((one) => one.id),
      [named.id],
    );
    assert.deepEqual((await list('q=7712')).data.transactions, [], 'a program gets only what is sure');
    for (const digits of ['771', '4111111111116623', 'abcd'])
      assert.equal((await list(`card_last_digits=${digits}`)).code, 'INVALID_PARAMETER');
  });

  test('after a word that people say before a reference or a card, unless the whole text is a reference', async () => {
    const { app, shop } = await open();
    const order = await createTestTransaction(app, shop, { reference: 'ORD-2042' });
    const paid = await createPaidTransaction(app, shop, { reference: 'A' });
    await indexAll(app);
    const find = async (text: string) => {
      const { payments, part } = await searchWithParts(app, text, null, 10);
      return [payments.map(({ id }) => id), part];
    };
    for (const text of ['pedido 2042', 'Orden #2042', 'order ORD-2042', 'referencia n° 2042', ' reference  2042'])
      assert.deepEqual((await find(text))[0], [order.id], text);
    for (const text of ['tarjeta 6623', 'Card …6623']) assert.deepEqual(await find(text), [[paid.id], '6623'], text);
    for (const said of ['transacción', 'Transaccion n°', 'transaction'])
      assert.deepEqual((await find(`${said} ${paid.id}`))[0], [paid.id], said);
    for (const said of ['Código de autorización', 'codigo de autorizacion', 'Authorisation code'])
      assert.deepEqual((await find(`${said} ${String(paid.id).padStart(6, '0')}`))[0], [paid.id], said);
    for (const text of ['pedido', 'pedido 2043', 'pedidos 2042']) assert.deepEqual((await find(text))[0], [], text);
    const whole = await createTestTransaction(app, shop, { reference: 'pedido 2042' });
    assert.deepEqual((await find('pedido 2042'))[0], [whole.id]);
  });

  test('by several parts of their reference, separated by any spaces', async () => {
    const { app, shop } = await open();
    const order = await createTestTransaction(app, shop, { reference: 'LIB-44-lento' });
    const spaced = await createTestTransaction(app, shop, { reference: 'lib lento 9' });
    await createTestTransaction(app, shop, { reference: 'LIB-45' });
    for (const text of ['lib lento', ' lento  LIB ', '\tlib\u00a0lento']) {
      const { payments } = await searchWithParts(app, text, null, 10);
      assert.deepEqual(
        payments.map(({ id }) => id),
        [spaced.id, order.id],
        text,
      );
    }
    assert.deepEqual(await idsFor(app, { referencePart: '44 lento' }), [order.id]);
  });

  test('by a part of their reference among the newest 2,000, and beyond with a list', async () => {
    const { app, shop } = await open();
    const old = await createTestTransaction(app, shop, { reference: 'FIRST-ONE' });
    for (let n = 0; n < 2000; n += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, i) => createTestTransaction(app, shop, { reference: `N-${n + i}` })),
      );
    await indexAll(app);
    const { payments, isAll } = await searchWithParts(app, 'first', null, 10);
    assert.deepEqual([payments, isAll], [[], false]);
    assert.deepEqual(await idsFor(app, { referencePart: 'first' }), [old.id]);
  });
});
