import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { type Child, type Ended, startChild } from '../support/child-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { runCommand } from '../support/run-command.ts';

suite('serve on the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-cli-'));
  const started: Child[] = [];
  after(async () => {
    for (const child of started) await child.end();
    rmSync(folder, { recursive: true });
  });

  test('is refused on an embedded store that is already served; other commands and the demo run beside it', async () => {
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
    assert.equal((await first.end()).status, 0);
  });

  test('says what to check when a symbolic link on the path to its store or its lock leads nowhere', async () => {
    symlinkSync(join(folder, 'gone', 'lock'), join(folder, 'astray.db.serving'));
    symlinkSync(join(folder, 'gone'), join(folder, 'astray'));
    for (const store of ['astray.db', 'astray/store.db']) {
      const { status, stderr } = await run(['serve'], { DATABASE_URL: `sqlite:${folder}/${store}` });
      assert.equal(status, 1);
      assert.match(stderr, /^ENOENT: .*astray[^:]*: check .*where symbolic links on the path lead\.\n$/);
    }
  });

  test('names METRICS_PORT when that port is in use, and the demo runs without it', async () => {
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const settings = { METRICS_PORT: String(port), DATABASE_URL: `sqlite:${folder}/metrics.db` };
    const demo = await startChild('node', ['src/main.ts', 'demo', '--exit'], { env: environment(settings) });
    started.push(demo);
    assert.equal((await demo.ended).status, 0);
    const refused = await run(['serve'], settings);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^EADDRINUSE: .*METRICS_PORT/);
  });

  test('names HOST when it is no host', async () => {
    const refused = await run(['serve'], {
      HOST: `${'x'.repeat(64)}.invalid`,
      DATABASE_URL: `sqlite:${folder}/host.db`,
    });
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /^ENOTFOUND: .*\bHOST\b/);
  });

  test('starts again at once after kill -9, without any clean-up', async () => {
    const first = await serve();
    await first.end('SIGKILL');
    const second = await serve();
    const held = readdirSync(folder).filter((name) => name.startsWith('rubrica.db.serving'));
    assert.deepEqual(held, ['rubrica.db.serving']);
    assert.equal((await second.end()).status, 0);
    const files = readdirSync(folder).filter((name) => name.startsWith('rubrica.db'));
    assert.deepEqual(files, ['rubrica.db', 'rubrica.db.serving']);
    for (const file of files) assert.equal(statSync(join(folder, file)).mode & 0o77, 0, file);
    await serve();
  });

  test('stops and says why when its store is removed', async () => {
    const store = join(folder, 'removed.db');
    const child = await serve({ DATABASE_URL: `sqlite:${store}` });
    rmSync(store);
    const { status, stdout } = await child.ended;
    assert.equal(status, 70);
    assert.match(stdout, /"alarm":"unfit_for_store".*removed\.db was removed while the service had it open: stopping/);
  });

  test('prints the console’s address and the next step for a person, and logs JSON for a program', async () => {
    const greeted = async () => {
      const child = await startChild('node', ['src/main.ts', 'serve'], {
        env: environment({ LOG_FORMAT: 'text', DATABASE_URL: `sqlite:${folder}/greeting.db` }),
      });
      started.push(child);
      const { stdout } = await child.until((written) => written.stdout.includes('Ctrl+C'));
      await child.end();
      return { greeting: stdout, ending: child.written().stdout.slice(stdout.length) };
    };
    const settings = { DATABASE_URL: `sqlite:${folder}/greeting.db` };
    const { greeting, ending } = await greeted();
    assert.match(greeting, /Console {2}http:\/\/127\.0\.0\.1:\d+\/console\n/);
    assert.match(greeting, /Next {5}bin\/rubrica payment-service create --name 'Mi tienda'\n/);
    assert.match(ending, /^[\d:]{8} {2}stopping\n[\d:]{8} {2}stopped\n$/);
    await run(['payment-service', 'create', '--name', 'Shop'], settings);
    assert.match((await greeted()).greeting, /Next {5}bin\/rubrica user create /);
    await run(['user', 'create', '--email', 'a@example.cl', '--role', 'owner', '--all-payment-services'], settings);
    assert.match((await greeted()).greeting, /Next {5}bin\/rubrica listen /);
    for (const line of (await serve(settings)).written().stdout.trim().split('\n')) JSON.parse(line);
  });

  test('starts in production without PUBLIC_URL, and warns which address payers and shops get', async () => {
    const production = {
      RUBRICA_ENV: 'production',
      MASTER_KEY: '5a'.repeat(32),
      DATABASE_URL: `sqlite:${folder}/p.db`,
    };
    const warned = (await serve(production))
      .written()
      .stdout.trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: number; msg: string })
      .filter(({ level }) => level === 40);
    assert.match(
      warned.map(({ msg }) => msg).join(),
      /PUBLIC_URL is not set, so payers and shops are sent to http:\/\/127/,
    );
  });

  test('stops on a signal when nobody reads its log any more', async () => {
    const child = await serve();
    child.stopReading();
    assert.equal((await child.end()).status, 0);
  });

  test('its ready line counts the applied migrations, and names the first and the last', async () => {
    const data = mkdtempSync(join(folder, 'first-'));
    const readyOf = async () => {
      const child = await serve({ DATA_DIR: data });
      const line =
        child
          .written()
          .stdout.split('\n')
          .find((text) => text.includes('"msg":"ready"')) ?? '';
      return (JSON.parse(line) as { migrations: unknown }).migrations;
    };
    const names = readdirSync('migrations').toSorted();
    assert.deepEqual(await readyOf(), { count: names.length, first: names[0], last: names.at(-1) });
    assert.deepEqual(await readyOf(), { count: 0 }, 'the second start');
  });

  test('listens during DRAIN_DELAY after the first signal, and stops at the second', async () => {
    const child = await serve({ DRAIN_DELAY: '600' });
    const [ready = ''] = child
      .written()
      .stdout.split('\n')
      .filter((line) => line.includes('"msg":"ready"'));
    const { url } = JSON.parse(ready) as { url: string };
    child.signal('SIGTERM');
    assert.ok(await comesTrue(async () => (await fetch(`${url}/readyz`)).status === 503));
    assert.equal((await fetch(`${url}/healthz`)).headers.get('connection'), 'close');
    assert.equal((await child.end('SIGINT')).status, 0);
  });

  async function serve(settings: Record<string, string> = {}): Promise<Child> {
    for (const child of started.splice(0)) await child.end();
    const child = await startChild('node', ['src/main.ts', 'serve'], { env: environment(settings) });
    started.push(child);
    await child.until(({ stdout }) => stdout.includes('"ready"'));
    return child;
  }

  function run(arguments_: string[], settings: Record<string, string> = {}): Promise<Ended> {
    return runCommand(arguments_, { env: environment(settings) });
  }

  function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
    return { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0', ...settings };
  }
});
