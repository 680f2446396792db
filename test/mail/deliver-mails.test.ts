import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { ATTENTION_KINDS } from '../../src/attention/attention-kinds.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { verifyInThread } from '../../src/cli/run/verify-in-thread.ts';
import { createMailer, type Mailer, type MailMessage } from '../../src/lib/network/mailer.ts';
import { deleteOldMails, deliverMails } from '../../src/mail/deliver-mails.ts';
import type { Mail } from '../../src/mail/mail.ts';
import { isMailAddress } from '../../src/mail/mail.ts';
import { endMail, listMails, resendMail } from '../../src/mail/manage-mails.ts';
import { writeReceipt } from '../../src/pages/receipt-mail.ts';
import { setLook } from '../../src/payment-services/set-look.ts';
import { setReceipts } from '../../src/payment-services/set-receipts.ts';
import { erasePerson } from '../../src/privacy/erase-person.ts';
import { exportPerson } from '../../src/privacy/export-person.ts';
import { type Person, personOfEmail } from '../../src/privacy/person.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { payToken, type Transaction, type TransactionInput } from '../../src/transactions/transaction.ts';
import { startWorker } from '../../src/worker.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { acceptedRefund, refundingMethod } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { untilQueued } from '../support/until-queued.ts';

const PAYER = 'buyer@example.cl';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const HOUR = 3_600_000;
const nobody = async () => new Set<number>();

