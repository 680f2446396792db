import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import { nameStore } from '../../src/epochs/epoch-queries.ts';
import { Problem } from '../../src/error-catalogue.ts';
import { sayFinding } from '../../src/health/finding.ts';
import { workFindings } from '../../src/health/work-findings.ts';
import { insertMail } from '../../src/mail/mail-queries.ts';
import { beginMove } from '../../src/moves/begin-move.ts';
import { listMoves } from '../../src/moves/list-moves.ts';
import { movePaymentService } from '../../src/moves/move-payment-service.ts';
import { undoMove } from '../../src/moves/undo-move.ts';
import { readFeed } from '../../src/outbox/feed/read-feed.ts';
import { insertStatement } from '../../src/statements/bank-statement-queries.ts';
import { expireTransactions } from '../../src/transactions/expire-transactions.ts';
import { forEachEngine } from '../support/engines.ts';
import { deliverDue, diesOnLeaving, talkingShop, twoDatabases, twoWithShop, wishOf } from '../support/moving-shop.ts';
import { onQuery } from '../support/on-query.ts';
import { TESTER } from '../support/test-actor.ts';
import type { TestApp } from '../support/test-app.ts';
import { removeGuards } from '../support/test-books.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';
import { untilQueued } from '../support/until-queued.ts';
import { untilVisible } from '../support/until-visible.ts';

