import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import type { FetchRequest } from '../../src/lib/network/safe-fetch.ts';
import { overtaking } from '../../src/lib/overtaking.ts';
import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';
import type { OpenPayoutSender } from '../../src/payout-senders/payout-sender.ts';
import { cancelPayouts } from '../../src/payouts/approval/decide-payouts.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { claimPayouts, postponePayout } from '../../src/payouts/due-payout-queries.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { setAccountType } from '../../src/payouts/files/set-account-type.ts';
import { nextLook, type Payout } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { selectSenderInUse } from '../../src/payouts/payout-sender-queries.ts';
import { openSender, removePayoutSender, setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { recordContradiction } from '../../src/payouts/settling/record-contradiction.ts';
import { settleAnswer } from '../../src/payouts/settling/settle-answer.ts';
import type { PayoutOutcome } from '../../src/payouts/settling/settle-outcomes.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { endContradiction } from '../../src/statements/end-contradiction.ts';
import { comesTrue } from '../support/comes-true.ts';
import { forEachEngine } from '../support/engines.ts';
import { onQuery } from '../support/on-query.ts';
import { openStandInProvider, PROVIDER_URL, type StandInProvider } from '../support/stand-in-provider.ts';
import { createTestApp, createTestClock, listenForAlarms } from '../support/test-app.ts';
import { approved, openPayoutDesk, type PayoutDesk, wish } from '../support/test-payouts.ts';
import { untilQueued } from '../support/until-queued.ts';

const DAY = 86_400_000;
const evidence = { name: 'portal.pdf', sha256: 'ab'.repeat(32), bytes: 1, excerpt: '' };

test('a confirmed payout is looked up again an hour, a day and two days later; a failed or returned one is not', () => {
  const since = { sentAt: 0, settledAt: 0 };
  const next = (now: number) => nextLook('confirmed', since, now);
  assert.deepEqual([next(0), next(DAY / 24), next(DAY), next(30 * DAY)], [DAY / 24, DAY, 2 * DAY, null]);
  assert.deepEqual([nextLook('failed', since, DAY), nextLook('returned', since, 0)], [null, null]);
});

forEachEngine('payouts carried out by a sender', (openTestDatabase) => {
  const open = async (provider: StandInProvider | null = null) => {
    const now = createTestClock();
    const parts = provider === null ? {} : { openPayoutSender: payoutSenders(provider.fetch, now) };
    const app = createTestApp(await openTestDatabase(), { ...parts, now });
    const desk = await openPayoutDesk(app);
    const setting =
      provider === null
        ? { kind: 'simulated' as const, url: null, key: null }
        : { kind: 'http' as const, url: PROVIDER_URL, key: 'provider-key' };
    await setPayoutSender(app, desk.environment, setting, desk.maker);
    const pay = async (...amounts: number[]) => {
      const wishes = amounts.map((amount) => wish({ amount }));
      return (await approved(app, desk, wishes)).toSorted((one, other) => one.amount - other.amount);
    };
    const read = async ({ id }: Payout) => (await selectPayoutAnywhere(app.db, id)) as Payout;
    const states = async (payouts: readonly Payout[]) => {
      const rows: [number, string, string | null][] = [];
      for (const payout of payouts) {
        const { amount, state, contradiction } = await read(payout);
        rows.push([amount, state, contradiction]);
      }
      return rows;
    };
    return { app, desk, pay, read, states };
  };
  const settle = (
    app: Awaited<ReturnType<typeof open>>['app'],
    desk: PayoutDesk,
    payout: Payout,
    outcome: PayoutOutcome,
  ) =>
    settlePayouts(app, {
      owner: desk.environment,
      by: desk.maker,
      outcomes: [{ id: payout.id, outcome, reason: 'the provider says so by telephone' }],
      evidence,
    });

  test('in production the simulated sender, which moves no money, is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    const { environment, maker } = await openPayoutDesk(app, { mode: 'production', money: 0 });
    const simulated = { kind: 'simulated', url: null, key: null } as const;
    await assert.rejects(async () => setPayoutSender(app, environment, simulated, maker), { code: 'INVALID_PAYOUT' });
    assert.equal(await selectSenderInUse(app.db, environment.id), null);
  });

  test('approved payouts are sent, and each answer of the sender becomes a state with its book entries', async () => {
    const { app, pay, read, states } = await open();
    const payouts = await pay(6001, 6002, 6003, 6004, 6005, 6006, 6007, 15_000);
    assert.equal(await carryOutPayouts(app, 100), 8);
    assert.deepEqual(await states(payouts), [
      [6001, 'failed', null],
      [6002, 'sent', null],
      [6003, 'unknown', null],
      [6004, 'unknown', null],
      [6005, 'confirmed', null],
      [6006, 'unknown', null],
      [6007, 'sent', 'amount 6008'],
      [15_000, 'confirmed', null],
    ]);
    assert.equal(await carryOutPayouts(app, 100), 0);
    app.now.advance(60_000);
    await carryOutPayouts(app, 100);
    app.now.advance(3 * DAY);
    await carryOutPayouts(app, 100);
    assert.deepEqual(await states(payouts), [
      [6001, 'failed', null],
      [6002, 'confirmed', null],
      [6003, 'confirmed', null],
      [6004, 'failed', null],
      [6005, 'returned', null],
      [6006, 'unknown', null],
      [6007, 'sent', 'amount 6008'],
      [15_000, 'confirmed', null],
    ]);
    const { settled_at, next_look_at } = await read(payouts.at(-1) as Payout);
    assert.equal(next_look_at, (settled_at ?? 0) + 5 * DAY, 'a repeated answer delays the next look-up');
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('after a lost answer the payout is looked up by our id and never sent again', async () => {
    const provider = openStandInProvider({ 500: { sent: 'lost' }, 600: { sent: 'dropped' } });
    const { app, pay, states } = await open(provider);
    const payouts = await pay(500, 600);
    for (let days = 0; days < 40; days++) {
      await carryOutPayouts(app, 100);
      app.now.advance(DAY);
    }
    const [first, second] = payouts;
    assert.deepEqual(await states(payouts), [
      [500, 'confirmed', null],
      [600, 'unknown', null],
    ]);
    assert.equal(provider.requests.filter(({ method }) => method === 'POST').length, 2);
    const posted = provider.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['idempotency-key']);
    assert.deepEqual(new Set(posted), new Set([first?.id, second?.id]));
    assert.deepEqual(provider.given, [{ id: first?.id, amount: 500 }]);
  });

  test('while the sender is unreachable, payouts stay approved and can be cancelled', async () => {
    const provider = openStandInProvider();
    provider.isDown = true;
    const { app, desk, pay, states } = await open(provider);
    const payouts = await pay(500, 600);
    await carryOutPayouts(app, 100);
    assert.deepEqual(
      provider.requests.map(({ method }) => method),
      ['GET', 'GET'],
    );
    const ids = [payouts[0]?.id ?? ''];
    await cancelPayouts(app, { owner: desk.environment, named: { ids }, by: desk.maker, reason: 'otro día' });
    provider.isDown = false;
    app.now.advance(60_000);
    await carryOutPayouts(app, 100);
    assert.deepEqual(await states(payouts), [
      [500, 'cancelled', null],
      [600, 'confirmed', null],
    ]);
    assert.equal(provider.given.length, 1);
  });

  test('a payout that the sender already has is not handed over again, even if our store says that it never left', async () => {
    const provider = openStandInProvider();
    const { app, desk, pay, read } = await open(provider);
    const [payout] = (await pay(700)) as [Payout];
    const row = await selectSenderInUse(app.db, desk.environment.id);
    assert.ok(row);
    const line = {
      reference: 'x',
      rut: '1-9',
      name: 'x',
      email: null,
      bankCode: '012',
      account: '1',
      accountType: null,
      message: '',
    };
    await openSender(app, desk.environment, row).send({
      ...line,
      id: payout.id,
      environment: 'development',
      amount: 700,
      currency: 'CLP',
      sentAt: null,
    });
    await carryOutPayouts(app, 100);
    assert.equal((await read(payout)).state, 'confirmed');
    assert.equal(provider.given.length, 1);
  });

  test('a sender that has a payout which left in a file or was taken back meanwhile contradicts it', async () => {
    const provider = openStandInProvider();
    const { app, desk, pay, read } = await open(provider);
    const [filed, cancelled] = (await pay(700, 800)) as [Payout, Payout];
    const row = await selectSenderInUse(app.db, desk.environment.id);
    assert.ok(row);
    const line = { reference: 'x', rut: '1-9', name: 'x', email: null, bankCode: '012', account: '1', message: '' };
    for (const { id, amount } of [filed, cancelled]) {
      const transfer = { id, environment: 'development', amount, currency: 'CLP', sentAt: null } as const;
      await openSender(app, desk.environment, row).send({ ...line, ...transfer, accountType: null });
    }
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const act = { owner: desk.environment, by: desk.maker };
    const leave = async () => {
      await cancelPayouts(app, { ...act, named: { ids: [cancelled.id] }, reason: 'otro día' });
      await makePayoutFiles(app, { ...act, format: 'santander', payer, batchId: null });
    };
    let left: Promise<void> | null = null;
    const afterLeaving = async (request: FetchRequest) => {
      await (left ??= leave());
      return provider.fetch(request);
    };
    const { alarms, log } = listenForAlarms();
    const worker = { ...app, log, openPayoutSender: payoutSenders(afterLeaving, app.now) };
    await carryOutPayouts(worker, 100);
    const ends = [await read(filed), await read(cancelled)].map(({ state, contradiction }) => [state, contradiction]);
    const said = 'a provider has it too';
    assert.deepEqual(ends, [
      ['sent', said],
      ['cancelled', said],
    ]);
    assert.deepEqual(alarms, ['payout_contradiction', 'payout_contradiction']);
    const told = new Map((await listAttention(app, 'payout', 10)).map(({ id, reason }) => [id, reason]));
    const booking = (one: Payout) => `--amount ${one.amount} --currency CLP --reference ${one.id}. Then clear it`;
    assert.match(
      told.get(filed.id) ?? '',
      /Ask the provider to stop it\. Where the money left twice, book the second time/,
    );
    assert.match(told.get(cancelled.id) ?? '', /Where it left and stayed away, book it first/);
    for (const one of [filed, cancelled]) assert.ok(told.get(one.id)?.includes(booking(one)) === true);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('the audit log keeps the address of a provider without its query, which may contain a key', async () => {
    const { app, desk } = await open();
    const url = `${PROVIDER_URL}?key=very-secret`;
    await setPayoutSender(app, desk.environment, { kind: 'http', url, key: 'provider-key' }, desk.maker);
    await removePayoutSender(app, desk.environment, desk.maker);
    const log = JSON.stringify(await app.db.query("select * from audit_log where action like 'payout.sender%'"));
    assert.match(log, /provider\.example/);
    assert.doesNotMatch(log, /very-secret|provider-key/);
  });

  test('concurrent workers hand each payout over once', async () => {
    const provider = openStandInProvider();
    const { app, pay, states } = await open(provider);
    const payouts = await pay(...Array.from({ length: 20 }, (_, at) => 100 + at));
    await Promise.all(Array.from({ length: 8 }, () => carryOutPayouts(app, 7)));
    await carryOutPayouts(app, 100);
    assert.equal(provider.given.length, 20);
    assert.equal(new Set(provider.given.map(({ id }) => id)).size, 20);
    assert.ok((await states(payouts)).every(([, state]) => state === 'confirmed'));
  });

  test('a worker whose claim has expired hands nothing over', async () => {
    const provider = openStandInProvider();
    const { app, pay, read } = await open(provider);
    const [payout] = (await pay(700)) as [Payout];
    const slow = createTestApp(app.db, {
      now: app.now,
      openPayoutSender: payoutSenders(async (request) => {
        const answer = await provider.fetch(request);
        app.now.advance(31_000);
        return answer;
      }, app.now),
    });
    await carryOutPayouts(slow, 100);
    assert.equal((await read(payout)).state, 'approved');
    assert.deepEqual(provider.given, []);
    app.now.advance(60_000);
    await carryOutPayouts(app, 100);
    assert.equal((await read(payout)).state, 'confirmed');
  });

  test('a worker whose claim expires while it marks a payout as sent does not hand it over', async () => {
    const provider = openStandInProvider();
    const { app, pay, read } = await open(provider);
    const [payout] = (await pay(700)) as [Payout];
    let commits = 0;
    const db = Object.assign(Object.create(app.db), {
      transaction: async (work: () => Promise<unknown>) => {
        const done = await app.db.transaction(work);
        if (++commits === 2) app.now.advance(31_000);
        return done;
      },
    }) as typeof app.db;
    await carryOutPayouts(createTestApp(db, { now: app.now, openPayoutSender: app.openPayoutSender }), 100);
    assert.deepEqual([(await read(payout)).state, provider.given], ['sent', []]);
    app.now.advance(60_000);
    await carryOutPayouts(app, 100);
    assert.deepEqual([(await read(payout)).state, provider.given], ['unknown', []]);
  });

  test('a payout leaves by the sender in use and to the kind of account that are set when it is marked as sent', async () => {
    const sent: unknown[] = [];
    let during: () => Promise<unknown> = async () => {};
    const openPayoutSender: OpenPayoutSender = ({ url }) => ({
      code: 'http',
      lookUp: async () => {
        await during();
        return { kind: 'absent' };
      },
      send: async ({ accountType }) => {
        sent.push([url, accountType]);
        return { kind: 'confirmed' };
      },
    });
    const app = createTestApp(await openTestDatabase(), { openPayoutSender });
    const desk = await openPayoutDesk(app);
    const use = (url: string) =>
      setPayoutSender(app, desk.environment, { kind: 'http', url, key: null }, desk.maker).then(() => {});
    const carryOut = async (meanwhile: () => Promise<unknown> = async () => {}) => {
      during = meanwhile;
      await carryOutPayouts(app, 1);
      return sent;
    };
    await use('https://former.example');
    await approved(app, desk);
    assert.deepEqual(await carryOut(() => use('https://new.example')), []);
    assert.deepEqual(await carryOut(), [['https://new.example', 'sight']]);
    const [payout] = (await approved(app, desk)) as [Payout];
    let setting: Promise<void> | undefined;
    await carryOut(async () => {
      const isHeld = Promise.withResolvers<void>();
      const hearing = onQuery(app, async (sql) => {
        if (!sql.includes('insert into payout_account_types')) return;
        isHeld.resolve();
        await untilQueued(app.db);
      });
      setting = setAccountType(hearing, payout, 'savings', desk.approver);
      await isHeld.promise;
    });
    await setting;
    assert.deepEqual(sent.at(-1), ['https://new.example', 'savings']);
  });

  test('payouts by other senders overtake those whose sender does not answer', async () => {
    const provider = openStandInProvider();
    const isBack = Promise.withResolvers<void>();
    const hanging: StandInProvider = {
      ...provider,
      fetch: async (request) => {
        await isBack.promise;
        return provider.fetch(request);
      },
    };
    const { app, pay, read } = await open(hanging);
    const dead = await pay(...Array.from({ length: 20 }, (_, at) => 701 + at));
    const other = await openPayoutDesk(app);
    await setPayoutSender(app, other.environment, { kind: 'simulated', url: null, key: null }, other.maker);
    app.now.advance(1);
    const [alive] = (await approved(app, other, [wish({ amount: 15_000 })])) as [Payout];
    const work = overtaking(() => carryOutPayouts(app, 2));
    const isConfirmed = async (payout: Payout) => (await read(payout)).state === 'confirmed';
    assert.ok(await comesTrue(async () => (await work.step()) >= 0 && isConfirmed(alive)));
    const waiting = await Promise.all(dead.map(read));
    assert.ok(waiting.every(({ state }) => state === 'approved'));
    assert.ok(
      waiting.some(({ looks }) => looks === 0),
      'not all payouts of the other sender came first',
    );
    isBack.resolve();
    await work.settled();
    await comesTrue(async () => (await work.step()) === 0);
    assert.ok((await Promise.all(dead.map(isConfirmed))).every(Boolean), 'a sender that answers again is asked again');
  });

  test('one of two workers claims a due payout, and only the last claim sets the time of the next look-up', async () => {
    const { app, pay, read } = await open();
    const [payout] = (await pay(700)) as [Payout];
    const claim = (meanwhile = async () => {}) =>
      app.db.transaction(async (tx) => {
        const claimed = await claimPayouts(tx, { now: app.now(), until: app.now() + 60_000, limit: 10, slow: [] });
        await meanwhile();
        return claimed;
      });
    let other: ReturnType<typeof claim> | undefined;
    const [first] = await claim(async () => {
      other = claim();
      await untilQueued(app.db);
    });
    assert.deepEqual([first?.id, await other], [payout.id, []]);
    app.now.advance(60_000);
    const [second] = await claim();
    await app.db.transaction((tx) => postponePayout(tx, first as Payout, null));
    assert.equal((await read(payout)).next_look_at, app.now() + 60_000);
    await app.db.transaction((tx) => postponePayout(tx, second as Payout, null));
    assert.equal((await read(payout)).next_look_at, null);
  });

  test('a payout leaves either in a file or by the sender, never by both', async () => {
    const { app, desk, pay, read } = await open();
    const [filed] = (await pay(700)) as [Payout];
    const files = {
      owner: desk.environment,
      by: desk.maker,
      format: 'santander',
      payer: { account: '123456789', rut: '', name: '', agreement: '' },
      batchId: null,
    };
    await makePayoutFiles(app, files);
    const [carried] = (await pay(800)) as [Payout];
    await carryOutPayouts(app, 100);
    await assert.rejects(makePayoutFiles(app, files), /Nothing is approved/);
    const [one, other] = [await read(filed), await read(carried)];
    assert.deepEqual([one.state, one.sender_id, one.next_look_at], ['sent', null, null]);
    assert.deepEqual([other.state, other.file_id], ['confirmed', null]);
  });

  test('a removed sender gets no more approved payouts, but is still asked about those that it was given', async () => {
    const provider = openStandInProvider({ 500: { status: 'pending', later: 'confirmed' } });
    const { app, desk, pay, states } = await open(provider);
    const [given] = await pay(500);
    await carryOutPayouts(app, 100);
    const [waiting] = await pay(600);
    assert.deepEqual((await removePayoutSender(app, desk.environment, desk.maker))?.payouts, 1);
    const [later] = await pay(700);
    provider.goOn();
    app.now.advance(DAY);
    await carryOutPayouts(app, 100);
    const payouts = [given, waiting, later] as Payout[];
    assert.deepEqual(await states(payouts), [
      [500, 'confirmed', null],
      [600, 'approved', null],
      [700, 'approved', null],
    ]);
    const set = await setPayoutSender(app, desk.environment, { kind: 'simulated', url: null, key: null }, desk.maker);
    assert.deepEqual([set.payouts, set.total], [2, 1300]);
    await carryOutPayouts(app, 100);
    assert.ok((await states(payouts)).every(([, state]) => state === 'confirmed'));
  });

  test('a sender that reverses its answer creates a contradiction, which moves no money and waits for a person', async () => {
    const provider = openStandInProvider({ 500: { later: 'failed' } });
    const { app, desk, pay, read } = await open(provider);
    const [payout] = (await pay(500)) as [Payout];
    await carryOutPayouts(app, 100);
    provider.goOn();
    app.now.advance(DAY);
    const { log, alarms } = listenForAlarms();
    await carryOutPayouts({ ...app, log }, 100);
    const contradicted = await read(payout);
    assert.deepEqual([contradicted.state, contradicted.contradiction], ['confirmed', 'failed']);
    assert.deepEqual(alarms, ['payout_contradiction']);
    const look = {
      owner: desk.environment,
      payout: contradicted,
      by: desk.maker,
      reason: 'the bank paid it',
      evidence,
    };
    await assert.rejects(endContradiction(app, { ...look, by: desk.approver }), { code: 'PERMISSION_MISSING' });
    const before = { ...contradicted, contradiction: 'returned', contradicted_at: 1 };
    await assert.rejects(endContradiction(app, { ...look, payout: before }), /has changed since it was shown/);
    await endContradiction(app, look);
    await assert.rejects(endContradiction(app, { ...look, payout: await read(payout) }), /Nothing contradicts/);
    // The sender was being asked when the person ended it.
    await settleAnswer({ ...app, log }, desk.environment, contradicted, { kind: 'failed', reason: 'no' });
    assert.deepEqual(
      [alarms.length, (await read(payout)).contradiction, (await read(payout)).next_look_at],
      [1, null, null],
    );
    app.now.advance(40 * DAY);
    await carryOutPayouts(app, 100);
    assert.equal((await read(payout)).contradiction, null);
    assert.equal((await verifyStore(app)).ok, true);
  });

  for (const ending of ['dismissed', 'settled'] as const) {
    test(`a contradiction that is ${ending} by a person while its sender is asked is not recorded again by the same answer`, async () => {
      const { app, desk, pay, read } = await open(openStandInProvider());
      const [payout] = (await pay(500)) as [Payout];
      await carryOutPayouts(app, 100);
      const claimed = await read(payout);
      const { log, alarms } = listenForAlarms();
      const say = async (claim: Payout) => {
        await settleAnswer({ ...app, log }, desk.environment, claim, { kind: 'failed', reason: 'no' });
        return [alarms.length, (await read(payout)).contradiction];
      };
      // Another worker asked too.
      assert.deepEqual(await say(claimed), [1, 'failed']);
      if (ending === 'settled') await settle(app, desk, payout, 'returned');
      else {
        const shown = { owner: desk.environment, payout: await read(payout), by: desk.maker };
        await endContradiction(app, { ...shown, reason: 'the bank paid it', evidence });
      }
      assert.deepEqual(await say(claimed), [1, null]);
      // The sender says the same again when it is asked after the decision.
      assert.deepEqual(await say(await read(payout)), [2, 'failed']);
    });
  }

  for (const ending of ['dismissed', 'settled'] as const) {
    test(`a sender that goes on naming another amount begins no contradiction that a person has ${ending}`, async () => {
      const { app, desk, pay, read } = await open(openStandInProvider({ 500: { says: { amount: 501 } } }));
      const [payout] = (await pay(500)) as [Payout];
      await carryOutPayouts(app, 100);
      const shown = await read(payout);
      assert.deepEqual([shown.state, shown.contradiction], ['sent', 'amount 501 CLP']);
      if (ending === 'settled') await settle(app, desk, payout, 'confirmed');
      else {
        const by = desk.maker;
        await endContradiction(app, { owner: desk.environment, payout: shown, by, reason: 'it is of 500', evidence });
      }
      const { log, alarms } = listenForAlarms();
      for (const hours of [1, 24]) {
        app.now.advance((DAY / 24) * hours);
        await carryOutPayouts({ ...app, log }, 100);
      }
      const { looks, contradiction } = await read(payout);
      assert.deepEqual([looks > shown.looks, contradiction, alarms], [true, null, []]);
    });
  }

  test('a contradiction that a person ended does not replace the one that began since', async () => {
    const { app, desk, pay, read } = await open(openStandInProvider());
    const [payout] = (await pay(500)) as [Payout];
    await carryOutPayouts(app, 100);
    const by = desk.maker;
    await app.db.transaction((tx) => recordContradiction(tx, payout, 'failed', app.now()));
    const claimed = await read(payout);
    await endContradiction(app, { owner: desk.environment, payout: claimed, by, reason: 'the bank paid it', evidence });
    await app.db.transaction((tx) => recordContradiction(tx, payout, 'returned', app.now()));
    await settleAnswer(app, desk.environment, claimed, { kind: 'failed', reason: 'no' });
    assert.equal((await read(payout)).contradiction, 'returned');
  });

  test('a failed payout that its sender still has waits for a person, because it may be paid after all', async () => {
    const provider = openStandInProvider({ 500: { status: 'failed', later: 'pending' } });
    const { app, desk, pay, read } = await open(provider);
    const [payout] = (await pay(500)) as [Payout];
    await carryOutPayouts(app, 100);
    provider.goOn();
    const { log, alarms } = listenForAlarms();
    const say = async (asked: Payout) => {
      await settleAnswer({ ...app, log }, desk.environment, asked, { kind: 'pending' });
      const { state, contradiction } = await read(payout);
      return [state, contradiction, alarms.length];
    };
    const failed = await read(payout);
    assert.deepEqual(await say({ ...failed, state: 'sent' }), ['failed', null, 0], 'an answer from before the failure');
    app.now.advance(DAY / 24);
    await carryOutPayouts({ ...app, log }, 100);
    app.now.advance(DAY);
    await carryOutPayouts({ ...app, log }, 100);
    const contradicted = await read(payout);
    const { state, contradiction } = contradicted;
    assert.deepEqual([state, contradiction, alarms], ['failed', 'the sender still has it', ['payout_contradiction']]);
    const look = { owner: desk.environment, payout: contradicted, by: desk.maker, reason: 'it was not paid', evidence };
    await endContradiction(app, look);
    assert.deepEqual(await say(contradicted), ['failed', null, 1], 'it was being asked when the person ended it');
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('a confirmed payout that its sender then says it never had waits for a person, and its books stay', async () => {
    const { app, desk, pay, read } = await open(openStandInProvider());
    const [payout] = (await pay(500)) as [Payout];
    const sent = await read(payout);
    await carryOutPayouts(app, 100);
    const { log, alarms } = listenForAlarms();
    const say = async (asked: Payout) => {
      await settleAnswer({ ...app, log }, desk.environment, asked, { kind: 'absent' });
      const { state, contradiction } = await read(payout);
      return [state, contradiction, alarms.length];
    };
    const confirmed = await read(payout);
    assert.deepEqual(await say({ ...sent, state: 'sent' }), ['confirmed', null, 0], 'an answer from before the end');
    const said = 'the sender says that it never had it';
    assert.deepEqual(await say(confirmed), ['confirmed', said, 1]);
    assert.deepEqual(await say(await read(payout)), ['confirmed', said, 1], 'the same answer again');
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('a person can settle an unanswered payout, and a later contrary answer of the sender is recorded', async () => {
    const provider = openStandInProvider({ 500: { sent: 'lost', status: 'pending', later: 'confirmed' } });
    const { app, desk, pay, read } = await open(provider);
    const [payout] = (await pay(500)) as [Payout];
    await carryOutPayouts(app, 100);
    const stranger = { ...desk, maker: desk.approver };
    await assert.rejects(settle(app, stranger, payout, 'failed'), { code: 'PERMISSION_MISSING' });
    await assert.rejects(settle(app, desk, { ...payout, id: 'po_unknown' }, 'failed'), { code: 'NOT_FOUND' });
    assert.equal((await read(payout)).state, 'unknown');
    await settle(app, desk, payout, 'failed');
    provider.goOn();
    app.now.advance(DAY);
    await carryOutPayouts(app, 100);
    const { state, contradiction } = await read(payout);
    assert.deepEqual([state, contradiction], ['failed', 'confirmed']);
  });
});
