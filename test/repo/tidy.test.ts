import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runChild } from '../support/child-process.ts';
import { importsOf, readSourceFiles, type SourceFile } from '../support/source-tree.ts';
import { loadsLaterWhatFewNeed } from './loaded-at-start.ts';
import { hasNoSuperLinearExpression } from './super-linear.ts';
import * as tables from './table-rules.ts';
import * as rules from './tidy-rules.ts';

type Case = { name: string; rule: rules.TidyRule; planted: Record<string, string>; found: string[] };

// Built from parts, because the rules also read this file.
const machinePath = ['', 'home', 'maria'].join('/');
const registryAddress = ['"resolved": "https', ''].join(':');
const privateKey = ['-----BEGIN', 'PRIVATE KEY'].join(' ');
const childProcess = ['child', 'process'].join('_');
const registryToken = ['_auth', 'Token='].join('');

// Every rule has a violation that it must find, because a rule that never fails protects nothing.
const cases: Case[] = [
  {
    name: 'imports follow the arrows of ARCHITECTURE.md',
    rule: rules.followsArrows,
    planted: {
      'src/lib/money.ts': `import type { App } from '../app.ts';`,
      'src/transactions/transaction.ts': `import { pay } from '../checkout/pay.ts';`,
      'src/checkout/pay.ts': `import {\n  a,\n  b,\n} from '../transactions/transaction.ts';\nimport pg from 'pg';`,
      'src/auth/user.ts': `export { helper } from '../../test/support/engines.ts';`,
      'src/brand-new/thing.ts': `const { x } = await import('../lib/money.ts');`,
      'sdk/src/sign.ts': `import { readFileSync } from 'node:fs';\nimport { hmac } from '../../protocol/hmac.ts';`,
      'protocol/hmac.ts': `import { createHmac } from 'node:crypto';\nimport { sign } from '../sdk/src/sign.ts';`,
      'src/http/sign.ts': `import { sign } from '../../sdk/src/sign.ts';`,
    },
    found: [
      'src/lib/money.ts imports src/app.ts',
      'src/transactions/transaction.ts imports src/checkout/pay.ts',
      'src/auth/user.ts imports test/support/engines.ts',
      'src/brand-new/thing.ts imports src/lib/money.ts',
      'sdk/src/sign.ts imports node:fs',
      'protocol/hmac.ts imports sdk/src/sign.ts',
      'src/http/sign.ts imports sdk/src/sign.ts',
    ],
  },
  {
    name: 'heavy modules that few need are loaded only when they are used',
    rule: loadsLaterWhatFewNeed,
    planted: {
      'src/main.ts': `const serve = await import('./cli/run/serve-command.ts');`,
      'src/cli/run/serve-command.ts': `import { routes } from '../../server/routes.ts';\nimport type { Pool } from 'pg';`,
      'src/server/routes.ts': `import {\n  list,\n} from '../console/payments/payment-list.ts';\nimport { rows } from '../console/console-routes.ts';`,
      'src/console/console-routes.ts': `import * as screens from './screens.ts';`,
      'src/console/screens.ts': `import { parse } from 'csv-parse/sync';\nconst page = () => import('./today/get-today.ts');`,
      'src/cli/bank-accounts/validate-command.ts': `import { parse } from 'csv-parse';`,
    },
    found: [
      'src/server/routes.ts loads src/console/payments/payment-list.ts at the start',
      'src/console/screens.ts loads csv-parse/sync at the start',
    ],
  },
  {
    name: 'no regular expression takes more than linear time',
    rule: hasNoSuperLinearExpression,
    planted: {
      'src/http/media.ts': String.raw`const a = /^\d+$/;const b = /^a\s*(?:;\s*b\s*)?;?\s*$/i;`,
      'protocol/number.ts': String.raw`const zeros = text.replace(/0+$/, '') + text.replace(/^0+/, '');`,
      'sdk/src/name.ts': String.raw`const c = /^(?:[a-z]+)+$/;const d = 'no /0+$/ here'; // nor /0+$/ here`,
    },
    found: [
      String.raw`src/http/media.ts:1 /^a\s*(?:;\s*b\s*)?;?\s*$/i`,
      String.raw`protocol/number.ts:1 /0+$/`,
      String.raw`sdk/src/name.ts:1 /^(?:[a-z]+)+$/`,
    ],
  },
  {
    name: 'every table is written in one room',
    rule: tables.writesItsOwnTables,
    planted: {
      'migrations/0001-a.sql': 'create table sessions (id text);',
      'src/auth/sign-in/session-queries.ts': "`insert into sessions (id) values ($1)`; 'update later set a = 1'",
      'src/refunds/refund-queries.ts': "const target = { name: 'sessions', columns: [] }",
    },
    found: ['sessions is written by auth and refunds'],
  },
  {
    name: 'a room reads the tables of rooms that it may import',
    rule: tables.readsTablesAlongArrows,
    planted: {
      'migrations/0001-a.sql': 'create table refunds (id text);create table callbacks (id text);',
      'src/refunds/refund-queries.ts': "'delete from refunds'; 'select 1 from callbacks'",
      'src/outbox/outbox-queries.ts': "'update callbacks set a = 1'; 'select 1 from refunds'",
    },
    found: ['src/outbox/outbox-queries.ts reads refunds, which refunds writes'],
  },
  {
    name: 'a statement uses only words of the dialect',
    rule: tables.speaksKnownWords,
    planted: {
      'src/auth/user-queries.ts':
        '`select id from users where id {among $1} and name {amongst $2} ${name} {feed_order}`',
    },
    found: ['src/auth/user-queries.ts says {amongst $2}'],
  },
  {
    name: 'no imports form a cycle',
    rule: rules.hasNoCycles,
    planted: {
      'src/lib/a.ts': `import { b } from './b.ts';`,
      'src/lib/b.ts': `import type { C } from './c.ts';`,
      'src/lib/c.ts': `import './a.ts';`,
    },
    found: ['src/lib/a.ts → src/lib/b.ts → src/lib/c.ts → src/lib/a.ts'],
  },
  {
    name: 'a migration that is marked as rolling only adds',
    rule: rules.addsOnlyWhereRolling,
    planted: {
      'migrations/0001-a.sql': 'drop table b;',
      'migrations/0002-b.sql': `-- rolling: yes\ncreate table a (b bigint);\ncreate unique index c on a (b);\ninsert into a values (1);\nalter table d add column e text;\nalter table d add column f text not null default '';`,
      'migrations/0003-c.sql': `-- rolling: yes\nalter table d add column e text not null;\ncreate unique index c on d (e);\nupdate d set e = '';`,
    },
    found: [
      'migrations/0003-c.sql is rolling and does more than add: alter table d add column e text not null',
      'migrations/0003-c.sql is rolling and does more than add: create unique index c on d (e)',
      "migrations/0003-c.sql is rolling and does more than add: update d set e = ''",
    ],
  },
  {
    name: 'every file is reached from an entry, and the product from an entry that is not a test',
    rule: rules.hasNoOrphans,
    planted: {
      'src/main.ts': `import './lib/used.ts';`,
      'src/lib/used.ts': `new Worker(new URL('./thread.ts', import.meta.url));`,
      'src/lib/thread.ts': '',
      'src/lib/only-tested.ts': '',
      'sdk/package.json': `{ "exports": { ".": "./dist/rubrica.js" } }`,
      'sdk/src/rubrica.ts': '',
      'test/lib/only-tested.test.ts': `import { x } from '../../src/lib/only-tested.ts';`,
      'test/support/forgotten.ts': '',
    },
    found: [
      'src/lib/only-tested.ts is not reached from any entry',
      'test/support/forgotten.ts is not reached from any entry',
    ],
  },
  {
    name: 'only *-queries.ts, src/db/ and migrations/ have SQL',
    rule: rules.keepsSqlInQueries,
    planted: {
      'src/auth/find-user.ts': 'const sql = `\n  select id\n  from users where id = $1`;',
      'src/auth/erase-user.ts': `db.query('DELETE FROM users WHERE id = $1');`,
      'src/auth/user-queries.ts': `db.query('update users set name = $1');`,
      'src/db/probe.ts': `db.query('select 1');`,
      'src/checkout/page.ts': `const label = 'Select a payment method';`,
    },
    found: ['src/auth/find-user.ts:1 `\n  select id\n  from', "src/auth/erase-user.ts:1 'DELETE FROM"],
  },
  {
    name: 'only src/lib/clock.ts reads the clock',
    rule: rules.readsTheClockInOnePlace,
    planted: {
      'src/lib/clock.ts': 'export const now = () => Date.now();',
      'src/auth/user.ts': '// Date.now() is for the clock\nconst a = Date.now();\nconst b = new Date();\nnew Date(a);',
    },
    found: ['src/auth/user.ts:2 Date.now(', 'src/auth/user.ts:3 new Date()'],
  },
  {
    name: 'only src/config.ts reads the environment',
    rule: rules.readsTheEnvironmentInOnePlace,
    planted: {
      'src/config.ts': 'readConfig(process.env);',
      'src/http/server.ts': 'const port = process.env.PORT;',
      'src/server/routes.ts': `import { env } from 'node:process';`,
    },
    found: ['src/http/server.ts:1 process.env', "src/server/routes.ts:1 import { env } from 'node:process'"],
  },
  {
    name: 'an act of a request is checked again in its commit',
    rule: rules.checksActorsInTheCommit,
    planted: {
      'src/api/payouts/post-tef.ts': `const by = userActor(user, clientNetwork(request.ip));`,
      'src/console/sign-in.ts': `await endSession(app, id, userActor(user, network));`,
      'src/cli/find-actor.ts': `return userActor(user, placeOfCommand());`,
    },
    found: ['src/api/payouts/post-tef.ts:1 userActor('],
  },
  {
    name: 'tests start programs only through test/support/child-process.ts',
    rule: rules.startsProgramsInOnePlace,
    planted: {
      'test/cli/a.test.ts': `import { spawn } from 'node:${childProcess}';`,
      'bench/b.ts': `const { execFile } = await import("${childProcess}");`,
      'test/support/child-process.ts': `import { spawn } from 'node:${childProcess}';`,
      'src/cli/operation/bench-command.ts': `import { spawn } from 'node:${childProcess}';`,
    },
    found: [`test/cli/a.test.ts:1 from 'node:${childProcess}'`, `bench/b.ts:1 ("${childProcess}")`],
  },
  {
    name: 'no file is longer than 400 lines',
    rule: rules.keepsFilesShort,
    planted: { 'src/lib/long.ts': 'x;\n'.repeat(401), 'src/lib/just-right.ts': 'x;\n'.repeat(400) },
    found: ['src/lib/long.ts has more than 400 lines'],
  },
  {
    name: 'no folder holds more than 50 files',
    rule: rules.keepsRoomsSmall,
    planted: Object.fromEntries(
      Array.from({ length: 51 }, (_, at) => `a${at}.ts`).flatMap((name, at) => [
        [`src/outbox/${name}`, ''],
        [`src/books/${at < 50 ? '' : 'funds/'}${name}`, ''],
      ]),
    ),
    found: ['src/outbox holds 51 files: give those that belong together a folder'],
  },
  {
    name: 'a file name is unique and says what the file is',
    rule: rules.namesAreAddresses,
    planted: { 'src/auth/user.ts': '', 'src/http/user.ts': '', 'src/lib/utils.ts': '', 'src/services/pay.ts': '' },
    found: [
      'src/http/user.ts has the name of src/auth/user.ts',
      'src/lib/utils.ts has a name that says nothing',
      'src/services/pay.ts has a name that says nothing',
    ],
  },
  {
    name: 'every exported function has a docstring',
    rule: rules.documentsExports,
    planted: {
      'src/lib/a.ts':
        '/** Says why. */\nexport function good() {}\nfunction own() {}\n\nexport async function bad() {}',
      'src/lib/b.ts': '/** Two ways. */\nexport function f(a: string): void;\nexport function f(a: number): void;',
    },
    found: ['src/lib/a.ts:5 has no docstring: export async function bad() {}'],
  },
  {
    name: 'no file has a machine path or a registry host',
    rule: rules.namesNoMachine,
    planted: { 'docs/start.md': `see ${machinePath}/rubrica`, 'package-lock.json': `${registryAddress}//x/y.tgz"` },
    found: [`docs/start.md:1 ${machinePath}`, `package-lock.json:1 ${registryAddress}`],
  },
  {
    name: 'no file has a secret',
    rule: rules.holdsNoSecret,
    planted: { 'test/key.pem': `${privateKey}-----`, '.npmrc': `//x/:${registryToken}1` },
    found: [`test/key.pem:1 ${privateKey}`, `.npmrc:1 ${registryToken}`],
  },
];

