import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { makePayoutFiles, readPayoutFile } from '../../src/payouts/make-payout-files.ts';
import { selectPayoutAnywhere, selectPayoutsOfFile } from '../../src/payouts/payout-queries.ts';
import { readResults } from '../../src/payouts/read-results.ts';
import { setAccountType } from '../../src/payouts/set-account-type.ts';
import { settlePayouts } from '../../src/payouts/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { ANA, approved, openPayoutDesk, type PayoutDesk, wish } from '../support/test-payouts.ts';

const PEDRO = { ...ANA, rut: '11.111.111-1', bankCode: '001', account: '00990011223', name: 'Pedro Soto', email: null };
const PAYER = { rut: '76.123.456-0', name: 'Tienda SpA', account: '123456789', agreement: '' };
const EVIDENCE = describeEvidence('portal.txt', Buffer.from('what the portal shows'));

forEachEngine('files of payouts', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openPayoutDesk(app) };
  };
  const file = (app: TestApp, { environment: owner, maker: by }: PayoutDesk, format = 'bancoestado-abonos') =>
    makePayoutFiles(app, { owner, by, format, payer: PAYER, batchId: null });
  const outcomes = (
    app: TestApp,
    { environment: owner, maker: by }: PayoutDesk,
    said: [string, 'confirmed' | 'failed' | 'returned'][],
  ) =>
    settlePayouts(app, {
      owner,
      by,
      outcomes: said.map(([id, outcome]) => ({
        id,
        outcome,
        reason: outcome === 'confirmed' ? null : 'cuenta cerrada',
      })),
      evidence: EVIDENCE,
    });

  test('a payout is in one file, from any number at once, and the file is kept with its bytes', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish(), wish()]);
    const made = await Promise.allSettled([file(app, desk), file(app, desk), file(app, desk)]);
    const files = made.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    assert.equal(files.length, 1);
    assert.match(String(files[0]?.content), /^125319092\tANA NUNEZ\tana@example\.cl\t012\t30\t12531909\t10000\r\n/);
    const again = await readPayoutFile(app, files[0]?.file.id ?? '');
    assert.deepEqual(again.content, files[0]?.content);
    const payouts = await selectPayoutsOfFile(app.db, desk.environment.id, files[0]?.file.id ?? '');
    assert.deepEqual(
      payouts.map(({ state, file_line }) => [state, file_line]),
      [
        ['sent', 1],
        ['sent', 2],
      ],
    );
    await assert.rejects(file(app, desk), /Nothing is approved/);
    const kept = JSON.stringify(await app.db.query('select * from payout_files'));
    assert.doesNotMatch(kept, /12531909|NUNEZ/);
  });

  test('what had left before a restore went into a second file, and was paid twice', async () => {
    const { app, desk } = await open();
    await approved(app, desk);
    await beginEpoch(app, [], 0, TESTER);
    await assert.rejects(file(app, desk), (error: Problem) => error.code === 'HELD_AFTER_RESTORE');
    await releaseEpoch(app, TESTER, 'compared');
    assert.equal((await file(app, desk)).length, 1);
  });

  test('a bank that asks what kind of account it is gets no file before somebody has said it', async () => {
    const { app, desk } = await open();
    const [payout] = await approved(app, desk, [wish({ payee: PEDRO })]);
    await assert.rejects(file(app, desk, 'bancochile-v4'), /payout account-type po_/);
    assert.equal((await selectPayoutAnywhere(app.db, payout?.id ?? ''))?.state, 'approved');
    if (payout !== undefined) await setAccountType(app, payout, 'checking', desk.maker);
    const [made] = await file(app, desk, 'bancochile-v4');
    assert.match(made?.file.name ?? '', /^bancochilev420260115\w{6}\.xlsx$/);
  });

  test('more lines than a file takes become several files, and a bank that needs more of the payer says so', async () => {
    const { app, desk } = await open();
    await approved(
      app,
      desk,
      Array.from({ length: 101 }, () => wish({ amount: 100 })),
    );
    const made = await file(app, desk, 'bancochile-masivas');
    assert.deepEqual(
      made.map(({ file: { payouts, total } }) => [payouts, total]),
      [
        [100, 10_000],
        [1, 100],
      ],
    );
    const { environment: owner, maker: by } = desk;
    const payer = { ...PAYER, rut: '' };
    assert.throws(() => makePayoutFiles(app, { owner, by, format: 'itau-nel', payer, batchId: null }), /needs the rut/);
  });

  test('what the bank says is taken once, what contradicts it is kept, and the books agree', async () => {
    const { app, desk } = await open();
    const ids = (await approved(app, desk, [wish(), wish()])).map(({ id }) => id) as [string, string];
    await file(app, desk);
    const first = await outcomes(app, desk, [
      [ids[0], 'confirmed'],
      [ids[1], 'failed'],
    ]);
    assert.equal(first.settled.length, 2);
    const second = await outcomes(app, desk, [
      [ids[0], 'confirmed'],
      [ids[1], 'confirmed'],
    ]);
    assert.deepEqual([second.settled.length, second.already.length, second.contradicted.length], [0, 1, 1]);
    assert.equal((await outcomes(app, desk, [[ids[0], 'returned']])).settled.length, 1);
    assert.equal((await selectPayoutAnywhere(app.db, ids[1]))?.contradiction, 'confirmed');
    assert.equal((await verifyStore(app)).ok, true);
    await outcomes(app, desk, [[ids[1], 'confirmed']]);
    const told = await app.db.query<{ data: string }>("select data from events where type = 'payout.contradicted'");
    assert.deepEqual(
      told.map(({ data }) => JSON.parse(data).payout).map(({ id, state, said }) => [id, state, said]),
      [[ids[1], 'failed', 'confirmed']],
    );
    const lost = "update payouts set state = 'confirmed' where id = $1";
    await app.db.transaction((tx) => tx.query(lost, [ids[1]]));
    assert.deepEqual(
      (await verifyStore(app)).findings.map(({ finding, subject }) => [finding, subject]),
      [['payout_changed', ids[1]]],
    );
  });

  test('two results of one payout in one file lost the second, which contradicts the first', async () => {
    const { app, desk } = await open();
    const [payout] = await approved(app, desk);
    const id = payout?.id ?? '';
    await file(app, desk);
    const said = await outcomes(app, desk, [
      [id, 'confirmed'],
      [id, 'failed'],
    ]);
    assert.deepEqual([said.settled.length, said.contradicted.length], [1, 1]);
    assert.equal((await selectPayoutAnywhere(app.db, id))?.contradiction, 'failed');
  });

  test('a result names payouts by RUT, account and amount, each line once', async (context: TestContext) => {
    const { app, desk } = await open();
    await approved(app, desk, [wish(), wish(), wish({ payee: PEDRO, amount: 20_000 })]);
    const [made] = await file(app, desk, 'bice');
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-result-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'resultado.csv');
    const lines = [
      'Rut Destinatario;Cuenta;Monto a Pagar ($);Estado;Motivo',
      '12.531.909-2;12531909;10.000;Pagado;',
      '12.531.909-2;12531909;10.000;Pendiente;',
      '12.531.909-2;12531909;10.000;Pagado;',
      '11.111.111-1;990011223;$20.000;Rechazado;Cuenta 990011223 cerrada',
    ];
    writeFileSync(path, lines.join('\n'));
    const payouts = await selectPayoutsOfFile(app.db, desk.environment.id, made?.file.id ?? '');
    const read = await readResults(app, path, payouts);
    assert.deepEqual([read.unmatched, read.unclear], [[4], [3]]);
    assert.deepEqual(
      read.outcomes.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['confirmed', null],
        ['failed', 'Cuenta … cerrada'],
      ],
    );
  });
});
