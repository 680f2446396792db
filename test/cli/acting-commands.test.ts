import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Command } from 'commander';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { createUser } from '../../src/auth/create-user.ts';
import { addTotp } from '../../src/auth/factors/enrol-totp.ts';
import { inviteUser } from '../../src/auth/invitations/invite-user.ts';
import { listApiTokens } from '../../src/auth/tokens/list-api-tokens.ts';
import { addCommands } from '../../src/cli/command-groups.ts';
import type { Database, SqlRow } from '../../src/db/database.ts';
import { upsertProcess } from '../../src/health/process-queries.ts';
import { insertMail } from '../../src/mail/mail-queries.ts';
import { ensureEndpoint } from '../../src/outbox/endpoints/endpoint-queries.ts';
import { setWebhook } from '../../src/outbox/webhooks/set-webhook.ts';
import { createPaymentLink } from '../../src/payment-links/create-payment-link.ts';
import type { LinkWish } from '../../src/payment-links/payment-link.ts';
import { verifyAudit } from '../../src/proof/verify-audit.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { forEachEngine, type OpenTestDatabase, type TestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, createTestClock, type TestApp } from '../support/test-app.ts';
import { createLatePayment, createPaidTransaction } from '../support/test-books.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

/** Commands without an act of a person: they do not change the store and its books, or do not use them. */
const READING = [
  'demo', // Acts on a separate store, in the name of the person who started it.
  'serve',
  'open',
  'logs tail',
  'completion',
  'user list',
  'user token list',
  'user session list',
  'user factor list',
  'user invitation list',
  'bench',
  'sign',
  'explain',
  'verify',
  'payment-service list',
  'payment-service fees',
  'payment-service links',
  'payment-service moves',
  'payment-method list',
  'transaction list',
  'request list',
  'request show',
  'transaction find',
  'transaction show',
  'webhook list',
  'callback list',
  'callback endpoints',
  'callback show',
  'callback doctor',
  'mail list',
  'payment-link list',
  'endpoint doctor',
  'refund list',
  'refund decisions',
  'refund requests',
  'payout list',
  'payout show',
  'payout files',
  'payout formats',
  'statement list',
  'statement show',
  'payout sender list',
  'batch list',
  'batch show',
  'deposit list',
  'books balance',
  'books list',
  'settlement list',
  'settlement show',
  'month show',
  'books statement',
  'books verify',
  'books head',
  'books suspense',
  'reconcile',
  'chaos orders',
  'record',
  'clock show',
  'validate', // Validations have their own records.
  'banks list',
  'recipient list',
  'recipient show',
  'payment decisions',
  'audit list',
  'audit verify',
  'attention list',
  'doctor',
  'backup',
];

