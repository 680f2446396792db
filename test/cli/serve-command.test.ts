import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, suite, test } from 'node:test';

const MAIN = join(import.meta.dirname, '../../src/main.ts');

suite('serve on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  const started: ChildProcess[] = [];
  after(async () => {
    for (const child of started) if (await end(child)) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  test('a second one on the same embedded store is refused, and neither commands nor the demo are', async () => {
    const first = await serve();
    const second = await run(['serve']);
    assert.equal(second.status, 1);
    assert.match(second.stderr, /^ALREADY_SERVED: Another service runs on \/.*rubrica\.db\. Stop it first, .*DATA_DIR/);
    symlinkSync('rubrica.db', join(folder, 'linked.db'));
    const linked = await run(['serve'], { DATABASE_URL: `sqlite:${folder}/linked.db` });
    assert.match(linked.stderr, /^ALREADY_SERVED/);
    assert.equal((await run(['user', 'list'])).status, 0);
    assert.equal((await run(['backup', join(folder, 'copy.db')])).status, 0);
    const [demo, besideIt] = await Promise.all([run(['demo', '--exit']), run(['demo', '--exit'])]);
    assert.deepEqual([demo.status, besideIt.status], [0, 0], demo.stdout + besideIt.stdout);
    assert.equal(await end(first), false);
  });

  test('after kill -9 it starts again at once, without any clean-up', async () => {
    const first = await serve();
    first.kill('SIGKILL');
    await once(first, 'exit');
    const second = await serve();
    const held = readdirSync(folder).filter((name) => name.startsWith('rubrica.db.serving'));
    assert.deepEqual(held, ['rubrica.db.serving']);
    second.kill('SIGTERM');
    assert.deepEqual(await once(second, 'exit'), [0, null]);
    const files = readdirSync(folder).filter((name) => name.startsWith('rubrica.db'));
    assert.deepEqual(files, ['rubrica.db', 'rubrica.db.serving']);
    for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o77, 0, file);
    await serve();
  });

  test('went on answering after its store was removed; it stops and says why', async () => {
    const store = join(folder, 'removed.db');
    const child = await serve({ DATABASE_URL: `sqlite:${store}` });
    const said = (child.stderr as Readable).setEncoding('utf8').toArray();
    rmSync(store);
    assert.deepEqual(await once(child, 'exit'), [70, null]);
    assert.match((await said).join(''), /removed\.db was removed while the service had it open: stopping/);
  });

  test('in production without an address for payers it starts, and says what they are sent to', async () => {
    const production = {
      RUBRICA_ENV: 'production',
      MASTER_KEY: '5a'.repeat(32),
      DATABASE_URL: `sqlite:${folder}/p.db`,
    };
    const lines: string[] = [];
    await serve(production, lines);
    const warned = lines
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level === 40);
    assert.match(
      warned.map(({ msg }) => msg).join(),
      /PUBLIC_URL is not set, so payers and shops are sent to http:\/\/127/,
    );
  });

  async function serve(settings: Record<string, string> = {}, lines: string[] = []): Promise<ChildProcess> {
    for (const child of started.splice(0)) if (await end(child)) child.kill('SIGKILL');
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: environment(settings),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
      lines.push(line);
      if (line.includes('"ready"')) return child;
    }
    throw new Error(`serve ended: ${lines.join('\n')}`);
  }

  /** Ends a process that still runs; answers false when it had ended or ends well. */
  async function end(child: ChildProcess): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    child.kill('SIGTERM');
    const [status] = (await once(child, 'exit')) as [number | null];
    return status !== 0;
  }

  function run(
    arguments_: string[],
    settings: Record<string, string> = {},
  ): Promise<{ status: number; stdout: string; stderr: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, [MAIN, ...arguments_], { env: environment(settings) }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', ...settings };
  }
});