forEachEngine('a move that meets another command or an earlier copy', (openTestDatabase) => {
  test('of two payment services that begin concurrently, only one begins', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const others = [merchant, await createTestEnvironment(from)];
    const outcomes = await Promise.allSettled(
      others.map(({ paymentServiceId }) => beginMove(from, to, paymentServiceId, TESTER)),
    );
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'MOVE_UNDER_WAY', String(outcome.reason));
    // The refused move leaves no second copy here.
    assert.deepEqual(await statesIn(to), ['in copying']);
  });

  test('fails if the books in the other database change between the comparison and the switch', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    let long = 0;
    const transaction: Database['transaction'] = async (work, kind) => {
      if (kind === 'slow' && ++long === 2) await cutBooks(to.db, merchant.id);
      return from.db.transaction(work, kind);
    };
    const leaving = { ...from, db: { ...from.db, transaction } };
    await assert.rejects(movePaymentService(leaving, to, wishOf(merchant)), { code: 'MOVE_DIFFERS' });
    assert.equal(long, 2);
    assert.deepEqual([await statesIn(from), await statesIn(to)], [['out copying'], ['in copying']]);
    await createTestTransaction(from, merchant, { reference: 'GOES-ON' });
  });

  test('keeps user permissions when the payment service moves there and back', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const person = { email: 'ana@example.cl', paymentServices: [merchant.paymentServiceId] };
    await createTestUser(from, person);
    await createTestUser(to, { ...person, paymentServices: 'all' });
    const seen = async ({ db }: TestApp) => (await db.query('select user_id from user_payment_services')).length;
    assert.deepEqual((await movePaymentService(from, to, wishOf(merchant))).strangers, []);
    await movePaymentService(to, from, wishOf(merchant));
    assert.deepEqual([await seen(from), await seen(to)], [1, 1]);
  });

  test('is begun by only one of two concurrent commands', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const outcomes = await Promise.allSettled([1, 2].map(() => beginMove(from, to, merchant.paymentServiceId, TESTER)));
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'MOVE_UNDER_WAY', String(outcome.reason));
    assert.deepEqual([await statesIn(from), await statesIn(to)], [['out copying'], ['in copying']]);
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual([await statesIn(from), await statesIn(to)], [['out moved'], ['in moved']]);
  });

  test('is undone if the other database fails at the begin, and a remaining copy there can be undone', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const { paymentServiceId } = merchant;
    const full = { ...to, db: { ...to.db, transaction: () => Promise.reject(new Error('disk full')) } };
    await assert.rejects(beginMove(from, full, paymentServiceId, TESTER), /disk full/);
    assert.deepEqual([await statesIn(from), await statesIn(to)], [['out undone'], []]);
    await createTestTransaction(from, merchant, { reference: 'GOES-ON' });
    await assert.rejects(undoMove(from, to, paymentServiceId, TESTER), { code: 'MOVE_UNKNOWN' });
    // The commit in the new database takes effect, but the command gets no answer.
    const unheard: Database['transaction'] = async (work, kind) => {
      await to.db.transaction(work, kind);
      throw new Error('connection lost');
    };
    const lost = { ...to, db: { ...to.db, transaction: unheard } };
    await assert.rejects(beginMove(from, lost, paymentServiceId, TESTER), /connection lost/);
    assert.deepEqual(await statesIn(to), ['in copying']);
    await undoMove(from, to, paymentServiceId, TESTER);
    assert.deepEqual(await statesIn(to), ['in undone']);
    await movePaymentService(from, to, wishOf(merchant));
  });

  test('is taken over by a second command while the first writes a page, and goes on after that page', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    // Else the first page may be copied by the commit that leaves, and the order below would wait for that commit.
    await untilVisible(from);
    let second: Promise<unknown> | undefined;
    let pages = 0;
    const transaction: Database['transaction'] = (work, kind) =>
      to.db.transaction((tx) => {
        const insertRows: Tx['insertRows'] = async (table, rows, suffix) => {
          const page = table.name === 'events' ? ++pages : 0;
          if (page === 1) await createTestTransaction(from, merchant, { reference: 'LATER' });
          if (page === 2) {
            second = movePaymentService(from, to, wishOf(merchant));
            await untilQueued(to.db);
          }
          return tx.insertRows(table, rows, suffix);
        };
        return work({ ...tx, insertRows });
      }, kind);
    const first = movePaymentService(from, { ...to, db: { ...to.db, transaction } }, wishOf(merchant));
    await assert.rejects(first, { code: 'MOVE_TAKEN_OVER' });
    await second;
    assert.deepEqual([await statesIn(from), await statesIn(to)], [['out moved'], ['in moved']]);
  });

  test('keeps the pause of a second command when the first one stops', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const [paused, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waiting = afterPause(from, () => {
      paused.resolve();
      return stopped.promise;
    });
    let second: Promise<unknown> | undefined;
    const first = afterPause(from, () => {
      from.now.advance(1);
      second ??= movePaymentService(waiting, to, wishOf(merchant));
      return paused.promise;
    });
    await assert.rejects(movePaymentService(first, to, wishOf(merchant)), { code: 'MOVE_TAKEN_OVER' });
    const [row] = await from.db.query('select paused_until from moves');
    assert.ok(row?.['paused_until'] !== null);
    stopped.resolve();
    await second;
    assert.deepEqual([await statesIn(from), await statesIn(to)], [['out moved'], ['in moved']]);
  });

  test('takes every event along while another database of the server has an open transaction', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const stranger = await openTestDatabase();
    const eventsOf = ({ db }: TestApp) =>
      db.query('select type, sequence, created_at from events where environment_id = $1 order by position', [
        merchant.id,
      ]);
    const before = await eventsOf(from);
    await stranger.transaction(async (tx) => {
      await tx.query('update id_blocks set next_id = next_id + 1');
      await createTestTransaction(from, merchant, { reference: 'HELD' });
      await movePaymentService(from, to, wishOf(merchant));
    });
    assert.ok(before.length > 0);
    assert.deepEqual(await eventsOf(to), await eventsOf(from));
    assert.ok((await eventsOf(to)).length > before.length);
  });

  test('is refused if the other database will soon assign the ids of its environments', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await raiseNext(to, 'environment', 1);
    await raiseNext(from, 'environment', 500);
    const late = await createTestEnvironment(from);
    await assert.rejects(movePaymentService(from, to, wishOf(late)), { code: 'MOVE_IDS_TAKEN' });
    assert.deepEqual([await statesIn(from), await statesIn(to)], [[], []]);
    await raiseNext(to, 'environment', 100_000);
    await movePaymentService(from, to, wishOf(merchant));
  });

  test('appears in the attention list if it has left and not arrived', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const killed = onArrival(to, () => Promise.reject(new Error('killed')));
    await assert.rejects(movePaymentService(from, killed, wishOf(merchant)), /killed/);
    const waiting = () => listAttention(from, 'move', 10);
    assert.deepEqual(await waiting(), []);
    from.now.advance(61_000);
    const [row, ...others] = await waiting();
    assert.deepEqual(others, []);
    assert.equal(row?.payment_service, merchant.paymentServiceId);
    assert.match(row?.reason ?? '', /^it has left for https:\/\/pay-2\.example\.cl and is not known to have arrived/);
    assert.match(
      row?.command ?? '',
      new RegExp(`^bin/rubrica payment-service move ${merchant.paymentServiceId} --to `),
    );
    const finding = async () => (await workFindings(from)).find(({ check }) => check === 'move');
    assert.notEqual((await finding())?.fix, null);
    from.now.advance(3_600_000);
    assert.match((await listAttention(to, 'move', 10))[0]?.reason ?? '', /began to arrive here and has stopped/);
    await movePaymentService(from, to, wishOf(merchant));
    assert.deepEqual([await waiting(), await listAttention(to, 'move', 10)], [[], []]);
    assert.equal((await finding())?.fix, null);
  });

  test('leaves no callback counted as waiting in the old database', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const saysOf = async (app: TestApp) =>
      (await workFindings(app)).map((one) => sayFinding(one, 'en')).find(({ check }) => check === 'callbacks')?.says ??
      '';
    assert.match(await saysOf(from), /^1 waits, /);
    const before = Number(/^\d+/.exec(await saysOf(to))?.[0] ?? 0);
    await movePaymentService(from, to, wishOf(merchant));
    assert.equal(await saysOf(from), 'none is late');
    assert.match(await saysOf(to), new RegExp(`^${before + 1} waits?, `));
  });

  test('is reported as arrived by a second run if the first was killed right after the arrival', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const isThere = async () => (await statesIn(to))[0] === 'in moved';
    const dying = {
      ...from,
      db: {
        ...from.db,
        transaction: (async (work, kind) => {
          if (await isThere()) throw new Error('killed');
          return from.db.transaction(work, kind);
        }) satisfies Database['transaction'],
      },
    };
    await assert.rejects(movePaymentService(dying, to, wishOf(merchant)), /killed/);
    from.now.advance(61_000);
    assert.equal((await listAttention(from, 'move', 10)).length, 1);
    const { events, pauseMs } = await movePaymentService(from, to, wishOf(merchant));
    assert.ok(events > 0 && pauseMs === null);
    assert.deepEqual(await listAttention(from, 'move', 10), []);
    await assert.rejects(movePaymentService(from, to, wishOf(merchant)), { code: 'MOVE_ARRIVED' });
  });

  test('makes old cursors of the feed invalid, and gives a new one that omits no event', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    for (const [app, name] of [
      [from, 'one'],
      [to, 'two'],
    ] as const)
      await app.db.transaction((tx) => nameStore(tx, name));
    const reader = { id: 'us_x', environmentIds: new Set([merchant.id]) };
    await untilVisible(from);
    const { next } = await readFeed(from, reader, null, 100);
    await movePaymentService(from, to, wishOf(merchant));
    await untilVisible(to);
    const refused = await readFeed(to, reader, next, 100).catch((error: unknown) => error as Problem);
    assert.ok(refused instanceof Problem);
    assert.equal(refused.code, 'CURSOR_OF_ANOTHER_DATABASE');
    const again = (refused.extras.data as { next: string }).next;
    const all = await readFeed(to, reader, null, 100);
    assert.ok(all.events.length > 0);
    assert.deepEqual(await readFeed(to, reader, again, 100), all);
    assert.equal((await readFeed(to, reader, all.next, 100)).events.length, 0);
  });

  test('cannot be undone during its arrival', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const shop = talkingShop(from, to, merchant);
    let undone: Promise<unknown> = Promise.resolve();
    const arriving = onArrival(to, async () => {
      undone = undoMove(from, to, merchant.paymentServiceId, TESTER).catch((error: unknown) => error);
      await untilQueued(to.db);
    });
    await movePaymentService(from, arriving, wishOf(merchant));
    assert.equal(((await undone) as { code?: string }).code, 'MOVE_ARRIVED');
    assert.equal(await shop.order(), 'to');
  });

  test('moves anew after an undo that was killed between its two commits, wherever the move was', async () => {
    for (const isGone of [false, true]) {
      const { from, to, merchant } = await twoWithShop(openTestDatabase);
      const killed = onArrival(to, () => Promise.reject(new Error('killed')));
      const move = isGone ? ([from, killed] as const) : ([diesOnLeaving(from), to] as const);
      await assert.rejects(movePaymentService(...move, wishOf(merchant)), /killed/);
      const dying = { ...from, db: { ...from.db, transaction: () => Promise.reject(new Error('killed')) } };
      await assert.rejects(undoMove(dying, to, merchant.paymentServiceId, TESTER), /killed/);
      await movePaymentService(from, to, wishOf(merchant));
      assert.equal(await talkingShop(from, to, merchant).order(), 'to');
    }
  });

  test('leaves the payment service working in the old database if it is undone while it leaves', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    await createTestTransaction(from, merchant, { reference: 'WAITS' });
    const killed = onArrival(to, () => Promise.reject(new Error('killed')));
    await assert.rejects(movePaymentService(diesOnLeaving(from), to, wishOf(merchant)), /killed/);
    const leaveFirst: Database['transaction'] = async (work, kind) => {
      await assert.rejects(movePaymentService(from, killed, wishOf(merchant)), /killed/);
      return to.db.transaction(work, kind);
    };
    const late = { ...to, db: { ...to.db, transaction: leaveFirst } };
    await undoMove(from, late, merchant.paymentServiceId, TESTER).catch(() =>
      undoMove(from, to, merchant.paymentServiceId, TESTER),
    );
    from.now.advance(48 * 3_600_000);
    assert.equal(await expireTransactions(from, 10), 1);
  });

  test('does not send callbacks and mails again when the payment service moves back', async () => {
    const { from, to, merchant } = await twoWithShop(openTestDatabase);
    const [sale] = await from.db.query<{ id: number }>('select id from transactions where environment_id = $1', [
      merchant.id,
    ]);
    const about = { environment_id: merchant.id, transaction_id: sale?.id ?? 0, refund_id: null };
    const words = { address: 'buyer@example.cl', language: 'es', asked_by_payer: 0, state: 'queued', attempts: 0 };
    const mail = { id: 'ml_waits', ...about, ...words, created_at: from.now(), next_attempt_at: from.now() };
    await from.db.transaction((tx) => insertMail(tx, mail));
    await movePaymentService(from, to, wishOf(merchant));
    assert.ok((await deliverDue(to, merchant)) > 0);
    await to.db.transaction(async (tx) => {
      for (const table of ['delivery_attempts', 'callbacks', 'mails'])
        await tx.query(`delete from ${table} where environment_id = $1`, [merchant.id]);
    });
    await movePaymentService(to, from, wishOf(merchant));
    assert.equal(await deliverDue(from, merchant), 0);
    assert.deepEqual(await from.db.query('select id from mails where environment_id = $1', [merchant.id]), []);
  });

  test('is refused if the other database would take known bank statement lines for new ones', async () => {
    const { from, to } = await twoDatabases(openTestDatabase, await openTestDatabase(), '6b'.repeat(32));
    const { paymentServiceId } = await createTestEnvironment(from);
    const statement = {
      id: 'st_x',
      environment: 'development',
      payment_service_id: paymentServiceId,
      account: '123456789',
      file_name: 'cartola.csv',
      file_sha256: 'ab'.repeat(32),
      imported_at: from.now(),
      imported_by: TESTER.name,
      first_day: '2026-01-15',
      last_day: '2026-01-15',
      lines: 1,
      proof: 'nothing',
    } as const;
    await identityHashes(from);
    await identityHashes(to);
    await from.db.transaction((tx) => insertStatement(tx, statement));
    await assert.rejects(beginMove(from, to, paymentServiceId, TESTER), { code: 'MOVE_KEYS_DIFFER' });
  });
});

