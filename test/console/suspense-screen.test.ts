import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { listEntries } from '../../src/books/list-books.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { verifyBooks } from '../../src/books/verify-books.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { importPayments } from '../../src/movements/import-payments.ts';
import { planImport } from '../../src/movements/plan-import.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM } from '../support/form-headers.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createLatePayment } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const PROOF_MS = 15 * 60_000;

forEachEngine('money in suspense in the console', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    const late = await createLatePayment(app, environment);
    const server = await startTestServer(app);
    const finance = await createTestUser(app, { role: 'finance', may: [], email: 'olga@example.cl' });
    const decide = (fields: Record<string, string>, user: TestUser = finance, headers: Record<string, string> = FORM) =>
      server.post(`/console/suspense/t${late.id}-1.0`, {
        headers: { ...user.console, ...headers },
        body: String(new URLSearchParams(fields)),
      });
    const decided = async (transaction: Transaction = late) =>
      (await listEntries(app, transaction, 10)).filter(({ kind }) => kind === 'kept' || kind === 'returned').length;
    return { app, environment, late, server, finance, decide, decided };
  };

  test('is decided once on a screen with the entries of each decision, under the name of the person', async () => {
    const { app, late, server, finance, decide, decided } = await open();
    await using _server = server;
    const waits = await server.get('/console/attention?kind=suspense', finance.console);
    assert.match(waits.text, new RegExp(`<a href="/console/suspense/t${late.id}-1\\.0">Revisar y decidir</a>`));
    const path = `/console/suspense/t${late.id}-1.0`;
    assert.doesNotMatch((await server.get(`${path}?reason=from+a+link`, finance.console)).text, /from a link/);
    const { text } = await server.get(path, finance.console);
    const rows = [...text.matchAll(/data-label="Cuenta">([^<]+)<\/td><td data-label="Monto"[^>]*>([^<]+)</g)];
    assert.deepEqual(
      rows.map(([, account, amount]) => `${account} ${amount}`),
      [
        'dinero sin dueño -$5.001 CLP',
        'por cobrar a Simulador -$5.001 CLP',
        'dinero sin dueño -$5.001 CLP',
        'El comercio +$5.001 CLP',
      ],
    );
    assert.match(text, /Al comercio le quedan \$5\.001 CLP disponibles después/);
    const done = await decide({ decision: 'kept', reason: ' visto en el portal ' });
    assert.deepEqual([done.status, done.headers.get('location')], [303, path]);
    assert.match(
      (await server.get(path, finance.console)).text,
      /Ya está decidido: Es del comercio\. Motivo: visto en el portal</,
    );
    const [act] = (await listAudit(app, { action: 'suspense.resolved' }, 10)).acts;
    assert.deepEqual([act?.who.name, act?.reason], ['olga@example.cl', 'visto en el portal']);
    // The same form again, as from a page that was opened before the decision.
    assert.equal((await decide({ decision: 'kept', reason: 'otra vez' })).status, 303);
    const stale = await decide({ decision: 'returned', reason: 'otra cosa' });
    assert.equal(stale.status, 409);
    assert.match(stale.text, /Antes se decidió algo distinto[^]*Es del comercio/);
    assert.equal(await decided(), 1);
    assert.equal((await listAudit(app, { action: 'suspense.resolved' }, 10)).acts.length, 1);
    app.now.advance(2 * 86_400_000);
    const auditor = (await createTestUser(app, { role: 'auditor', may: [] })).console;
    const movements = `/console/movements?text=${late.id}`;
    const payment = await server.get(`/console/payments/${late.id}`, auditor);
    assert.ok(payment.text.includes(`<a href="${movements}">quién lo registró y por qué</a>`));
    const [row = ''] = /<tbody>.*<\/tbody>/s.exec((await server.get(movements, auditor)).text) ?? [];
    for (const said of [
      'hace 2 d',
      'Pago tardío, queda para el comercio',
      '$5.001 CLP',
      'olga@example.cl',
      'visto en el portal',
    ])
      assert.ok(row.includes(said), `${said}: ${row}`);
    const inMonth = '/console/movements?environment=development&amp;from=2026-01-01&amp;to=2026-01-31';
    const month = await server.get('/console/months?month=2026-01&environment=development', auditor);
    assert.ok(month.text.includes(inMonth));
    for (const [query, rows] of [
      ['kind=kept', 1],
      ['kind=returned', 0],
      ['environment=production', 0],
      ['from=2026-01-16', 0],
      ['to=2026-01-15&text=1.0', 1],
      ['from=2026-01-16&to=2026-01-15', 1],
    ] as const) {
      const { status, text: list } = await server.get(`/console/movements?${query}`, auditor);
      assert.deepEqual([status, list.match(/visto en el portal/g)?.length ?? 0], [/16&/.test(query) ? 400 : 200, rows]);
    }
    const file = '/console/movements?from=2026-01-16&to=2026-01-15&format=csv';
    const { status, headers } = await server.get(file, auditor);
    assert.deepEqual([status, headers.get('content-type')], [400, 'text/html; charset=utf-8']);
  });

  test('without a payment, from an acquirer’s file, is decided by its entry in the books', async () => {
    const { app, environment, server, finance, decide } = await open();
    await using _server = server;
    const file = 'fecha;orden_compra;codigo_autorizacion;monto\n15/01/2026;rb-9;7777;4000';
    const scope = { environmentId: environment.id, environment: environment.environment, method: 'simulated' };
    const steps = await planImport(app, scope, await readSettlement(Readable.from([file])));
    const evidence = describeEvidence('abono.csv', Buffer.from(file));
    await importPayments(app, scope, steps, { evidence, by: TESTER });
    const { text } = await server.get('/console/attention?kind=suspense', finance.console);
    const [, path = ''] = /href="(\/console\/suspense\/e[^"]+)">Revisar y decidir/.exec(text) ?? [];
    const headers = { ...finance.console, ...FORM };
    assert.match((await server.get(path, headers)).text, /\$4\.000 CLP sin dueño/);
    assert.equal((await server.post(path, { headers, body: 'decision=returned&reason=portal' })).status, 303);
    assert.match((await server.get(path, headers)).text, /Ya está decidido: Volvió al pagador/);
    assert.equal((await server.post(path, { headers, body: 'decision=kept&reason=portal' })).status, 409);
    assert.deepEqual((await verifyBooks(app)).problems, []);
    // The refusal must say that the payment service has moved, because a retry would not help.
    await leaveFor(app, environment);
    app.now.advance(1_000);
    for (const answer of [
      await server.post(path, { headers, body: 'decision=kept&reason=portal' }),
      await decide({ decision: 'kept', reason: 'visto' }),
    ])
      assert.deepEqual([answer.status, /se atiende en https:\/\/pay-2/.test(answer.text)], [421, true]);
  });

  test('is not decided without the permission, a reason or a decision, or from another site', async () => {
    const { app, environment, late, server, finance, decide, decided } = await open();
    await using _server = server;
    const whole = { decision: 'kept', reason: 'visto' };
    for (const role of ['support', 'operator', 'auditor', 'approver'] as const)
      assert.equal((await decide(whole, await createTestUser(app, { role, may: [] }))).status, 403, role);
    const own = { role: 'finance', may: [], paymentServices: [environment.paymentServiceId] } as const;
    assert.equal(
      (await decide(whole, await createTestUser(app, own))).status,
      404,
      'the decision needs all payment services',
    );
    assert.equal((await decide(whole, finance, { ...FORM, 'sec-fetch-site': 'cross-site' })).status, 403);
    for (const fields of [
      { ...whole, reason: ' ' },
      { ...whole, reason: 'lo pidió ana@example.cl' },
      { ...whole, decision: 'constructor' },
      { reason: 'visto' },
    ]) {
      const { status, text } = await decide(fields);
      assert.equal(status, 400);
      assert.match(text, /role="alert"><a [^>]*>(Escribe el motivo|Elige qué pasó)/);
      assertMarked(text, 'decision' in fields && fields.decision === 'kept' ? 'reason' : 'decision');
    }
    assert.match(
      (await decide({ reason: 'visto' })).text,
      /name="reason"[^>]* value="visto"/,
      'the form keeps what was typed',
    );
    for (const id of [`t${late.id}-9.9`, `e${environment.id}-1.0`, 't999-1.0', 'x', `t${late.id}-1.0%27`]) {
      const answer = await server.get(`/console/suspense/${id}`, finance.console);
      assert.equal(answer.status, 404, id);
    }
    app.now.advance(PROOF_MS);
    const late15 = await decide(whole);
    const [, next = ''] = /^\/console\/prove\?next=(.+)$/.exec(late15.headers.get('location') ?? '') ?? [];
    assert.doesNotMatch(next, /visto/);
    assert.equal(await decided(), 0);
    assert.deepEqual((await listAudit(app, { action: 'suspense.resolved' }, 10)).acts, []);
  });
});