forEachEngine('receipts by mail', (openTestDatabase) => {
  test('leave while the mail server does not answer about another address', async () => {
    const begun = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const sent: string[] = [];
    const mailer: Mailer = {
      send: async ({ to }) => {
        if (to === 'slow@example.cl') {
          begun.resolve();
          await answer.promise;
        }
        sent.push(to);
        return { kind: 'sent' };
      },
    };
    const shop = await openShop(openTestDatabase, mailer);
    await shop.pay({ customerEmail: 'slow@example.cl' });
    const worker = startWorker(shop.app, async () => true, assert.fail, verifyInThread);
    await begun.promise;
    await shop.pay({ reference: 'ORD-2' });
    assert.ok(await comesTrue(() => sent.length === 1));
    assert.deepEqual(sent, [PAYER]);
    answer.resolve();
    await worker.stop();
    assert.deepEqual(await shop.states(), ['sent', 'sent']);
  });

  test('notify the payer once of a payment and once of its refund, in the shop’s name and without secrets', async (context) => {
    const post = await startPost(context);
    const shop = await openShop(openTestDatabase, createMailer({ ...post.server, user: 'pagos', password: 'p@ss' }));
    const { environment } = shop;
    const contact = 'ayuda@casaverde.example.cl';
    await setLook(
      shop.app,
      environment.paymentServiceId,
      { contact, legalName: 'Casa Verde SpA', rut: '76111222-8' },
      TESTER,
    );
    const paid = await shop.pay({ reference: 'ORD-<7>' });
    await shop.send();
    await acceptedRefund(shop.app, paid, 2990);
    await carryOutRefunds(shop.app, 10);
    await shop.send();
    assert.deepEqual(
      post.taken.map(({ user, to, subject }) => [user, to, subject]),
      [
        ['pagos', [PAYER], '[Prueba] Tu comprobante de Test shop: $12.990'],
        ['pagos', [PAYER], '[Prueba] Test shop te devolvió $2.990'],
      ],
    );
    const [first, second] = post.taken.map(({ text }) => text) as [string, string];
    for (const part of [
      'From: Test shop <no-reply@localhost>',
      'Reply-To: ayuda@casaverde.example.cl',
      'Auto-Submitted: auto-generated',
      'Pagaste $12.990 a Test shop',
      'Orden: ORD-<7>',
      'ORD-&lt;7&gt;',
      'Casa Verde SpA, 76.111.222-8.',
      `http://127.0.0.1:8080/pay/${payToken(paid)}`,
    ])
      assert.ok(first.includes(part), `${part} is not in ${first}`);
    assert.match(second, /Devuelto: \$2\.990/);
    assert.notEqual(/^Message-ID: (.*)$/m.exec(first)?.[1], /^Message-ID: (.*)$/m.exec(second)?.[1]);
    for (const secret of [
      ...environment.secrets.map(({ text }) => text),
      environment.serviceToken,
      'p@ss',
      'session-1',
    ])
      assert.ok(!(first + second).includes(secret), 'the log has no secret');
    assert.deepEqual(await shop.states(), ['sent', 'sent']);
  });

  test('are not queued without a mail server, for a shop that turned them off, or without a valid address', async () => {
    const without = await openShop(openTestDatabase, null);
    await without.pay();
    const shop = await openShop(openTestDatabase, spool().mailer);
    await shop.pay({ customerEmail: 'nobody' });
    await setReceipts(shop.app, shop.environment.paymentServiceId, 'off', TESTER);
    shop.app.now.advance(2000);
    await shop.pay();
    assert.deepEqual([await without.states(), await shop.states()], [[], []]);
  });

  test('are in English when the shop sets it, and are not sent after a decline', async () => {
    const { mailer, taken } = spool();
    const shop = await openShop(openTestDatabase, mailer);
    await setReceipts(shop.app, shop.environment.paymentServiceId, 'en', TESTER);
    shop.app.now.advance(2000);
    await shop.pay({ amount: 5011, reference: 'DECLINED' });
    await shop.pay();
    await shop.send();
    assert.deepEqual(
      taken.map(({ subject }) => subject),
      ['[Test] Your receipt from Test shop: CLP\u00a012,990'],
    );
    assert.match(taken[0]?.html ?? '', /<html lang="en">/);
  });

  test('are retried while the server is down, then wait for a person, without showing the address', async () => {
    const down: Mailer = createMailer({ host: '127.0.0.1', port: 9, secure: false, user: null, password: null });
    const shop = await openShop(openTestDatabase, down);
    await shop.pay();
    const stuck = () => waitingMails(shop.app);
    for (let tried = 0; (await shop.states())[0] === 'queued'; tried++) {
      assert.ok(tried < 20);
      assert.deepEqual((await stuck())?.length, shop.age() < 24 * HOUR ? 0 : 1);
      await shop.send();
      shop.app.now.advance(24 * HOUR);
    }
    const [mail] = await listMails(shop.app, null, 10, new Set());
    assert.deepEqual([mail?.state, mail?.attempts], ['dead', 9]);
    assert.match(String(mail?.failure), /^ESOCKET|^ECONNECTION/);
    const [waiting] = (await stuck()) ?? [];
    assert.equal(waiting?.command, `bin/rubrica mail resend ${mail?.id}`);
    assert.ok(!JSON.stringify(waiting).includes(PAYER));

    const post = spool();
    const again = { ...shop.app, mailer: post.mailer };
    let ending: Promise<string> | undefined;
    const resending = onQuery(again, async (sql) => {
      if (!sql.startsWith('update audit_head set link')) return;
      ending = endMail(again, String(mail?.id), TESTER, mail);
      await untilQueued(shop.app.db);
    });
    assert.equal(await resendMail(resending, String(mail?.id), TESTER, mail), 'done');
    assert.equal(await ending, 'no', 'a person who saw the earlier state ends nothing');
    await deliverMails(again, writeReceipt);
    assert.deepEqual([post.taken.length, await shop.states()], [1, ['sent']]);
    assert.deepEqual(await stuck(), []);
    assert.equal(await endMail(again, String(mail?.id), TESTER), 'no');
    assert.equal(await resendMail(again, 'mail_none', TESTER), 'unknown');
  });

  test('are given up at once when the server refuses the address, and a person can close them', async (context) => {
    const post = await startPost(context, { address: [550, `no such user ${PAYER.toUpperCase()}`] });
    const shop = await openShop(openTestDatabase, createMailer({ ...post.server, user: null, password: null }));
    await shop.pay();
    await shop.send();
    const [mail] = await listMails(shop.app, 'dead', 10, new Set());
    assert.match(String(mail?.failure), /^EENVELOPE: 550 no such user …/);
    const [waiting] = (await waitingMails(shop.app)) ?? [];
    assert.match(waiting?.reason.en ?? '', /given up after 1 attempt: EENVELOPE/);
    assert.match(waiting?.reason.es ?? '', /no salió tras 1 intento: EENVELOPE/);
    assert.equal(await endMail(shop.app, String(mail?.id), TESTER), 'done');
    assert.deepEqual(await shop.states(), ['ended']);
  });

  test('wait when the server refuses every mail for wrong settings, and are sent once these are right', async (context) => {
    const refusals: Refusals = {};
    const post = await startPost(context, refusals);
    const shop = await openShop(openTestDatabase, createMailer({ ...post.server, user: null, password: null }));
    await shop.pay();
    for (const wrong of [
      { sender: [530, '5.7.0 Authentication required'] },
      { sender: [553, '5.7.1 Sender address rejected: not owned by user'] },
      { address: [554, '5.7.1 Relay access denied'] },
    ] satisfies Refusals[]) {
      Object.assign(refusals, { sender: undefined, address: undefined }, wrong);
      await shop.send();
      assert.deepEqual(await shop.states(), ['queued'], JSON.stringify(wrong));
      shop.app.now.advance(12 * 60 * 60_000);
    }
    Object.assign(refusals, { sender: undefined, address: undefined });
    await shop.send();
    assert.deepEqual([post.taken.length, await shop.states()], [1, ['sent']]);
  });

  test('are sent once by two workers, and a worker with an expired lease changes nothing', async () => {
    const { mailer, taken } = spool();
    const shop = await openShop(openTestDatabase, mailer);
    await shop.pay();
    await Promise.all([shop.send(), shop.send()]);
    assert.deepEqual([taken.length, await shop.states()], [1, ['sent']]);

    const slow = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const stuck: Mailer = {
      send: async () => {
        begun.resolve();
        await slow.promise;
        return { kind: 'failed', reason: 'late' };
      },
    };
    await shop.pay({ reference: 'ORD-2' });
    const paused = deliverMails({ ...shop.app, mailer: stuck }, writeReceipt);
    await begun.promise;
    shop.app.now.advance(3 * 60_000);
    await shop.send();
    slow.resolve();
    await paused;
    assert.deepEqual([taken.length, await shop.states()], [2, ['sent', 'sent']]);
  });

  test('are sent from the payment’s page on request, at most five times, to a valid address only', async () => {
    const { mailer, taken } = spool();
    const shop = await openShop(openTestDatabase, mailer);
    const paid = await shop.pay({ customerEmail: 'nobody' });
    await using server = await startTestServer(shop.app);
    const path = `/pay/${payToken(paid)}`;
    assert.match((await server.get(path)).text, /<form method="post" action="[^"]+\/receipt" class="mailed">/);
    const ask = (email: string) =>
      server.post(`${path}/receipt`, {
        headers: { ...FORM, 'accept-language': 'en' },
        body: `email=${encodeURIComponent(email)}`,
      });
    const refused = await ask('ana@example.cl, x@example.cl');
    assert.equal(refused.status, 400);
    assert.match(refused.text, /role="alert">Write an e-mail address/);
    const sent = await ask('ana@example.cl');
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, `${path}?receipt=sent`]);
    const page = (await server.get(`${path}?receipt=sent`)).text;
    assert.match(page, /role="status">Listo: el comprobante va en camino/);
    assert.doesNotMatch(page, /class="quiet leaving"/);
    for (let more = 2; more <= 5; more++) assert.equal((await ask('ana@example.cl')).status, 303);
    assert.equal((await ask('ana@example.cl')).status, 429);
    await shop.send();
    assert.deepEqual(
      [...new Set(taken.map(({ to, subject }) => `${to} ${subject}`))],
      ['ana@example.cl [Test] Your receipt from Test shop: CLP\u00a012,990'],
    );
    const unpaid = await createTestTransaction(shop.app, shop.environment, { reference: 'UNPAID' });
    const early = await server.post(`/pay/${payToken(unpaid)}/receipt`, {
      headers: FORM,
      body: 'email=ana%40example.cl',
    });
    assert.deepEqual([early.status, early.headers.get('location')], [303, `/pay/${payToken(unpaid)}`]);
  });

  test('are exported and erased with their person, and deleted after 30 days', async () => {
    const { mailer, taken } = spool();
    const shop = await openShop(openTestDatabase, mailer);
    await shop.pay({ customerEmail: 'Ana@example.cl' });
    const ana = personOfEmail('ana@example.cl') as Person;
    const { mails } = await exportPerson(shop.app, ana, TESTER);
    assert.deepEqual(
      mails.map(({ address, state }) => [address, state]),
      [['Ana@example.cl', 'queued']],
    );
    assert.equal((await erasePerson(shop.app, ana, TESTER)).records.mails, 1);
    await shop.pay({ reference: 'ORD-2' });
    await shop.send();
    assert.deepEqual([taken.length, await shop.states()], [1, ['sent']]);
    await deleteOldMails(shop.app, nobody, 10);
    shop.app.now.advance(31 * 24 * HOUR);
    const [sent] = await listMails(shop.app, 'sent', 1, new Set());
    let deleting: Promise<number> | undefined;
    const resending = onQuery(shop.app, async (sql) => {
      if (!sql.startsWith('update audit_head set link')) return;
      deleting = deleteOldMails(shop.app, nobody, 10);
      await untilQueued(shop.app.db);
    });
    assert.equal(await resendMail(resending, sent?.id as string, TESTER), 'done');
    assert.equal(await deleting, 0, 'a mail that a person sends again meanwhile is kept');
    await shop.send();
    assert.deepEqual([taken.length, await shop.states()], [2, ['sent']]);
    shop.app.now.advance(31 * 24 * HOUR);
    assert.equal(await deleteOldMails(shop.app, nobody, 10), 1);
    assert.deepEqual(await shop.states(), []);
  });
});