async function statesIn(app: TestApp): Promise<string[]> {
  return (await listMoves(app)).map(({ direction, state }) => `${direction} ${state}`);
}

function raiseNext(app: TestApp, name: 'environment', next: number): Promise<void> {
  return app.db.transaction(async (tx) => {
    await tx.query('update id_blocks set next_id = $2 where name = $1', [name, next]);
  });
}

/** Calls `act` inside the transaction with which a payment service arrives, after the write and before the commit. */
function onArrival(app: TestApp, act: () => Promise<void>): TestApp {
  const transaction: Database['transaction'] = (work, kind) =>
    app.db.transaction((tx) => {
      const query: typeof tx.query = async (sql, parameters) => {
        const rows = await tx.query(sql, parameters);
        if (sql.includes('update moves set state') && parameters?.[1] === 'moved') await act();
        return rows as never;
      };
      return work({ ...tx, query });
    }, kind);
  return { ...app, db: { ...app.db, transaction } };
}

/** Returns the app of a process that does `act` right after the commit that begins or ends a pause. */
function afterPause(app: TestApp, act: () => Promise<void>): TestApp {
  const transaction: Database['transaction'] = async (work, kind) => {
    let isPause = false;
    const hearing = onQuery(app, async (sql) => {
      isPause ||= sql.startsWith('update moves set paused_until');
    });
    const result = await hearing.db.transaction(work, kind);
    if (isPause) await act();
    return result;
  };
  return { ...app, db: { ...app.db, transaction } };
}

/** Deletes the last link of a merchant's books, like a person who edits the store. */
async function cutBooks(db: Database, environmentId: number): Promise<void> {
  await removeGuards(db);
  const last = '(select max(link) from journal_entries where environment_id = $1)';
  await db.transaction((tx) =>
    tx.query(`delete from journal_entries where environment_id = $1 and link = ${last}`, [environmentId]),
  );
}
