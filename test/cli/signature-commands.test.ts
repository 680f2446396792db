import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { signedBody, withSignature } from '../support/test-shop.ts';

const SECRET = '5f3a9c1e7b2d4f60a1b2c3d4e5f60718';

const RIGHT = signedBody('service-token', SECRET);
const UNSORTED = { ...signedBody('service-token', SECRET, { x_amount: '12990.0' }), x_amount: 12_990 };
const CALLBACK = {
  x_account_id: 'service-token',
  x_amount: '12990.00',
  x_currency: 'CLP',
  x_gateway_reference: '1001',
  x_message: 'Approved',
  x_reference: 'ORD-1',
  x_result: 'completed',
  x_test: 'true',
  x_timestamp: '2026-01-15T12:00:00.000Z',
};

suite('explain on the command line', () => {
  const cases: [name: string, body: string, options: string[], expected: [code: string, field: string | null][]][] = [
    ['a request as JSON', JSON.stringify(UNSORTED), [], [['NUMBER_PRINTED_DIFFERENTLY', 'x_amount']]],
    [
      'a request as a form that ends in a line feed',
      `${new URLSearchParams({ ...RIGHT, x_signature: RIGHT.x_signature?.toUpperCase() ?? '' }).toString()}\n`,
      [],
      [['SIGNATURE_IN_UPPER_CASE', 'x_signature']],
    ],
    [
      'a callback signed with another secret, in a file of Windows',
      `${new URLSearchParams(withSignature(CALLBACK, 'the other secret')).toString()}\r\n`,
      ['--other-secret', 'the other secret'],
      [['OTHER_SECRET', null]],
    ],
    [
      'a callback signed with another secret that is given',
      new URLSearchParams(withSignature(CALLBACK, 'the other secret')).toString(),
      ['--other-secret', 'an old secret', '--other-secret', 'the other secret'],
      [['OTHER_SECRET', null]],
    ],
    ['a right signature', JSON.stringify(RIGHT), [], []],
    ['a signature with an unknown secret', JSON.stringify(signedBody('service-token', 'unknown')), [], []],
  ];
  for (const [name, body, options, expected] of cases) {
    test(`names ${expected.length === 0 ? 'no cause' : 'the cause'} for ${name}`, async () => {
      const { status, stdout } = await run(body, '--json', ...options);
      type Cause = { code: string; field: string | null; fix: string };
      const { verified, causes } = JSON.parse(stdout) as { verified: boolean; causes: Cause[] };
      assert.equal(verified, name === 'a right signature');
      assert.deepEqual(
        causes.map(({ code, field }) => [code, field]),
        expected,
      );
      for (const cause of causes) assert.deepEqual(Object.keys(cause), ['code', 'field', 'fix']);
      assert.equal(status, expected.length === 0 ? 1 : 0);
      assert.ok(!stdout.includes(String(RIGHT.x_signature)));
    });
  }

  test('asks for a body when standard input is empty, as verify does', async () => {
    const { status, stderr } = await run('');
    assert.equal(status, 64);
    assert.match(stderr, /^INVALID_OPTION: Standard input is empty: .* < refused\.json/);
    const verify = (...more: string[]) => runCommand(['verify', '--secret', SECRET, ...more], { env: process.env });
    const verified = await verify();
    assert.deepEqual([verified.status, verified.stdout], [1, '']);
    assert.match(verified.stderr, /^INVALID_OPTION: Standard input is empty: give it the body, .* < callback\.txt/);
    assert.equal(JSON.parse((await verify('--json')).stdout).ok, false);
  });

  test('prints the cause, and the fix in four languages', async () => {
    const { stdout } = await run(JSON.stringify(UNSORTED));
    assert.match(stdout, /^NUMBER_PRINTED_DIFFERENTLY in x_amount\n {2}The number was signed in another spelling/);
    for (const language of ['PHP', 'JavaScript', 'Python', 'Ruby'])
      assert.match(stdout, new RegExp(`\n {2}${language} +\\S`));
    assert.match(
      (await run(JSON.stringify(RIGHT))).stdout,
      /^The signature is right, .*answers 401, x_account_id is not/,
    );
    assert.match(
      (await run(JSON.stringify(signedBody('a', 'unknown')))).stdout,
      /^No cause was found: .*--other-secret/,
    );
  });
});