/** The arguments of each acting command, and the action that it must record. */
const ACTING: [words: string, action: string, rest: (world: World) => (string | number)[]][] = [
  ['payment-service create', 'payment_service.created', () => ['--name', 'Shop']],
  ['ids', 'ids.raised', () => ['--from', 1_000_000]],
  [
    'payment-service import',
    'payment_service.imported',
    () => ['--name', 'Shop', '--environment', 'production', '--service-token', 'st-1', '--secret-token', SECRET],
  ],
  ['backup-made', 'store.backed_up', () => []],
  ['process-ended', 'process.ended', () => [GONE.host, GONE.pid]],
  ['payment-service disable', 'payment_service.disabled', ({ id }) => [id]],
  ['payment-service enable', 'payment_service.enabled', ({ id }) => [id]],
  ['payment-service rotate', 'payment_service.rotated', ({ id }) => [id, '--environment', 'development']],
  ['payment-service hand-over', 'tokens.handed_over', ({ id }) => [id, '--environment', 'development']],
  ['payment-service limit', 'payment_service.limit_set', ({ id }) => [id, '--per-minute', 12_000]],
  ['payment-service look', 'payment_service.look_set', ({ id }) => [id, '--colour', '#1f6f4a']],
  ['payment-service payer-attempts', 'payment_service.payer_attempts_set', ({ id }) => [id, '--most', 1]],
  [
    'payment-service events-url',
    'payment_service.events_url_set',
    ({ id }) => [id, '--environment', 'development', '--url', `https://shop.example.cl/events?key=${SECRET}`],
  ],
  [
    'payment-service fee',
    'fee.set',
    ({ id }) => [id, '--environment', 'development', '--method', 'simulated', '--rate', 29_500],
  ],
  ['payment-service funds', 'funds.rule_set', ({ id }) => [id, ...DEVELOPMENT, '--keep-back', 1000]],
  ['payment-method set', 'payment_method.set', ({ id }) => ['webpay', '--payment-service', id, ...DEVELOPMENT]],
  ['payment-method remove', 'payment_method.removed', ({ id }) => ['webpay', '--payment-service', id, ...DEVELOPMENT]],
  ['payment-service receipts', 'payment_service.receipts_set', ({ id }) => [id, '--mail', 'en']],
  [
    'payment-link create',
    'payment_link.created',
    ({ id }) => ['--payment-service', id, '--amount', 5000, '--subject', 'Curso'],
  ],
  ['payment-link end', 'payment_link.ended', ({ link }) => [link]],
  ['mail end', 'mail.ended', ({ mail }) => [mail]],
  ['mail resend', 'mail.resent', ({ mail }) => [mail]],
  ['endpoint test', 'endpoint.tested', ({ endpoint }) => [endpoint]],
  ['callback resend', 'callback.resent', ({ callback }) => [callback]],
  ['refund create', 'refund.requested', ({ paid }) => [paid, '--amount', 100]],
  [
    'refund settle',
    'refund.decided',
    ({ refund, file }) => [refund, '--outcome', 'failed', '--evidence', file, '--reason', 'seen'],
  ],
  ['refund retry', 'refund.decided', ({ held }) => [held, '--reason', 'seen']],
  ['payout create', 'payout.recorded', ({ id }) => [...money(id), '--amount', 1000, '--reference', 'TEF-1']],
  ['payout return', 'payout.returned', ({ id }) => ['TEF-1', '--payment-service', id, '--reason', 'came back']],
  ['payout limits', 'payout.limits_set', ({ id }) => ['--payment-service', id, '--per-payout', 1000]],
  ['payout sender set', 'payout.sender_set', ({ id }) => ['simulated', '--payment-service', id]],
  ['payout sender remove', 'payout.sender_removed', ({ id }) => ['--payment-service', id]],
  ['payout person-limit', 'payout.limits_set', () => [PROGRAM, 5000]],
  [
    'deposit create',
    'deposit.recorded',
    ({ id }) => [...money(id), '--amount', 1000, '--reference', 'ABONO-1', '--method', 'simulated'],
  ],
  ['deposit return', 'deposit.returned', ({ id }) => ['ABONO-1', '--payment-service', id, '--reason', 'never came']],
  [
    'books resolve',
    'suspense.resolved',
    ({ late }) => ['--transaction', late, '--decision', 'kept', '--reason', 'seen'],
  ],
  ['books anchor', 'books.anchored', () => []],
  [
    'payment settle',
    'payment.decided',
    ({ attempt, file }) => [attempt, '--outcome', 'approved', '--evidence', file, '--reason', 'seen'],
  ],
  [
    'payment import',
    'payment.imported',
    ({ id, settlement }) => [settlement, '--payment-service', id, '--method', 'simulated', '--yes'],
  ],
  [
    'settlement keep',
    'settlement.kept',
    ({ settlement, ...world }) => [settlement, '--payment-service', world.id, '--method', 'simulated'],
  ],
  ['banks import', 'bank_list.imported', () => ['src/bank-validation/directory/bank-directory.json']],
  ['privacy export', 'privacy.exported', () => ['--rut', RUT]],
  ['privacy erase', 'privacy.erased', () => ['--rut', RUT]],
  ['user create', 'user.created', () => ['--email', 'new@example.cl', '--role', 'support']],
  ['user role', 'user.role_set', () => [PROGRAM, 'finance']],
  ['user grant', 'user.role_set', () => [PROGRAM, 'callbacks:resend']],
  ['user revoke', 'user.role_set', () => [PROGRAM, 'callbacks:resend']],
  ['user payouts', 'user.role_set', () => ['on', 'new@example.cl']],
  ['user payment-services', 'user.role_set', ({ id }) => [PROGRAM, '--payment-service', id]],
  ['user refund-limit', 'user.role_set', () => [PROGRAM, '50000']],
  ['user token create', 'api_token.created', () => [PROGRAM, '--name', 'till']],
  ['user token end', 'api_token.ended', ({ token }) => [token]],
  ['user factor add', 'user.factor_added', () => [PROGRAM]],
  ['user factor recovery-codes', 'user.recovery_codes_made', () => [PROGRAM]],
  ['user factor remove', 'user.factor_removed', ({ factor }) => [factor]],
  ['user factor reset', 'user.factors_reset', () => [PROGRAM]],
  ['user invite', 'user.invited', () => ['guest@example.cl', '--role', 'auditor']],
  ['user invitation end', 'user.invitation_ended', ({ invitation }) => [invitation]],
  ['user session end', 'user.session_ended', () => ['--all', PROGRAM]],
  ['user reset-password', 'user.password_reset', () => [PROGRAM]],
  ['user reset-api-token', 'user.api_token_reset', () => [PROGRAM]],
  ['webhook end', 'webhook.ended', () => [PROGRAM, 'refunds']],
  ['user disable', 'user.disabled', () => [PROGRAM]],
  ['user enable', 'user.enabled', () => [PROGRAM]],
  ['after-restore', 'store.restored', () => []],
  ['release', 'store.released', () => ['--yes', '--reason', 'compared']],
];

