import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { runCommand } from '../support/run-command.ts';

type Shown = { permissions: string[]; payouts: boolean; payment_services: string[] | null; [name: string]: unknown };

suite('user commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  let service = '';
  before(async () => {
    service = ((await run('payment-service', 'create', '--name', 'Tienda')) as unknown as { id: string }).id;
  });
  after(() => rmSync(folder, { recursive: true }));

  test('create with --email and --payouts alone makes a program that validates accounts and sees no payment', async () => {
    const made = await run('user', 'create', '--email', 'validates@example.cl', '--payouts');
    const { id, email, password, api_token, payouts, ...rights } = made;
    assert.match(String(id), /^usr_/);
    assert.equal(email, 'validates@example.cl');
    assert.match(String(password), /^[0-9a-f]{32}$/);
    assert.match(String(api_token), /^api_/);
    assert.equal(payouts, true);
    assert.deepEqual(rights, {
      role: 'integration',
      permissions: ['accounts:validate', 'recipients:read'],
      payment_services: [],
      refund_limits: null,
    });
  });

  test('create with only a payment service makes a program that creates and reads its payments, and refunds nothing', async () => {
    const made = await run('user', 'create', '--email', 'reads@example.cl', '--payment-service', service);
    assert.deepEqual(made.permissions, ['events:read', 'payments:create', 'payments:read']);
    assert.deepEqual(made.payment_services, [service]);
  });

  test('invite prints what the person may do and see, so that nobody is let in to empty screens unnoticed', async () => {
    const { stdout } = await runCommand(['user', 'invite', 'jefa@example.cl', '--role', 'owner'], {
      env: { ...process.env, DATA_DIR: folder },
    });
    assert.match(stdout, /\/console\/invitation\/\S+\n[\s\S]*role {7}owner/);
    assert.match(stdout, /sees {7}no payment \(bin\/rubrica user payment-services USER …\)/);
    assert.doesNotMatch(stdout, /earlier link/);
    const again = await runCommand(['user', 'invite', 'jefa@example.cl'], {
      env: { ...process.env, DATA_DIR: folder },
    });
    assert.match(again.stdout, /\nThe earlier link no longer works: this one replaces it\.\n/);
    const bare = await runCommand(['user', 'invite', 'nueva@example.cl'], {
      env: { ...process.env, DATA_DIR: folder },
    });
    assert.match(
      bare.stdout,
      /may +nothing yet; a person needs a role: bin\/rubrica user role nueva@example\.cl ROLE;/,
    );
    const help = await runCommand(['user', 'invite', '--help'], { env: process.env });
    assert.match(
      help.stdout.replaceAll(/\s+/g, ' '),
      /--role <role> role; without it a new person is like a program and/,
    );
    const made = await run('user', 'invite', 'jefa@example.cl');
    assert.deepEqual(Object.keys(made), ['id', 'user', 'email', 'link', 'expires_at']);
  });

  test('create and invite take the address as an argument or as --email, and exactly once', async () => {
    for (const command of ['create', 'invite']) {
      const [plain, named] = [`plain-${command}@example.cl`, `named-${command}@example.cl`];
      const asked = ['--role', 'support'];
      assert.equal((await run('user', command, plain, ...asked))['email'], plain);
      assert.equal((await run('user', command, '--email', named, ...asked))['email'], named);
      for (const words of [[], [plain, '--email', named]]) {
        const ended = await runCommand(['user', command, ...words], { env: { ...process.env, DATA_DIR: folder } });
        assert.equal(ended.status, 64);
        assert.match(ended.stderr, /^USAGE: Give the e-mail address of the user once/);
      }
    }
  });

  test('print the permissions of a user, also after each change', async () => {
    const words = [
      '--email',
      'ana@example.cl',
      '--role',
      'support',
      '--refund-limit',
      '50000',
      '--all-payment-services',
    ];
    const made = await run('user', 'create', ...words, '--may', 'events:read');
    assert.deepEqual(made.permissions, ['callbacks:resend', 'events:read', 'payments:read', 'refunds:create']);
    assert.deepEqual(made['refund_limits'], { CLP: 50_000 });
    assert.equal(made.payment_services, null);
    const limited = await run('user', 'refund-limit', 'ana@example.cl', '70000', 'USD:10.00');
    assert.deepEqual(limited['refund_limits'], { CLP: 70_000, USD: 1000 });
    const unlimited = await run('user', 'refund-limit', 'ana@example.cl', 'role');
    assert.deepEqual(unlimited['refund_limits'], { CLP: 100_000 });
    await run('user', 'revoke', 'ana@example.cl', 'events:read');
    const auditor = await run('user', 'role', 'ana@example.cl', 'auditor');
    assert.deepEqual(auditor.permissions, [
      'audit:read',
      'books:read',
      'events:read',
      'payments:read',
      'recipients:read',
    ]);
    const granted = await run('user', 'grant', 'ana@example.cl', 'accounts:validate', 'callbacks:resend');
    assert.equal(granted.payouts, true);
    assert.equal((await run('user', 'payouts', 'off', 'ana@example.cl')).payouts, false);
    const seen = await run('user', 'payment-services', 'ana@example.cl', '--payment-service', service);
    assert.deepEqual(seen.payment_services, [service]);
    assert.deepEqual((await run('user', 'payment-services', 'ana@example.cl', '--none')).payment_services, []);
    const { users } = (await run('user', 'list')) as unknown as { users: Shown[] };
    const listed = users.find((user) => user['email'] === 'ana@example.cl');
    assert.equal(listed?.['role'], 'auditor');
    const { stdout } = await runCommand(['user', 'list'], { env: { ...process.env, DATA_DIR: folder } });
    assert.match(
      stdout,
      /^E-MAIL +STATE +ROLE +PAYMENT SERVICES +2ND FACTOR +LAST LOG-IN \(CHILE\) +BEYOND THE ROLE\n/,
    );
    assert.match(stdout, /\nana@example\.cl +enabled +auditor +none +no +— +callbacks:resend\n/);
    assert.deepEqual(listed?.permissions, [...auditor.permissions, 'callbacks:resend'].sort());
  });

  test('name what a new list of payment services or limits takes away', async () => {
    const other = String((await run('payment-service', 'create', '--name', 'Otra'))['id']);
    const email = 'lists@example.cl';
    await run('user', 'create', email, '--role', 'support', '--all-payment-services');
    const change = async (...words: string[]) => {
      const { stdout } = await runCommand(['user', ...words], { env: { ...process.env, DATA_DIR: folder } });
      return stdout.split('\n').filter((line) => line.startsWith('  removed '));
    };
    const both = ['--payment-service', service, '--payment-service', other];
    assert.deepEqual(await change('payment-services', email, ...both), [
      '  removed    no longer sees the payments of any other',
    ]);
    const { stdout } = await runCommand(['user', 'list'], { env: { ...process.env, DATA_DIR: folder } });
    assert.match(stdout, /\nlists@example\.cl +enabled +support +ps_\w+ and 1 more +no +— +—\n/);
    assert.deepEqual(await change('payment-services', email, '--payment-service', other), [
      `  removed    no longer sees the payments of ${service}`,
    ]);
    assert.deepEqual(await change('payment-services', email, '--all-payment-services'), []);
    assert.deepEqual(await change('refund-limit', email, '50000', 'USD:100.00'), []);
    assert.deepEqual(await change('refund-limit', email, '70000'), [
      '  removed    the limit of refunds of 100.00 USD a day',
    ]);
  });

  test('say of a limit of refunds that it permits none to a user without refunds:create', async () => {
    const email = 'limit@example.cl';
    await run('user', 'create', email, '--role', 'support', '--refund-limit', '50000');
    const refunds = async (...words: string[]) => {
      const { stdout } = await runCommand(['user', ...words], { env: { ...process.env, DATA_DIR: folder } });
      return stdout.split('\n').filter((line) => line.startsWith('  refunds '));
    };
    assert.deepEqual(await refunds('role', email, 'finance'), [
      '  refunds    up to $50.000 CLP a day, once granted refunds:create',
    ]);
    assert.deepEqual(await refunds('grant', email, 'refunds:create'), ['  refunds    up to $50.000 CLP a day']);
  });

  test('create, list and end API tokens and sessions of a user, and record who does it', async () => {
    const { id } = await run('user', 'create', '--email', 'tokens@example.cl');
    const made = await run('user', 'token', 'create', 'tokens@example.cl', '--name', 'till 4', '--expires', '90d');
    assert.match(String(made['api_token']), /^api_/);
    const ended = await run('user', 'token', 'end', String(made['id']), '--as', 'tokens@example.cl');
    assert.deepEqual(ended, { id: made['id'], ended: true, webhooks: [] });
    const { tokens } = (await run('user', 'token', 'list', String(id))) as unknown as { tokens: Shown[] };
    assert.deepEqual(
      tokens.map((token) => [token['name'], token['ended_at'] === null]),
      [
        ['first', true],
        ['till 4', false],
      ],
    );
    assert.deepEqual(await run('user', 'session', 'list', 'tokens@example.cl'), { sessions: [] });
    assert.deepEqual(await run('user', 'session', 'end', '--all', 'tokens@example.cl'), {
      user: 'tokens@example.cl',
      ended: 0,
    });
    type Entry = { who: { name: string }; action: string };
    const { acts } = (await run('audit', 'list', '--action', 'api_token')) as unknown as { acts: Entry[] };
    assert.deepEqual(
      acts.map(({ who, action }) => [who.name.replace(/:.*/, ''), action]),
      [
        ['tokens@example.cl', 'api_token.ended'],
        ['command line', 'api_token.created'],
      ],
    );
  });

  async function run(...words: string[]): Promise<Shown> {
    const { status, stdout, stderr } = await runCommand([...words, '--json'], {
      env: { ...process.env, DATA_DIR: folder },
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout) as Shown;
  }
});
