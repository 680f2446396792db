import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Actor } from '../../src/audit/actor.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { validateBankAccount } from '../../src/bank-validation/validate-bank-account.ts';
import type { OpenWalk, Place } from '../../src/lib/walk.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import {
  approvePayouts,
  cancelPayouts,
  rejectPayouts,
  submitPayouts,
} from '../../src/payouts/approval/decide-payouts.ts';
import { setPayoutLimits } from '../../src/payouts/approval/set-payout-limits.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { proposePayouts } from '../../src/payouts/propose-payouts.ts';
import { keepRecipient } from '../../src/payouts/recipients/keep-recipient.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { leaveOut } from '../support/found-by-hand.ts';
import { twoWithShop, wishOf } from '../support/moving-shop.ts';
import type { Tamperings } from '../support/tampering.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { looseKeys, readingThrough, removeTriggers, undone } from '../support/test-books.ts';
import {
  ANA,
  actor,
  approved,
  formerSender,
  openPayoutDesk,
  type PayoutDesk,
  propose,
  wish,
} from '../support/test-payouts.ts';
import { createTestUser } from '../support/test-user.ts';

type World = Awaited<ReturnType<typeof fill>>;

const TAMPERINGS: readonly Tamperings<World>[] = [
  {
    name: 'another person approved a payout of a batch',
    statements: ({ batch, second }) => [
      [
        'update payouts set approved_by = $2, approved_by_id = $3 where id = $1',
        batch[0] as string,
        second.name,
        second.userId,
      ],
    ],
    found:
      /payout po_\w+: the audit log has no approval by .*batch pb_\w+: .*"payout.approved" by .* for 2 payouts, and 1 /,
  },
  {
    name: 'another person approved a payout that was named with others',
    statements: ({ named, second }) => [
      [
        'update payouts set approved_by = $2, approved_by_id = $3 where id = $1',
        named[0] as string,
        second.name,
        second.userId,
      ],
    ],
    found: /payout po_\w+: the audit log has no approval by .*payout po_\w+: the audit log has "payout.approved" by /,
  },
  {
    name: 'the id of an approver is changed, not the name',
    statements: ({ batch, second }) => [
      ['update payouts set approved_by_id = $2 where id = $1', batch[0] as string, second.userId],
    ],
    found: /payout po_\w+: the audit log has no approval by /,
  },
  {
    name: 'the time of an approval is changed',
    statements: ({ batch }) => [['update payouts set approved_at = 5 where id = $1', batch[0] as string]],
    found: /payout po_\w+: the audit log has no approval by .* at 1969-12-31 21:00:00 -03:00/,
  },
  {
    name: 'a payout that waits is added to an approval of its batch',
    statements: ({ half, desk }) => [
      [
        `update payouts set state = 'approved', approval = 'person', approved_by = $2, approved_by_id = $3,
           approved_at = (select approved_at from payouts where id = $4) where id = $1`,
        half[2] as string,
        desk.approver.name,
        desk.approver.userId,
        half[0] as string,
      ],
    ],
    found: /payout po_\w+: the audit log has no approval by /,
  },
  {
    name: 'a payout of a person was approved by no person',
    statements: ({ batch }) => [
      [
        `update payouts set approval = 'automatic', approved_by = 'automatic', approved_by_id = null, proposed_kind = 'program'
         where id = $1`,
        batch[0] as string,
      ],
    ],
    found: /proposed_kind was "person", is "program"; no rule approved it/,
  },
  {
    name: 'a payout that no person approved has an approver',
    statements: ({ automatic, desk }) => [
      [
        `update payouts set approval = 'person', approved_by = $2, approved_by_id = $3 where id = $1`,
        automatic,
        desk.approver.name,
        desk.approver.userId,
      ],
    ],
    found: /approval was "automatic", is "person"; approved_by was "automatic", is "user-/,
  },
  {
    name: 'the maker of a payout is changed',
    statements: ({ batch, second }) => [
      [
        'update payouts set proposed_by = $2, proposed_by_id = $3 where id = $1',
        batch[0] as string,
        second.name,
        second.userId,
      ],
    ],
    found: /payout po_\w+: proposed_by was "user-\S+", is "user-\S+"; proposed_by_id was "usr_\w+", is "usr_\w+"/,
  },
  {
    name: 'the maker of a payout is changed, and its time is before 1970',
    statements: ({ batch, second }) => [
      [
        'update payouts set proposed_by = $2, proposed_by_id = $3, created_at = -1 where id = $1',
        batch[0] as string,
        second.name,
        second.userId,
      ],
    ],
    found: /payout po_\w+: created_at was \d+, is -1; proposed_by was "user-\S+", is "user-\S+"; proposed_by_id was/,
  },
  {
    name: 'the maker of a batch is changed',
    statements: ({ second }) => [
      ['update payout_batches set proposed_by = $1, proposed_by_id = $2', second.name, second.userId],
    ],
    found: /batch pb_\w+: proposed_by was "user-\S+", is "user-\S+"; proposed_by_id was/,
  },
  {
    name: 'the name of a batch is changed',
    statements: () => [["update payout_batches set name = 'Sueldos'"]],
    found: /batch pb_\w+: name was "Proveedores", is "Sueldos"/,
  },
  {
    name: 'the amount of a payout that waits is changed',
    statements: ({ half }) => [['update payouts set amount = amount + 1 where id = $1', half[2] as string]],
    found: /batch pb_\w+: total was "\$30.000 CLP", is "\$30.001 CLP"/,
  },
  {
    name: 'a payout that waits goes to another recipient',
    statements: ({ half }) => [['update payouts set recipient_version = 2 where id = $1', half[2] as string]],
    found: /batch pb_\w+: the recipient, the account, the amount or the message of a payout was changed/,
  },
  {
    name: 'the message of a payout is changed that no person approved',
    statements: ({ automatic }) => [["update payouts set message = 'Sueldo' where id = $1", automatic]],
    found: /payout po_\w+: the recipient, the account, the amount or the message of a payout was changed/,
  },
  {
    name: 'the file of a batch is changed, so that it can be proposed again',
    statements: ({ batch }) => [
      [
        'update payout_batches set file_sha256 = $2 where id = (select batch_id from payouts where id = $1)',
        batch[0] as string,
        'cd',
      ],
    ],
    found: /batch pb_\w+: file_sha256 was "(ab)+", is "cd"/,
  },
  {
    name: 'the outcome of a payout is posted to a stranger',
    statements: ({ automatic }) => [
      ["update payouts set callback_url = 'https://evil.example' where id = $1", automatic],
    ],
    found: /payout po_\w+: the verdict about an account, its time, or the URL for the outcome of a payout was changed/,
  },
  {
    name: 'somebody else looks like the one who changed the account of a payout',
    statements: ({ automatic, second }) => [
      ['update payouts set account_changed_by = $2 where id = $1', automatic, second.userId],
    ],
    found: /^payout po_\w+: who changed the account of a payout was changed$/,
  },
  {
    name: 'the account of a payout in a batch looks confirmed',
    statements: () => [["update recipients set verdict = 'confirmed'"], ["update payouts set verdict = 'confirmed'"]],
    found: /batch pb_\w+: the verdict about an account, its time, or the URL for the outcome of a payout was changed/,
  },
  {
    name: 'a payout has another verdict than its recipient',
    statements: ({ half }) => [["update payouts set verdict = 'confirmed' where id = $1", half[0] as string]],
    found: /payout po_\w+: its bank, account, RUT or verdict is not the one of its recipient/,
  },
  {
    name: 'a payout goes to another bank',
    statements: ({ half }) => [["update payouts set bank_code = '037' where id = $1", half[0] as string]],
    found: /payout po_\w+: its bank, account, RUT or verdict is not the one of its recipient/,
  },
  {
    name: 'the account of a payout looks like another',
    statements: ({ half }) => [["update payouts set account_masked = '•••••9999' where id = $1", half[0] as string]],
    found: /payout po_\w+: its bank, account, RUT or verdict is not the one of its recipient/,
  },
  {
    name: 'a recipient and its payouts are at another bank',
    statements: () => [["update recipients set bank_code = '037'"], ["update payouts set bank_code = '037'"]],
    found: /recipient rcp_\w+, version 1: its bank was changed/,
  },
  {
    name: 'the account of a recipient looks like another',
    statements: () => [["update recipients set account_masked = '•••••9999'"]],
    found: /recipient rcp_\w+, version 1: account was "•••••1909", is "•••••9999"/,
  },
  {
    name: 'the account of a recipient is changed',
    statements: () => [["update recipients set account_hash = 'x'"]],
    found: /recipient rcp_\w+, version 1: its details, its owner or its account were changed/,
  },
  {
    name: 'a recipient is found by another RUT',
    statements: () => [["update recipients set rut_hash = 'x'"]],
    found: /recipient rcp_\w+, version 1: its RUT was changed/,
  },
  {
    name: 'another person stored a recipient',
    statements: ({ kept, second }) => [['update recipients set created_by = $2 where id = $1', kept, second.userId]],
    found: /recipient rcp_\w+, version 1: created_by was "usr_\w+", is "usr_\w+"/,
  },
  {
    name: 'the verdict of a recipient is changed',
    statements: ({ kept }) => [["update recipients set verdict = 'confirmed' where id = $1", kept]],
    found: /recipient rcp_\w+, version 1: verdict was "plausible", is "confirmed"/,
  },
  {
    name: 'a payout that waits is deleted',
    statements: ({ half }) => [['delete from payouts where id = $1', half[2] as string]],
    found: /batch pb_\w+: payouts was 3, is 2/,
  },
  {
    name: 'a batch is deleted',
    statements: ({ half }) => [
      ['delete from payout_batches where id = (select batch_id from payouts where id = $1)', half[2] as string],
    ],
    found: /batch pb_\w+: it was deleted/,
  },
  {
    name: 'a payout is invented',
    statements: ({ half }) => [
      [
        `insert into payouts (id, environment_id, reference, amount, currency, created_at, proposed_by, proposed_by_id,
           proposed_kind, recipient_id, recipient_version, rut_hash, account_hash, bank_code, account_masked, verdict,
           validated_at, message, wish_hash, state, changed_at)
         select 'po_x', environment_id, 'x', amount, currency, created_at, proposed_by, proposed_by_id, proposed_kind,
           recipient_id, recipient_version, rut_hash, account_hash, bank_code, account_masked, verdict, validated_at, message,
           wish_hash, 'awaiting_approval', changed_at from payouts where id = $1`,
        half[2] as string,
      ],
    ],
    found: /payout po_x: it was never proposed by this service/,
  },
  {
    name: 'a rejected payout waits again',
    statements: ({ rejected }) => [["update payouts set state = 'awaiting_approval' where id = $1", rejected]],
    found: /payout po_\w+: the audit log has "payout.rejected" by /,
  },
  {
    name: 'the reason of a rejection is changed',
    statements: ({ rejected }) => [["update payouts set reason = 'paid in cash' where id = $1", rejected]],
    found: /payout po_\w+: it is in "Rejected" \(rejected\) with a time or a reason that no act has/,
  },
  {
    name: 'a payout is rejected by hand',
    statements: ({ half }) => [
      ["update payouts set state = 'rejected', reason = 'x' where id = $1", half[2] as string],
    ],
    found: /payout po_\w+: it is in "Rejected" \(rejected\) with a time or a reason that no act has/,
  },
  {
    name: 'a cancelled payout was rejected',
    statements: ({ cancelled }) => [["update payouts set state = 'rejected' where id = $1", cancelled]],
    found: /payout po_\w+: it is in "Rejected".*the audit log has "payout.cancelled" by /,
  },
];

