import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { advanceAudit } from '../../src/audit/audit-queries.ts';
import { listAudit } from '../../src/audit/list-audit.ts';
import type { Database } from '../../src/db/database.ts';
import { rehearse } from '../../src/db/rehearse.ts';
import { beginEpoch } from '../../src/epochs/begin-epoch.ts';
import { releaseEpoch } from '../../src/epochs/release-epoch.ts';
import type { Problem } from '../../src/error-catalogue.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { bancoestadoAbonos } from '../../src/payout-senders/bancoestado-files.ts';
import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { findPayoutFile } from '../../src/payouts/files/find-payout-file.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { readPayouts } from '../../src/payouts/files/read-payouts.ts';
import { readResults } from '../../src/payouts/files/read-results.ts';
import { openContent } from '../../src/payouts/files/seal-payout-file.ts';
import { setAccountType } from '../../src/payouts/files/set-account-type.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { tellPayout } from '../../src/payouts/payout-history.ts';
import { selectPayoutAnywhere, selectPayoutsOfFile } from '../../src/payouts/payout-queries.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { showPayouts } from '../../src/payouts/show-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { ANA, actor, approved, openPayoutDesk, type PayoutDesk, propose, wish } from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';

const PEDRO = { ...ANA, rut: '11.111.111-1', bankCode: '001', account: '00990011223', name: 'Pedro Soto', email: null };
const PAYER = { rut: '76.123.456-0', name: 'Tienda SpA', account: '123456789', agreement: '' };
const EVIDENCE = describeEvidence('portal.txt', Buffer.from('what the portal shows'));

forEachEngine('the kind of account in a file of payouts', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openPayoutDesk(app) };
  };
  let files = 0;
  /** Proposes Pedro's payouts, one for each kind; `undefined`: the cell is empty. */
  const proposeFile = async (app: TestApp, { environment: owner, maker: by }: PayoutDesk, kinds: readonly string[]) => {
    files++;
    const rows = kinds.map((kind, at) => `11.111.111-1,001,00990011223,Pedro Soto,1000,f${files}-${at},${kind}`);
    const text = `RUT,Banco,N° cuenta,Nombre,Monto,Id,Tipo de cuenta\n${rows.join('\n')}\n`;
    const { wishes } = await readPayouts(app, Readable.from([Buffer.from(text)]), 'lote');
    const batch = { name: 'lote', fileSha256: null };
    return (await proposePayouts(app, { owner, by, wishes, batch })).payouts;
  };
  const kindOf = async (app: TestApp, [payout]: Payout[]) =>
    (await showPayouts(app, [payout as Payout]))[0]?.accountType;
  const pointers = (expected: [string, RegExp][]) => (error: unknown) => {
    const { code, extras } = error as Problem;
    assert.equal(code, 'INVALID_PAYOUT');
    const said = extras.errors ?? [];
    assert.deepEqual(
      said.map(({ pointer }) => pointer),
      expected.map(([pointer]) => pointer),
    );
    for (const [at, [, message]] of expected.entries()) assert.match(said[at]?.message ?? '', message);
    return true;
  };

  test('is stored for its account with an act, and the words of payrolls are known', async () => {
    const words: [string, string | null][] = [
      ['Cuenta Corriente', 'checking'],
      ['CTA. CTE.', 'checking'],
      ['Ahorro', 'savings'],
      ['Cuenta Vista', 'sight'],
      ['CuentaRUT', 'sight'],
      ['Chequera Electrónica', 'sight'],
      ['', null],
    ];
    for (const [word, kind] of words) {
      const { app, desk } = await open();
      assert.equal(await kindOf(app, await proposeFile(app, desk, [word, word])), kind, word);
      const acts = (await listAudit(app, {}, 100)).acts.filter(({ action }) => action === 'payout.account_type_set');
      assert.equal(acts.length, kind === null ? 0 : 1, word);
      assert.deepEqual((await verifyStore(app)).problems, []);
    }
  });

  test('is refused if it is unknown, or another than is stored or than an earlier row has, and nothing is made', async () => {
    const { app, desk } = await open();
    const [unknown, stored]: RegExp[] = [/not known/, /known as savings/];
    const refused = (kinds: string[], expected: [string, RegExp][]) =>
      assert.rejects(proposeFile(app, desk, kinds), pointers(expected));
    await refused(
      ['01', '', 'corriente o vista'],
      [
        ['/0/bankData/accountType', unknown as RegExp],
        ['/2/bankData/accountType', unknown as RegExp],
      ],
    );
    await refused(['ahorro', '', 'vista'], [['/2/bankData/accountType', stored as RegExp]]);
    assert.deepEqual(await app.db.query('select id from payouts'), []);
    await proposeFile(app, desk, ['ahorro']);
    await refused(['vista'], [['/0/bankData/accountType', stored as RegExp]]);
    assert.equal((await app.db.query('select id from payouts')).length, 1);
    assert.equal(await kindOf(app, await proposeFile(app, desk, ['', 'ahorro'])), 'savings');
  });

  test('is not stored while an approved payout to the account has not left: who approved it did not see it', async () => {
    const { app, desk } = await open();
    const payouts = await proposeFile(app, desk, ['']);
    const ids = payouts.map(({ id }) => id);
    await approvePayouts(app, { owner: desk.environment, named: { ids }, by: desk.approver, reason: null });
    assert.equal(await kindOf(app, await proposeFile(app, desk, ['ahorro'])), null);
    assert.equal(await kindOf(app, payouts), null);
  });
});