/** Tested below or in other files, because they need a separate store or a file. */
const APART = [
  'settlement accept',
  'attention take',
  'attention give-up',
  'month close',
  'listen',
  'trigger',
  'chaos run',
  // Change the clock of the whole store: test/travel/.
  'clock advance',
  'clock back',
  'replay',
  'clock reset',
  'payment-service end-link',
  // Needs two databases: test/moves/move-payment-service.test.ts.
  'payment-service move',
  'master-key rotate',
  'restore',
  'migrate',
  'recipient create',
  'recipient change',
  // Need two people: test/cli/refund-request-commands.test.ts.
  'refund request',
  'refund approve',
  'refund reject',
  // Need two people: test/cli/payout-commands.test.ts.
  'payout propose',
  'payout file',
  'payout result',
  'payout settle',
  'payout clear',
  'statement import',
  'statement resolve',
  'payout account-type',
  'payout approve',
  'payout reject',
  'payout cancel',
  'batch approve',
  'batch reject',
  'batch cancel',
  'batch submit',
];

const RUT = '12345678-5';
const SECRET = 'a-secret-that-nobody-may-read';
const DEVELOPMENT = ['--environment', 'development'];
const MARIA = 'maria@example.cl';
const PROGRAM = 'program@example.cl';

test('every command takes --as and is tested here, or is listed as changing nothing', async () => {
  const program = new Command();
  await addCommands(program, '');
  const leaves = leavesOf(program).map(({ words, command }) => ({
    words,
    acts: command.options.some(({ long }) => long === '--as'),
  }));
  const tried = [...ACTING.map(([words]) => words), ...APART];
  const wordsOf = (acting: boolean) => leaves.filter(({ acts }) => acts === acting).map(({ words }) => words);
  const cases: [some: readonly string[], known: readonly string[], next: string][] = [
    [wordsOf(true), tried, 'takes --as: try it in ACTING'],
    [wordsOf(false), READING, 'takes no --as: list it in READING, or wrap it in acting(…) if it changes something'],
    [tried, wordsOf(true), 'is in ACTING or APART, and is no command that takes --as'],
    [READING, wordsOf(false), 'is in READING, and is no command without --as'],
  ];
  const wrong = cases.flatMap(([some, known, next]) =>
    some.filter((words) => !known.includes(words)).map((words) => `${words} ${next}`),
  );
  assert.deepEqual(wrong, []);
  assert.equal(tried.length + READING.length, leaves.length, 'each command is in one of the lists');
});

