import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { logIn } from '../../src/auth/sign-in/log-in.ts';
import { readConfig } from '../../src/config.ts';
import { forgetProcess, keepProcess } from '../../src/health/keep-process.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, createTestClock } from '../support/test-app.ts';

const OLD = { MASTER_KEY: '0a'.repeat(32) };
const NEW = { MASTER_KEY: '0b'.repeat(32) };
const BOTH = { ...NEW, MASTER_KEY_PREVIOUS: OLD.MASTER_KEY };

forEachEngine('master-key rotate on the command line', (openTestDatabase) => {
  test('encrypts every secret again, and doctor says when the previous key may be removed', async (context) => {
    const { url } = await openTestDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'rubrica-rotated-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const run = (settings: Record<string, string>, ...words: string[]) => {
      const env = { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: url, DATA_DIR: folder, ...settings };
      return runCommand(words, { env });
    };
    const finding = async (settings: Record<string, string>) => {
      const { stdout } = await run(settings, 'doctor', '--json');
      const { findings } = JSON.parse(stdout) as { findings: { check: string; says: string; fix: string | null }[] };
      return findings.find(({ check }) => check === 'master-key');
    };
    await run(OLD, 'payment-service', 'create', '--name', 'Shop');

    const alone = await run(NEW, 'master-key', 'rotate');
    assert.equal(alone.status, 1);
    assert.match(
      alone.stderr,
      /^INVALID_SETTING: The stored Secret Tokens were encrypted with a different master key.*MASTER_KEY_PREVIOUS/,
    );
    assert.match((await run(OLD, 'master-key', 'rotate')).stderr, /^INVALID_OPTION: Set MASTER_KEY to the new key and/);
    assert.match((await finding(NEW))?.fix ?? '', /^Set the MASTER_KEY/);
    const before = await finding(BOTH);
    assert.deepEqual(
      [before?.says, before?.fix],
      ['7 secrets are encrypted with MASTER_KEY_PREVIOUS', 'bin/rubrica master-key rotate'],
    );

    const swapped = { MASTER_KEY: OLD.MASTER_KEY, MASTER_KEY_PREVIOUS: NEW.MASTER_KEY };
    assert.match((await run(swapped, 'master-key', 'rotate')).stdout, /the two keys are swapped/);

    assert.equal((await run(OLD, 'clock', 'advance', '1h')).status, 0);
    const rotated = await run(BOTH, 'master-key', 'rotate', '--json');
    assert.equal(rotated.stderr, 'secret-tokens: 2 of 2\nkept-keys: 5 of 5\n');
    const nothing = {
      'secret-tokens': 0,
      'payment-method-keys': 0,
      'validation-questions': 0,
      recipients: 0,
      'payout-files': 0,
      'payout-sender-keys': 0,
      factors: 0,
      'kept-keys': 0,
    };
    assert.deepEqual(JSON.parse(rotated.stdout), {
      resealed: { ...nothing, 'secret-tokens': 2, 'kept-keys': 5 },
      previous_key_needed: false,
      token_links_ended: 0,
    });
    const again = await run(BOTH, 'master-key', 'rotate');
    assert.match(again.stdout, /^secret-tokens +0\n(.*\n)+Nothing was .*_PREVIOUS.* Every secret .* MASTER_KEY: start/);
    const after = await finding(BOTH);
    assert.equal(after?.fix, null);
    assert.match(after?.says ?? '', /nothing is encrypted with MASTER_KEY_PREVIOUS: it may be removed$/);
    assert.equal((await finding(NEW))?.fix, null);
    assert.match((await run(OLD, 'payment-service', 'list')).stderr, /^INVALID_SETTING/);
    assert.equal((await run(NEW, 'payment-service', 'list')).status, 0);
    const back = await run(NEW, 'clock', 'back');
    assert.match(back.stderr, /nothing to go back to/, 'the secrets of the snapshot need the previous key');
  });

  test('ends the waiting links to tokens of the previous key, which open nothing, and no other', async () => {
    const { url } = await openTestDatabase();
    const run = async (settings: Record<string, string>, ...words: string[]) => {
      const env = { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: url, ...settings };
      return (await runCommand([...words, '--json'], { env })).stdout;
    };
    const { id } = JSON.parse(await run(OLD, 'payment-service', 'create', '--name', 'Shop')) as { id: string };
    const make = (settings: Record<string, string>) =>
      run(settings, 'payment-service', 'hand-over', id, '--environment', 'development');
    const [old, recent] = [JSON.parse(await make(OLD)), JSON.parse(await make(BOTH))] as { id: string }[];
    const rotated = JSON.parse(await run(BOTH, 'master-key', 'rotate')) as { token_links_ended: number };
    assert.equal(rotated.token_links_ended, 1);
    const { links } = JSON.parse(await run(NEW, 'payment-service', 'links')) as {
      links: { id: string; state: string }[];
    };
    const states = new Map(links.map((link) => [link.id, link.state]));
    assert.deepEqual([states.get(old?.id ?? ''), states.get(recent?.id ?? '')], ['ended', 'waiting']);
  });

  test('goes on after an upgrade in the middle of it, from a version without proofs of passwords', async () => {
    const db = await openTestDatabase();
    const run = (settings: Record<string, string>, ...words: string[]) =>
      runCommand(words, { env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: db.url, ...settings } });
    await run(OLD, 'payment-service', 'create', '--name', 'Before');
    await run(BOTH, 'payment-service', 'create', '--name', 'In between');
    const made = await run(BOTH, 'user', 'create', 'owner@example.cl', '--json');
    await db.transaction(async (tx) => {
      await tx.query('update users set password_proof = null');
      await tx.query(`delete from kept_keys where name = 'password-proof'`);
    });
    assert.equal((await run(BOTH, 'migrate')).stderr, '');
    assert.equal((await run(BOTH, 'master-key', 'rotate')).status, 0);
    assert.equal((await run(NEW, 'payment-service', 'list')).status, 0);
    const app = createTestApp(db, { config: readConfig({ DATABASE_URL: db.url, ...NEW }) });
    const { password } = JSON.parse(made.stdout) as { password: string };
    await logIn(app, { email: 'owner@example.cl', password, address: '127.0.0.1' });
  });

  test('names the running processes that have only the old key, and changes nothing until they have both', async () => {
    const db = await openTestDatabase();
    const run = (settings: Record<string, string>, ...words: string[]) =>
      runCommand(words, { env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: db.url, ...settings } });
    await run(OLD, 'payment-service', 'create', '--name', 'Shop');
    const now = createTestClock(Date.now());
    const started = (settings: Record<string, string>) => createTestApp(db, { now, config: readConfig(settings) });
    const [behind, ready] = [started(OLD), started(BOTH)];
    await keepProcess(behind);
    await keepProcess(ready);
    const refused = await run(BOTH, 'master-key', 'rotate');
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^MASTER_KEY is not known to \S+ \(pid \d+\)\. Give every process both keys/);
    assert.equal((await run(OLD, 'payment-service', 'list')).status, 0);
    await forgetProcess(behind);
    assert.match((await run(BOTH, 'master-key', 'rotate')).stdout, /Every secret is encrypted with MASTER_KEY/);
  });

  test('reports an altered secret, and encrypts the others again', async () => {
    const db = await openTestDatabase();
    const run = (settings: Record<string, string>, ...words: string[]) =>
      runCommand(words, { env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: db.url, ...settings } });
    await run(OLD, 'payment-service', 'create', '--name', 'Shop');
    await db.transaction((tx) =>
      tx.query(`update secret_tokens set sealed = (select max(sealed) from secret_tokens)
        where sealed = (select min(sealed) from secret_tokens)`),
    );
    const rotated = await run(BOTH, 'master-key', 'rotate');
    assert.equal(rotated.status, 1);
    assert.match(
      rotated.stderr,
      /\n(COMMAND_FAILED: )?1 of secret-tokens: they open with no key, because somebody changed/,
    );
    assert.match(rotated.stderr, /^kept-keys: 5 of 5$/m);
    await run(BOTH, 'payment-service', 'create', '--name', 'Another');
    assert.equal((await run(NEW, 'payment-service', 'list')).status, 0);
  });
});