forEachEngine('who made and approved a payout', (openTestDatabase) => {
  test('is compared with the audit log: every change by hand is found, and nothing in a store that was left alone', async () => {
    const app = createTestApp(await openTestDatabase());
    const world = await fill(app);
    assert.equal(await found(app), '');
    await removeTriggers(app.db);
    for (const { name, statements, found: expected } of TAMPERINGS) {
      const says = await undone(app, async (tx) => {
        await looseKeys(app.db, tx);
        for (const [sql, ...values] of statements(world)) await tx.query(sql, values);
        return found(readingThrough(app, tx));
      });
      assert.match(says, expected, name);
    }
    assert.equal(await found(app), '');
  });

  test('is compared in pages of any size, and an interrupted comparison goes on where it stopped', async () => {
    const app = createTestApp(await openTestDatabase());
    await fill(app);
    const places = new Map<string, Place>();
    const walks = ((name: string) => ({
      from: places.get(name) ?? null,
      page: 2,
      reached: async (place: Place) => void places.set(name, place),
      found: () => {},
      contradicted: () => {},
    })) as unknown as OpenWalk;
    assert.deepEqual((await verifyStore(app, [], [], walks)).findings, []);
    const counts = await app.db.query<{ name: string; rows: number }>(
      `select 'payouts' as name, count(*) as "rows" from payouts
       union all select action, count(*) from audit_log where action like 'payout.%' group by action`,
    );
    for (const { name, rows } of counts.filter((one) => one.name !== 'payout.submitted' && places.has(one.name))) {
      assert.equal(places.get(name)?.rows, rows, name);
    }
    assert.ok(['payouts', 'payout.proposed', 'payout.approved', 'payout.rejected'].every((name) => places.has(name)));
    await removeTriggers(app.db);
    await app.db.transaction((tx) => tx.query('update payouts set proposed_by = $1', ['x@example.cl']));
    assert.doesNotMatch((await verifyStore(app, [], [], walks)).findings.map(({ says }) => says).join(), /payout po_/);
    assert.match(await found(app), /payout po_\w+: proposed_by was/);
  });

  test('is not compared where the command line of 0.1.0 stored a recipient, whose row names nobody', async () => {
    const app = createTestApp(await openTestDatabase());
    const { desk, kept } = await fill(app);
    await removeTriggers(app.db);
    const unnamed = `update recipients set created_by = 'command-line' where id = $1`;
    await app.db.transaction((tx) => tx.query(unnamed, [kept]));
    assert.match(await found(app), /^recipient rcp_\w+, version 1: created_by was "usr_\w+", is "command-line"$/);
    const upgrade = { at: 0, by: TESTER, action: 'store.migrated', subject: { kind: 'store', id: '' } } as const;
    const after = { applied: ['0062-makers-of-api-tokens.sql'] };
    await app.db.transaction((tx) => recordAudit(tx, { ...upgrade, after }));
    assert.equal(await found(app), '');
    const later = await keep(app, desk);
    await app.db.transaction((tx) => tx.query(unnamed, [later]));
    assert.match(await found(app), new RegExp(`^recipient ${later}, version 1: created_by was`));
  });

  test('is compared where a decision names more payouts than fit into one act', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app, { money: 10_000_000 });
    const wishes = Array.from({ length: 250 }, () => wish());
    const ids = (await propose(app, desk, wishes)).map(({ id }) => id);
    await approvePayouts(app, decision(desk, desk.approver, { ids }));
    const acts = await app.db.query<{ subject: string; said: string }>(
      `select subject, said_after as said from audit_log where action = 'payout.approved' order by link`,
    );
    assert.deepEqual(
      acts.flatMap(({ subject }) => subject.split(' ')),
      ids,
    );
    assert.deepEqual(
      acts.map(({ said }) => [JSON.parse(said).payouts, JSON.parse(said).total]),
      [
        [100, '$1.000.000 CLP'],
        [100, '$1.000.000 CLP'],
        [50, '$500.000 CLP'],
      ],
    );
    assert.equal(await found(app), '');
  });

  test('is found where one person made and approved it, if the database no longer refuses it', async () => {
    const { app, desk, own } = await unguarded(openTestDatabase);
    const { name, userId } = desk.approver;
    await app.db.transaction((tx) =>
      tx.query('update payouts set proposed_by = $2, proposed_by_id = $3 where id = $1', [own, name, userId]),
    );
    assert.match(await found(app), /payout po_\w+: proposed_by was .*; who made it approved it/);
  });

  test('is found where the person who changed its account approved it, after that person was taken out of its row', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const sender = await formerSender(app, desk);
    const sent = { ids: (await approved(app, desk)).map(({ id }) => id), to: 'sent', at: app.now() } as const;
    await app.db.transaction((tx) => transitionPayouts(tx, desk.environment, sent, { sender }));
    app.now.advance(60_000);
    const paymentServices = [desk.environment.paymentServiceId];
    const changer = actor(await createTestUser(app, { role: 'owner', may: [], paymentServices }), 'owner');
    const payee = { ...ANA, bankCode: '001', account: '1234509876' };
    await propose(app, { ...desk, maker: changer }, [wish({ payee })]);
    // The maker validates the account again, and is stored as the last one who changed it.
    app.now.advance(181 * 86_400_000);
    const [changed] = (await propose(app, desk, [wish({ payee })])) as [Payout];
    const approval = decision(desk, changer, { ids: [changed.id] });
    await assert.rejects(approvePayouts(app, approval), /changed the account/);
    assert.equal(await found(app), '');
    await removeTriggers(app.db);
    const sql = 'update payouts set account_changed_by = $2 where id = $1';
    const setChanger = (by: string | null) => app.db.transaction((tx) => tx.query(sql, [changed.id, by]));
    await setChanger(null);
    await approvePayouts(app, approval);
    assert.equal(await found(app), `batch ${changed.batch_id}: who changed the account of a payout was changed`);
    await setChanger(changed.account_changed_by);
    assert.equal(await found(app), `payout ${changed.id}: who changed its account approved it`);
  });

  test('is compared with acts of earlier versions, which do not say who changed an account', async () => {
    const app = createTestApp(await openTestDatabase());
    await fill(app);
    await removeTriggers(app.db);
    assert.ok((await leaveOut(app, ['changers_sha256'])) > 5);
    assert.equal(await found(app), '');
  });

  test('is compared where one person decided about the parts of a batch at the same moment', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const ids = (await propose(app, desk, [wish(), wish(), wish()])).map(({ id }) => id);
    const [one, two, three] = ids as [string, string, string];
    await approvePayouts(app, decision(desk, desk.approver, { ids: [one] }));
    await approvePayouts(app, decision(desk, desk.approver, { batchId: await batchOf(app, two) }));
    assert.equal(await found(app), '');
    const sql = `update payouts set approved_at = null, approval = null, approved_by = null, approved_by_id = null,
      state = 'awaiting_approval' where id = $1`;
    await app.db.transaction((tx) => tx.query(sql, [three]));
    assert.match(await found(app), /batch pb_\w+: .* for 2 payouts, and 1 have it/);
  });

  test('is not missed in a database to which its payment service moved, nor in the one that it left', async () => {
    const { from, to } = await twoWithShop(openTestDatabase);
    await identityHashes(to);
    const { desk, half } = await fill(from);
    const { environment } = desk;
    const email = desk.approver.name;
    const approver = await createTestUser(to, { email, role: 'approver', may: [], paymentServices: [] });
    await movePaymentService(from, to, wishOf(environment));
    assert.deepEqual([await found(from), await found(to)], ['', '']);
    to.now.advance(1000);
    await approvePayouts(to, decision(desk, actor(approver, 'approver'), { ids: [half[2] as string] }));
    assert.equal(await found(to), '');
    to.now.advance(1000);
    await movePaymentService(to, from, wishOf(environment));
    assert.deepEqual([await found(from), await found(to)], ['', '']);
    from.now.advance(1000);
    await propose(from, desk);
    assert.equal(await found(from), '');
    await removeTriggers(to.db);
    await to.db.transaction((tx) =>
      tx.query(`update payouts set approved_by = 'x' where id = $1`, [half[2] as string]),
    );
    assert.match(await found(to), /the audit log has no approval by x/);
  });
});