for (const [text, expected] of [
  ['ana.perez+web@example.cl', true],
  ['ana@example', false],
  ['ana@example.cl, x@example.cl', false],
  ['Ana <ana@example.cl>', false],
  ['ana@example.cl\r\nBcc: x@example.cl', false],
  ['', false],
] as const) {
  test(`${JSON.stringify(text)} is ${expected ? 'an address' : 'no address'}`, () => {
    assert.equal(isMailAddress(text), expected);
  });
}

function waitingMails(app: Parameters<typeof listMails>[0]) {
  return ATTENTION_KINDS.find(({ kind }) => kind === 'mail')?.list(app, 10);
}

async function openShop(openTestDatabase: OpenTestDatabase, mailer: Mailer | null) {
  const app = createTestApp(await openTestDatabase(), { mailer, paymentMethods: [refundingMethod()] });
  const environment = await createTestEnvironment(app);
  const begun = app.now();
  return {
    app,
    environment,
    age: () => app.now() - begun,
    send: () => deliverMails(app, writeReceipt),
    states: async () =>
      (await app.db.query<Mail>('select state from mails order by created_at, id')).map(({ state }) => state),
    pay: async (changes: Partial<TransactionInput> = {}): Promise<Transaction> => {
      const transaction = await createTestTransaction(app, environment, changes);
      await startPayment(app, transaction, 'simulated');
      return transaction;
    },
  };
}

