import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { listEntries } from '../../src/books/list-books.ts';
import type { Recording } from '../../src/movements/record-movement.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { importStatement } from '../../src/statements/import-statement.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { atConsole } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM } from '../support/form-headers.ts';
import { leaveFor } from '../support/moving-shop.ts';
import { createTestApp } from '../support/test-app.ts';
import { deposit, payOut } from '../support/test-movements.ts';
import { openPayoutDesk } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const PROOF_MS = 15 * 60_000;

forEachEngine('the page of a recorded deposit or payout', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app, { money: 10_000 });
    const { environment, maker: by } = desk;
    const server = await startTestServer(app);
    const as = (user: TestUser, language = 'en') => atConsole(server, { 'accept-language': language, ...user.console });
    const pathOf = (recording: Recording) => `/movements/${'movement' in recording ? recording.movement.id : ''}`;
    const importLines = async (...lines: (readonly [amount: number, text: string])[]) => {
      const evidence = { name: 'cartola.csv', sha256: hash('sha256', JSON.stringify(lines)), bytes: 1, excerpt: '' };
      const account = { environment: 'development' as const, paymentServiceId: environment.paymentServiceId };
      const read = lines.map(([amount, text], at) => ({ line: at + 2, day: '2026-01-15', amount, text }));
      const wish = { ...account, account: '123456789', evidence, by };
      return (await importStatement(app, wish, { lines: read, proof: 'balance' })).id ?? '';
    };
    const returns = async () =>
      (await listEntries(app, null, 20)).filter(({ kind }) => kind.endsWith('_returned')).map(({ kind }) => kind);
    return { app, desk, server, as, pathOf, importLines, returns };
  };

  test('takes back a deposit once, after it shows what the books will say, in the name of the person', async () => {
    const { app, desk, server, as, pathOf, returns } = await open();
    await using _server = server;
    const path = pathOf(await deposit(app, desk.environment, 9000, { reference: 'AB-1', commission: 300 }));
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    assert.ok((await owner.get('/movements')).text.includes(`href="/console${path}">AB-1</a>`));
    const maker = as(desk.users.maker, 'es');
    const { text } = await maker.get(path);
    for (const said of [
      'Depósito AB-1',
      '$9.000 CLP',
      'comisión retenida: $300 CLP',
      'Simulador',
      'Deshacer $9.000 CLP',
    ])
      assert.ok(text.includes(said), said);
    const rows = [...text.matchAll(/data-label="(?:Debe|Haber|Monto)"[^>]*>([^<]+)</g)].map(([, cell]) => cell);
    assert.deepEqual(rows, [
      'por cobrar a Simulador',
      'el banco',
      '$9.000 CLP',
      'por cobrar a Simulador',
      'comisiones de los adquirentes',
      '$300 CLP',
    ]);
    assert.doesNotMatch(text, /disponibles después/, 'the merchant’s money stays as it is');
    assert.doesNotMatch((await maker.get(`${path}?reason=from+a+link`)).text, /from a link/);
    for (const reason of ['', 'a@b.cl']) {
      const refused = await maker.post(`${path}/return`, { reason });
      assert.equal(refused.status, 400);
      assertMarked(refused.text, 'reason');
    }
    const done = await maker.post(`${path}/return`, { reason: ' de otro comercio ' });
    assert.deepEqual([done.status, done.headers.get('location')], [303, `/console${path}?done=returned`]);
    const after = await maker.get(`${path}?done=returned`);
    assert.match(after.text, /Quedó deshecho\..*Se deshizo el 2026-01-15.*Motivo: de otro comercio/s);
    assert.doesNotMatch(after.text, /<form[^>]*\/return"/);
    assert.equal(
      (await maker.post(`${path}/return`, { reason: 'otra vez' })).headers.get('location'),
      `/console${path}`,
    );
    assert.deepEqual(await returns(), ['commission_returned', 'deposit_returned']);
    const { acts } = await listAudit(app, { action: 'deposit.returned' }, 10);
    assert.deepEqual(
      acts.map(({ who, reason }) => [who.name, reason]),
      [[desk.users.maker.email, 'de otro comercio']],
    );
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('takes back a payout, whose charge in the bank statement stays', async () => {
    const { app, desk, server, as, pathOf, importLines, returns } = await open();
    await using _server = server;
    const path = pathOf(await payOut(app, desk.environment, 9000, { reference: 'TEF-8812' }));
    const statement = await importLines([-9000, 'TRANSFERENCIA TEF-8812']);
    const maker = as(desk.users.maker);
    const page = await maker.get(path);
    assert.match(page.text, /line 2 \(Payout\).*stays this payout.*payout that came back.*\$10,?.?000 CLP available/s);
    assert.ok((await maker.get(`/statements/${statement}`)).text.includes(`href="/console${path}"`));
    await maker.post(`${path}/return`, { reason: 'the account is closed' });
    assert.deepEqual(await returns(), ['payout_returned']);
    assert.match((await maker.get(path)).text, /line 2 \(Payout\)/);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('says why a deposit cannot be taken back: an import matched it, or the merchant has used it', async () => {
    const { app, desk, server, as, pathOf, importLines, returns } = await open();
    await using _server = server;
    const paidIn = { paymentMethod: null } as const;
    const path = pathOf(await deposit(app, desk.environment, 5000, { ...paidIn, reference: 'TRF-0116' }));
    const maker = as(desk.users.maker);
    const statement = await importLines([5000, 'TRANSFERENCIA TRF-0116'], [6000, 'ABONO']);
    const wrong = `/console/statements/${statement}?use=deposit&amp;line=2`;
    const matched = await maker.get(path);
    assert.ok(matched.text.includes(`href="${wrong}">Look at line 2</a>`), matched.text);
    const refused = await maker.post(`${path}/return`, { reason: 'never came' });
    assert.deepEqual([refused.status, /an import matched line 2/.test(refused.text)], [409, true]);
    await maker.post(`/statements/${statement}/uses`, {
      line: '2',
      use: 'deposit',
      is: 'suspense',
      reason: 'of another',
    });
    await payOut(app, desk.environment, 12_000);
    const used = await maker.post(`${path}/return`, { reason: 'never came' });
    assert.deepEqual([used.status, /has used it, and only \$3.000 CLP/.test(used.text)], [409, true]);
    assert.deepEqual(await returns(), []);
    const named = await deposit(app, desk.environment, 6000, { ...paidIn, reference: 'TRF-0117' });
    const is = { use: 'deposit' as const, deposit: { id: 'movement' in named ? named.movement.id : '' } };
    await resolveLine(app, { statementId: statement, fileLine: 3, is, reason: 'seen', by: desk.maker });
    assert.match(
      (await maker.get(pathOf(named))).text,
      /line 3 of a bank statement is this deposit: it goes into suspense/,
    );
    await maker.post(`${pathOf(named)}/return`, { reason: 'of another merchant' });
    assert.match((await maker.get(`/statements/${statement}?use=suspense&line=3`)).text, /What is line 3\?/);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('takes nothing back without the permission, the factor or the payment service, or from another site', async () => {
    const { app, desk, server, as, pathOf, returns } = await open();
    await using _server = server;
    const path = pathOf(await deposit(app, desk.environment, 9000, { reference: 'AB-1' }));
    const reason = 'never came';
    for (const role of ['support', 'operator', 'auditor', 'approver'] as const) {
      const user = as(await createTestUser(app, { role, may: [] }));
      assert.equal((await user.post(`${path}/return`, { reason })).status, 403, role);
      assert.doesNotMatch((await user.get(path)).text, /<form[^>]*\/return"/, role);
    }
    const own = { role: 'merchant', may: [], paymentServices: [desk.environment.paymentServiceId] } as const;
    const ofMerchant = as(await createTestUser(app, own));
    assert.equal((await ofMerchant.get(path)).status, 403, 'who recorded it and why is for the staff');
    const other = await openPayoutDesk(app);
    const stranger = as(other.users.maker);
    for (const answer of [await stranger.get(path), await stranger.post(`${path}/return`, { reason })])
      assert.equal(answer.status, 404);
    const { console } = desk.users.maker;
    const crossSite = { ...FORM, ...console, 'sec-fetch-site': 'cross-site' };
    const body = String(new URLSearchParams({ reason }));
    assert.equal((await server.post(`/console${path}/return`, { headers: crossSite, body })).status, 403);
    const maker = as(desk.users.maker);
    for (const id of ['mv_x', '1', path.slice(11).toUpperCase()])
      assert.equal((await maker.post(`/movements/${id}/return`, { reason })).status, 404, id);
    app.now.advance(PROOF_MS);
    const asked = await maker.post(`${path}/return`, { reason });
    const [, next = ''] = /^\/console\/prove\?next=(.+)$/.exec(asked.headers.get('location') ?? '') ?? [];
    assert.doesNotMatch(next, /never/);
    const again = await maker.get(decodeURIComponent(next));
    assert.match(again.text, /name="reason"[^>]* value="never came"/);
    assert.deepEqual(await returns(), []);
    await leaveFor(app, desk.environment);
    app.now.advance(1000);
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    const moved = await owner.post(`${path}/return`, { reason });
    assert.deepEqual([moved.status, /pay-2/.test(moved.text)], [421, true]);
    assert.deepEqual(await returns(), []);
  });
});
