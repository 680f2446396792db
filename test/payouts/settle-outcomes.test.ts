import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAttention } from '../../src/attention/list-attention.ts';
import { describeEvidence } from '../../src/lib/evidence-file.ts';
import { SECOND_LINE } from '../../src/payouts/kept-texts.ts';
import type { Payout, PayoutState } from '../../src/payouts/payout.ts';
import { compareOutcome } from '../../src/payouts/payout.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { recordContradiction } from '../../src/payouts/settling/record-contradiction.ts';
import type { PayoutOutcome, SettledPayouts } from '../../src/payouts/settling/settle-outcomes.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { transitionPayouts } from '../../src/payouts/transition-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { endContradiction } from '../../src/statements/end-contradiction.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';

forEachEngine('a result of the bank', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const [{ id }] = (await approved(app, desk)) as [Payout];
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: app.now() }));
    const say = async (...results: PayoutOutcome[]) => {
      const evidence = describeEvidence(`${results.join()}.csv`, Buffer.from(results.join()));
      const outcomes = results.map((outcome) => ({ id, outcome, reason: null }));
      const { settled, already, contradicted } = await settlePayouts(app, { owner, by, outcomes, evidence });
      return [settled.length, already.length, contradicted.length];
    };
    return { app, id, say };
  };

  test('that contradicts an earlier one of the same file moves no money and waits for a person', async () => {
    const { app, id, say } = await open();
    assert.deepEqual(await say('confirmed', 'failed'), [1, 0, 1]);
    assert.equal((await selectPayoutAnywhere(app.db, id))?.state, 'confirmed');
    assert.equal((await listAttention(app, 'payout', 10)).length, 1);
  });

  test('that says again what was so before the payout came back changes nothing and waits for nobody', async () => {
    const { app, id, say } = await open();
    assert.deepEqual(await say('confirmed'), [1, 0, 0]);
    assert.deepEqual(await say('returned'), [1, 0, 0]);
    assert.deepEqual(await say('confirmed'), [0, 1, 0]);
    const { state, contradiction } = (await selectPayoutAnywhere(app.db, id)) ?? {};
    assert.deepEqual([state, contradiction], ['returned', null]);
    assert.deepEqual(await listAttention(app, 'payout', 10), []);
    assert.deepEqual(await say('failed'), [0, 0, 1], 'that it never arrived contradicts its return');
  });

  test('moves the money once, whatever two people say about one payout at the same moment', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const say = (id: string, outcome: PayoutOutcome, file?: string) => {
      const evidence = describeEvidence(`${outcome}.csv`, Buffer.from(outcome));
      const said = { owner, by, outcomes: [{ id, outcome, reason: null }], evidence };
      return settlePayouts(app, file === undefined ? said : { ...said, file });
    };
    for (const [inFile, byPerson, already] of [
      ['confirmed', 'confirmed', 1],
      ['failed', 'failed', 1],
      ['confirmed', 'failed', 0],
    ] as const) {
      const [{ id, amount }] = (await approved(app, desk)) as [Payout];
      await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: app.now() }));
      const before = await owedIn(app);
      const both = await Promise.all([say(id, inFile, 'pf_x'), say(id, byPerson)]);
      const count = (kind: keyof SettledPayouts) => both.flatMap((each) => each[kind]).length;
      assert.deepEqual([count('settled'), count('already'), count('contradicted')], [1, already, 1 - already]);
      const { state } = (await selectPayoutAnywhere(app.db, id)) as Payout;
      assert.equal((await owedIn(app)) - before, state === 'failed' ? amount : 0);
    }
    const { problems, records, balances } = await verifyStore(app);
    assert.deepEqual([problems, records, balances], [[], [], []]);
  });

  test('in the same file again begins no contradiction that a person has ended; in another file it does', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const [{ id }] = (await approved(app, desk)) as [Payout];
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [id], to: 'sent', at: app.now() }));
    const outcomes = [{ id, outcome: 'confirmed' as const, reason: null }];
    const take = async (content: string) => {
      const evidence = describeEvidence('resultado.csv', Buffer.from(content));
      const failed = [{ id, outcome: 'failed' as const, reason: null }];
      const { already, contradicted } = await settlePayouts(app, {
        owner,
        by,
        outcomes: failed,
        evidence,
        file: 'pf_x',
      });
      return [already.length, contradicted.length];
    };
    const evidence = describeEvidence('portal.pdf', Buffer.from('it arrived'));
    await settlePayouts(app, { owner, by, outcomes, evidence });
    assert.deepEqual(await take('first'), [0, 1]);
    const payout = (await selectPayoutAnywhere(app.db, id)) as Payout;
    await endContradiction(app, { owner, payout, by, reason: 'it arrived', evidence });
    assert.deepEqual(await take('first'), [1, 0]);
    assert.deepEqual(await listAttention(app, 'payout', 10), []);
    assert.deepEqual(await take('second'), [0, 1]);
  });

  test('that contradicts a payout leaves the line of a statement with it that contradicts it too', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner } = desk;
    const [payout] = (await approved(app, desk, [wish()])) as [Payout];
    const say = (said: 'failed' | typeof SECOND_LINE, line: string | null) =>
      app.db.transaction((tx) => recordContradiction(tx, payout, said, app.now(), line));
    await app.db.transaction((tx) => transitionPayouts(tx, owner, { ids: [payout.id], to: 'sent', at: app.now() }));
    for (const [said, line, lines] of [
      [SECOND_LINE, 'st_x/12', 'st_x/12'],
      ['failed', null, 'st_x/12'],
      ['failed', null, 'st_x/12'],
      [SECOND_LINE, 'st_x/12', 'st_x/12'],
      [SECOND_LINE, 'st_x/2', 'st_x/12 st_x/2'],
    ] as const) {
      await say(said, line);
      const { contradiction, contradicted_by } = (await selectPayoutAnywhere(app.db, payout.id)) as Payout;
      assert.deepEqual([contradiction, contradicted_by], [said, lines]);
    }
    const told = await app.db.query("select type from events where type = 'payout.contradicted'");
    assert.equal(told.length, 4, 'the same report again adds no event');
  });

  test('in a file ends no contradiction, which nobody saw: a person who settles the payout ends one without a line', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const { environment: owner, maker: by } = desk;
    const payouts = await approved(app, desk, [wish(), wish(), wish()]);
    const ids = payouts.map(({ id }) => id);
    const [inFile, byPerson, withLine] = ids as [string, string, string];
    await app.db.transaction(async (tx) => {
      await transitionPayouts(tx, owner, { ids, to: 'sent', at: app.now() });
      await transitionPayouts(tx, owner, { ids, to: 'confirmed', at: app.now() });
      for (const payout of payouts.filter(({ id }) => id !== withLine))
        await recordContradiction(tx, payout, 'failed', app.now());
      const named = { id: withLine, environment_id: owner.id };
      await recordContradiction(tx, named, SECOND_LINE, app.now(), 'st_x/12');
    });
    const evidence = describeEvidence('resultado.csv', Buffer.from('returned'));
    const outcomes = (id: string) => [{ id, outcome: 'returned' as const, reason: null }];
    await settlePayouts(app, { owner, by, outcomes: outcomes(inFile), evidence, file: 'pf_x' });
    for (const id of [byPerson, withLine]) await settlePayouts(app, { owner, by, outcomes: outcomes(id), evidence });
    for (const [id, left] of [
      [inFile, ['failed', null]],
      [byPerson, [null, null]],
      [withLine, [SECOND_LINE, 'st_x/12']],
    ] as const) {
      const { state, contradiction, contradicted_by } = (await selectPayoutAnywhere(app.db, id)) as Payout;
      assert.deepEqual([state, contradiction, contradicted_by], ['returned', ...left]);
    }
    assert.deepEqual(
      (await listAttention(app, 'payout', 10)).map(({ id }) => id),
      [inFile, withLine],
    );
  });
});

/** Returns what is owed to the merchant. */
async function owedIn({ db }: TestApp): Promise<number> {
  const [row] = await db.query<{ owed: number }>(
    "select credits - debits as owed from account_balances where account = 'merchant:payable'",
  );
  return row?.owed ?? 0;
}

const EFFECTS = { settles: 'settles', already: 'changes nothing about', contradicts: 'contradicts' } as const;

for (const [state, outcome, effect] of [
  ['sent', 'confirmed', 'settles'],
  ['sent', 'failed', 'settles'],
  ['sent', 'returned', 'settles'],
  ['unknown', 'returned', 'settles'],
  ['confirmed', 'returned', 'settles'],
  ['confirmed', 'confirmed', 'already'],
  ['returned', 'confirmed', 'already'],
  ['returned', 'failed', 'contradicts'],
  ['failed', 'confirmed', 'contradicts'],
  ['failed', 'returned', 'contradicts'],
  ['approved', 'returned', 'contradicts'],
] as const satisfies readonly (readonly [PayoutState, PayoutOutcome, keyof typeof EFFECTS])[]) {
  test(`the result ${outcome} ${EFFECTS[effect]} a payout that is ${state}`, () => {
    assert.equal(compareOutcome(state, outcome), effect);
  });
}