forEachEngine('commands that change something', (openTestDatabase) => {
  test('record the person of --as in the audit log', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    // As a first start does: no act names the migrations of the store of a test.
    await run(world.settings, ['migrate']);
    const printed: string[] = [];
    for (const [words, action, rest] of ACTING) {
      const before = await lastLink(world.db);
      const all = [...words.split(' '), ...rest(world).map(String), '--json', '--as', 'Maria@Example.cl'];
      printed.push(await run(world.settings, all));
      const rows = await world.db.query('select * from audit_log where link > $1 order by link', [before]);
      assert.ok(
        rows.some((row) => row['action'] === action),
        `${words} wrote ${JSON.stringify(rows)}`,
      );
      for (const row of rows) {
        assert.deepEqual([row['actor_kind'], row['actor'], row['user_id']], ['person', MARIA, world.maria], words);
        assert.match(String(row['origin']), /^\S+@\S+$/);
      }
    }
    assert.equal((await verifyAudit(world.app)).ok, true);
    await assertNamed(world.db);
    const log = JSON.stringify(await world.db.query('select * from audit_log'));
    for (const secret of [SECRET, RUT, '12345678', ...secretsIn(printed)])
      assert.ok(!log.includes(secret), 'the log has no secret');
  });

  test('record RUBRICA_USER without --as, and without both the user of the command line', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    const last = async () => {
      const [row] = await world.db.query('select actor_kind, actor from audit_log order by link desc limit 1');
      return [row?.['actor_kind'], row?.['actor']];
    };
    await run({ ...world.settings, RUBRICA_USER: MARIA }, ['payment-service', 'disable', world.id]);
    assert.deepEqual(await last(), ['person', MARIA]);
    await run(world.settings, ['payment-service', 'enable', world.id]);
    const [kind, name] = await last();
    assert.equal(kind, 'command line');
    assert.match(String(name), /^command line: \S+@\S+$/);
  });

  test('refuse an unknown or disabled user, and change nothing', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    const disable = (...more: string[]) => run(world.settings, ['payment-service', 'disable', world.id, ...more]);
    await assert.rejects(disable('--as', 'nobody@example.cl'), /--as names no user: nobody@example\.cl/);
    const empty = { code: 'INVALID_OPTION', message: /--as is empty: is the shell variable set\?/ };
    await assert.rejects(disable('--as', ''), empty);
    await assert.rejects(disable('--as= '), empty);
    await assert.rejects(run({ ...world.settings, RUBRICA_USER: MARIA }, ['release', '--yes', '--as', '']), empty);
    await assert.rejects(run(world.settings, ['books', 'resolve', '--reason', 'x', '--as', '']), empty);
    await assert.rejects(
      run({ ...world.settings, RUBRICA_USER: 'x' }, ['release', '--yes']),
      /RUBRICA_USER names no user/,
    );
    await world.db.transaction((tx) => tx.query('update users set disabled_at = 1 where email = $1', [MARIA]));
    await assert.rejects(disable('--as', MARIA), { code: 'UNKNOWN_USER', message: /a user who is disabled/ });
    assert.deepEqual(await world.db.query('select id from payment_services where disabled_at is not null'), []);
  });

  test('record the person of books resolve, which also takes the decision as --as', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    const resolve = (...more: string[]) =>
      run(world.settings, ['books', 'resolve', '--transaction', String(world.late), '--reason', 'seen', ...more]);
    await assert.rejects(resolve(), /Say what is decided/);
    await assert.rejects(resolve('--as', 'sold'), /--as is an e-mail address, not sold/);
    await assert.rejects(resolve('--as', 'kept', '--decision', 'returned'), /Say one decision/);
    await resolve('--as', 'kept', '--as', MARIA);
    const [row] = await world.db.query(
      "select actor, reason, said_after from audit_log where action = 'suspense.resolved'",
    );
    assert.deepEqual([row?.['actor'], row?.['reason']], [MARIA, 'seen']);
    assert.match(String(row?.['said_after']), /"decision":"kept"/);
  });

  test('record the creation and change of a recipient, without RUT, name and account', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-recipient-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'recipient.json');
    const write = (bankAccount: string) =>
      writeFileSync(file, JSON.stringify({ rut: RUT, bankData: { bankSBIFNumber: '012', bankAccount }, name: 'Ana' }));
    write('12345678');
    const made = await run(world.settings, ['recipient', 'create', file, '--json', '--as', MARIA]);
    const { id } = JSON.parse(made) as { id: string };
    write('9876543210');
    for (const words of [
      ['recipient', 'create', file],
      ['recipient', 'change', id, file],
    ])
      await assert.rejects(run(world.settings, words), { code: 'PERSON_NEEDED' }, 'the command needs a person');
    const csv = join(folder, 'nomina.csv');
    writeFileSync(csv, 'rut;banco;cuenta\n12.531.909-2;012;12345678\n');
    await assert.rejects(run(world.settings, ['recipient', 'create', csv, '--as', MARIA]), {
      code: 'INVALID_JSON',
      message: /nomina\.csv is not one JSON object: write it as \{"rut": .* A CSV .* bin\/rubrica payout propose/,
    });
    const large = join(folder, 'large.json');
    writeFileSync(large, JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`m${at}`, 1]))));
    await assert.rejects(run(world.settings, ['recipient', 'create', large, '--as', MARIA]), {
      code: 'TOO_MANY_FIELDS',
      message: /large\.json has too many fields/,
    });
    const unknown = run(world.settings, ['recipient', 'change', 'rc_x', file, '--as', MARIA]);
    await assert.rejects(unknown, { message: /no recipient rc_x: bin\/rubrica recipient list/ });
    await run(world.settings, ['recipient', 'change', id, file, '--json', '--as', MARIA]);
    const rows = await world.db.query(
      "select actor, action, subject from audit_log where action like 'recipient.%' order by link",
    );
    assert.deepEqual(
      rows.map((row) => [row['actor'], row['action'], row['subject']]),
      [
        [MARIA, 'recipient.created', id],
        [MARIA, 'recipient.changed', id],
      ],
    );
    const by = await world.db.query(
      'select distinct u.email from recipients r left join users u on u.id = r.created_by',
    );
    assert.deepEqual(
      by.map(({ email }) => email),
      [MARIA],
      'the person who stored the account is recorded, for the rule of two people',
    );
    const log = JSON.stringify(await world.db.query('select * from audit_log'));
    assert.doesNotMatch(log, /12345678|9876543210|"Ana"/);
  });

  test('record the end of a link to tokens', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    const made = await run(world.settings, ['payment-service', 'hand-over', world.id, ...DEVELOPMENT, '--json']);
    const { id } = JSON.parse(made) as { id: string };
    await run(world.settings, ['payment-service', 'end-link', id, '--as', MARIA]);
    const rows = await world.db.query("select actor, subject from audit_log where action = 'tokens.link_ended'");
    assert.deepEqual(
      rows.map((row) => [row['actor'], row['subject']]),
      [[MARIA, id]],
    );
    await assert.rejects(run(world.settings, ['payment-service', 'end-link', id]), { code: 'ALREADY_DONE' });
  });

  test('record the rotation of the master key', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    const keys = { MASTER_KEY: '0b'.repeat(32), MASTER_KEY_PREVIOUS: '5a'.repeat(32) };
    // The first start creates the store.
    await run(world.settings, ['user', 'list']);
    await run({ ...world.settings, ...keys }, ['master-key', 'rotate', '--as', MARIA]);
    const rows = await world.db.query(
      "select actor, subject from audit_log where action = 'master_key.rotated' order by subject",
    );
    assert.deepEqual(
      rows.map((row) => [row['actor'], row['subject']]),
      [
        [MARIA, 'factors'],
        [MARIA, 'kept-keys'],
        [MARIA, 'secret-tokens'],
      ],
    );
  });

  test('record the creation of a store and the restore of a backup', async (context) => {
    const db = await openTestDatabase({ migrated: false });
    const folder = temporaryFolder(context);
    const settings = { DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
    await assert.rejects(run(settings, ['migrate', '--as', '']), { code: 'INVALID_OPTION' });
    await run(settings, ['migrate']);
    const [made] = await db.query('select actor_kind, action from audit_log');
    assert.deepEqual({ ...made }, { actor_kind: 'command line', action: 'store.migrated' });
    if (db.engine !== 'sqlite') return;
    await createUser(createTestApp(db), { email: MARIA, role: 'owner', paymentServices: 'all' }, TESTER);
    const file = join(folder, 'backup.db');
    await run(settings, ['backup', file]);
    await db.close();
    await run(settings, ['restore', file, '--as', MARIA]);
    const restored = await openTestDatabase({ url: db.url });
    const rows = await restored.query('select actor, action from audit_log order by link');
    assert.deepEqual(rows.map((row) => [row['actor'], row['action']]).at(-1), [MARIA, 'store.restored']);
    assert.equal((await verifyAudit(createTestApp(restored))).ok, true);
  });

  test('change nothing when the row of the audit log cannot be written', async (context) => {
    const world = await openWorld(context, openTestDatabase);
    await world.db.transaction((tx) => tx.query('delete from audit_head'));
    await assert.rejects(
      run(world.settings, ['payment-service', 'disable', world.id]),
      /The end of the audit log is gone/,
    );
    assert.deepEqual(await world.db.query('select id from payment_services where disabled_at is not null'), []);
    await assert.rejects(
      world.db.transaction((tx) =>
        recordAudit(tx, { at: 1, by: TESTER, action: 'fee.set', subject: { kind: 'payment_service', id: '' } }),
      ),
    );
  });
});

