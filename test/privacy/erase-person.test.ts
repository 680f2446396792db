import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { prepareStore } from '../../src/cli/prepare-store.ts';
import { ROWS_OF_A_PART } from '../../src/db/walk-queries.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { sealFeed } from '../../src/outbox/feed/seal-feed.ts';
import { recordEnvironmentEvents } from '../../src/outbox/record-event.ts';
import { resendCallback } from '../../src/outbox/resend-callback.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { erasePerson } from '../../src/privacy/erase-person.ts';
import { exportPerson } from '../../src/privacy/export-person.ts';
import { type Person, personOfEmail, personOfRut } from '../../src/privacy/person.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { insertRefused } from '../../src/refused-requests/refused-request-queries.ts';
import { indexPayments } from '../../src/search/index-payments.ts';
import { termsOf } from '../../src/search/search-term.ts';
import { createTransaction } from '../../src/transactions/create-transaction.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { approved, openPayoutDesk, ANA as PAYEE, wish } from '../support/test-payouts.ts';
import { createTestEnvironment, createTestTransaction, testInput } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';
import { untilVisible } from '../support/until-visible.ts';

const EMAIL = 'Ana.Perez+web@example.cl';
const ANA = personOfEmail('ana.perez+WEB@example.cl') as Person;
const ANA_BY_RUT = personOfRut('11.111.111-1') as Person;
const DOCUMENT = '{"x_document":{"rut":"11.111.111-1","razon_social":"Ana"}}';