async function found(app: Parameters<typeof verifyStore>[0]): Promise<string> {
  const { findings } = await verifyStore(app);
  return findings.map(({ says }) => says).join('; ');
}

function decision(desk: PayoutDesk, by: Actor, named: Parameters<typeof approvePayouts>[1]['named'], reason = 'ok') {
  return { owner: desk.environment, named, by, reason };
}

async function batchOf(app: TestApp, id: string): Promise<string> {
  const [row] = await app.db.query<{ batch_id: string }>('select batch_id from payouts where id = $1', [id]);
  return row?.batch_id ?? '';
}

/** Fills a store with payouts of every kind of decision: by batch, named together, in parts, and without a person. */
async function fill(app: TestApp) {
  const desk = await openPayoutDesk(app);
  const { environment: owner, maker, approver, program } = desk;
  const other = await createTestUser(app, { role: 'approver', may: [], paymentServices: [owner.paymentServiceId] });
  const second = actor(other, 'approver');
  const files = ['ab'.repeat(32)];
  const idsOf = async (number: number, by: Actor = maker, draft = false) => {
    const batch = { name: 'Proveedores', fileSha256: draft ? null : (files.pop() ?? null) };
    const wishes = Array.from({ length: number }, () => wish());
    return (await proposePayouts(app, { owner, by, wishes, batch, draft })).payouts.map(({ id }) => id);
  };
  const batch = await idsOf(2);
  await approvePayouts(app, decision(desk, approver, { batchId: await batchOf(app, batch[0] as string) }));
  app.now.advance(1000);
  const named = [...(await idsOf(1)), ...(await idsOf(1, program))];
  await approvePayouts(app, decision(desk, approver, { ids: named }));
  const half = await idsOf(3);
  await approvePayouts(app, decision(desk, second, { ids: half.slice(0, 1) }));
  await approvePayouts(app, decision(desk, approver, { ids: half.slice(1, 2) }));
  const [rejected, cancelled, taken] = (await idsOf(3)) as [string, string, string];
  await rejectPayouts(app, decision(desk, approver, { ids: [rejected] }, 'twice'));
  await approvePayouts(app, decision(desk, approver, { ids: [cancelled] }));
  app.now.advance(1000);
  await cancelPayouts(app, decision(desk, maker, { batchId: await batchOf(app, taken) }, 'not yet'));
  await rejectPayouts(app, decision(desk, approver, { ids: await idsOf(2) }, 'twice'));
  const draft = await idsOf(2, maker, true);
  await submitPayouts(app, decision(desk, maker, { ids: draft.slice(1) }));
  await setPayoutLimits(
    app,
    owner,
    { automatic_per_payout: 5000, automatic_per_day: 5000, automatic_count_per_hour: 3 },
    TESTER,
  );
  const alone = async (amount: number) =>
    (await proposePayouts(app, { owner, by: program, wishes: [wish({ amount })], batch: null })).payouts.map(
      ({ id }) => id,
    );
  const [automatic] = await alone(4000);
  const [waits] = await alone(6000);
  await approvePayouts(app, decision(desk, second, { ids: [waits as string] }));
  const kept = await keep(app, desk);
  return { desk, second, batch, named, half, rejected, cancelled, automatic: automatic as string, kept };
}