/** Returns a mailer that accepts and records every mail. */
function spool(): { mailer: Mailer; taken: MailMessage[] } {
  const taken: MailMessage[] = [];
  const mailer: Mailer = {
    send: async (message) => {
      taken.push(message);
      return { kind: 'sent' };
    },
  };
  return { mailer, taken };
}

type Taken = { user: unknown; to: string[]; subject: string; text: string };

/** What a mail server says of the sender or of the address of every mail; it accepts what is not there. */
type Refusals = { sender?: Said; address?: Said };
type Said = readonly [status: number, text: string];

/** Starts a mail server on loopback that records accepted mails, or refuses all. */
async function startPost(context: TestContext, refusals: Refusals = {}) {
  const taken: Taken[] = [];
  const answer = (said: Said | undefined) =>
    said === undefined ? null : Object.assign(new Error(said[1]), { responseCode: said[0] });
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      done(password === 'p@ss' ? null : new Error('wrong'), { user: username }),
    onMailFrom: (_address, _session, done) => done(answer(refusals.sender)),
    onRcptTo: (_address, _session, done) => done(answer(refusals.address)),
    onData: (stream, { envelope, user }, done) => {
      const take = (chunks: Buffer[]) => {
        const text = decode(Buffer.concat(chunks).toString());
        const subject = /^Subject: (.*(?:\n .*)*)$/m.exec(text)?.[1]?.replace(/\n /g, '') ?? '';
        taken.push({ user, to: envelope.rcptTo.map(({ address }) => address), subject, text });
        done();
      };
      void stream.toArray().then(take);
    },
  });
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  context.after(() => new Promise<void>((resolve) => smtp.close(() => resolve())));
  const { port } = smtp.server.address() as AddressInfo;
  return { taken, server: { host: '127.0.0.1', port, secure: false } };
}

/** Decodes quoted-printable text and encoded words like a mail program. */
function decode(raw: string): string {
  const bytes = (text: string) =>
    Buffer.from(
      text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
      'latin1',
    );
  const words = raw
    .replaceAll('\r\n', '\n')
    .replace(/\?=\n? =\?UTF-8\?Q\?/g, '')
    .replace(/=\?UTF-8\?Q\?([^?]*)\?=/g, (_, text: string) => bytes(text.replaceAll('_', ' ')).toString());
  const [head = '', ...body] = words.split('\n\n');
  return [head, ...body.map((part) => (part.includes('=') ? bytes(part.replaceAll('=\n', '')).toString() : part))].join(
    '\n\n',
  );
}
