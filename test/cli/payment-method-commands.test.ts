import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Ended } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';

const KEY = 'AB12'.repeat(16);

suite('payment-method on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  let service = '';
  before(async () => {
    const created = await run('payment-service', 'create', '--name', 'Tienda', '--json');
    service = (JSON.parse(created.stdout) as { id: string }).id;
  });
  after(() => rmSync(folder, { recursive: true }));

  test('sets, lists and removes, and never prints the key', async () => {
    const target = ['--payment-service', service, '--environment', 'production'];
    const set = await give(`${KEY}\n`, 'set', 'webpay', ...target, ...account('597012345678'), '--json');
    assert.deepEqual(JSON.parse(set.stdout), {
      payment_service_id: service,
      environment: 'production',
      method: 'webpay',
      account: '597012345678',
    });
    const list = await run('payment-method', 'list');
    assert.match(list.stdout, /Tienda\s+production\s+webpay\s+597012345678/);
    assert.match(list.stdout, /\n {2}production: only what the list names collects\.\n/);
    const removed = await run('payment-method', 'remove', 'webpay', ...target, '--json');
    assert.deepEqual(JSON.parse(removed.stdout), {
      payment_service_id: service,
      environment: 'production',
      method: 'webpay',
      removed: true,
    });
    assert.match(
      (await run('payment-method', 'list')).stdout,
      /^No account at a payment method is set\.\n\nWhat collects now:\n {2}development: simulated, simulated-transfer, without an account\.\n {2}production: nothing\. bin\/rubrica payment-method set webpay /,
    );
    const kept = await run('payment-method', 'list', '--all');
    assert.match(kept.stdout, /Tienda\s+production\s+webpay\s+597012345678(\s+\S+ \S+ -0[34]:00){2}\s*$/m);
    assert.equal((await run('payment-method', 'remove', 'webpay', ...target)).status, 1);
    assert.doesNotMatch(set.stdout + list.stdout + removed.stdout + kept.stdout, new RegExp(KEY));
  });

  test('uses the public integration account in development by default', async () => {
    const target = ['--payment-service', service, '--environment', 'development', '--json'];
    const set = await run('payment-method', 'set', 'webpay', ...target);
    assert.equal((JSON.parse(set.stdout) as { account: string }).account, '597055555532');
  });

  const refused: [name: string, environment: string, given: string[], key: string, says: RegExp][] = [
    ['production without an account', 'production', [], '', /both --commerce-code and --api-key -/],
    ['a code without its key', 'development', ['--commerce-code', '597012345678'], '', /both/],
    ['a code of four digits', 'production', account('5970'), KEY, /12 digits/],
    ['a key with a space', 'production', account('597012345678'), 'a b', /API key/],
    ['no key', 'production', account('597012345678'), '', /API key/],
    ['the public code in production', 'production', account('597055555532'), KEY, /integration/],
    [
      'a key on the command line, where others see it',
      'production',
      ['--commerce-code', '597012345678', '--api-key', KEY],
      '',
      /standard input/,
    ],
  ];
  for (const [name, environment, given, key, says] of refused) {
    test(`refuses ${name} with one sentence that does not quote the key`, async () => {
      const target = ['--payment-service', service, '--environment', environment];
      const { status, stderr } = await give(key, 'set', 'webpay', ...target, ...given);
      assert.equal(status, name.includes('without') ? 64 : 1, 'a missing option is a mistake in the command line');
      assert.match(stderr, says);
      assert.equal(stderr.trim().split('\n').length, 1);
      assert.doesNotMatch(stderr, new RegExp(KEY));
    });
  }

  test('refuses an unknown payment service, and a method without settings', async () => {
    const target = ['--payment-service', 'ps_none', '--environment', 'development'];
    assert.match((await run('payment-method', 'set', 'webpay', ...target)).stderr, /no payment service ps_none/);
    assert.match((await run('payment-method', 'set', 'khipu', ...target)).stderr, /khipu takes no settings/);
  });

  function account(commerceCode: string): string[] {
    return ['--commerce-code', commerceCode, '--api-key', '-'];
  }

  function run(...arguments_: string[]): Promise<Ended> {
    return runWith('', arguments_);
  }

  /** Runs `payment-method` with a key on standard input. */
  function give(key: string, ...arguments_: string[]): Promise<Ended> {
    return runWith(key, ['payment-method', ...arguments_]);
  }

  function runWith(input: string, arguments_: string[]): Promise<Ended> {
    const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: '', LOG_LEVEL: 'silent' };
    return runCommand(arguments_, { env, input });
  }
});