forEachEngine('personal data', (openTestDatabase, engine) => {
  test('that stays is found behind ten thousand texts that only look alike', async () => {
    const { app } = await setUp(openTestDatabase);
    const alike = Array.from({ length: 10_001 }, (_, at) => `a batch of block ${at} is closed`);
    const texts = [...alike, 'of a@b.cl'].map((content, at) => {
      return { number: at + 1, day: '2026-01-15', made_at: 1, content, mac: '' };
    });
    const columns = ['number', 'day', 'made_at', 'content', 'mac'];
    await app.db.transaction((tx) => tx.insertRows({ name: 'anchors', columns }, texts));
    const { kept } = await erasePerson(app, personOfEmail('a@b.cl') as Person, TESTER, { dryRun: true });
    assert.deepEqual(kept, [{ kind: 'anchors', reason: 'sealed', rows: ['10002'] }]);
  });

  test('in payments, callbacks and shops’ answers is found and erased by e-mail address, and the books verify', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    const paid = await createPaidTransaction(app, environment, {
      reference: 'ANA-1',
      customerEmail: EMAIL,
      urlCallback: `https://shop.example.cl/cb?buyer=${encodeURIComponent(EMAIL)}`,
      unsignedFields: DOCUMENT,
    });
    await createPaidTransaction(app, environment, { reference: 'JUANA', customerEmail: `ju${EMAIL}` });
    await createTestTransaction(app, environment, { reference: 'ANA-2', customerEmail: EMAIL.toUpperCase() });
    await deliverAll(app);
    await untilVisible(app);
    await sealFeed(app);
    while ((await indexPayments(app)) > 0);
    const term = (await termsOf(app)).of('email', EMAIL);
    const terms = () => app.db.query('select term from search_terms where term = $1', [term]);
    assert.equal((await terms()).length, 2);
    const exported = await exportPerson(app, ANA, TESTER);
    assert.deepEqual(
      exported.transactions.map(({ reference }) => reference),
      ['ANA-1', 'ANA-2'],
    );
    assert.deepEqual(counts(exported), [0, 2, 1, 1]);

    const before = await stored(app);
    const dry = await erasePerson(app, ANA, TESTER, { dryRun: true });
    assert.deepEqual(await stored(app), before);
    const done = await erasePerson(app, ANA, TESTER);
    assert.deepEqual(done, dry);
    assert.deepEqual(done.records, {
      validations: 0,
      recipients: 0,
      transactions: 2,
      callbacks: 1,
      delivery_attempts: 1,
      endpoints: 0,
      refused_requests: 0,
      mails: 0,
    });
    assert.deepEqual(counts(await exportPerson(app, ANA, TESTER)), [0, 0, 0, 0]);
    const left = JSON.stringify(await stored(app)).toLowerCase();
    assert.ok(!left.replaceAll('%40', '@').includes(' ana.perez'), left);
    assert.deepEqual(await terms(), []);
    assert.match(left, /juana\.perez/, 'another address with the same end stays');
    assert.deepEqual(await verifyFindings(app), []);
    const again = await createTransaction(app, environment, testInput({ reference: 'ANA-2', customerEmail: EMAIL }));
    assert.equal(again.kind, 'replayed');
    const acts = await app.db.query<{ action: string; said_after: string }>('select * from audit_log');
    const act = acts.find(({ action }) => action === 'privacy.erased');
    assert.match(act?.said_after ?? '', /"transactions":2/);
    assert.ok(paid.id > 0);
  });

  for (const moment of ['before', 'after'] as const)
    test(`leaves no search term of an address that is erased ${moment} its payment is indexed, at the same time`, async () => {
      const { app, environment } = await setUp(openTestDatabase);
      await createPaidTransaction(app, environment, { reference: 'ANA-1', customerEmail: EMAIL });
      await untilVisible(app);
      await sealFeed(app);
      const erasing: Promise<unknown>[] = [];
      const transaction: typeof app.db.transaction = async (work, statements) => {
        if (moment === 'before') await erasePerson(app, ANA, TESTER);
        return app.db.transaction(async (tx) => {
          const result = await work(tx);
          if (moment === 'after') {
            erasing.push(erasePerson(app, ANA, TESTER));
            await untilQueued(app.db);
          }
          return result;
        }, statements);
      };
      assert.equal((await indexPayments({ ...app, db: { ...app.db, transaction } })) > 0, true);
      await Promise.all(erasing);
      const term = (await termsOf(app)).of('email', EMAIL);
      assert.deepEqual(await app.db.query('select term from search_terms where term = $1', [term]), []);
    });

  test('in unsigned objects and validations is found and erased by RUT in any spelling', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    await validateBankAccount(app, { id: 'user_a' }, { rut: '11111111-1', bankCode: '001', account: '1234509876' });
    const spellings = [DOCUMENT, '{"x_document":{"rut":"111111111"}}', '{"x_document":{"rut":11111111,"dv":"1"}}'];
    for (const [n, unsignedFields] of spellings.entries()) {
      await createPaidTransaction(app, environment, { reference: `RUT-${n}`, unsignedFields });
    }
    const others = ['{"x_document":{"rut":"211.111.111-1"}}', '{"x_items":{"amount":11111111}}'];
    for (const [n, unsignedFields] of others.entries()) {
      await createPaidTransaction(app, environment, { reference: `OTHER-${n}`, unsignedFields });
    }
    assert.deepEqual(counts(await exportPerson(app, ANA_BY_RUT, TESTER)), [1, 3, 0, 0]);
    const { records, erased } = await erasePerson(app, ANA_BY_RUT, TESTER);
    assert.deepEqual([records.validations, records.transactions, erased], [1, 3, 4]);
    assert.deepEqual(counts(await exportPerson(app, ANA_BY_RUT, TESTER)), [0, 0, 0, 0]);
    const left = await app.db.query('select id from transactions where unsigned_fields is not null');
    assert.equal(left.length, others.length);
    assert.deepEqual(await verifyFindings(app), []);
  });

  test('that proves the books is kept and named, and open payments keep their addresses', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    const reference = 'for-ana.perez+web@example.cl';
    await createPaidTransaction(app, environment, { reference: 'ana.perez+web@example.cl' });
    await createTestTransaction(app, environment, { reference, sessionId: 'ana.perez+web@example.cl' });
    const { waiting, kept, records } = await erasePerson(app, ANA, TESTER);
    assert.deepEqual(
      kept.map(({ kind, rows }) => [kind, rows.length]),
      [['references', 1]],
    );
    // The pending transaction, and the unsent callback with the reference in its body.
    assert.equal(waiting, 2);
    assert.deepEqual([records.transactions, records.callbacks], [1, 0]);
    const acts = await app.db.query<{ said_after: string }>(
      "select said_after from audit_log where action = 'privacy.erased'",
    );
    assert.deepEqual(
      acts.map(({ said_after }) => JSON.parse(said_after).callbacks),
      [0],
      'the audit log says of no unsent callback that it was erased',
    );
    const [pending] = await app.db.query("select session_id, customer_email from transactions where state = 'pending'");
    assert.deepEqual({ ...pending }, { session_id: 'ana.perez+web@example.cl', customer_email: '' });
    assert.deepEqual(await verifyFindings(app), []);
  });

  test('has its erasure in the audit log even if the process is killed during it', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    await validateBankAccount(app, { id: 'user_a' }, { rut: '11111111-1', bankCode: '001', account: '1234509876' });
    await createPaidTransaction(app, environment, { reference: 'RUT-1', unsignedFields: DOCUMENT });
    const acts = () => app.db.query("select actor from audit_log where action = 'privacy.erased'");
    const gone = async () => (await app.db.query('select id from bank_account_validations')).length === 0;
    const transaction: typeof app.db.transaction = async (work) => {
      if (await gone()) throw new Error('killed');
      return app.db.transaction(work);
    };
    const killed = { ...app, db: { ...app.db, transaction } };
    await assert.rejects(erasePerson(killed, ANA_BY_RUT, TESTER), /killed/);
    assert.equal((await acts()).length, 1);
  });

  test('in payouts and bank files is kept and named when the recipient is erased', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [payout] = await approved(app, desk, [wish({ message: `for ${PAYEE.email}` })]);
    const payer = { rut: '76.123.456-0', name: 'Tienda SpA', account: '123456789', agreement: '' };
    const file = { owner: desk.environment, by: desk.maker, format: 'bancoestado-abonos', payer, batchId: null };
    const [made] = await makePayoutFiles(app, file);
    const kept = [
      ['payouts', [payout?.id]],
      ['payout_files', [made?.file.id]],
    ];
    const named = (found: { kept: readonly { kind: string; rows: string[] }[] }) =>
      found.kept.map(({ kind, rows }) => [kind, rows]);
    const byRut = personOfRut(PAYEE.rut) as Person;
    assert.deepEqual(named(await exportPerson(app, byRut, TESTER)), kept);
    const erased = await erasePerson(app, byRut, TESTER);
    assert.deepEqual([erased.records.recipients, named(erased)], [1, kept]);
    assert.deepEqual(named(await exportPerson(app, byRut, TESTER)), kept);
    const byEmail = personOfEmail(PAYEE.email as string) as Person;
    assert.deepEqual(named(await exportPerson(app, byEmail, TESTER)), [['payout_texts', [payout?.id]]]);
  });

  test('that comes while it is searched and erased is erased too, with its own entry in the audit log', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    await createPaidTransaction(app, environment, { customerEmail: EMAIL });
    let come = 0;
    const transaction: typeof app.db.transaction = async (work, statements) => {
      const reference = `LATE-${++come}`;
      if (come <= 2) await createPaidTransaction(app, environment, { reference, customerEmail: EMAIL });
      return app.db.transaction(work, statements);
    };
    const { erased, records } = await erasePerson({ ...app, db: { ...app.db, transaction } }, ANA, TESTER);
    assert.deepEqual([erased, records.transactions], [3, 3]);
    assert.deepEqual(counts(await exportPerson(app, ANA, TESTER)), [0, 0, 0, 0]);
    const acts = await app.db.query("select said_after from audit_log where action = 'privacy.erased' order by link");
    assert.deepEqual(
      acts.map(({ said_after }) => JSON.parse(String(said_after)).transactions),
      [1, 2],
    );
  });

  test('of two people in the same texts who are erased at the same time is erased of both', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    await createPaidTransaction(app, environment, {
      customerEmail: 'buyer@example.cl',
      sessionId: `11.111.111-1 ${EMAIL}`,
      urlCallback: `https://shop.example.cl/cb/11.111.111-1/${EMAIL}`,
    });
    await deliverAll(app);
    const both = `11.111.111-1, ${EMAIL}`;
    await app.db.transaction(async (tx) => {
      await tx.query('update delivery_attempts set excerpt = $1, location = $1', [both]);
      await tx.query('update endpoints set location = $1', [both]);
    });
    let isFirst = true;
    // The other erasure runs when this one has found its rows and writes nothing yet.
    const transaction: typeof app.db.transaction = async (work, statements) => {
      if (isFirst) {
        isFirst = false;
        await erasePerson(app, ANA_BY_RUT, TESTER);
      }
      return app.db.transaction(work, statements);
    };
    const { records } = await erasePerson({ ...app, db: { ...app.db, transaction } }, ANA, TESTER);
    const { transactions, callbacks, delivery_attempts, endpoints } = records;
    const once = [transactions, callbacks, delivery_attempts, endpoints];
    assert.deepEqual(once, [1, 1, 1, 1], 'a row that is found twice counts once');
    const left = { ...(await stored(app)), endpoints: await app.db.query('select * from endpoints') };
    assert.doesNotMatch(JSON.stringify(left), /11\.111|ana\.perez/i);
  });

  test('that is erased while its account is being stored as a recipient is not stored', async () => {
    const app = createTestApp(await openTestDatabase());
    const { users, maker } = await openPayoutDesk(app);
    const account = { rut: PAYEE.rut, bankCode: PAYEE.bankCode, account: PAYEE.account, rutFormat: null };
    const by = { id: users.maker.id, environmentIds: null };
    const { id: validationId } = await validateBankAccount(app, by, account);
    const transaction: typeof app.db.transaction = async (work, statements) => {
      await erasePerson(app, personOfRut(PAYEE.rut) as Person, TESTER);
      return app.db.transaction(work, statements);
    };
    const input = { validationId, paymentServiceId: null, account, name: PAYEE.name ?? '', email: null };
    const keeping = keepRecipient({ ...app, db: { ...app.db, transaction } }, by, null, input, maker);
    await assert.rejects(keeping, { code: 'NOT_FOUND' });
    assert.deepEqual(await app.db.query('select id from recipients'), []);
  });

  test('of a recipient whose row was tampered with is exported as unreadable and erased', async () => {
    const app = createTestApp(await openTestDatabase());
    await approved(app, await openPayoutDesk(app));
    const [row] = await app.db.query<{ sealed: string }>('select sealed_details as sealed from recipients');
    const changed = row?.sealed.replace(/.{22}$/, 'A'.repeat(22)) ?? '';
    await app.db.transaction((tx) => tx.query('update recipients set sealed_details = $1', [changed]));
    const { recipients } = await exportPerson(app, personOfRut(PAYEE.rut) as Person, TESTER);
    assert.deepEqual(
      recipients.map(({ unreadable, account }) => [unreadable, account]),
      [[true, undefined]],
    );
    const { records } = await erasePerson(app, personOfRut(PAYEE.rut) as Person, TESTER);
    assert.equal(records.recipients, 1);
    assert.deepEqual(await app.db.query('select id from recipients'), []);
  });

  test('in a payment link’s subject and a settlement difference’s reason is named as kept', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const wish = { amount: 1000, currency: 'CLP', uses: 'one', expiresAt: null, urlCallback: null } as const;
    const subject = 'Cuota de 11.111.111-1';
    const { link } = await createPaymentLink(app, environment.id, { ...wish, subject }, TESTER);
    await app.db.transaction(async (tx) => {
      await tx.query(
        `insert into settlements (id, environment, payment_method, file_name, file_sha256, first_day, last_day, kept_at, kept_by,
           matched, totals)
         values ('st_1', 'development', 'simulated', '11111111-1.csv', 'x', '2026-01-15', '2026-01-15', 1, 'x', 0, '{}')`,
      );
      await tx.query(
        `insert into settlement_differences (settlement_id, number, cause, day, currency, reason)
         values ('st_1', 3, 'missing', '2026-01-15', 'CLP', 'asked 11.111.111-1')`,
      );
    });
    const { kept } = await exportPerson(app, ANA_BY_RUT, TESTER);
    assert.deepEqual(
      kept.filter(({ kind }) => /links|settlement/.test(kind)).map(({ kind, rows }) => [kind, rows]),
      [
        ['payment_links', [link.id]],
        ['settlements', ['st_1']],
        ['settlement_differences', ['st_1/3']],
      ],
    );
  });

  test('in several texts of one merchant is named as kept once', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    await app.db.transaction(async (tx) => {
      await tx.query('update payment_services set name = $1', [`Tienda ${EMAIL}`]);
      await tx.query('update environments set events_url = $1', [`https://shop.example.cl/${EMAIL}`]);
    });
    const { kept } = await erasePerson(app, ANA, TESTER);
    assert.deepEqual(kept.find(({ kind }) => kind === 'merchants')?.rows, [environment.paymentServiceId]);
  });

  test('in an event of no transaction is named as kept, however many events there are', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    const event = { environmentId: environment.id, type: 'payout.recorded', createdAt: app.now() } as const;
    const references = Array.from({ length: ROWS_OF_A_PART + 2 }, (_, at) => (at === 1 ? EMAIL : `R-${at}`));
    await app.db.transaction((tx) =>
      recordEnvironmentEvents(
        tx,
        references.map((reference) => ({ ...event, data: { reference } })),
      ),
    );
    const [named] = await app.db.query<{ position: number }>(`select position from events where data like '%@%'`);
    const { kept } = await erasePerson(app, ANA, TESTER);
    assert.deepEqual(kept.find(({ kind }) => kind === 'events')?.rows, [String(named?.position)]);
  });

  test('in a callback address and its last redirect is exported and erased', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    await createPaidTransaction(app, environment, {
      reference: 'ORD-1',
      customerEmail: 'buyer@example.cl',
      urlCallback: `https://shop.example.cl/cb/${EMAIL}`,
    });
    await deliverAll(app);
    await app.db.transaction((tx) =>
      tx.query("update endpoints set location = '/thanks?next=https%3A%2F%2Fa.cl%3Fe%3Dana.perez%2Bweb%40example.cl'"),
    );
    const exported = await exportPerson(app, ANA, TESTER);
    assert.deepEqual(
      exported.endpoints.map((row) => row['address']),
      [`https://shop.example.cl/cb/${EMAIL}`],
    );
    // A person sends it again after it was found.
    const [callback] = await app.db.query<{ id: number }>('select id from callbacks');
    let isFirst = true;
    const transaction: typeof app.db.transaction = async (work, statements) => {
      if (isFirst) assert.equal(await resendCallback(app, callback?.id ?? 0, TESTER), 'queued');
      isFirst = false;
      return app.db.transaction(work, statements);
    };
    const { records, waiting } = await erasePerson({ ...app, db: { ...app.db, transaction } }, ANA, TESTER);
    assert.deepEqual([records.endpoints, records.callbacks, waiting], [1, 0, 1]);
    await deliverAll(app);
    assert.equal((await erasePerson(app, ANA, TESTER)).records.callbacks, 1);
    const [left] = await app.db.query<{ id: number; address: string; location: string }>('select * from endpoints');
    assert.equal(left?.address, `https://shop.example.cl/cb/erased?erased=${left?.id}`);
    assert.equal(left.location, '/thanks?next=https%3A%2F%2Fa.cl%3Fe%3Derased');
    assert.deepEqual((await exportPerson(app, ANA, TESTER)).endpoints, []);
  });

  test('in the audit log, a merchant’s look and the author of an act is named as kept', async () => {
    const { app, environment } = await setUp(openTestDatabase);
    const { paymentServiceId } = environment;
    await app.db.transaction(async (tx) => {
      await tx.query("insert into looks (payment_service_id, changed_at, legal_name, rut) values ($1, 1, 'Ana', $2)", [
        paymentServiceId,
        '11.111.111-1',
      ]);
      await tx.query(
        `insert into closed_months (month, environment, closed_at, closed_by, owed)
         values ('2026-01', 'development', 1, $1, '{}')`,
        [EMAIL],
      );
      await recordAudit(tx, {
        at: app.now(),
        by: TESTER,
        action: 'privacy.looked_up',
        subject: { kind: 'person', id: 'a RUT' },
        reason: `asked by ${EMAIL} of 11.111.111-1`,
      });
    });
    const kept = async (person: Person) =>
      (await exportPerson(app, person, TESTER)).kept.map(({ kind, rows }) => [kind, rows]);
    const [row] = await app.db.query<{ link: number }>('select link from audit_log where reason is not null');
    assert.deepEqual(await kept(ANA_BY_RUT), [
      ['audit_log', [String(row?.link)]],
      ['merchants', [paymentServiceId]],
    ]);
    assert.deepEqual(await kept(ANA), [
      ['audit_log', [String(row?.link)]],
      ['acts', ['closed_months/2026-01/development']],
    ]);
  });

  test('in the reasons of a refused request, in either language, is exported and erased', async () => {
    const { app } = await setUp(openTestDatabase);
    const refused = {
      request_id: 'req_1',
      environment_id: 0,
      at: app.now(),
      method: 'POST',
      route: '/trxs',
      status: 422,
    };
    const texts = { code: 'INVALID_BODY', detail: '', errors: '[{"message":"11.111.111-1 is new"}]', fields: '{}' };
    const inSpanish = { ...texts, request_id: 'req_2', errors: '[]', detail_es: 'El RUT 11.111.111-1 es nuevo' };
    await app.db.transaction((tx) =>
      insertRefused(
        tx,
        [{ detail_es: null, ...texts }, inSpanish].map((row) => ({ ...refused, ...row, repeated: 0 })),
      ),
    );
    const exported = await exportPerson(app, ANA_BY_RUT, TESTER);
    assert.deepEqual(
      exported.refused_requests.map((row) => row['request_id']),
      ['req_1', 'req_2'],
    );
    assert.equal((await erasePerson(app, ANA_BY_RUT, TESTER)).records.refused_requests, 2);
    assert.deepEqual(await app.db.query('select request_id from refused_requests'), []);
  });

  if (engine === 'sqlite') {
    test('is in no byte of the database files after its erasure', async () => {
      const db = await openTestDatabase();
      const app = createTestApp(db);
      const environment = await createTestEnvironment(app);
      for (let n = 0; n < 300; n++) {
        await createTestTransaction(app, environment, {
          reference: `ORD-${n}`,
          customerEmail: EMAIL,
          unsignedFields: `{"x_document":{"name":"${EMAIL}","more":"${'x'.repeat(n * 40)}"}}`,
        });
      }
      const file = db.url.slice('sqlite:'.length);
      const bytes = () =>
        [file, `${file}-wal`].filter(existsSync).map((path) => readFileSync(path).includes('Ana.Perez'));
      assert.ok(bytes().includes(true));
      await erasePerson(app, ANA, TESTER);
      assert.deepEqual([...new Set(bytes())], [false]);
    });
  }
});