type World = {
  app: TestApp;
  db: TestDatabase;
  settings: Record<string, string>;
  /** The payment service. The members below are ids of its paid, late, refunded … records. */
  id: string;
  maria: string;
  paid: number;
  late: number;
  refund: string;
  held: string;
  attempt: string;
  callback: number;
  /** A receipt that was not sent yet. */
  mail: string;
  link: string;
  /** An endpoint on a port of this machine without a listener. */
  endpoint: number;
  /** An API token of `PROGRAM`. */
  factor: string;
  invitation: string;
  token: string;
  file: string;
  settlement: string;
};

/** A process whose machine is gone. */
const GONE = { id: 'proc_1', host: 'web-2', pid: 4711, version: '0.1.0', started_at: 1, seen_at: 2, findings: '[]' };

async function openWorld(context: TestContext, openTestDatabase: OpenTestDatabase): Promise<World> {
  const db = await openTestDatabase();
  // The commands use the clock of the machine.
  const app = createTestApp(db, { now: createTestClock(Date.now()) });
  const folder = temporaryFolder(context);
  const [file, settlement] = [join(folder, 'portal.txt'), join(folder, 'settlement.csv')];
  writeFileSync(file, 'what the portal shows');
  writeFileSync(settlement, 'fecha;codigo_autorizacion;monto\n15/01/2026;991213;7000\n');
  const environment = await createTestEnvironment(app);
  const paid = await createPaidTransaction(app, environment);
  const late = await createLatePayment(app, environment);
  const [refund, held] = [await acceptedRefund(app, paid, 10), await acceptedRefund(app, paid, 20)];
  const contradicted = await createPaidTransaction(app, environment);
  const [attempt] = await db.query('select id from payment_attempts where transaction_id = $1', [contradicted.id]);
  await db.transaction(async (tx) => {
    await insertMail(tx, MAIL_OF(paid));
    await upsertProcess(tx, GONE);
    await tx.query("update refunds set asking = 'held' where id = $1", [held.id]);
    await tx.query('update payment_attempts set contradicted_at = 1 where transaction_id = $1', [contradicted.id]);
  });
  const address = 'https://127.0.0.1:9/callback';
  const { id: endpoint } = await db.transaction((tx) => ensureEndpoint(tx, environment.id, address));
  const [callback] = await db.query('select id from callbacks order by id limit 1');
  const program = await createUser(app, { email: PROGRAM }, TESTER);
  await setWebhook(
    app,
    { userId: program.id, webhook: 'refunds', url: 'https://shop.example.cl/refunds', method: 'POST' },
    TESTER,
  );
  const maria = await createUser(app, { email: MARIA, role: 'owner', paymentServices: 'all' }, TESTER);
  return {
    app,
    db,
    settings: { DATABASE_URL: db.url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) },
    id: environment.paymentServiceId,
    maria: maria.id,
    paid: paid.id,
    late: late.id,
    refund: refund.id,
    held: held.id,
    attempt: String(attempt?.['id']),
    callback: Number(callback?.['id']),
    mail: 'mail_1',
    link: (await createPaymentLink(app, environment.id, LINK, TESTER)).link.id,
    endpoint,
    factor: String((await addTotp(app, program, 'Phone', TESTER))?.id),
    invitation: (await inviteUser(app, { email: 'late@example.cl' }, 60_000, TESTER)).id,
    token: String((await listApiTokens(app, PROGRAM))?.[0]?.id),
    file,
    settlement,
  };
}