describe('the repository', () => {
  const files = readSourceFiles('**/*', '**/.*', '.*/**');

  test('is read completely', () => {
    const paths = files.map((file) => file.path);
    for (const path of ['package-lock.json', '.npmrc', 'bin/rubrica', '.ci/run', 'src/app.ts']) {
      assert.ok(paths.includes(path), `${path} must be among the ${paths.length} files`);
    }
  });

  for (const { name, rule, planted, found } of cases) {
    test(name, () => assert.deepEqual(rule(files), [], `the rule, and what it allows, is ${rule.name} in test/repo`));

    test(`a planted violation is found: ${name}`, () => {
      const plantedFiles: SourceFile[] = Object.entries(planted).map(([path, text]) => ({ path, text }));
      assert.deepEqual(rule(plantedFiles), found);
    });
  }

  // The lint step of bin/test checks the repository itself.
  test('the linter refuses a function of more than 70 lines', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-lint-'));
    writeFileSync(join(folder, 'long.ts'), `export function long() {\n${'  console.log();\n'.repeat(69)}}\n`);
    writeFileSync(join(folder, 'short.ts'), `export function short() {\n${'  console.log();\n'.repeat(68)}}\n`);
    const root = join(import.meta.dirname, '../..');
    const options = ['-c', '.oxlintrc.json', '-f', 'unix', folder];
    const run = await runChild('node_modules/.bin/oxlint', options, { cwd: root });
    rmSync(folder, { recursive: true });
    assert.match(run.stdout, /long\.ts:.*max-lines-per-function/);
    assert.doesNotMatch(run.stdout, /short\.ts/);
  });
});

describe('the imports of a file', () => {
  test('are found in every form', () => {
    const text = [
      `import a from 'a';`,
      `import type { B } from "./b.ts";`,
      `import {\n  c,\n} from '../c.ts';`,
      `import './d.ts';`,
      `export * from './e.ts';`,
      `const f = await import('./f.ts');`,
      `// import g from './g.ts';`,
      `const text = "no import from 'h'";`,
    ].join('\n');
    assert.deepEqual(importsOf({ path: 'src/x/y.ts', text }).sort(), [
      'a',
      'src/c.ts',
      'src/x/b.ts',
      'src/x/d.ts',
      'src/x/e.ts',
      'src/x/f.ts',
    ]);
  });
});