forEachEngine('payout files', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    return { app, desk: await openPayoutDesk(app) };
  };
  const file = (app: TestApp, { environment: owner, maker: by }: PayoutDesk, format = 'bancoestado-abonos') =>
    makePayoutFiles(app, { owner, by, format, payer: PAYER, batchId: null });
  /** Makes a file of all approved payouts. Returns it with a function that matches lines of the bank to it. */
  const filed = async (app: TestApp, desk: PayoutDesk) => {
    const [made] = await file(app, desk, 'bice');
    const payoutsNow = () => selectPayoutsOfFile(app.db, desk.environment.id, made?.file.id ?? '');
    const payouts = await payoutsNow();
    const read = async (lines: readonly string[]) =>
      readResults(app, Readable.from([Buffer.from(lines.join('\n'))]), await payoutsNow());
    const idOf = (reference: string) => payouts.find((one) => one.reference === reference)?.id ?? '';
    return { read, idOf };
  };
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

  test('concurrent requests put a payout into one file, which is stored sealed with its exact bytes', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish(), wish()]);
    const stranger = actor(await createTestUser(app, { role: 'finance', may: [], paymentServices: [] }), 'finance');
    await assert.rejects(file(app, { ...desk, maker: stranger }), { code: 'PERMISSION_MISSING' });
    const made = await Promise.allSettled([file(app, desk), file(app, desk), file(app, desk)]);
    const files = made.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    assert.equal(files.length, 1);
    assert.match(String(files[0]?.content), /^125319092\tANA NUNEZ\tana@example\.cl\t012\t30\t12531909\t10000\r\n/);
    const again = openContent(app, await findPayoutFile(app, null, files[0]?.file.id ?? ''));
    assert.deepEqual(again, files[0]?.content);
    const payouts = await selectPayoutsOfFile(app.db, desk.environment.id, files[0]?.file.id ?? '');
    assert.deepEqual(
      payouts.map(({ state, file_line }) => [state, file_line]),
      [
        ['sent', 1],
        ['sent', 2],
      ],
    );
    await assert.rejects(file(app, desk), /Nothing is approved/);
    const { acts } = await listAudit(app, { action: 'payout.filed' }, 10);
    assert.deepEqual(
      acts.map(({ who, subject }) => [who.name, subject.id]),
      [[desk.users.maker.email, files[0]?.file.id]],
    );
    const kept = JSON.stringify(await app.db.query('select * from payout_files'));
    assert.doesNotMatch(kept, /12531909|NUNEZ/);
  });

  test('more files than fit into one act of the audit log are made at once, and the verification finds nothing', async (t) => {
    const { app, desk } = await open();
    const wishes = Array.from({ length: 125 }, () => wish({ amount: 1000 }));
    const payouts = await approved(app, desk, wishes);
    t.mock.property(bancoestadoAbonos, 'mostLines', 1);
    const made = await file(app, desk);
    const acts = await app.db.query<{ subject: string; said: string }>(
      `select subject, said_after as said from audit_log where action = 'payout.filed' order by link`,
    );
    assert.deepEqual(
      acts.map(({ subject }) => subject.split(' ')),
      [made.slice(0, 100), made.slice(100)].map((part) => part.map((one) => one.file.id)),
    );
    assert.deepEqual(
      acts.map(({ said }) => [JSON.parse(said).payouts, JSON.parse(said).total]),
      [
        [100, '$100.000 CLP'],
        [25, '$25.000 CLP'],
      ],
    );
    assert.deepEqual((await verifyStore(app)).findings, []);
    const last = (await selectPayoutAnywhere(app.db, payouts.at(-1)?.id ?? '')) as Payout;
    const sent = (await tellPayout(app, last)).filter(({ what }) => what === 'sent');
    assert.deepEqual(
      sent.map(({ by }) => by),
      [desk.users.maker.email],
    );
  });

  test('after a restore no file is made until the hold is released, so nothing is paid twice', async () => {
    const { app, desk } = await open();
    await approved(app, desk);
    await beginEpoch(app, [], 0, TESTER);
    await assert.rejects(file(app, desk), (error: Problem) => error.code === 'HELD_AFTER_RESTORE');
    await releaseEpoch(app, TESTER, 'compared');
    assert.equal((await file(app, desk)).length, 1);
  });

  test('a bank that needs the account type gets no file until somebody sets it', async () => {
    const { app, desk } = await open();
    const [payout] = await approved(app, desk, [wish({ payee: PEDRO })]);
    await assert.rejects(file(app, desk, 'bancochile-v4'), /payout account-type po_/);
    assert.equal((await selectPayoutAnywhere(app.db, payout?.id ?? ''))?.state, 'approved');
    const say = (by: Actor) => setAccountType(app, payout as Payout, 'checking', by);
    await assert.rejects(say(TESTER), { code: 'PERSON_NEEDED' });
    await assert.rejects(
      say(desk.maker),
      { code: 'PERMISSION_MISSING' },
      'after the approval it is no more of the maker',
    );
    await say(desk.approver);
    await say(desk.maker);
    const [made] = await file(app, desk, 'bancochile-v4');
    assert.match(made?.file.name ?? '', /^bancochilev420260115\w{6}\.xlsx$/);
  });

  test('the account type of an approved payout is not set by its maker, who may approve payouts of others', async () => {
    const { app, desk } = await open();
    const maker = actor(await createTestUser(app, { role: 'finance', may: ['payouts:approve'] }), 'finance');
    const [payout] = await approved(app, { ...desk, maker }, [wish({ payee: PEDRO })]);
    const say = (by: Actor) => setAccountType(app, payout as Payout, 'checking', by);
    await assert.rejects(say(maker), { code: 'APPROVAL_REFUSED' });
    await say(desk.approver);
  });

  test('the account type is not set by the maker of a payout while its approval waits for its commit', async () => {
    const { app, desk } = await open();
    const [payout] = await propose(app, desk, [wish({ payee: PEDRO })]);
    const say = () => setAccountType(app, payout as Payout, 'savings', desk.maker);
    const begun = Promise.withResolvers<void>();
    const transaction: Database['transaction'] = (work, kind) => {
      begun.resolve();
      return app.db.transaction(work, kind);
    };
    const watched = { ...app, db: { ...app.db, transaction } };
    const { approving, setting } = await rehearse(app.db, async (tx) => {
      await advanceAudit(tx);
      const named = { ids: [payout?.id ?? ''] };
      const first = approvePayouts(watched, { owner: desk.environment, named, by: desk.approver, reason: null });
      await begun.promise;
      await untilQueued(app.db);
      const second = say();
      second.catch(() => {});
      await untilQueued(app.db, 2);
      return { approving: first, setting: second };
    });
    await approving;
    await assert.rejects(setting, { code: 'PERMISSION_MISSING' });
    assert.deepEqual(await app.db.query('select account_type from payout_account_types'), []);
  });

  test('one refusal names a payout to each account whose type nobody has set', async () => {
    const { app, desk } = await open();
    const other = { ...PEDRO, account: '70123457' };
    const payouts = await approved(
      app,
      desk,
      [PEDRO, PEDRO, other].map((payee) => wish({ payee })),
    );
    const { detail } = await file(app, desk, 'bancochile-v4').then(
      () => assert.fail('a file was made'),
      ({ extras }: Problem) => extras,
    );
    assert.match(detail?.en ?? '', /A person who may approve says it/);
    const named = payouts.filter(({ id }) => detail?.es.split(': bin')[0]?.includes(id));
    assert.deepEqual(new Set(named.map(({ account_hash }) => account_hash)).size, 2);
    assert.equal(named.length, 2, 'the type holds for every payout to an account');
  });

  test('more payouts than a file takes become several files, and a bank that needs the payer’s RUT says so', async () => {
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
    const wished = { owner, by, format: 'itau-nel', payer, batchId: null };
    await assert.rejects(makePayoutFiles(app, wished), /needs the rut/);
  });

  test('no file is written for a payer with an invalid account or RUT, and its payouts stay approved', async () => {
    const { app, desk } = await open();
    const [one] = await approved(app, desk, [wish()]);
    const { environment: owner, maker: by } = desk;
    const make = (format: string, changes: Partial<typeof PAYER>) =>
      makePayoutFiles(app, { owner, by, format, payer: { ...PAYER, ...changes }, batchId: null });
    for (const account of ['', 'abc', '12O456789', '1'.repeat(21)])
      await assert.rejects(make('santander', { account }), /up to 20 digits/, account);
    await assert.rejects(make('itau-nel', { rut: '76.123.456-1' }), /check digit is wrong/);
    await assert.rejects(make('itau-nel', { account: '12345678901' }), ({ extras }: Problem) => {
      assert.match(extras.detail?.en ?? '', /the data of the payer: a field of 10 characters cannot hold 11/);
      assert.match(
        extras.detail?.es ?? '',
        /los datos de quien paga: en un campo de 10 caracteres no caben 11/,
        'the detail is in Spanish',
      );
      return true;
    });
    assert.equal((await selectPayoutAnywhere(app.db, one?.id ?? ''))?.state, 'approved');
    const [made] = await make('itau-nel', { account: '0-0123.456 78' });
    assert.match(made?.content.toString('latin1') ?? '', /\b0012345678\b/);
    await approved(app, desk, [wish()]);
    const [other] = await make('bancochile-masivas', { rut: ' 76.123.456-0' });
    assert.match(other?.content.toString('latin1') ?? '', /0761234560/, 'the RUT has no spaces in the file');
  });

  test('a refused file names every payout that its bank cannot pay so, and its payouts stay approved', async () => {
    const { app, desk } = await open();
    const [prepaid, same, fits] = await approved(app, desk, [
      wish({ payee: { ...ANA, bankCode: '730', account: '111122223333' } }),
      wish({ payee: { ...ANA, bankCode: '730', account: '111122224444' } }),
      wish(),
    ]);
    const { environment: owner, maker: by } = desk;
    const payer = { ...PAYER, agreement: '3' };
    const making = makePayoutFiles(app, { owner, by, format: 'scotiabank', payer, batchId: null });
    await assert.rejects(making, ({ extras }: Problem) => {
      assert.deepEqual(extras.detail, {
        en: `scotiabank cannot hold ${prepaid?.id}, ${same?.id}: the name of bank 730 is not known.`,
        es: `scotiabank no puede llevar ${prepaid?.id}, ${same?.id}: no se conoce el nombre del banco 730.`,
      });
      return true;
    });
    assert.equal((await selectPayoutAnywhere(app.db, fits?.id ?? ''))?.state, 'approved');
  });

  test('a result of the bank is applied once, a contradiction is recorded, and the books agree', async () => {
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

  test('of two results of one payout in one file, the second is recorded as a contradiction', async () => {
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

  test('each line of a result file is matched to one payout by RUT, account and amount', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish(), wish({ amount: 12_000 }), wish({ payee: PEDRO, amount: 20_000 })]);
    const { read } = await filed(app, desk);
    const said = await read([
      'Rut Destinatario;Cuenta;Monto a Pagar ($);Estado;Motivo',
      '12.531.909-2;12531909;10.000;Pagado;',
      '12.531.909-2;12531909;12.000;Pendiente;',
      '12.531.909-2;12531909;10.000;Pagado;',
      '11.111.111-1;990011223;$20.000;Rechazado;Cuenta 990011223 cerrada',
    ]);
    assert.deepEqual([said.unmatched, said.unclear], [[4], [3]]);
    assert.deepEqual(
      said.outcomes.map(({ outcome, reason }) => [outcome, reason]),
      [
        ['confirmed', null],
        ['failed', 'Cuenta … cerrada'],
      ],
    );
  });

  test('a payout with two different outcomes in one file waits for a person, in any order of the lines', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish({ reference: 'rent-march' })]);
    const { read, idOf } = await filed(app, desk);
    const written = {
      'RUT;Cuenta;Monto;Estado': '12.531.909-2;12531909;10.000',
      'Id;Estado': idOf('rent-march'),
      'Referencia;Estado': 'rent-march',
    };
    for (const [head, named] of Object.entries(written)) {
      for (const words of [
        ['Rechazado', 'Pagado'],
        ['Pagado', 'Rechazado'],
        ['Rechazado', 'En proceso'],
      ]) {
        const said = await read([head, ...words.map((word) => `${named};${word}`)]);
        assert.deepEqual(said, { outcomes: [], unmatched: [], unclear: [2, 3] }, `${head} ${words.join()}`);
      }
    }
  });

  test('of equal payouts no line without an id decides, unless it is of all of them or one has its state already', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish({ reference: 'rent-1' }), wish({ reference: 'rent-2' })]);
    const { read, idOf } = await filed(app, desk);
    const row = '12.531.909-2;12531909;10.000';
    const said = async (...lines: string[]) => {
      const { outcomes: found, unmatched, unclear } = await read(['RUT;Cuenta;Monto;Estado;Id', ...lines]);
      return [found.map(({ id, outcome }) => `${id === idOf('rent-1') ? 1 : 2} ${outcome}`).sort(), unmatched, unclear];
    };
    assert.deepEqual(await said(`${row};Devuelto;`), [[], [], [2]]);
    assert.deepEqual(await said(`${row};Pagado;1`, `${row};Rechazado;2`), [[], [], [2, 3]]);
    assert.deepEqual(await said(`${row};Pagado;`, `${row};Pagado;`), [['1 confirmed', '2 confirmed'], [], []]);
    const named = `${row};Pagado;${idOf('rent-2')}`;
    assert.deepEqual(await said(`${row};Rechazado;`, named), [['1 failed', '2 confirmed'], [], []]);
    await outcomes(app, desk, [
      [idOf('rent-1'), 'confirmed'],
      [idOf('rent-2'), 'confirmed'],
    ]);
    assert.deepEqual(await said(`${row};Devuelto;`, `${row};Pagado;`), [[], [], [2, 3]]);
    assert.deepEqual(await said(`${row};Pagado;`), [['1 confirmed'], [], []]);
    await outcomes(app, desk, [[idOf('rent-2'), 'returned']]);
    const later = await read(['RUT;Monto;Estado', '12.531.909-2;10.000;Devuelto']);
    assert.deepEqual(
      later.outcomes.map(({ id }) => id),
      [idOf('rent-2')],
    );
  });

  test('a line with the id of a payout is no line of totals, whatever the remark of the bank begins with', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish({ reference: 'nomina-1' }), wish({ reference: 'nomina-2', payee: PEDRO })]);
    const { read, idOf } = await filed(app, desk);
    const said = await read([
      'Id;Estado;Motivo',
      `${idOf('nomina-1')};Rechazado;Total de fondos insuficiente`,
      'nomina-2;Pagado;Suma abonada',
      ';;Total: 2 pagos',
    ]);
    assert.deepEqual(
      said.outcomes.map(({ id, outcome }) => [id, outcome]),
      [
        [idOf('nomina-1'), 'failed'],
        [idOf('nomina-2'), 'confirmed'],
      ],
    );
    assert.deepEqual([said.unmatched, said.unclear], [[], []]);
  });

  test('a line from more than six days before the payouts left is of none of them: last month’s file has the same people and amounts', async () => {
    const { app, desk } = await open();
    app.now.advance(Date.parse('2026-03-31T13:00:00Z') - app.now());
    await approved(app, desk, [wish({ reference: '1' })]);
    const { read, idOf } = await filed(app, desk);
    const said = async (head: string, line: string) => {
      const { outcomes: found, unmatched } = await read([head, line]);
      return found[0]?.outcome ?? unmatched;
    };
    const row = '1;12.531.909-2;12531909;10.000;Rechazado';
    for (const name of ['Fecha', 'Fecha de Pago', 'Fecha Proceso', 'Fecha Abono']) {
      const head = `Id;RUT;Cuenta;Monto;Estado;${name}`;
      for (const day of ['27/02/2026', '2026-03-24', '27-02-2026 10:15'])
        assert.deepEqual(await said(head, `${row};${day}`), [2], `${name} ${day}`);
      for (const day of ['31/03/2026', '2026-03-25', '01/04/2026', 'hoy', ''])
        assert.equal(await said(head, `${row};${day}`), 'failed', `${name} ${day}`);
    }
    assert.equal(
      await said('Id;Estado;Fecha', `${idOf('1')};Pagado;27/02/2026`),
      'confirmed',
      'an id is of one payout',
    );
  });

  test('the reason of a bank is stored without RUT and account, however they are written', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish(), wish(), wish(), wish()]);
    const { read } = await filed(app, desk);
    const why = ['RUT 12.531.909-2 no corresponde', 'Cuenta 1253 1909 cerrada', 'rut 12531909-K', 'cta 00-125-319-09'];
    const lines = why.map((text) => `12.531.909-2;10.000;Rechazado;${text}`);
    const said = (await read(['RUT;Monto;Estado;Motivo', ...lines])).outcomes.map(({ reason }) => reason);
    assert.deepEqual(said, ['RUT … no corresponde', 'Cuenta … cerrada', 'rut …', 'cta …']);
  });

  test('the reason of a bank is stored without characters that could change what a person reads', async () => {
    const { app, desk } = await open();
    await approved(app, desk);
    const { read } = await filed(app, desk);
    const { outcomes: found } = await read([
      'RUT;Monto;Estado;Motivo',
      '12.531.909-2;10.000;Rechazado;Cuenta\u202Eadagap\u202C\u001B[2Kcerrada',
    ]);
    assert.deepEqual(
      found.map(({ reason }) => reason),
      ['Cuenta adagap  [2Kcerrada'],
    );
  });

  test('a reference matches a payout only if the RUT, account and amount of its line agree', async () => {
    const { app, desk } = await open();
    const wishes = [wish({ reference: '1', amount: 15_000 }), wish({ reference: '2', amount: 20_000, payee: PEDRO })];
    await approved(app, desk, wishes);
    const { read, idOf } = await filed(app, desk);
    const head = 'Id;RUT;Cuenta;Monto;Estado';
    /** Returns each payout by its reference with its outcome, then the lines without a payout. */
    const said = async (...lines: string[]) => {
      const { outcomes: found, unmatched } = await read([head, ...lines]);
      return [...found.map(({ id, outcome }) => `${id === idOf('1') ? 1 : 2} ${outcome}`), ...unmatched];
    };
    const swapped = ['1;11.111.111-1;990011223;20.000;Rechazado', '2;12.531.909-2;12531909;15.000;Pagado'];
    assert.deepEqual(await said(...swapped), ['2 failed', '1 confirmed']);
    for (const line of ['1;;;15.000;Pagado', '1;12531909;;;Pagado', '1;;12531909;;Pagado', '1;;;;Pagado'])
      assert.deepEqual(await said(line), ['1 confirmed'], line);
    for (const line of ['1;125319092;•••1909;15000,00;Pagado', '1;12.531.909-2;1253-1909;$ 15.000;Pagado'])
      assert.deepEqual(await said(line), ['1 confirmed'], line);
    for (const line of ['1;;;20.000;Pagado', '1;11.111.111-1;;;Pagado', '1;;990011223;;Pagado', '1;;•••1909;;Pagado'])
      assert.deepEqual(await said(line), [2], line);
    for (const line of ['1;12.531.909-2;12531908;15.000;Pagado', '1;12.531.909-2;;1x;Pagado', '1;1-1;;15.000;Pagado'])
      assert.deepEqual(await said(line), [2], line);
    assert.deepEqual(await said('1;12.531.909-2;;;Pagado', '1;12.531.909-2;;;Pagado'), ['1 confirmed', 3]);
    assert.deepEqual(await said(`${idOf('2')};11.111.111-1;;20.000;Pagado`), ['2 confirmed']);
    for (const rest of [';;0;Rechazado', ';;$20.000.-;Rechazado', '11.***.111-1;;20.000;Rechazado', ';•••1;;Rechazado'])
      assert.deepEqual(await said(`${idOf('2')};${rest}`), ['2 failed'], rest);
    assert.deepEqual(await said('7;11.111.111-1;990011223;0;Rechazado', '2;11.111.111-1;;0;Rechazado'), [
      '2 failed',
      2,
    ]);
    assert.deepEqual(
      await said('7;12.531.909-2;12531909-2;15.000;Pagado'),
      ['1 confirmed'],
      'a CuentaRUT may have its check character',
    );
    for (const id of [idOf('2'), 'po_ofanotherfile'])
      assert.deepEqual(await said(`${id};12.531.909-2;12531909;15.000;Pagado`), [2], id);
  });

  test('an outcome in the bank’s words counts only if the whole text is clear', async () => {
    const { app, desk } = await open();
    await approved(app, desk, [wish()]);
    const { read } = await filed(app, desk);
    const said = async (word: string) => {
      const { outcomes: found, unclear } = await read(['RUT;Monto;Estado', `12.531.909-2;10.000;"${word}"`]);
      return found[0]?.outcome ?? unclear;
    };
    for (const [outcome, words] of Object.entries({
      confirmed:
        'Pagado|PAGADA|pagados|Abonado|Aprobada|Procesado|Éxitoso|Exitosa|Realizado|Confirmado|OK|Paid|Success',
      failed:
        'Rechazado|RECHAZADA|Rechazado por banco destino|Rechazado: cuenta cerrada|RECHAZADA - RUT no corresponde|Fallida|Anulado|No pagado|Error|Failed|Rejected|Cancelled',
      returned: 'Devuelto|DEVUELTAS|Devuelto por el banco|Returned',
    }))
      for (const word of words.split('|')) assert.equal(await said(word), outcome, word);
    for (const word of ['Procesado exitosamente', 'Pagado con  éxito.', 'Procesado sin errores'])
      assert.equal(await said(word), 'confirmed', word);
    const unclear = [
      'Procesado con errores|Procesado con rechazo|Confirmación pendiente|Aprobado, pendiente de pago',
      'Abonado parcialmente|Pagado y devuelto|Pagado/devuelto|Cancelado|Cancelada|Anulación rechazada|Pendiente',
      'Error de comunicación: en proceso|Errores|Pagado (no)|Pagado?|Devuelto en parte|No abonado|okay|',
    ];
    for (const word of unclear.join('|').split('|')) assert.deepEqual(await said(word), [2], word);
  });
});