const LINK: LinkWish = {
  amount: 5000,
  currency: 'CLP',
  subject: 'Curso',
  uses: 'one',
  expiresAt: null,
  urlCallback: null,
};

const MAIL_OF = ({ id, environment_id }: Transaction) => ({
  id: 'mail_1',
  environment_id,
  transaction_id: id,
  refund_id: null,
  address: 'payer@example.cl',
  language: 'es',
  asked_by_payer: 0,
  state: 'dead',
  attempts: 9,
  created_at: 1,
  next_attempt_at: 1,
});

/** Asserts that the records have the name of the person. */
async function assertNamed(db: Database): Promise<void> {
  const names = async (sql: string) =>
    new Set((await db.query<SqlRow & { name: string }>(sql)).map(({ name }) => name));
  for (const column of [
    'recorded_by as name from movements',
    'decided_by as name from payment_decisions',
    'decided_by as name from refund_decisions',
    'imported_by as name from imported_payments',
    'released_by as name from epochs',
    'requested_by as name from refunds where amount = 100',
  ])
    assert.deepEqual([...(await names(`select ${column}`))], [MARIA], column);
}

function money(id: string): string[] {
  return ['--payment-service', id, '--currency', 'CLP'];
}

function leavesOf(command: Command, before: string[] = []): { words: string; command: Command }[] {
  return command.commands.flatMap((one) => {
    const words = [...before, one.name()];
    return one.commands.length === 0 ? [{ words: words.join(' '), command: one }] : leavesOf(one, words);
  });
}

