import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import { cancelPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { findPayoutFile } from '../../src/payouts/files/find-payout-file.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { openContent } from '../../src/payouts/files/seal-payout-file.ts';
import { listRecipients } from '../../src/payouts/recipients/find-recipient.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { removeTriggers } from '../support/test-books.ts';
import { ANA, approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('a recipient whose row was tampered with', (openTestDatabase) => {
  test('blocks only its own payout: the lists still work, and the others get their bank file', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const payee = { ...ANA, rut: '11.111.111-1', account: '11111111', name: 'Pedro Soto', email: null };
    const payouts = await approved(app, desk, [wish(), wish({ payee })]);
    const before = await showPayouts(app, payouts);
    const [first, second] = before
      .toSorted((one) => (one.recipient?.name === ANA.name ? -1 : 1))
      .map(({ payout }) => payout);
    const sql = `update recipients set sealed_details = substr(sealed_details, 1, length(sealed_details) - 22) || 'AAAAAAAAAAAAAAAAAAAAAA'
      where id = $1`;
    await app.db.transaction((tx) => tx.query(sql, [first?.recipient_id ?? '']));
    const shown = await showPayouts(app, payouts);
    assert.deepEqual(shown.map(({ recipient }) => recipient?.name ?? 'changed').sort(), ['Pedro Soto', 'changed']);
    const { recipients } = await listRecipients(app, { id: 'x', environmentIds: null }, { after: null, limit: 10 });
    assert.deepEqual(
      recipients.map(({ name }) => name),
      ['Pedro Soto'],
    );
    const { environment: owner, maker: by } = desk;
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const write = () => makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    await assert.rejects(write(), { code: 'INVALID_PAYOUT' });
    await cancelPayouts(app, { owner, by, named: { ids: [first?.id ?? ''] }, reason: 'error' });
    assert.deepEqual(
      (await write()).flatMap((made) => made.payouts.map(({ id }) => id)),
      [second?.id],
    );
  });

  test('is not paid at another bank that was written into the payout', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    await approved(app, desk);
    await removeTriggers(app.db);
    await app.db.transaction((tx) => tx.query("update payouts set bank_code = '037'"));
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await assert.rejects(makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null }), {
      code: 'INVALID_PAYOUT',
    });
    await setPayoutSender(app, owner, { kind: 'simulated', url: null, key: null }, by);
    await carryOutPayouts(app, 10);
    const [payout] = await app.db.query<{ state: string }>('select state from payouts');
    assert.equal(payout?.state, 'approved');
  });

  test('is saved again as a new version by the next payout to its account', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [before] = await approved(app, desk);
    await change(app);
    const [payout] = await approved(app, desk);
    assert.deepEqual([payout?.recipient_id, payout?.recipient_version], [before?.recipient_id, 2]);
    const { recipients } = await listRecipients(app, { id: 'x', environmentIds: null }, { after: null, limit: 10 });
    assert.deepEqual(
      recipients.map(({ name }) => name),
      [ANA.name],
    );
  });

  test('is named once in the log when its payout cannot be sent', async () => {
    const told: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void told.push(line) });
    const app = createTestApp(await openTestDatabase(), { log });
    const desk = await openPayoutDesk(app);
    await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    const [payout] = await approved(app, desk);
    await change(app);
    await carryOutPayouts(app, 10);
    assert.equal(told.filter((line) => line.includes(payout?.recipient_id ?? '')).length, 1);
  });

  test('has a console page that says what happened and which command repairs it', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [payout] = await approved(app, desk);
    await change(app);
    await using server = await startTestServer(app);
    const { console: cookie } = await createTestUser(app, { role: 'owner', may: [] });
    const page = await server.get(`/console/recipients/${payout?.recipient_id}`, cookie);
    assert.deepEqual([page.status, /Alguien cambió los datos de este destinatario/.test(page.text)], [409, true]);
    const command = `bin/rubrica recipient change ${payout?.recipient_id}`;
    assert.ok(page.text.includes(command), 'the page has the command that repairs the recipient');
    const actor = { id: 'command-line', environmentIds: null };
    const account = { rut: ANA.rut, bankCode: ANA.bankCode, account: ANA.account, rutFormat: null };
    const { id: validationId } = await validateBankAccount(app, actor, account);
    const id = payout?.recipient_id ?? '';
    const input = { validationId, paymentServiceId: null, account, name: 'Ana Núñez', email: ANA.email };
    await keepRecipient(app, actor, id, input, desk.maker);
    assert.equal((await server.get(`/console/recipients/${id}`, cookie)).status, 200);
  });

  test('a payout file whose stored bytes were tampered with is refused with CHANGED_IN_STORE', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    await approved(app, desk);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const { environment: owner, maker: by } = desk;
    const [made] = await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    await app.db.transaction((tx) =>
      tx.query(
        "update payout_files set sealed_content = substr(sealed_content, 1, length(sealed_content) - 22) || 'AAAAAAAAAAAAAAAAAAAAAA'",
      ),
    );
    const changed = await findPayoutFile(app, null, made?.file.id ?? '');
    assert.throws(() => openContent(app, changed), { code: 'CHANGED_IN_STORE' });
  });

  const change = (app: TestApp) =>
    app.db.transaction((tx) =>
      tx.query(
        "update recipients set sealed_details = substr(sealed_details, 1, length(sealed_details) - 22) || 'AAAAAAAAAAAAAAAAAAAAAA'",
      ),
    );
});
