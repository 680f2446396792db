import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { runCommand } from '../support/run-command.ts';

suite('payment-service list', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-list-'));
  after(() => rmSync(folder, { recursive: true }));

  test('does not call a payment service enabled that has moved to another database', async () => {
    const here = settings('here');
    const there = settings('there');
    assert.doesNotMatch(await run(there, 'ids', '--from', '1000000000'), /keep their ids/);
    const { id } = JSON.parse(await run(here, 'payment-service', 'create', '--name', 'Moved', '--json')) as {
      id: string;
    };
    await run(here, 'payment-service', 'create', '--name', 'Stays');
    const file = join(folder, 'there.env');
    writeFileSync(
      file,
      Object.entries(there)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    await run(here, 'payment-service', 'move', id, '--to', file);
    assert.match(
      await run(here, 'payment-service', 'list'),
      /Moved +elsewhere +.*\n.*Moved +elsewhere +.*\n.*Stays +enabled /,
    );
    const { payment_services } = JSON.parse(await run(here, 'payment-service', 'list', '--json'));
    assert.deepEqual(
      payment_services.map(({ name, state, disabled_at }: Record<string, unknown>) => [name, state, disabled_at]),
      [
        ['Moved', 'elsewhere', null],
        ['Stays', 'enabled', null],
      ],
    );
    assert.match(await run(there, 'payment-service', 'list'), /Moved +enabled /);
    assert.match(await run(here, 'ids', '--from', '2000000000'), /Payment services that exist keep their ids/);
  });

  function settings(name: string): Record<string, string> {
    return {
      DATABASE_URL: `sqlite:${join(folder, name)}.db`,
      DATA_DIR: folder,
      MASTER_KEY: '5a'.repeat(32),
      PUBLIC_URL: `https://${name}.example.cl`,
      LOG_LEVEL: 'silent',
    };
  }

  async function run(env: Record<string, string>, ...words: string[]): Promise<string> {
    const { status, stdout, stderr } = await runCommand(words, { env: { PATH: process.env['PATH'], ...env } });
    assert.equal(status, 0, stderr);
    return stdout;
  }
});