/** Runs a command in this process and returns its output. The bytes of the test runner pass through. */
async function run(settings: Record<string, string>, words: string[]): Promise<string> {
  const { env, stdout } = process;
  const write = stdout.write.bind(stdout);
  const printed: string[] = [];
  process.env = { PATH: env['PATH'], PORT: '0', LOG_LEVEL: 'silent', ...settings };
  stdout.write = (chunk: string | Uint8Array, ...rest: never[]) =>
    typeof chunk === 'string' ? printed.push(chunk) > 0 : write(chunk, ...rest);
  try {
    const program = new Command().exitOverride();
    await addCommands(program, words[0] ?? '');
    await program.parseAsync(words, { from: 'user' });
    return printed.join('');
  } finally {
    process.env = env;
    stdout.write = write;
    process.exitCode = 0;
  }
}

function secretsIn(printed: readonly string[]): string[] {
  const secrets = printed.flatMap((text) => [...text.matchAll(/"(?:secret_token|password|api_token)":"([^"]+)"/g)]);
  assert.ok(secrets.length >= 4);
  return secrets.map(([, secret]) => secret as string);
}

async function lastLink(db: Database): Promise<number> {
  const [row] = await db.query<{ link: number }>('select link from audit_head');
  return row?.link ?? 0;
}

function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-acting-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