/** Stores a recipient in the name of the maker. Returns its id. */
async function keep(app: TestApp, { environment: { id, paymentServiceId }, maker }: PayoutDesk): Promise<string> {
  const account = { rut: '11.111.111-1', bankCode: '012', account: '11111111', rutFormat: null };
  const by = { id: maker.userId as string, environmentIds: new Set([id]) };
  const { id: validationId } = await validateBankAccount(app, by, account);
  const input = { validationId, paymentServiceId, account, name: 'Pedro Soto', email: 'pedro@example.cl' };
  return (await keepRecipient(app, by, null, input, maker)).id;
}

/** Opens a store without the rules of the table of payouts, as an attacker with the database's password leaves it. */
async function unguarded(openTestDatabase: OpenTestDatabase) {
  const app = createTestApp(await openTestDatabase());
  const desk = await openPayoutDesk(app);
  const [payout] = await propose(app, desk);
  const own = payout?.id ?? '';
  await approvePayouts(app, decision(desk, desk.approver, { ids: [own] }));
  await removeTriggers(app.db);
  await app.db.transaction(async (tx) => {
    if (app.db.engine === 'sqlite') return tx.query('pragma ignore_check_constraints = on');
    return tx.query('alter table payouts drop constraint payouts_two_people');
  });
  return { app, desk, own };
}
