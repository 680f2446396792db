import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { systemFix } from '../../src/cli/operation/system-fixes.ts';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const LIST = join(import.meta.dirname, '../../src/bank-validation/directory/bank-directory.json');

test('a backup on a full disk says to make room or to name another disk', () => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  assert.match(systemFix(full) ?? '', /^make room on the disk, or name a file on another one/);
});

test('a folder that cannot be written is told with what to do, also where the code is not of mkdir', () => {
  for (const [code, fix] of [
    ['EROFS', /^mount it writable, or set DATA_DIR/],
    ['EACCES', /^let the user of this process read and write there/],
  ] as const) {
    assert.match(systemFix(Object.assign(new Error('open'), { code, syscall: 'open' })) ?? '', fix);
  }
});

suite('a refused command names the cause', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  let service = '';
  before(async () => {
    const created = await run({}, 'payment-service', 'create', '--name', 'Tienda', '--json');
    service = (JSON.parse(created.stdout) as { id: string }).id;
    await run({}, 'user', 'create', '--email', 'ana@example.cl', '--json');
  });
  after(() => rmSync(folder, { recursive: true }));

  const refused: [line: string, status: number, code: string, says: RegExp][] = [
    ['payment-service create', 64, 'USAGE', /--name/],
    ['serve --port 80', 64, 'USAGE', /unknown option '--port': set the environment variable PORT$/m],
    ['doctor --data-dir=x', 64, 'USAGE', /set the environment variable DATA_DIR$/m],
    ['transaction list -1d', 64, 'USAGE', /unknown option '-1d': a duration has no sign(?!\.)/],
    ['clock advance -1d', 64, 'USAGE', /unknown option '-1d': a duration has no sign(?!\.)/],
    ['user create bea@example.cl --ma x', 64, 'USAGE', /unknown option '--ma'$/m],
    ['user create --email bea@example.cl --may payments:read refunds:create', 64, 'USAGE', /--may refunds:create\./],
    ['trigger payment.completed --body {"x_url_callback":"x"}', 1, 'INVALID_URL', /URL\. Send an absolute https URL/],
    ['payout propose x.csv --as ana@example.cl', 64, 'USAGE', /bin\/rubrica payment-service list has the ids/],
    ['payment-service disable ps_x', 1, 'NOT_FOUND', /payment-service list/],
    ['payment-service enable SERVICE', 1, 'ALREADY_DONE', /enabled already/],
    ['payment-service rotate SERVICE --environment production --overlap x', 1, 'INVALID_OPTION', /write 24h/],
    ['payment-service rotate SERVICE --environment production --overlap 99999d', 1, 'INVALID_OPTION', /at most 90d/],
    ['payment-service rotate SERVICE --environment elsewhere', 64, 'USAGE', /development, production/],
    ['user enable ana@example.cl', 1, 'ALREADY_DONE', /enabled already/],
    ['user disable bea@example.cl', 1, 'NOT_FOUND', /user list/],
    ['user payouts perhaps ana@example.cl', 1, 'INVALID_OPTION', /on or off/],
    ['user create --email ana', 1, 'INVALID_EMAIL', /one plain address/],
    ['user create --email bea@example.cl --payment-service ps_x', 1, 'NOT_FOUND', /ps_x: .* payment-service list/],
    ['callback show 7', 1, 'NOT_FOUND', /callback list/],
    ['callback show 7.5', 1, 'NOT_FOUND', /callback list/],
    ['callback resend 7', 1, 'NOT_FOUND', /callback list/],
    ['payout show ', 64, 'INVALID_OPTION', /^(INVALID_OPTION: )?<id> is empty: is the shell variable set\?/],
    ['payout show po_x', 1, 'NOT_FOUND', /no payout po_x: bin\/rubrica payout list/],
    ['payout cancel po_x --reason r --as ana@example.cl', 1, 'NOT_FOUND', /no payout po_x: .* payout list/],
    ['payout files pf_x', 1, 'NOT_FOUND', /no file of payouts pf_x: .* payout files/],
    ['batch show pb_x', 1, 'NOT_FOUND', /no batch pb_x: bin\/rubrica batch list/],
    ['batch approve pb_x --as ana@example.cl', 1, 'NOT_FOUND', /no batch pb_x: .* batch list/],
    ['recipient show rc_x', 1, 'NOT_FOUND', /no recipient rc_x: bin\/rubrica recipient list/],
    ['recipient create', 1, 'INVALID_OPTION', /Standard input is empty: give it the account as JSON/],
    ['statement show st_x', 1, 'NOT_FOUND', /no bank statement st_x: bin\/rubrica statement list/],
    ['payment-service end-link x', 1, 'NOT_FOUND', /no link to tokens x: bin\/rubrica payment-service links/],
    ['attention take 7', 1, 'NOT_FOUND', /no waiting item 7: bin\/rubrica attention list/],
    ['callback list --limit 0', 1, 'INVALID_OPTION', /from 1/],
    ['user create --email bea@example.cl --role boss', 1, 'INVALID_OPTION', /there are integration, developer/],
    ['user create --email bea@example.cl --may everything', 1, 'INVALID_OPTION', /there are payments:read/],
    ['user create --email bea@example.cl --refund-limit 1.000', 1, 'INVALID_AMOUNT', /1000/],
    [
      'user create --email bea@example.cl --payment-service SERVICE --all-payment-services',
      1,
      'INVALID_OPTION',
      /not both/,
    ],
    ['user role bea@example.cl owner', 1, 'NOT_FOUND', /user list/],
    ['user grant ana@example.cl everything', 1, 'INVALID_OPTION', /there are payments:read/],
    ['user payment-services ana@example.cl', 64, 'USAGE', /--none/],
    ['user token create ana@example.cl', 64, 'USAGE', /--name/],
    ['user token create ana@example.cl --name first', 1, 'INVALID_PARAMETER', /called first/],
    [
      'payment-service import --name a --environment production --secret-token s --service-token x_amount1',
      1,
      'INVALID_OPTION',
      /contains x_amount/,
    ],
    ['user refund-limit ana@example.cl 50000 CLP:70000', 1, 'INVALID_OPTION', /one limit in CLP/],
    [
      'user create --email bea@example.cl --refund-limit 50000 --refund-limit 70000',
      1,
      'INVALID_OPTION',
      /one limit in CLP/,
    ],
    ['user refund-limit ana@example.cl 99999999999999999999', 1, 'INVALID_AMOUNT', /: it is too large\./],
    ['user token create ana@example.cl --name dead --expires 0d', 1, 'INVALID_OPTION', /more than 0/],
    ['user invite cam@example.cl --role support --all-payment-services --valid 0', 1, 'INVALID_OPTION', /from 15m/],
    ['user invite cam@example.cl --role support --all-payment-services --valid 9999d', 1, 'INVALID_OPTION', /to 14d/],
    ['settlement accept st_x --line 1 --reason r', 1, 'NOT_FOUND', /no settlement st_x: bin\/rubrica settlement list/],
    [
      'payment-service move SERVICE --to none.env',
      1,
      'FILE_UNUSABLE',
      /none\.env cannot be read: see that it is there/,
    ],
    ['settlement keep none.csv --method simulated', 1, 'FILE_UNUSABLE', /There is no file none\.csv\./],
    ['user token list bea@example.cl', 1, 'NOT_FOUND', /user list/],
    ['user token end tok_x', 1, 'NOT_FOUND', /user token list/],
    ['user session end', 64, 'USAGE', /--all/],
    ['user session end ses_x', 1, 'NOT_FOUND', /user session list/],
    ['user create --email ana@example.cl', 1, 'USER_EXISTS', /^(USER_EXISTS: )?This address has a user already/],
    ['backup /no/such/folder/copy.db', 1, 'INVALID_OPTION', /no folder/],
    ['transaction list --reference=', 1, 'INVALID_OPTION', /--reference is empty/],
    ['transaction list --authorization-code=', 1, 'INVALID_OPTION', /--authorization-code is empty/],
    ['transaction list --payment-service ps_x', 1, 'NOT_FOUND', /payment-service list/],
    ['transaction list --limit 1.000', 1, 'INVALID_OPTION', /from 1/],
    ['request list --code=', 1, 'INVALID_OPTION', /--code is empty/],
    ['request list --payment-service ps_x', 1, 'NOT_FOUND', /payment-service list/],
    ['payment-service links ps_x', 1, 'NOT_FOUND', /payment-service list/],
    ['audit list --who=', 1, 'INVALID_OPTION', /--who is empty/],
    ['payout list --batch=', 64, 'INVALID_OPTION', /--batch is empty/],
    ['payout list --amount 1,5', 1, 'INVALID_AMOUNT', /12990, in digits alone/],
    ['books verify --head=', 64, 'INVALID_OPTION', /--head is empty/],
    ['backup -', 1, 'INVALID_OPTION', /cannot be -/],
    ['refund create 7 --amount 10', 1, 'NOT_FOUND', /no transaction 7/],
    ['refund list --limit x', 1, 'INVALID_OPTION', /from 1/],
    [
      'payout limits --payment-service SERVICE --automatic-per-hour 1000000',
      1,
      'INVALID_OPTION',
      /from 1 to 999999, or `none`/,
    ],
    ['reconcile', 64, 'USAGE', /either --date or --settlement/],
    ['reconcile --date 15-01', 1, 'INVALID_OPTION', /such as 2026-01-15/],
    ['reconcile --date 2026-01-15 --payment-service ps_x', 1, 'NOT_FOUND', /payment-service list/],
    ['reconcile --date 2026-01-15 --method nope', 1, 'NOT_FOUND', /there are simulated, simulated-transfer, webpay/],
    ['reconcile --settlement /no/such/file.csv', 1, 'FILE_UNUSABLE', /no file/],
    ['reconcile --settlement /tmp', 1, 'FILE_UNUSABLE', /cannot be read \(EISDIR\)/],
    ['banks import LIST --as-of 2026-01-01', 1, 'INVALID_OPTION', /meta\.asOf/],
    ['banks import LIST --accept 027', 1, 'INVALID_OPTION', /meta\.asOf/],
    ['reconcile --date 2026-01-15 --settlement x.csv', 64, 'USAGE', /Say either --date or --settlement/],
    ['statement resolve st_x --use payout --reason r', 64, 'USAGE', /payout needs --line/],
    ['statement resolve st_x --use other --line x --reason r', 1, 'INVALID_OPTION', /--line is a whole number/],
    ['statement resolve st_x --use payout --line 1 --reason r', 64, 'USAGE', /--payout or --to-merchant/],
    ['statement resolve st_x --use return --line 1 --reason r', 64, 'USAGE', /return needs --payout/],
    [
      'statement resolve st_x --use deposit --from-merchant --commission 500 --line 1 --reason r',
      1,
      'INVALID_OPTION',
      /--commission is for --method/,
    ],
    [
      'statement resolve st_x --use deposit --deposit mv_x --commission 500 --line 1 --reason r',
      1,
      'INVALID_OPTION',
      /--commission is for --method/,
    ],
    [
      'statement resolve st_x --use other --payout po_x --line 1 --reason r',
      1,
      'INVALID_OPTION',
      /--payout is for --use payout or return, not other/,
    ],
    [
      'statement resolve st_x --use payout --payout po_x --payment-service SERVICE --line 1 --reason r',
      1,
      'INVALID_OPTION',
      /--payment-service is for --method, --from-merchant or --to-merchant/,
    ],
    [
      'statement resolve st_x --use payout --payout po_x --from-merchant --line 1 --reason r',
      1,
      'INVALID_OPTION',
      /--from-merchant is for --use deposit, not payout/,
    ],
    ['statement resolve st_x --use deposit --line 1 --reason r', 64, 'USAGE', /--deposit, --method or --from-merchant/],
    ['payout sender set http --payment-service SERVICE --environment development', 64, 'USAGE', /http needs --url/],
    [
      'payment-method set webpay --payment-service SERVICE --environment production',
      64,
      'USAGE',
      /Give both --commerce-code and --api-key/,
    ],
    ['reconcile --date 2026-01-15 --csv', 64, 'USAGE', /cannot be used with option '--json'/],
    [
      'books statement SERVICE --from 2026-01-01 --to 2026-01-31 --csv',
      64,
      'USAGE',
      /cannot be used with option '--json'/,
    ],
    ['backup-made --at x', 1, 'INVALID_OPTION', /--at is a day/],
    ['books list --transaction 7', 1, 'NOT_FOUND', /no transaction 7/],
    ['books list --transaction x', 1, 'NOT_FOUND', /no transaction x/],
    ['books list --limit 0', 1, 'INVALID_OPTION', /from 1/],
    ['books suspense --limit 0', 1, 'INVALID_OPTION', /from 1/],
    ['books resolve --transaction 7 --as kept --reason asked', 1, 'NOT_FOUND', /books suspense/],
    ['books resolve --transaction x --as kept --reason asked', 1, 'NOT_FOUND', /books suspense/],
    ['books verify --head /no/such/head.json', 1, 'FILE_UNUSABLE', /no file/],
    [
      'payout create --payment-service ps_x --currency CLP --reference R --amount 1',
      1,
      'NOT_FOUND',
      /payment-service list/,
    ],
    [
      'payout create --payment-service SERVICE --currency CLP --reference R --amount 1',
      1,
      'INSUFFICIENT_BALANCE',
      /Only \$0 CLP/,
    ],
    [
      'deposit create --payment-service SERVICE --currency CLP --reference R --amount 1 --method nope',
      1,
      'NOT_FOUND',
      /there are simulated, simulated-transfer, webpay/,
    ],
    [
      'deposit create --payment-service SERVICE --currency CLP --reference R --amount 1',
      64,
      'USAGE',
      /--method, or --from-merchant/,
    ],
    [
      'deposit create --payment-service SERVICE --currency CLP --reference R --amount 1 --method webpay',
      1,
      'INSUFFICIENT_BALANCE',
      /webpay owes only \$0 CLP/,
    ],
    [
      'payout create --payment-service SERVICE --currency CLP --reference R --amount 1.000',
      1,
      'INVALID_AMOUNT',
      /1000/,
    ],
    [
      'deposit create --payment-service SERVICE --currency CLP --reference R --method webpay --amount 9 --commission 1.000',
      1,
      'INVALID_AMOUNT',
      /write 1000\./,
    ],
    [
      'payment-service fee SERVICE --environment development --method webpay --rate 1 --fixed 1.000',
      1,
      'INVALID_AMOUNT',
      /write 1000\./,
    ],
    ['deposit list --limit 0', 1, 'INVALID_OPTION', /from 1/],
    [
      'payment-service fee ps_x --environment development --method webpay --rate 1',
      1,
      'NOT_FOUND',
      /payment-service list/,
    ],
    [
      'payment-service fee SERVICE --environment development --method nope --rate 1',
      1,
      'NOT_FOUND',
      /simulated, simulated-transfer, webpay/,
    ],
    [
      'payment-link create --payment-service SERVICE --environment production --amount 10 --currency USD --subject s',
      1,
      'INVALID_BODY',
      /No payment method collects this currency/,
    ],
    ['payout files --out x.txt', 64, 'USAGE', /which file/],
    ['payout files pf_x --out -', 1, 'INVALID_OPTION', /names a file/],
    ['verify --secret-env __proto__', 64, 'INVALID_OPTION', /__proto__ is not set/],
    ['verify --secret-env constructor', 64, 'INVALID_OPTION', /constructor is not set/],
    ['verify --secret=', 64, 'INVALID_OPTION', /secret is empty/],
    ['refund create', 64, 'USAGE', /missing required argument 'transaction'/],
    ['nonsense', 64, 'USAGE', /unknown command/],
  ];
  for (const [line, status, code, says] of refused) {
    test(`${line}: ${code}`, async () => {
      const words = line.replace('SERVICE', service).replace('LIST', LIST).split(' ');
      const told = await run({}, ...words, '--json');
      const { error } = JSON.parse(told.stdout) as { error: { code: string; message: string } };
      assert.equal(error.code, code);
      assert.match(error.message, says);
      assert.equal(told.status, status);
      assert.match(told.stderr, says);
      assert.ok(told.stderr.startsWith(`${code}: `), told.stderr);
    });
  }

  test('words in the wrong order are answered with the right one, and a typing error with the nearest word', async () => {
    for (const [line, meant] of [
      ['list payment-service', 'payment-service list'],
      ['--json doctor', 'doctor --json'],
      ['--hlep doctor', '--help'],
      ['serv', 'serve'],
    ] as const) {
      const { status, stderr } = await run({}, ...line.split(' '));
      assert.deepEqual([status, /Did you mean (.*)\?/.exec(stderr)?.[1]], [64, meant], line);
    }
  });

  test('a command that finds nothing says that there is nothing yet', async () => {
    const sender = ['payout', 'sender', 'set', 'simulated', '--payment-service', service];
    assert.match((await run({}, ...sender)).stdout, / leave by simulated \(snd_\w+\); none waits now\.\n$/);
    assert.match((await run({}, 'mail', 'list')).stdout, /^No receipt yet\.\n/);
    const acts = async (action: string) => (await run({}, 'audit', 'list', '--action', action)).stdout;
    assert.match(await acts('refund.request'), /^No act is called refund\.request: docs\/audit\.md/);
    assert.deepEqual([await acts('refund'), await acts('refund.requested')], Array(2).fill('There is no such act.\n'));
  });

  test('disabling a user or a payment service a second time is ALREADY_DONE', async () => {
    for (const words of [
      ['user', 'disable', 'ana@example.cl'],
      ['payment-service', 'disable', service],
    ]) {
      assert.equal((await run({}, ...words)).status, 0);
      const again = await run({}, ...words);
      assert.equal(again.status, 1);
      assert.match(again.stderr, /^ALREADY_DONE: \S+ is disabled already\.\n$/);
    }
  });

  test('a second rotation of a Secret Token waits for the overlap, unless --overlap 0 closes the earlier ones', async () => {
    const rotate = ['payment-service', 'rotate', service, '--environment', 'development'];
    assert.match((await run({}, ...rotate)).stdout, /\nThe old one closes at [\d: -]+ -0[34]:00\. Until then/);
    const refused = await run({}, ...rotate, '--overlap', '1h');
    assert.equal(refused.status, 1);
    assert.match(
      refused.stderr,
      /^ROTATION_UNDER_WAY: .* is open until [\d: -]+ -0[34]:00.*`bin\/rubrica payment-service hand-over ps_\w+ --environment \w+`.*close all .* with --overlap 0\.\n$/,
    );
    assert.match((await run({}, ...rotate, '--overlap', '0')).stdout, /\nThe earlier ones are closed now\.\n$/);
  });

  const stores: [name: string, settings: Record<string, string>, says: RegExp][] = [
    [
      'a folder',
      { DATABASE_URL: `sqlite:${tmpdir()}` },
      /^STORAGE_UNAVAILABLE: .*cannot be opened \(.*\): check DATABASE_URL and DATA_DIR\.\n$/,
    ],
    [
      'not a database',
      { DATABASE_URL: `sqlite:${MAIN}` },
      /^STORAGE_UNAVAILABLE: .*not a database\): check DATABASE_URL and DATA_DIR\.\n$/,
    ],
    ['under a file', { DATA_DIR: join(MAIN, 'data') }, /^ENOTDIR: not a directory, .*: check DATA_DIR/],
    [
      'in /proc, where no folder can be created',
      { DATA_DIR: '/proc/rubrica/data' },
      /^E[A-Z]+: .*mkdir '\/proc.*check DATA_DIR/,
    ],
    [
      'at a port without a server',
      { DATABASE_URL: 'postgres://127.0.0.1:1/x' },
      /^STORAGE_UNAVAILABLE: .*ECONNREFUSED.*check that the database runs, and the host and port in DATABASE_URL/,
    ],
  ];
  for (const [name, settings, says] of stores) {
    test(`a store that is ${name} is refused with what to check`, async () => {
      const told = await run(settings, 'payment-service', 'create', '--name', 'Tienda');
      assert.equal(told.status, 1);
      assert.match(told.stderr, says);
      assert.equal(told.stderr.trim().split('\n').length, 1);
    });
  }

  test('an invalid setting has a code too', async () => {
    const told = await run({ PORT: '80a' }, 'user', 'list', '--json');
    assert.equal(JSON.parse(told.stdout).error.code, 'INVALID_SETTING');
    assert.match(told.stderr, /^INVALID_SETTING: PORT must be a whole number/);
  });

  function run(settings: Record<string, string>, ...arguments_: string[]): Promise<Ended> {
    const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: '', LOG_LEVEL: 'silent', ...settings };
    return runCommand(arguments_, { env });
  }
});
