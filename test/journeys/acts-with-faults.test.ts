import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageError } from '../../src/db/database.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { beginFacts } from '../../src/proof/begin-facts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { payToken } from '../../src/transactions/transaction.ts';
import { atConsole } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { failingStore } from '../support/failing-store.ts';
import { FORM } from '../support/form-headers.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { payOut } from '../support/test-movements.ts';
import { openPayoutDesk, propose } from '../support/test-payouts.ts';
import { askForRefund, openRefundDesk } from '../support/test-refund-requests.ts';
import { type Answer, startTestServer, type TestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

/**
 * Makes what the act needs, and returns the request of a person or a program, which they send again after a failure.
 */
type Act = (app: TestApp, id: string) => Promise<(server: TestServer) => Promise<Answer>>;

const form =
  ({ console: headers }: TestUser, path: string, fields: Record<string, string>) =>
  (server: TestServer) =>
    atConsole(server, headers).post(path, fields);

const TEF = {
  messageToAddressee: 'Pago',
  amount: 15_000,
  recipientData: { rut: '12.531.909-2', name: 'Ana Núñez', email: 'ana@example.cl' },
  bankData: { bankSBIFNumber: '012', bankAccount: '12531909' },
};

const ACTS: Record<string, Act> = {
  'a cancellation by the payer': async (app) => {
    const transaction = await createTestTransaction(app, await createTestEnvironment(app));
    return (server) => server.post(`/pay/${payToken(transaction)}/cancel`, { headers: FORM, body: '' });
  },
  'a refund with an idempotency key': async (app) => {
    const { id } = await createPaidTransaction(app, await createTestEnvironment(app), { amount: 10_000 });
    const headers = { ...(await createTestUser(app)).headers, 'idempotency-key': 'k' };
    const json = { amount: 4000, type: 'parcial' };
    return (server) => server.post(`/trxs/${id}/nullification`, { headers, json });
  },
  'an approval of a refund': async (app) => {
    const desk = await openRefundDesk(app);
    const { id } = await askForRefund(app, desk);
    return form(desk.users.approver, `/payments/${desk.paid.id}/requests/${id}/approve`, { reason: 'x' });
  },
  'a transfer of a program': async (app, id) => {
    const { headers } = (await openPayoutDesk(app)).users.program;
    const json = { tef: { ...TEF, id }, callbackUrl: 'https://shop.example.cl/tef' };
    return (server) => server.post('/tef', { headers, json });
  },
  'an approval of payouts': async (app) => {
    const desk = await openPayoutDesk(app);
    const [payout] = await propose(app, desk);
    return form(desk.users.approver, `/batches/${payout?.batch_id}/approve`, { reason: 'x' });
  },
  'a deposit': async (app) => {
    const { environment, users } = await openPayoutDesk(app, { money: 10_000 });
    const money = { amount: '9000', commission: '300', currency: 'CLP', reference: 'A-1' };
    const of = String(environment.id);
    return form(users.maker, '/movements/deposit', { of, from: 'method simulated', ...money, confirm: 'yes' });
  },
  'the return of a payout to a merchant': async (app) => {
    const { environment, users } = await openPayoutDesk(app);
    const recorded = await payOut(app, environment, 500);
    const id = 'movement' in recorded ? recorded.movement.id : '';
    return form(users.maker, `/movements/${id}/return`, { reason: 'x', confirm: 'yes' });
  },
  'a decision of money in suspense': async (app) => {
    const { id } = await createLatePayment(app, await createTestEnvironment(app));
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    return form(finance, `/suspense/t${id}-1.0`, { decision: 'kept', reason: 'x' });
  },
  'a bank statement': async (app, id) => {
    const { environment, users } = await openPayoutDesk(app);
    const text = `Fecha;Descripción;Cargos;Abonos;Saldo\n${dayOf(app.now())};ABONO ${id};;20.000;1.000.000`;
    const content = Buffer.from(text).toString('base64');
    const fields = { of: String(environment.id), account: id, file_name: 'c.csv', content, confirm: 'yes' };
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const request = new Request('http://localhost', { method: 'POST', body });
    const headers = { ...FORM, 'content-type': request.headers.get('content-type') ?? '', ...users.maker.console };
    const sent = await request.text();
    return (server) => server.post('/console/statements', { headers, body: sent });
  },
  'a subscription of a program': async (app) => {
    const { headers } = await createTestUser(app);
    const json = { url: 'https://shop.example.cl/w', method: 'POST', webhook: 'remittances' };
    return (server) => server.post('/webhooks', { headers, json });
  },
};

/** The points at which an act fails: a statement in the middle, the last one, and the answer of its commit. */
const pointsOf = (all: number) => [Math.ceil(all / 2), all - 1, all];

forEachEngine('acts whose database fails between any two statements', (openTestDatabase) => {
  test('are done once when the same request comes again, in the same process or in another', async () => {
    const { failing, faults } = failingStore(await openTestDatabase());
    const shaken = createTestApp(failing);
    await beginFacts(shaken);
    const other = createTestApp(shaken.db, { now: shaken.now });
    await using server = await startTestServer(shaken);
    await using another = await startTestServer(other);
    let number = 100_000;
    for (const [name, act] of Object.entries(ACTS)) {
      // The very first act also stores keys of the installation.
      await (await act(shaken, String(++number)))(server);
      const first = await act(shaken, String(++number));
      const before = await countRows(shaken);
      Object.assign(faults, { at: 0, points: 0 });
      const done = await first(server);
      assert.ok(done.status < 400, `${name}: ${done.text}`);
      const wanted = added(before, await countRows(shaken));
      const last = faults.points;
      for (const at of pointsOf(last)) {
        const send = await act(shaken, String(++number));
        const start = await countRows(shaken);
        // The commit of the last point took effect, and its answer was lost.
        const code = at === last ? 'OUTCOME_UNKNOWN' : 'STORAGE_UNAVAILABLE';
        Object.assign(faults, { at, points: 0, raise: () => new StorageError(code, null) });
        const failed = await send(server);
        Object.assign(faults, { at: 0 });
        assert.equal(failed.status, 503, `${name} at ${at}`);
        const again = await send(at % 2 === 0 ? server : another);
        assert.ok(again.status < 400 || again.status === 409, `${name} at ${at}: ${again.text}`);
        assert.deepEqual(added(start, await countRows(shaken)), wanted, `${name} at ${at}`);
      }
    }
    assert.deepEqual((await verifyStore(shaken)).findings, []);
  });
});

/** Counts what an act leaves: its events, callbacks, acts of the audit log, and money in the books. */
async function countRows({ db }: TestApp): Promise<Record<string, number>> {
  const rows = await db.query<{ name: string; count: number }>(
    `select type as name, count(*) as count from events group by type
     union all select action, count(*) from audit_log group by action
     union all select kind, cast(sum(amount) as bigint) from journal_entries group by kind
     union all select 'callbacks', count(*) from callbacks
     union all select 'statement lines', count(*) from bank_statement_lines`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

function added(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const differences = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
  return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
}