suite('a Secret Token for a command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-secret-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'secret');
  const body = JSON.stringify(RIGHT);
  const env = { ...process.env, SHOP_SECRET: SECRET, EMPTY: '' };
  const runWith = (...words: string[]) => runCommand(words, { env, input: body });

  test('comes from an environment variable or a file, so that no list of processes shows it', async () => {
    writeFileSync(file, `${SECRET}\n`);
    const { x_signature, ...fields } = RIGHT;
    for (const from of [
      ['--secret-env', 'SHOP_SECRET'],
      ['--secret-file', file],
      ['--secret', SECRET],
    ]) {
      const signed = await runCommand(['sign', ...from], { env, input: JSON.stringify(fields) });
      assert.deepEqual([signed.stdout, signed.status], [`${x_signature}\n`, 0]);
      assert.match((await runWith('explain', ...from)).stdout, /^The signature is right/);
      const callback = new URLSearchParams(withSignature(CALLBACK, SECRET)).toString();
      for (const end of ['', '\n', '\r\n'])
        assert.equal((await runCommand(['verify', ...from], { env, input: callback + end })).status, 0);
    }
    const other = JSON.stringify(signedBody('service-token', 'the other secret'));
    writeFileSync(file, 'the other secret');
    const explained = await runCommand(
      ['explain', '--secret-env', 'SHOP_SECRET', '--other-secret-file', file, '--json'],
      { env, input: other },
    );
    assert.match(explained.stdout, /OTHER_SECRET/);
  });

  test('is refused when given twice, missing or empty, and is never printed', async () => {
    writeFileSync(file, '\n');
    const cases: [string[], RegExp][] = [
      [[], /^USAGE: Give the Secret Token once, by --secret-env NAME or --secret-file FILE/],
      [['--secret', SECRET, '--secret-env', 'SHOP_SECRET'], /^INVALID_OPTION: Give the Secret Token once/],
      [['--secret-env', 'EMPTY'], /^INVALID_OPTION: EMPTY is not set/],
      [['--secret-env', 'NO_SUCH'], /^INVALID_OPTION: NO_SUCH is not set/],
      [['--secret-file', file], /^INVALID_OPTION: The secret is empty/],
      [['--secret-file', join(folder, 'none')], /^FILE_UNUSABLE: .* cannot be read/],
    ];
    for (const [options, says] of cases) {
      const { status, stdout, stderr } = await runWith('verify', ...options);
      assert.deepEqual([status, stdout], [64, '']);
      assert.match(stderr, says);
      assert.ok(!stderr.includes(SECRET));
    }
  });

  test('of an imported payment service comes from a file or from standard input, and is that of no other', async () => {
    const settings = { ...env, DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'silent' };
    writeFileSync(file, `${SECRET}\n`);
    const importFrom = (name: string, source: string, input: string) => {
      const words = ['payment-service', 'import', '--name', name, '--environment', 'production', '--json'];
      return runCommand([...words, '--service-token', name, '--secret-file', source], { env: settings, input });
    };
    for (const [name, source, secret] of [
      ['one', file, SECRET],
      ['two', '-', `${SECRET}2`],
    ] as const) {
      const { production } = JSON.parse((await importFrom(name, source, secret)).stdout) as { production: object };
      assert.deepEqual(production, { service_token: name, secret_token: secret });
    }
    const refused = await importFrom('three', '-', SECRET);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^INVALID_OPTION: The Secret Token is or was one of payment service ps_\w+\. /);
    assert.equal((await importFrom('three', '-', `${SECRET}3`)).status, 0);
    const again = await importFrom('three', '-', `${SECRET}3`);
    assert.equal(again.status, 1);
    assert.match(again.stderr, /^ALREADY_DONE: This Service Token belongs to a payment service already: /);
    assert.match((await runWith('payment-service', 'import', '--help')).stdout, /other\s+users of the machine/);
  });
});

function run(body: string, ...options: string[]): Promise<Ended> {
  return runCommand(['explain', '--secret', SECRET, ...options], { env: process.env, input: body });
}
