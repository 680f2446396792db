import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
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
    const given = ['--commerce-code', '597012345678', '--api-key', KEY];
    const set = await run('payment-method', 'set', 'webpay', ...target, ...given, '--json');
    assert.deepEqual(JSON.parse(set.stdout), {
      paymentServiceId: service,
      environment: 'production',
      method: 'webpay',
      account: '597012345678',
    });
    const list = await run('payment-method', 'list');
    assert.match(list.stdout, /Tienda\s+production\s+webpay\s+597012345678/);
    const removed = await run('payment-method', 'remove', 'webpay', ...target);
    assert.equal(removed.status, 0);
    assert.match((await run('payment-method', 'list')).stdout, /No payment method is set/);
    assert.equal((await run('payment-method', 'remove', 'webpay', ...target)).status, 1);
    assert.doesNotMatch(set.stdout + list.stdout + removed.stdout, new RegExp(KEY));
  });

  test('development takes the public account of integration unless another is given', async () => {
    const target = ['--payment-service', service, '--environment', 'development', '--json'];
    const set = await run('payment-method', 'set', 'webpay', ...target);
    assert.equal((JSON.parse(set.stdout) as { account: string }).account, '597055555532');
  });

  const refused: [name: string, environment: string, given: string[], says: RegExp][] = [
    ['production without an account', 'production', [], /both --commerce-code and --api-key/],
    ['a code without its key', 'development', ['--commerce-code', '597012345678'], /both/],
    ['a code that is none', 'production', ['--commerce-code', '5970', '--api-key', KEY], /12 digits/],
    ['a key that is none', 'production', ['--commerce-code', '597012345678', '--api-key', 'a b'], /API key/],
    [
      'the public code in production',
      'production',
      ['--commerce-code', '597055555532', '--api-key', KEY],
      /integration/,
    ],
  ];
  for (const [name, environment, given, says] of refused) {
    test(`refuses ${name} with one sentence that does not quote the key`, async () => {
      const target = ['--payment-service', service, '--environment', environment];
      const { status, stderr } = await run('payment-method', 'set', 'webpay', ...target, ...given);
      assert.equal(status, 1);
      assert.match(stderr, says);
      assert.equal(stderr.trim().split('\n').length, 1);
      assert.doesNotMatch(stderr, new RegExp(KEY));
    });
  }

  test('refuses a payment service or a method that is not there', async () => {
    const target = ['--payment-service', 'ps_none', '--environment', 'development'];
    assert.match((await run('payment-method', 'set', 'webpay', ...target)).stderr, /no payment service ps_none/);
    assert.match((await run('payment-method', 'set', 'khipu', ...target)).stderr, /khipu takes no settings/);
  });

  function run(...arguments_: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
    const env = { ...process.env, DATA_DIR: folder, DATABASE_URL: '', LOG_LEVEL: 'silent' };
    return new Promise((resolve) => {
      execFile(process.execPath, [MAIN, ...arguments_], { env }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }
});
