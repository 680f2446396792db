import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { selectDecisions } from '../../src/checkout/payment-decision-queries.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { startPayment } from '../../src/checkout/start-payment.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { selectRefundDecisions } from '../../src/refunds/refund-decision-queries.ts';
import { endContradiction } from '../../src/statements/end-contradiction.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { approved, declined, openCheckout, readAttempt, readStates, scriptMethod } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { approved as approvedPayouts, openPayoutDesk } from '../support/test-payouts.ts';
import { acceptedRefund, refundingMethod, refundsOf } from '../support/test-refunds.ts';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const MINUTE_MS = 60_000;
const PAGE = Buffer.from('a page of the portal');

type Fields = Record<string, string>;

/** Sends a form with a file like a browser. An empty file means that none was chosen. */
async function sendForm(server: TestServer, user: TestUser, path: string, fields: Fields, file: Buffer, from: Fields) {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)]), 'portal.html');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const type = request.headers.get('content-type') ?? '';
  return server.post(path, {
    headers: { 'content-type': type, ...from, ...user.console },
    body: Buffer.from(await request.arrayBuffer()) as never,
  });
}

const OURS = { 'sec-fetch-site': 'same-origin' };

function deskOf(app: TestApp, server: TestServer, path: string) {
  const look = (user: TestUser, fields: Fields, file: Buffer = PAGE, from: Fields = OURS) =>
    sendForm(server, user, path, fields, file, from);
  const confirm = (user: TestUser, preview: Answer) =>
    sendForm(server, user, path, fieldsIn(preview), Buffer.alloc(0), OURS);
  const user = (role: 'finance' | 'auditor', email?: string) =>
    createTestUser(app, { role, may: [], ...(email !== undefined && { email }) });
  return { look, confirm, user };
}

