import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { listAudit } from '../../src/audit/list-audit.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { boundsOfDay } from '../../src/lib/calendar-day.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { acceptDifferences, showSettlement } from '../../src/movements/accept-difference.ts';
import { closeMonth, describeMonth } from '../../src/movements/close-month.ts';
import { importPayments } from '../../src/movements/import-payments.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { planImport } from '../../src/movements/plan-import.ts';
import { recordMovement } from '../../src/movements/record-movement.ts';
import { selectSettlements } from '../../src/movements/settlement-queries.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const SCOPE = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
const HEAD = 'fecha;orden de compra;monto\n';

const keep = async (app: TestApp, text: string) => {
  const settlement = await readSettlement(Readable.from([Buffer.from(HEAD + text)]));
  const evidence = { name: 'abono.csv', sha256: String(text.length).padStart(64, '0') };
  const kept = await keepSettlement(app, SCOPE, settlement, { evidence, by: TESTER });
  assert.equal(kept.kind, 'kept');
  return kept;
};

forEachEngine('settlement files', (openTestDatabase) => {
  test('a NUL in a file is stored as a replacement character', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestEnvironment(app);
    const many = '2026-01-15;B1;1000\n'.repeat(300);
    const page = `<table><tr><td>fecha<td>orden de compra<td>monto<tr><td>2026-01-15<td>A&#0;1<td>7000</table>`;
    for (const file of [page, `${HEAD}${many}2026-01-15;A\0;7000\n`]) {
      const settlement = await readSettlement(Readable.from([Buffer.from(file)]));
      const evidence = { name: 'abono', sha256: String(file.length).padStart(64, '0') };
      const kept = await keepSettlement(app, SCOPE, settlement, { evidence, by: TESTER });
      assert.equal(kept.kind, 'kept');
      const shown = await showSettlement(app, kept.kind === 'kept' ? kept.id : '');
      assert.match(shown?.differences.at(-1)?.buy_order ?? '', /^A\ufffd/);
    }
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('a comparison says how far it has read the books', async () => {
    const app = createTestApp(await openTestDatabase());
    await createPaidTransaction(app, await createTestEnvironment(app), { amount: 10_000 });
    const settlement = await readSettlement(Readable.from([Buffer.from(`${HEAD}2026-01-15;B1;1000\n`)]));
    const told = { evidence: { name: 'abono.csv', sha256: '0'.repeat(64) }, by: TESTER };
    const said: [string, number][] = [];
    await keepSettlement(app, SCOPE, settlement, told, (what, rows) => said.push([what, rows]));
    assert.deepEqual(said, [['entries of the books', 1]]);
  });

  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    const paid: Transaction[] = [];
    for (const [at, amount] of [10_000, 20_000, 30_000].entries())
      paid.push(await createPaidTransaction(app, shop, { reference: `S-${at}`, amount }));
    const [one, two, three] = paid.map(({ id }) => id);
    const [attempt] = await app.db.query('select id from payment_attempts where transaction_id = $1', [one ?? 0]);
    // One line fits by its attempt, one has another amount, one payment is missing, and one line has no payment.
    const text = `2026-01-15;${attempt?.['id']};10000\n2026-01-15;${two};19000\n2026-01-15;999999;7000\n`;
    return { app, shop, text, three };
  };

  test('differences are stored with cause and amounts until a person accepts them with a reason', async () => {
    const { app, text, three } = await open();
    const { id, open: count } = await keep(app, text);
    assert.equal(count, 3);
    const shown = await showSettlement(app, id);
    assert.deepEqual(
      shown?.differences.map(({ cause, settled, booked }) => [cause, settled, booked]),
      [
        ['other_amount', 19_000, 20_000],
        ['payment_missing_in_books', 7_000, null],
        ['payment_missing_in_settlement', null, 30_000],
      ],
    );
    assert.equal(shown.differences[2]?.transaction_id, three);
    assert.equal(shown.settlement.matched, 1);
    assert.deepEqual(JSON.parse(shown.settlement.totals), [
      { currency: 'CLP', settled: '36000', booked: '60000', difference: '-24000' },
    ]);
    const wish = {
      settlementId: id,
      cause: 'other_amount',
      number: null,
      line: null,
      reason: 'comisión',
      by: TESTER,
    } as const;
    assert.equal(await acceptDifferences(app, wish), 1);
    assert.equal(await acceptDifferences(app, wish), 0, 'a repeated call does nothing');
    const [listed] = await selectSettlements(app.db, 10);
    assert.equal(listed?.open, 2);
    const { acts } = await listAudit(app, { action: 'settlement' }, 10);
    assert.deepEqual(
      acts.map(({ action, reason }) => [action, reason]),
      [
        ['settlement.accepted', 'comisión'],
        ['settlement.kept', null],
      ],
    );
  });

  test('a line in another currency than its payment is kept as two amounts, each in its own currency', async () => {
    const { app, shop } = await open();
    const { id: paid } = await createPaidTransaction(app, shop, { reference: 'S-9', amount: 12_990 });
    const file = `fecha;orden de compra;monto;moneda\n2026-01-15;${paid};25,50;USD\n`;
    const settlement = await readSettlement(Readable.from([Buffer.from(file)]));
    const evidence = { name: 'abono.csv', sha256: 'a'.repeat(64) };
    const kept = await keepSettlement(app, SCOPE, settlement, { evidence, by: TESTER });
    const shown = await showSettlement(app, kept.kind === 'kept' ? kept.id : '');
    const other = shown?.differences.filter(({ cause }) => cause === 'other_currency') ?? [];
    assert.deepEqual(
      other.map(({ settled, booked, currency, transaction_id }) => [settled, booked, currency, transaction_id]),
      [
        [2550, null, 'USD', paid],
        [null, 12_990, 'CLP', paid],
      ],
    );
    assert.equal(shown?.settlement.matched, 0);
    const line = { settlementId: shown?.settlement.id ?? '', cause: null, number: null, line: 2 };
    assert.equal(await acceptDifferences(app, { ...line, reason: 'en dólares', by: TESTER }), 2);
    const [act] = (await listAudit(app, { action: 'settlement.accepted' }, 1)).acts;
    const { amounts = [] } = (act?.after ?? {}) as { amounts?: string[] };
    assert.equal(amounts.length, 2);
    assert.deepEqual((await verifyStore(app)).findings, []);
  });

  test('a line of the books without an order has its authorisation code in a comparison, and no order null', async (context) => {
    const db = await openTestDatabase();
    const app = createTestApp(db);
    const shop = await createTestEnvironment(app);
    const scope = { environmentId: shop.id, environment: 'development', method: 'simulated' } as const;
    const file = Buffer.from('fecha;codigo de autorizacion;monto\n2026-01-15;991213;7000\n');
    const steps = await planImport(app, scope, await readSettlement(Readable.from([file])));
    await importPayments(app, scope, steps, { evidence: describeEvidence('abono.csv', file), by: TESTER });
    const { id } = await keep(app, '2026-01-15;null;7000\n');
    const shown = await showSettlement(app, id);
    assert.deepEqual(
      shown?.differences.map(({ cause, buy_order }) => [cause, buy_order]),
      [
        ['payment_missing_in_books', 'null'],
        ['payment_missing_in_settlement', '991213'],
      ],
    );
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-settled-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const other = join(folder, 'other.csv');
    writeFileSync(other, `${HEAD}2026-01-15;B1;1000\n`);
    const words = [
      'reconcile',
      '--settlement',
      other,
      '--environment',
      'development',
      '--method',
      'simulated',
      '--csv',
    ];
    const env = { DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent' };
    const { stdout } = await runCommand(words, { env });
    assert.match(stdout, /\nmissing_in_settlement,,[\d-]+,991213,,7000,CLP,/);
  });

  test('one line can be accepted by itself, and the audit log names it', async () => {
    const { app, text } = await open();
    const { id } = await keep(app, text);
    const wish = { settlementId: id, cause: null, number: null, line: 3, reason: 'propina', by: TESTER } as const;
    assert.equal(await acceptDifferences(app, { ...wish, line: 99 }), 0);
    assert.equal(await acceptDifferences(app, { ...wish, cause: 'other_date' }), 0, 'the line has another cause');
    assert.equal(await acceptDifferences(app, wish), 1);
    const shown = await showSettlement(app, id);
    assert.deepEqual(
      shown?.differences.filter(({ accepted_by }) => accepted_by !== null).map(({ file_line }) => file_line),
      [3],
    );
    const {
      acts: [act],
    } = await listAudit(app, { action: 'settlement.accepted' }, 1);
    const after = act?.after as Record<string, unknown> | undefined;
    assert.deepEqual([after?.['line'], after?.['cause']], [3, 'other_amount']);
  });

  test('the audit log gives the accepted amount in each currency', async () => {
    const { app, shop, text } = await open();
    await createPaidTransaction(app, shop, { reference: 'S-usd', currency: 'USD', amount: 1050 });
    const { id } = await keep(app, text);
    const cause = 'payment_missing_in_settlement';
    const wish = { settlementId: id, cause, number: null, line: null, reason: 'otro abono', by: TESTER } as const;
    assert.equal(await acceptDifferences(app, wish), 2);
    const {
      acts: [act],
    } = await listAudit(app, { action: 'settlement.accepted' }, 1);
    const after = act?.after as Record<string, unknown> | undefined;
    assert.deepEqual(after, { cause, differences: 2, amounts: ['-$30.000 CLP', '-10.50 USD'] });
  });

  test('a person can accept one line in the console, and the others stay open', async () => {
    const { app, text } = await open();
    const { id } = await keep(app, text);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [] });
    const at = `/console/settlements/${id}`;
    assert.match((await server.get(at, user.console)).text, /\?one=1#d1/);
    const asked = await server.get(`${at}?one=2`, user.console);
    const form = /<form id="d2"[^]*?<\/form>/.exec(asked.text)?.[0] ?? '';
    const [, cause = ''] = /name="cause" value="([^"]+)"/.exec(form) ?? [];
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...user.console };
    const body = `cause=${cause}&number=2&reason=visto`;
    const foreign = await server.post(`${at}/accept`, {
      headers: { ...headers, 'sec-fetch-site': 'cross-site' },
      body,
    });
    assert.equal(foreign.status, 403);
    const own = { ...headers, 'sec-fetch-site': 'same-origin' };
    const other = await server.post(`${at}/accept`, { headers: own, body: body.replace('number=2', 'number=2x') });
    assert.equal(other.status, 400, 'a malformed number is refused');
    const done = await server.post(`${at}/accept`, { headers: own, body });
    assert.equal(done.headers.get('location'), `${at}?accepted=1`);
    const [listed] = await selectSettlements(app.db, 10);
    assert.equal(listed?.open, 2);
  });

  test('the same file again replaces the first, and an accepted difference that still exists stays accepted', async () => {
    const { app, text } = await open();
    const first = await keep(app, text);
    await acceptDifferences(app, {
      settlementId: first.id,
      cause: 'other_amount',
      number: 1,
      line: null,
      reason: 'x',
      by: TESTER,
    });
    const second = await keep(app, text);
    assert.equal(second.open, 2);
    assert.deepEqual(
      (await selectSettlements(app.db, 10)).map(({ id }) => id),
      [second.id],
    );
    assert.equal((await showSettlement(app, second.id))?.differences[0]?.reason, 'x');
  });

  test('a later comparison replaces all concurrent comparisons of the same file', async () => {
    const { app, text } = await open();
    await Promise.all([keep(app, text), keep(app, text), keep(app, text)]);
    const { id } = await keep(app, text);
    assert.deepEqual(
      (await selectSettlements(app.db, 10)).map((one) => one.id),
      [id],
    );
  });

  test('concurrent first comparisons of a file leave one, and its differences count once', async () => {
    const { app, text } = await open();
    await Promise.all([keep(app, text), keep(app, text), keep(app, text)]);
    assert.equal((await selectSettlements(app.db, 10)).length, 1);
    assert.equal((await describeMonth(app, '2026-01', 'development'))?.differences, 3);
  });

  test('a comparison does not replace a quicker one of the same file that knows a later payment', async () => {
    const { app, shop, text } = await open();
    let quicker: Awaited<ReturnType<typeof keep>> | undefined;
    const transaction: TestApp['db']['transaction'] = async (work, statements) => {
      if (quicker === undefined) {
        await createPaidTransaction(app, shop, { reference: 'S-late', amount: 40_000 });
        quicker = await keep(app, text);
      }
      return app.db.transaction(work, statements);
    };
    const slower = await keep({ ...app, db: { ...app.db, transaction } }, text);
    assert.deepEqual([quicker?.open, slower.open], [4, 4]);
    assert.equal((await selectSettlements(app.db, 10)).length, 1);
  });

  test('no difference of a replaced comparison can be accepted', async () => {
    const { app, text } = await open();
    const { id: first } = await keep(app, text);
    await keep(app, text);
    const wish = { number: null, line: null, reason: 'comisión', by: TESTER };
    assert.equal(await acceptDifferences(app, { ...wish, settlementId: first, cause: 'other_amount' }), 0);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [] });
    const page = (await server.get(`/console/settlements/${first}`, user.console)).text;
    assert.match(page, /se comparó después otra vez/);
    assert.doesNotMatch(page, /\/accept"/);
    for (const cause of ['other_amount', 'payment_missing_in_books', 'payment_missing_in_settlement'] as const) {
      const [before] = await selectSettlements(app.db, 1);
      const settlementId = before?.id ?? '';
      const [accepted] = await Promise.all([acceptDifferences(app, { ...wish, settlementId, cause }), keep(app, text)]);
      const [after] = await selectSettlements(app.db, 1);
      assert.equal(after?.open, (before?.open ?? 0) - accepted);
    }
  });

  test('a month is closed once, after it has ended without open differences, and later entries do not change it', async () => {
    const { app, shop, text } = await open();
    const { id } = await keep(app, text);
    const close = () => closeMonth(app, '2026-01', 'development', TESTER);
    assert.equal((await close())?.hasEnded, false);
    app.now.advance(20 * 86_400_000);
    await createPaidTransaction(app, shop, { reference: 'S-9', amount: 90_000 });
    assert.equal((await close())?.differences, 3);
    for (const { cause } of (await showSettlement(app, id))?.differences ?? [])
      await acceptDifferences(app, { settlementId: id, cause, number: null, line: null, reason: 'visto', by: TESTER });
    assert.equal(await close(), null);
    const state = await describeMonth(app, '2026-01', 'development');
    assert.deepEqual(
      state?.owed.map(({ owed }) => owed),
      ['60000'],
    );
    assert.equal(state.isAsClosed, true);
    assert.notEqual(state.closed, null);
    assert.notEqual(await close(), null, 'a closed month is not closed again');
    const { acts } = await listAudit(app, { action: 'month.closed' }, 10);
    assert.equal(acts.length, 1);
    assert.equal(await describeMonth(app, '2026-13', 'development'), null);
  });

  test('a month is not closed over differences that were stored after it was counted', async () => {
    const { app, text } = await open();
    app.now.advance(20 * 86_400_000);
    let isKept = false;
    const transaction: TestApp['db']['transaction'] = async (work, kind) => {
      if (!isKept) {
        isKept = true;
        await keep(app, text);
      }
      return app.db.transaction(work, kind);
    };
    const slow = { ...app, db: { ...app.db, transaction } };
    const state = await closeMonth(slow, '2026-01', 'development', TESTER);
    assert.deepEqual([state?.differences, state?.closed], [3, null]);
    assert.deepEqual((await listAudit(app, { action: 'month.closed' }, 10)).acts, []);
  });

  test('a month before the first payment service cannot be closed', async () => {
    const { app } = await open();
    const close = (month: string) => closeMonth(app, month, 'development', TESTER);
    assert.equal((await close('2025-12'))?.hasBooks, false);
    assert.deepEqual((await listAudit(app, { action: 'month.closed' }, 10)).acts, []);
    app.now.advance(boundsOfDay('2026-02-02').from - app.now());
    assert.equal(await close('2026-01'), null, 'the month of its creation can be closed');
  });

  test('a closed month contains an entry whose commit was still running when the month ended', async () => {
    const { app, shop } = await open();
    const end = boundsOfDay('2026-02-01').from;
    app.now.advance(end - 1 - app.now());
    const holding = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const holder = app.db.transaction(async (tx) => {
      await tx.query('select hash from journal_heads {for_update}');
      holding.resolve();
      await held.promise;
    });
    await holding.promise;
    const wish = { kind: 'deposit', reference: 'LATE', amount: 5_000, commission: 0, currency: 'CLP' } as const;
    const booking = recordMovement(app, shop, { ...wish, paymentMethod: null, by: TESTER });
    app.now.advance(2_000);
    const close = () => closeMonth(app, '2026-01', 'development', TESTER);
    const closing = close();
    await setImmediate();
    held.resolve();
    await Promise.all([holder, booking]);
    assert.equal((await closing)?.hasEnded, false);
    app.now.advance(10 * 60_000);
    assert.equal(await close(), null);
    const state = await describeMonth(app, '2026-01', 'development');
    assert.deepEqual([state?.isAsClosed, state?.owed.map(({ owed }) => owed)], [true, ['65000']]);
  });

  test('in the console, closing a month and accepting differences need a fresh proof of identity', async () => {
    const { app, text } = await open();
    const { id } = await keep(app, text);
    for (const { cause } of (await showSettlement(app, id))?.differences.slice(1) ?? [])
      await acceptDifferences(app, { settlementId: id, cause, number: null, line: null, reason: 'visto', by: TESTER });
    app.now.advance(20 * 86_400_000);
    await using server = await startTestServer(app);
    const { console: cookie, password } = await createTestUser(app, { role: 'finance', may: [] });
    const headers = {
      ...cookie,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const post = async (path: string, fields: Record<string, string>) => {
      const { headers: answered } = await server.post(`/console${path}`, {
        headers,
        body: String(new URLSearchParams(fields)),
      });
      headers.cookie = answered.get('set-cookie')?.split(';')[0] ?? headers.cookie;
      return answered.get('location');
    };
    const [one] = (await showSettlement(app, id))?.differences ?? [];
    const accept = () => post(`/settlements/${id}/accept`, { cause: one?.cause ?? '', reason: 'visto' });
    const month = '/months?month=2026-01&environment=development';
    const close = () => post(month, { month: '2026-01', environment: 'development' });
    app.now.advance(app.config.proofMinutes * 60_000);
    const proof = new URL((await accept()) ?? '', 'http://localhost');
    const form = proof.searchParams.get('next') ?? '';
    assert.deepEqual(
      [proof.pathname, /visto/.test(proof.href)],
      ['/console/prove', false],
      'the reason is not in the address',
    );
    const isKept = async (headers: { cookie: string }) =>
      /name="reason"[^>]* value="visto"/.test((await server.get(`/console${form}`, headers)).text);
    const other = await createTestUser(app, { role: 'finance', may: [] });
    assert.deepEqual(
      [await isKept(cookie), await isKept(other.console)],
      [true, false],
      'only the person who typed the text sees it',
    );
    const back = encodeURIComponent('/months?month=2026-01&environment=development');
    assert.equal(await close(), `/console/prove?next=${back}`);
    assert.equal((await showSettlement(app, id))?.differences[0]?.accepted_by, null);
    await app.db.transaction((tx) => tx.query('update sessions set proved_at = $1', [app.now()]));
    assert.match((await accept()) ?? '', /^\/console\/prove/, 'a proof that somebody wrote into the database is none');
    assert.equal(await post('/prove', { password, next: form }), `/console${form}`);
    assert.equal(await accept(), `/console/settlements/${id}?accepted=1`);
    const again = new URL((await accept()) ?? '', 'http://localhost');
    assert.match(
      (await server.get(`${again.pathname}${again.search}`, { cookie: headers.cookie })).text,
      /Ya estaba aceptado: vale el motivo de entonces\./,
    );
    const page = (await server.get(`/console${month}`, { cookie: headers.cookie })).text;
    assert.ok(
      page.includes(`method="post" action="/console${month.replace('&', '&amp;')}"`),
      'the form sends to the address with its query',
    );
    const closed = '/console/months?month=2026-01&environment=development';
    assert.equal(await close(), closed);
    assert.equal(await close(), closed, 'a second tab shows the closed month, not a refusal');
    assert.notEqual((await describeMonth(app, '2026-01', 'development'))?.closed, null);
  });

  test('in the console the finance role compares, accepts and closes; a role that only reads the books sees it', async () => {
    const { app, text } = await open();
    await using server = await startTestServer(app);
    const as = async (role: 'finance' | 'auditor' | 'support') => {
      const user = await createTestUser(app, { role, may: [], email: `${role}@example.cl` });
      return { ...user.console, 'sec-fetch-site': 'same-origin' };
    };
    const [finance, auditor, support] = [await as('finance'), await as('auditor'), await as('support')];
    const upload = (
      content: string,
      headers: Record<string, string>,
      name = 'abono.csv',
      { merchant = '', method = 'simulated' } = {},
    ) => {
      const part = (name: string, value: string, more = '') =>
        `--form-edge\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      const body = `${part('environment', 'development')}${part('method', method)}${part('merchant', merchant)}${part('file', content, `; filename="${name}"\r\ncontent-type: text/csv`)}--form-edge--\r\n`;
      return server.post('/console/settlements', {
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=form-edge' },
        body,
      });
    };
    assert.equal((await upload(HEAD + text, auditor)).status, 403);
    const unreadable = await upload('nothing', finance);
    assert.equal(unreadable.status, 400);
    assertMarked(unreadable.text, 'file');
    assert.equal((await upload(HEAD + text, finance, 'abono.csv', { merchant: 'a\0b' })).status, 400);
    const before = await selectSettlements(app.db, 9);
    assert.equal((await upload(HEAD + text, finance, 'abono.csv', { method: 'gone' })).status, 400);
    assert.equal((await selectSettlements(app.db, 9)).length, before.length, 'a refusal leaves nothing');
    // The name is cut after 200 code units, which is inside the emoji.
    const kept = await upload(HEAD + text, finance, `${'a'.repeat(199)}😀.csv`);
    assert.equal(kept.status, 303, kept.text);
    const path = kept.headers.get('location') ?? '';
    for (const headers of [finance, auditor]) {
      const { text: page } = await server.get(path, headers);
      assert.match(page, /Otro monto · 1 · -?−?\$?-?1\.000|Otro monto · 1/);
      assert.equal(page.includes('/accept"'), headers === finance);
      assert.equal(page.includes('Aceptar no mueve dinero ni cambia los libros'), headers === finance);
    }
    assert.equal((await server.get(path, support)).status, 403);
    const form = { ...finance, 'content-type': 'application/x-www-form-urlencoded' };
    const accept = (fields: Record<string, string>) =>
      server.post(`${path}/accept`, { headers: form, body: String(new URLSearchParams(fields)) });
    const without = await accept({ cause: 'other_amount', reason: ' ' });
    assert.equal(without.status, 400);
    assertMarked(without.text, 'reason');
    assertMarked((await accept({ cause: 'other_amount', number: '1', reason: 'a@b.cl' })).text, 'reason');
    assert.equal((await accept({ cause: 'none', reason: 'x' })).status, 404);
    assert.equal((await accept({ cause: 'other_amount', reason: 'comisión' })).status, 303);
    for (const wrong of ['', '2026-13', 'x']) {
      const { status, text: said } = await server.get(`/console/months?month=${wrong}`, finance);
      assert.deepEqual([wrong, status, /role="alert"/.test(said)], [wrong, 400, true]);
    }
    const month = await server.get('/console/months?month=2026-01&environment=development', finance);
    assert.match(month.text, /El mes no ha terminado.*Diferencias sin aceptar: 2.*<h2>Se debe hasta ahora</s);
    const closing = { headers: form, body: 'month=2026-01&environment=development' };
    assert.equal((await server.post('/console/months', closing)).status, 409);
    const wrong = await server.get('/console/months?month=enero', finance);
    assert.equal(wrong.status, 400, 'an invalid month is refused with 400');
    assert.equal((await server.post('/console/months', { ...closing, body: 'month=enero' })).status, 400);
  });
});