async function setUp(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase(), {
    fetch: async () => ({
      kind: 'answered',
      status: 200,
      retryAfter: null,
      excerpt: `Thanks, ${EMAIL}`,
      durationMs: 1,
    }),
  });
  await prepareStore(app, TESTER);
  return { app, environment: await createTestEnvironment(app) };
}

type App = ReturnType<typeof createTestApp>;

/** Delivers the callbacks. The answers to callbacks of other payments are not about the person. */
async function deliverAll(app: App): Promise<void> {
  const delivery = createCallbackDelivery(app, () => {});
  while ((await delivery.poll()) > 0) await delivery.drain();
  await delivery.drain();
  await app.db.transaction((tx) =>
    tx.query("update delivery_attempts set excerpt = 'OK' where id > (select min(id) from delivery_attempts)"),
  );
}

const stored = async (app: App) => ({
  transactions: await app.db.query('select * from transactions order by id'),
  callbacks: await app.db.query('select * from callbacks order by id'),
  attempts: await app.db.query('select * from delivery_attempts order by id'),
});

async function verifyFindings(app: App) {
  await untilVisible(app);
  const { ok, findings } = await verifyStore(app);
  assert.equal(ok, findings.length === 0);
  return findings;
}

const counts = ({
  validations,
  transactions,
  callbacks,
  delivery_attempts,
}: Awaited<ReturnType<typeof exportPerson>>) =>
  [validations, transactions, callbacks, delivery_attempts].map(({ length }) => length);
