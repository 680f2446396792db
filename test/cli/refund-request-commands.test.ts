import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { disableUser, enableUser } from '../../src/auth/change-user.ts';
import { commandStore } from '../support/command-store.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';
import { openRefundDesk } from '../support/test-refund-requests.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';

async function setUp(context: TestContext, openTestDatabase: OpenTestDatabase) {
  const db = await openTestDatabase();
  // The commands use the clock of the machine.
  const app = createTestApp(db, { now: createTestClock(Date.now()) });
  const desk = await openRefundDesk(app);
  const { env } = commandStore(context, db);
  const run = async (words: string, ...rest: string[]) => {
    const all = ['refund', ...words.split(' '), ...rest];
    const { status, stdout, stderr } = await runCommand(all, { env });
    return { status, stdout, said: stdout + stderr };
  };
  const json = async <Printed>(words: string, ...rest: string[]) =>
    JSON.parse((await run(words, ...rest, '--json')).stdout) as Printed;
  const spanish = (words: string) =>
    runCommand(['refund', ...words.split(' ')], { env: { ...env, LANG: 'es_CL.UTF-8' } });
  const [asker, approver] = [desk.users.asker.email, desk.users.approver.email];
  return { app, db, env, environment: desk.environment, paid: desk.paid, run, json, spanish, asker, approver };
}

type Requested = { request: string; state: string; amount: number; refund: string };