/** Returns the fields of the confirmation on the page. */
function fieldsIn({ text }: Answer): Fields {
  return Object.fromEntries(
    [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

async function assertBooksHold(app: TestApp): Promise<void> {
  const { problems, records, balances } = await verifyBooks(app);
  assert.deepEqual([problems, records, balances], [[], [], []]);
}

/**
 * Asserts that the act is refused because the payment service has moved, not because it is moving: a retry would not
 * help.
 */
async function assertMoved(app: TestApp, environment: ServiceEnvironment, act: () => Promise<Answer>): Promise<void> {
  await leaveFor(app, environment);
  app.now.advance(1_000);
  const { status, text } = await act();
  assert.deepEqual([status, text.includes('se atiende en https://pay-2.example.cl')], [421, true], text);
}

forEachEngine('an attempt in doubt at the console', (openTestDatabase) => {
  /** Opens an attempt that its method does not end. `answers`: the answers of the method to later questions. */
  const open = async (answers: Parameters<typeof scriptMethod>[0] = {}) => {
    const unknown = async () => ({ kind: 'unknown' }) as const;
    const method = scriptMethod({ start: unknown, lookup: unknown, ...answers });
    const opened = await openCheckout(openTestDatabase, { method });
    const { app, transaction, environment } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    app.now.advance(31 * MINUTE_MS);
    const server = await startTestServer(app);
    const payment = `/console/payments/${transaction.id}`;
    const path = `${payment}/attempts/${id}/settle`;
    return { app, server, method, environment, id, payment, path, ...deskOf(app, server, path) };
  };
  const TAKEN = { outcome: 'approved', reason: 'lo muestra el portal' };

  test('is decided after a preview of its entries, with person, reason and evidence', async () => {
    const { app, server, method, id, payment, path, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance', 'fina@example.cl');
    const shown = await server.get(payment, finance.console);
    assert.match(shown.text, /<h2>En duda<\/h2><div class="card pad"><p>scripted no ha dicho en qué terminó</);
    assert.ok(shown.text.includes(`href="${path}"`));
    const waiting = await server.get('/console/attention', finance.console);
    assert.ok(waiting.text.includes(`<a href="${path}">Decir qué pasó</a>`));
    const form = await server.get(path, finance.console);
    assert.deepEqual([form.status, /name="file" required/.test(form.text)], [200, true]);
    const asked = method.lookedUp.length;
    const preview = await look(finance, { ...TAKEN, amount: '13000' });
    assert.equal(preview.status, 200, preview.text);
    assert.equal(method.lookedUp.length, asked + 1, 'the method is asked before a person decides');
    assert.match(preview.text, /Se le preguntó otra vez a scripted, y sigue sin decirlo/);
    assert.match(preview.text, /La orden quedará como: Pagado/);
    const rows = [...preview.text.matchAll(/<td data-label="Monto" class="number">([^<]*)</g)].map(([, sum]) => sum);
    assert.deepEqual(rows, ['$12.990 CLP', '$10 CLP'], 'the surplus is in suspense');
    assert.deepEqual((await readStates(app)).attempts, ['unknown'], 'a preview changes nothing');
    assert.deepEqual(await selectDecisions(app.db, 10), []);
    for (let click = 0; click < 2; click++) {
      const done = await confirm(finance, preview);
      assert.equal(done.headers.get('location'), `${payment}?done=settled`, done.text);
    }
    const after = await server.get(`${payment}?done=settled`, finance.console);
    assert.match(after.text, /class="notice done" role="status">Decidido/);
    assert.doesNotMatch(after.text, /En duda/);
    const decisions = await selectDecisions(app.db, 10);
    assert.deepEqual(
      decisions.map(({ payment_attempt_id, outcome, taken, reason, evidence_name, evidence_bytes }) => [
        payment_attempt_id,
        outcome,
        taken,
        reason,
        evidence_name,
        evidence_bytes,
      ]),
      [[id, 'approved', 13_000, 'lo muestra el portal', 'portal.html', PAGE.length]],
    );
    const { acts } = await listAudit(app, { who: 'fina@example.cl' }, 10);
    assert.equal(acts.filter(({ action }) => action === 'payment.decided').length, 1);
    await assertBooksHold(app);
  });

  test('is not decided by an invalid form, without the permission or from another site', async () => {
    const { app, server, payment, path, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    const auditor = await user('auditor');
    for (const answer of [await server.get(path, auditor.console), await look(auditor, TAKEN)]) {
      assert.equal(answer.status, 403);
      assert.match(answer.text, /movements:record/);
    }
    const read = await server.get(payment, auditor.console);
    assert.match(read.text, /Lo termina quien puede registrar abonos, [^<]+ \(finanzas, titular\)/);
    assert.ok(!read.text.includes(path));
    const elsewhere = await createTestEnvironment(app);
    const other = { role: 'finance', may: [], paymentServices: [elsewhere.paymentServiceId] } as const;
    const stranger = await createTestUser(app, { ...other, may: [] });
    const foreign = await createTestTransaction(app, elsewhere);
    const ofForeign = path.replace(payment, `/console/payments/${foreign.id}`);
    for (const answer of [
      await server.get(path, stranger.console),
      await look(stranger, TAKEN),
      await server.get(ofForeign, finance.console),
    ])
      assert.equal(answer.status, 404);
    for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}])
      assert.equal((await look(finance, { ...TAKEN, confirm: 'yes', effect: 'open' }, PAGE, from)).status, 403);
    const rows: [fields: Fields, file: Buffer, said: RegExp, field?: string][] = [
      [{}, PAGE, /Elige qué pasó/, 'outcome'],
      [{ ...TAKEN, outcome: 'completed' }, PAGE, /Elige qué pasó/],
      [TAKEN, Buffer.alloc(0), /El archivo está vacío/, 'file'],
      [TAKEN, Buffer.alloc(2 * 1024 * 1024 + 1, 'x'), /más de 2 MB/],
      [{ ...TAKEN, reason: ' ' }, PAGE, /Escribe el motivo/, 'reason'],
      [{ ...TAKEN, reason: 'a\u0007b' }, PAGE, /Escribe el motivo/],
      [{ ...TAKEN, reason: 'lo dijo ana@example.cl' }, PAGE, /Escribe el motivo/],
      [{ ...TAKEN, amount: '0' }, PAGE, /Escribe un monto/, 'amount'],
      [{ ...TAKEN, amount: '12.990' }, PAGE, /Escribe un monto/],
      [{ ...TAKEN, outcome: 'declined', amount: '100' }, PAGE, /Escribe un monto/],
    ];
    for (const [fields, file, said, field] of rows) {
      const refused = await look(finance, { ...fields, confirm: 'yes', effect: 'open' }, file);
      if (field !== undefined) assertMarked(refused.text, field);
      assert.equal(refused.status, 400);
      assert.match(refused.text, said);
    }
    const kept = await look(finance, { ...TAKEN, reason: '' });
    assert.match(kept.text, /Ya elegiste portal\.html/, 'a refused form does not ask for the file again');
    const unseen = await look(finance, { ...TAKEN, confirm: 'yes' });
    assert.equal(unseen.status, 409, 'a decision needs the preview');
    const preview = await look(finance, TAKEN);
    app.now.advance(16 * MINUTE_MS);
    for (const answer of [await server.get(path, finance.console), await confirm(finance, preview)])
      assert.match(answer.headers.get('location') ?? '', /^\/console\/(?:prove|sign-in)\?next=/);
    assert.deepEqual(await selectDecisions(app.db, 10), []);
  });

  test('keeps what was typed when a fresh proof is asked for, and asks for the file again', async () => {
    const { app, server, path, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    const preview = await look(finance, { ...TAKEN, amount: '13000' });
    app.now.advance(16 * MINUTE_MS);
    const asked = (await confirm(finance, preview)).headers.get('location') ?? '';
    const next = new URL(asked, 'http://localhost').searchParams.get('next') ?? '';
    assert.doesNotMatch(next, /portal|13000/);
    app.now.advance(-2 * MINUTE_MS);
    const { text } = await server.get(`/console${next}`, finance.console);
    assert.match(text, /role="alert">No se hizo nada\. Lo que escribiste sigue aquí; el archivo no/);
    for (const kept of [/value="lo muestra el portal"/, /value="13000"/, /value="approved" required checked/])
      assert.match(text, kept);
    assert.match(text, /name="file" required/);
    const [, other = ''] = /name="next" value="([^"]+)"/.exec(preview.text) ?? [];
    assert.match((await server.get(`/console${other}`, finance.console)).text, /value="lo muestra el portal"/);
    assert.doesNotMatch((await server.get(path, finance.console)).text, /role="alert"/);
  });

  test('needs no decision when its method answers after all', async () => {
    const { app, server, look, user } = await open({ lookup: async () => approved });
    await using _server = server;
    const answer = await look(await user('finance'), { ...TAKEN, outcome: 'declined' });
    assert.deepEqual([answer.status, /Aquí no hay nada en duda/.test(answer.text)], [409, true]);
    assert.deepEqual((await readStates(app)).attempts, ['approved']);
    assert.deepEqual(await selectDecisions(app.db, 10), []);
  });

  test('is decided by the first of two people, and the outdated page of the other is refused', async () => {
    const { app, server, look, confirm, user } = await open();
    await using _server = server;
    const [finance, other] = [await user('finance'), await user('finance')];
    const taken = await look(finance, TAKEN);
    const declined = await look(other, { outcome: 'declined', reason: 'lo dice el banco' });
    assert.equal((await confirm(other, declined)).status, 303);
    const stale = await confirm(finance, taken);
    assert.deepEqual([stale.status, /Cambió después de que abriste/.test(stale.text)], [409, true]);
    assert.deepEqual((await readStates(app)).attempts, ['declined']);
    assert.equal((await selectDecisions(app.db, 10)).length, 1);
    await assertBooksHold(app);
  });

  test('refuses another decision of the same person from another tab', async () => {
    const { app, server, environment, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    const tabs: Answer[] = [];
    for (const wish of [{}, { amount: '13000' }, { reason: 'lo dijo el banco' }])
      tabs.push(await look(finance, { ...TAKEN, ...wish }));
    const said = [];
    for (const tab of tabs) said.push((await confirm(finance, tab)).status);
    assert.deepEqual(said, [303, 409, 409]);
    assert.equal((await selectDecisions(app.db, 10)).length, 1);
    await assertMoved(app, environment, () => confirm(finance, tabs.at(-1) as Answer));
  });

  test('is decided once by concurrent clicks', async () => {
    const { app, server, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    const preview = await look(finance, TAKEN);
    const answers = await Promise.all([1, 2, 3].map(() => confirm(finance, preview)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    );
    assert.equal((await selectDecisions(app.db, 10)).length, 1);
    await assertBooksHold(app);
  });
});

forEachEngine('an attempt at the console that ended without money', (openTestDatabase) => {
  /** Opens a payment with one declined attempt. It is the last one unless `payerAttempts` allows another. */
  const open = async (payerAttempts = 1) => {
    const method = scriptMethod({ start: async () => declined });
    const opened = await openCheckout(openTestDatabase, { method, payerAttempts });
    const { app, transaction, environment } = opened;
    await startPayment(app, transaction, 'scripted');
    const { id } = await readAttempt(app);
    const server = await startTestServer(app);
    const payment = `/console/payments/${transaction.id}`;
    const path = `${payment}/attempts/${id}/settle`;
    return { app, server, environment, id, payment, path, ...deskOf(app, server, path) };
  };
  const TAKEN = { outcome: 'approved', reason: 'lo muestra el portal' };

  test('is recorded as paid once after a preview, with person, reason and evidence', async () => {
    const { app, server, id, payment, path, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance', 'fina@example.cl');
    const shown = await server.get(payment, finance.console);
    assert.match(shown.text, /¿Se cobró un intento que aquí terminó sin cobro\?/);
    assert.ok(shown.text.includes(`href="${path}"`));
    assert.doesNotMatch(shown.text, /<h2>En duda/);
    const form = await server.get(path, finance.console);
    assert.match(form.text, /Aquí terminó sin cobro, y nada lo contradice/);
    assert.deepEqual(
      [...form.text.matchAll(/name="outcome" value="(\w+)"/g)].map(([, outcome]) => outcome),
      ['approved'],
      'a declined attempt can only become approved',
    );
    const preview = await look(finance, TAKEN);
    assert.equal(preview.status, 200, preview.text);
    assert.match(preview.text, /La orden quedará como: Rechazado/);
    assert.match(preview.text, /dinero sin dueño/);
    assert.deepEqual(await selectDecisions(app.db, 10), [], 'a preview changes nothing');
    for (let click = 0; click < 2; click++) {
      const done = await confirm(finance, preview);
      assert.equal(done.headers.get('location'), `${payment}?done=settled`, done.text);
    }
    const [decision, ...others] = await selectDecisions(app.db, 10);
    assert.deepEqual(
      [decision?.payment_attempt_id, decision?.outcome, decision?.taken, decision?.reason, decision?.evidence_name],
      [id, 'approved', 12_990, 'lo muestra el portal', 'portal.html'],
    );
    assert.deepEqual(others, []);
    const { acts } = await listAudit(app, { who: 'fina@example.cl' }, 10);
    assert.equal(acts.filter(({ action }) => action === 'payment.decided').length, 1);
    const after = await server.get(payment, finance.console);
    assert.ok(!after.text.includes(`href="${path}"`), 'an attempt with booked money has no form');
    assert.match(after.text, /Decidido\. Se cobró el dinero \(approved\)/);
    const decide = /href="(\/console\/suspense\/t[^"]+)">Revisar y decidir/.exec(after.text)?.[1] ?? '';
    assert.equal((await server.get(decide, finance.console)).status, 200, 'whose money it is, is decided next');
    const { text } = await server.get(payment, (await user('auditor')).console);
    assert.match(text, /<h2>Dinero sin dueño<\/h2>.*Un medio de pago cobró dinero que ninguna orden pedía/s);
    assert.ok(!text.includes('href="/console/suspense/'), 'and an auditor reads of it');
    assert.equal((await look(finance, TAKEN)).status, 409);
    await assertBooksHold(app);
  });

  test('pays its order while the payer may still try again', async () => {
    const { app, server, look, confirm, user } = await open(2);
    await using _server = server;
    const finance = await user('finance');
    const preview = await look(finance, TAKEN);
    assert.match(preview.text, /La orden quedará como: Pagado/);
    assert.equal((await confirm(finance, preview)).status, 303);
    const { transaction, attempts } = await readStates(app);
    assert.deepEqual([transaction, attempts], ['completed', ['approved']]);
    await assertBooksHold(app);
  });

  test('is not recorded as paid without the permission, without a preview or after its method reported the payment', async () => {
    const { app, server, id, payment, path, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    const auditor = await user('auditor');
    assert.ok(!(await server.get(payment, auditor.console)).text.includes(path));
    for (const answer of [await server.get(path, auditor.console), await look(auditor, TAKEN)])
      assert.equal(answer.status, 403);
    assert.equal((await look(finance, { ...TAKEN, confirm: 'yes' })).status, 409, 'a decision needs the preview');
    const again = await look(finance, { ...TAKEN, outcome: 'declined' });
    assert.equal(again.status, 409, 'a decided attempt is not decided again');
    const preview = await look(finance, TAKEN);
    assert.equal(preview.status, 200);
    const attempt = await readAttempt(app);
    await settlePayment(app, attempt, approved, null);
    assert.equal((await confirm(finance, preview)).status, 409);
    assert.deepEqual([(await readAttempt(app)).id, (await selectDecisions(app.db, 10)).length], [id, 0]);
    assert.equal((await server.get(path, finance.console)).status, 409);
    await assertBooksHold(app);
  });
});

forEachEngine('a refund in doubt at the console', (openTestDatabase) => {
  /** Opens a refund that its method has not answered. */
  const open = async () => {
    const unknown = async () => ({ kind: 'unknown' }) as const;
    const method = refundingMethod({ request: unknown });
    const app = createTestApp(await openTestDatabase(), { paymentMethods: [method] });
    const environment = await createTestEnvironment(app);
    const paid = await createPaidTransaction(app, environment, { amount: 9000 });
    const { id } = await acceptedRefund(app, paid, 3000);
    await carryOutRefunds(app, 10);
    app.now.advance(61 * MINUTE_MS);
    const server = await startTestServer(app);
    const payment = `/console/payments/${paid.id}`;
    const path = `${payment}/refunds/${id}/settle`;
    return { app, server, environment, paid, payment, path, ...deskOf(app, server, path) };
  };
  const BACK = { outcome: 'completed', reason: 'lo muestra el portal' };

  test('is decided once after a preview of its entries, with person, reason and evidence', async () => {
    const { app, server, paid, payment, path, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance', 'fina@example.cl');
    for (const page of [payment, '/console/attention'])
      assert.ok((await server.get(page, finance.console)).text.includes(`href="${path}"`), page);
    assert.equal((await server.get(path, finance.console)).status, 200);
    const preview = await look(finance, BACK);
    assert.match(preview.text, /La devolución quedará completada/);
    assert.match(preview.text, /por cobrar a Simulador<\/td><td[^>]*>\$3\.000 CLP</);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 3000]], 'a preview changes nothing');
    const answers = await Promise.all([1, 2].map(() => confirm(finance, preview)));
    for (const { headers } of answers) assert.equal(headers.get('location'), `${payment}?done=settled`);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 3000]]);
    const [decision, ...others] = await selectRefundDecisions(app.db, 10);
    assert.deepEqual([decision?.outcome, decision?.evidence_name, others.length], ['completed', 'portal.html', 0]);
    const { acts } = await listAudit(app, { who: 'fina@example.cl' }, 10);
    const [act, ...more] = acts.filter(({ action }) => action === 'refund.decided');
    assert.deepEqual([act?.reason, more], [BACK.reason, []]);
    assert.ok(decision?.evidence_sha256 && JSON.stringify(act?.after).includes(decision.evidence_sha256));
    const audit = await server.get('/console/audit?action=refund.decided', (await user('auditor')).console);
    assert.match(audit.text, /monto: \$3\.000 CLP</, 'the log has the amount with its currency');
    assert.equal((await server.get(path, finance.console)).status, 409, 'the refund is no longer in doubt');
    await assertBooksHold(app);
  });

  test('is requested again within a day only with evidence', async () => {
    const { app, server, environment, look, confirm, user } = await open();
    await using _server = server;
    const [finance, other] = [await user('finance'), await user('finance')];
    const retry = { outcome: 'retry', reason: 'no hizo nada' };
    const lost = await look(other, { outcome: 'failed', reason: 'lo dice el banco' });
    const early = await look(finance, retry, Buffer.alloc(0));
    assert.deepEqual([early.status, /hace menos de un día/.test(early.text)], [409, true]);
    const preview = await look(finance, retry);
    assert.match(preview.text, /Se le pide otra vez a Simulador/);
    assert.equal((await confirm(finance, preview)).status, 303);
    const [{ asking } = { asking: '' }] = await app.db.query('select asking from refunds');
    assert.equal(asking, 'ordered');
    const stale = await confirm(other, lost);
    assert.equal(stale.status, 409, 'a page from before the new request does not make the refund fail');
    assert.equal((await confirm(finance, preview)).status, 303, 'a second click is no error');
    assert.equal((await selectRefundDecisions(app.db, 10)).length, 1);
    await assertMoved(app, environment, () => look(finance, { outcome: 'failed', reason: 'lo dice el banco' }));
  });

  test('is not decided by an invalid form, without the permission, from another site or from an outdated page', async () => {
    const { app, server, paid, payment, path, look, confirm, user } = await open();
    await using _server = server;
    const [finance, other, auditor] = [await user('finance'), await user('finance'), await user('auditor')];
    for (const answer of [await server.get(path, auditor.console), await look(auditor, BACK)]) {
      assert.equal(answer.status, 403);
      assert.match(answer.text, /movements:record/);
    }
    const elsewhere = await createTestEnvironment(app);
    const foreign = await createPaidTransaction(app, elsewhere);
    const scope = { role: 'finance', may: [], paymentServices: [elsewhere.paymentServiceId] } as const;
    const stranger = await createTestUser(app, { ...scope, may: [] });
    assert.equal((await look(stranger, BACK)).status, 404);
    const ofForeign = path.replace(payment, `/console/payments/${foreign.id}`);
    assert.equal((await server.get(ofForeign, finance.console)).status, 404);
    assert.equal((await look(finance, BACK, PAGE, { 'sec-fetch-site': 'cross-site' })).status, 403);
    const rows: [fields: Fields, file: Buffer, said: RegExp][] = [
      [BACK, Buffer.alloc(0), /El archivo está vacío/],
      [{ ...BACK, outcome: 'approved' }, PAGE, /Elige qué pasó/],
      [{ ...BACK, reason: '\t' }, PAGE, /Escribe el motivo/],
    ];
    for (const [fields, file, said] of rows) {
      const refused = await look(finance, { ...fields, confirm: 'yes', effect: 'processing' }, file);
      assert.deepEqual([refused.status, said.test(refused.text)], [400, true]);
    }
    assert.equal((await look(finance, { ...BACK, confirm: 'yes' })).status, 409, 'a decision needs the preview');
    const back = await look(finance, BACK);
    const lost = await look(other, { outcome: 'failed', reason: 'lo dice el banco' });
    assert.equal((await confirm(other, lost)).status, 303);
    const stale = await confirm(finance, back);
    assert.deepEqual([stale.status, /Cambió después de que abriste/.test(stale.text)], [409, true]);
    const late = await look(finance, BACK);
    assert.deepEqual([late.status, /nada en duda/.test(late.text)], [409, true]);
    assert.deepEqual(await refundsOf(app, paid), [['failed', 3000]]);
    await assertBooksHold(app);
  });
});