forEachEngine('commands for refunds above a limit', (openTestDatabase) => {
  test('name the request command for a refused refund, and another person approves the request', async (context) => {
    const { app, db, paid, run, json, spanish, asker, approver } = await setUp(context, openTestDatabase);
    const command = `refund request ${paid.id} --type total --reason TEXT --as ${asker}`;
    const refused = await run(`create ${paid.id} --type total --as ${asker}`);
    assert.equal(refused.status, 1);
    assert.match(refused.said, /REFUND_LIMIT_REACHED.*\$100\.000 CLP a day/);
    assert.ok(refused.said.includes(`Ask that another person approve it: bin/rubrica ${command}`), refused.said);
    const inSpanish = await spanish(`create ${paid.id} --amount 120000 --as ${asker}`);
    assert.match(
      inSpanish.stderr,
      /Pide que otra persona la apruebe: bin\/rubrica refund request \d+ --amount 120000 /,
    );
    const ask = ['--type', 'total', '--reason', 'llegó roto', '--as', asker];
    const made = await json<Requested>(`request ${paid.id}`, ...ask);
    assert.deepEqual([made.state, made.amount], ['waiting', 150_000]);
    const again = await run(`request ${paid.id}`, ...ask);
    const next = `bin/rubrica refund approve ${made.request} --as EMAIL`;
    assert.equal(
      again.stdout,
      `Request ${made.request} of $150.000 CLP waits for another person: ${next}\n`,
      'a repeated command shows the same request',
    );
    const listed = await run('requests');
    assert.match(listed.stdout, new RegExp(`${made.request} .* waiting +\\$150\\.000 CLP .*${asker} +llegó roto`));
    await disableUser(app, asker, TESTER);
    assert.match((await run('requests')).stdout, new RegExp(`${asker} \\(disabled\\) +llegó roto`));
    await enableUser(app, asker, TESTER);
    assert.match((await run(`approve ${made.request}`, '--as', asker)).said, /^PERMISSION_MISSING/);
    assert.match((await run(`approve ${made.request}`)).said, /^PERSON_NEEDED/);
    assert.deepEqual(await refundsOf(app, paid), []);
    const approved = await run(`approve ${made.request}`, '--reason', 'vi la foto', '--as', approver);
    assert.match(
      approved.stdout,
      new RegExp(`^Refund 0rf_\\w+ of \\$150\\.000 CLP is processing: request ${made.request} of ${asker} is approved`),
    );
    assert.deepEqual(await refundsOf(app, paid), [['processing', 150_000]]);
    const twice = await run(`approve ${made.request}`, '--as', approver);
    assert.match(twice.said, new RegExp(`^ALREADY_DONE: .* is approved by ${approver}`));
    assert.equal((await run('requests')).stdout, 'No refund waits for another person.\n');
    assert.match((await run('requests --all')).stdout, new RegExp(`approved .*${approver} +0rf_`));
    const rows = await db.query("select actor, action from audit_log where action like 'refund%' order by link");
    assert.deepEqual(
      rows.map(({ actor, action }) => [actor, action]),
      [
        [asker, 'refund_request.made'],
        [approver, 'refund_request.approved'],
      ],
    );
  });

  test('refuse a request within the limit or above the payment, and reject a waiting one with a reason', async (context) => {
    const { app, paid, run, json, asker, approver } = await setUp(context, openTestDatabase);
    const ask = (amount: number) => run(`request ${paid.id} --amount ${amount} --reason roto --as ${asker}`);
    assert.ok((await ask(100_000)).said.includes(`bin/rubrica refund create ${paid.id} --amount 100000 --as ${asker}`));
    assert.match((await ask(150_001)).said, /^REFUND_AMOUNT_TOO_HIGH: .* At most --amount 150000$/m);
    const { request } = await json<Requested>(`request ${paid.id} --amount 150000 --reason roto --as ${asker}`);
    await acceptedRefund(app, paid, 1000);
    const refused = await run(`approve ${request} --as ${approver}`);
    assert.match(
      refused.said,
      new RegExp(`^REFUND_AMOUNT_TOO_HIGH: .* ${request} goes on waiting: bin/rubrica refund reject`),
    );
    const rejected = await json<Requested>(`reject ${request} --reason cambiado --as ${approver}`);
    assert.equal(rejected.state, 'rejected');
    assert.match((await run(`reject ${request} --reason otra --as ${approver}`)).said, /^ALREADY_DONE/);
    assert.match((await run('approve rr_none')).said, /^NOT_FOUND/);
  });

  test('name an equal refund of the payment in their question, unless it failed', async (context) => {
    const { app, db, env, paid, json, asker, approver } = await setUp(context, openTestDatabase);
    const { request } = await json<Requested>(`request ${paid.id} --amount 120000 --reason roto --as ${asker}`);
    const ask = async (words: string) =>
      (await runCommand(['refund', ...words.split(' ')], { env, input: 'n\n', isTTY: true })).stderr;
    const create = `create ${paid.id} --amount 120000 --as ${approver}`;
    assert.match(await ask(create), /^Refund \$120\.000 CLP of \$150\.000 CLP to the payer/);
    const equal = await acceptedRefund(app, paid, 120_000);
    const named = `^${equal.requested_by} asked for an equal refund at [^(]+ \\(${equal.id}, processing\\)\\. `;
    assert.match(await ask(create), new RegExp(`${named}Refund \\$120\\.000 CLP of `));
    assert.match(await ask(`approve ${request} --as ${approver}`), new RegExp(`${named}Refund \\$120\\.000 CLP to `));
    assert.match(await ask(`create ${paid.id} --amount 119999 --as ${approver}`), /^Refund /);
    await db.transaction((tx) => tx.query("update refunds set state = 'failed' where id = $1", [equal.id]));
    assert.match(await ask(create), /^Refund /);
  });

  test('ask again when an equal refund was made after their question', async (context) => {
    const { app, env, paid, json, asker, approver } = await setUp(context, openTestDatabase);
    const { request } = await json<Requested>(`request ${paid.id} --amount 140000 --reason roto --as ${asker}`);
    for (const [amount, words] of [
      [5000, `create ${paid.id} --amount 5000 --as ${approver}`],
      [140_000, `approve ${request} --as ${approver}`],
    ] as const) {
      const before = await refundsOf(app, paid);
      const make = async () => {
        const { id } = await acceptedRefund(app, paid, amount);
        equal.push(id);
        return 'y';
      };
      const equal: string[] = [];
      const answers = [make, async () => 'n'];
      const { stderr } = await runCommand(['refund', ...words.split(' ')], { env, answers });
      const again = `^Refund .* \\[y/N\\] .* asked for an equal refund at [^(]+\\(${equal[0]}, .*NOT_CONFIRMED`;
      assert.match(stderr, new RegExp(again), words);
      assert.deepEqual(await refundsOf(app, paid), [...before, ['processing', amount]]);
    }
  });

  test('record the reason of a refund within the limit in the audit log', async (context) => {
    const { db, paid, run, asker } = await setUp(context, openTestDatabase);
    await run(`create ${paid.id} --amount 1000 --as ${asker}`, '--reason', 'un producto sin stock');
    const [row] = await db.query("select actor, reason from audit_log where action = 'refund.requested'");
    assert.deepEqual([row?.['actor'], row?.['reason']], [asker, 'un producto sin stock']);
  });
});