forEachEngine('a payout without a result at the console', (openTestDatabase) => {
  /** Opens a payout in a bank file without a result. */
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [filed] = await approvedPayouts(app, desk);
    const { batch_id: batchId = '', id = '' } = filed ?? {};
    const payer = { account: '1', rut: '', name: '', agreement: '' };
    const file = { format: 'santander', payer, batchId: batchId ?? '' } as const;
    await makePayoutFiles(app, { owner: desk.environment, by: desk.maker, ...file });
    const server = await startTestServer(app);
    const page = `/console/payouts/${id}`;
    const path = `${page}/settle`;
    const state = async () => {
      const [row] = await app.db.query('select state, contradiction from payouts where id = $1', [id]);
      return [row?.['state'], row?.['contradiction']];
    };
    return { app, server, desk, id, page, path, state, ...deskOf(app, server, path) };
  };
  const BACK = { outcome: 'returned', reason: 'cuenta cerrada' };

  test('is settled once after a preview of its entries, with person, reason and evidence', async () => {
    const { app, server, page, path, state, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance', 'fina@example.cl');
    assert.ok((await server.get(page, finance.console)).text.includes(`href="${path}"`));
    assert.equal((await server.get(path, finance.console)).status, 200);
    const preview = await look(finance, BACK);
    assert.match(preview.text, /El pago quedará como: Volvió\./);
    assert.match(preview.text, />pago al destinatario<.*>volvió del banco</s);
    assert.deepEqual(await state(), ['sent', null], 'a preview changes nothing');
    for (let click = 0; click < 2; click++)
      assert.equal((await confirm(finance, preview)).headers.get('location'), `${page}?done=settled`);
    assert.deepEqual(await state(), ['returned', null]);
    const { acts } = await listAudit(app, { who: 'fina@example.cl' }, 10);
    const [act, ...others] = acts.filter(({ action }) => action === 'payout.settled');
    assert.deepEqual([act?.reason, others.length], ['cuenta cerrada', 0]);
    assert.match(JSON.stringify(act), /portal\.html/);
    assert.equal((await server.get(path, finance.console)).status, 409, 'the payout has ended');
    await assertBooksHold(app);
  });

  test('keeps its state when a person clears a contradiction', async () => {
    const { app, server, desk, id, page, path, state, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    const told = await look(finance, { outcome: 'failed', reason: 'rechazado' });
    assert.equal((await confirm(finance, told)).status, 303);
    const evidence = describeEvidence('a.csv', PAGE);
    const outcomes = [{ id, outcome: 'confirmed', reason: null }] as const;
    await settlePayouts(app, { owner: desk.environment, by: desk.maker, outcomes, evidence });
    assert.deepEqual(await state(), ['failed', 'confirmed']);
    const [payout] = await app.db.query<Payout>('select * from payouts where id = $1', [id]);
    assert.ok(payout);
    const before = { owner: desk.environment, by: desk.maker, evidence, seen: 'failed' };
    const late = [
      () => settlePayouts(app, { ...before, outcomes }),
      () => endContradiction(app, { ...before, payout, reason: 'it was not shown' }),
    ];
    for (const act of late)
      await assert.rejects(act, { code: 'PAYOUT_STATE' }, 'a contradiction after the preview stops the decision');
    const waiting = await server.get('/console/attention', finance.console);
    assert.ok(waiting.text.includes(`<a href="${path}">Decir qué pasó</a>`));
    const doubt = '<p class="notice">Está en «El banco lo rechazó», y se dijo «Llegó».';
    for (const at of [page, path]) assert.ok((await server.get(at, finance.console)).text.includes(doubt), at);
    const form = (await server.get(path, finance.console)).text;
    assert.match(form, /lo que lo contradice es falso, o ya se anotó aparte \(clear\)/, 'as what waits asks');
    const clear = { outcome: 'clear', reason: 'el banco se equivocó' };
    assert.equal(
      (await look(finance, { ...clear, outcome: 'confirmed' })).status,
      400,
      'the state of the payout does not allow the outcome',
    );
    const preview = await look(finance, clear);
    assert.match(preview.text, /Los libros no cambian/);
    for (let click = 0; click < 2; click++)
      assert.equal((await confirm(finance, preview)).headers.get('location'), `${page}?done=settled`);
    assert.deepEqual(await state(), ['failed', null]);
    await assertBooksHold(app);
  });

  test('shows no confirmation that clears a contradiction while the money that a bank line shows is not booked', async () => {
    const { app, server, desk, id, state, look, confirm, user } = await open();
    await using _server = server;
    const finance = await user('finance');
    assert.equal((await confirm(finance, await look(finance, { outcome: 'failed', reason: 'rechazado' }))).status, 303);
    const clear = { outcome: 'clear', reason: 'el banco se equivocó' };
    const [payout] = await app.db.query<Payout>('select * from payouts where id = $1', [id]);
    const charge = { line: 1, day: dayOf(app.now()), amount: -(payout?.amount ?? 0), text: `TEF ${id}` };
    const { paymentServiceId, environment } = desk.environment;
    const evidence = describeEvidence('cartola.csv', PAGE);
    const account = { environment, paymentServiceId, account: '1', evidence, by: desk.maker };
    const said = { owner: desk.environment, by: desk.maker, evidence };
    await settlePayouts(app, { ...said, outcomes: [{ id, outcome: 'confirmed', reason: null }] });
    const early = await look(finance, clear);
    await importStatement(app, account, { lines: [charge], proof: 'balance' });
    const late = await confirm(finance, early);
    assert.equal(late.status, 409);
    assert.match(late.text, /role="alert">[^]*no está en los libros \(línea st_\w+\/1\)/, 'a line after the preview');
    const stale = endContradiction(app, { ...said, payout: payout as Payout, reason: 'x', seen: 'failed' });
    await assert.rejects(
      stale,
      /It is in "Refused by the bank" \(failed\), and somebody says "Arrived" \(line st_\w+\/1\)/,
    );
    const preview = await look(finance, clear);
    assert.equal(preview.status, 409);
    assert.match(preview.text, /La cartola muestra dinero de po_\w+ que no está en los libros \(línea st_\w+\/1\)/);
    assert.deepEqual(await state(), ['failed', 'confirmed']);
  });

  test('is not settled by an invalid form, without the permission, from another site or from an outdated page', async () => {
    const { app, server, desk, path, state, look, confirm, user } = await open();
    await using _server = server;
    const [finance, other, auditor] = [await user('finance'), await user('finance'), await user('auditor')];
    for (const answer of [
      await server.get(path, auditor.console),
      await look(auditor, BACK),
      await look(desk.users.approver, BACK),
    ]) {
      assert.equal(answer.status, 403);
      assert.match(answer.text, /movements:record/);
    }
    const elsewhere = await createTestEnvironment(app);
    const stranger = await createTestUser(app, {
      role: 'finance',
      may: [],
      paymentServices: [elsewhere.paymentServiceId],
    });
    assert.equal((await look(stranger, BACK)).status, 404);
    assert.equal((await look(finance, BACK, PAGE, { 'sec-fetch-site': 'cross-site' })).status, 403);
    const rows: [fields: Fields, file: Buffer, said: RegExp][] = [
      [BACK, Buffer.alloc(0), /El archivo está vacío/],
      [{ ...BACK, outcome: 'cancelled' }, PAGE, /Elige qué pasó/],
      [{ ...BACK, reason: '' }, PAGE, /Escribe el motivo/],
    ];
    for (const [fields, file, said] of rows) {
      const refused = await look(finance, { ...fields, confirm: 'yes', effect: 'sent' }, file);
      assert.deepEqual([refused.status, said.test(refused.text)], [400, true]);
    }
    assert.equal((await look(finance, { ...BACK, confirm: 'yes' })).status, 409, 'a decision needs the preview');
    const back = await look(finance, BACK);
    const lost = await look(other, { outcome: 'failed', reason: 'rechazado' });
    assert.equal((await confirm(other, lost)).status, 303);
    const stale = await confirm(finance, back);
    const now = /role="alert">[^]*cambió desde que se mostró\. Está en «El banco lo rechazó» \(failed\)\./;
    assert.deepEqual([stale.status, now.test(stale.text)], [409, true]);
    const late = await look(finance, BACK);
    assert.deepEqual([late.status, /o ya terminó/.test(late.text)], [409, true]);
    assert.deepEqual(await state(), ['failed', null]);
    await assertBooksHold(app);
  });
});
