import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createHostsFile } from '../../src/lib/network/hosts-file.ts';
import { createNameResolver } from '../../src/lib/network/resolve-name.ts';
import { outputOf } from '../support/child-process.ts';
import { startNameServer } from '../support/name-server.ts';

const names = await startNameServer({
  'shop.example.com': { a: ['93.184.216.34'], aaaa: ['2606:2800:220:1:0:0:0:1'] },
  'four.example.com': { a: ['93.184.216.34', '93.184.216.35'] },
  'silent.example.com': null,
  'none.example.com': {},
});
const folder = mkdtempSync(join(tmpdir(), 'rubrica-names-'));
after(() => {
  names.close();
  rmSync(folder, { recursive: true });
});

const hostsFile = (hostname: string) => (hostname === 'provider' ? ['fd00::7', '10.0.0.7'] : null);
const resolve = createNameResolver({ servers: [names.server], hostsFile });
const hasty = createNameResolver({ servers: [names.server], hostsFile, timeoutMs: 1 });

test('a name is looked up in both families, and IPv4 comes first', async () => {
  assert.deepEqual(await resolve('shop.example.com'), ['93.184.216.34', '2606:2800:220:1::1']);
  assert.deepEqual(await resolve('four.example.com'), ['93.184.216.34', '93.184.216.35']);
});

test('a name in the hosts file is not looked up by DNS', async () => {
  assert.deepEqual(await resolve('provider'), ['10.0.0.7', 'fd00::7']);
  assert.ok(!names.questions.includes('provider'));
});

test('a name that is unknown, has no address or has a silent name server rejects with a code', async () => {
  await assert.rejects(resolve('gone.example.com'), { code: 'ENOTFOUND' });
  await assert.rejects(resolve('none.example.com'), { code: 'ENODATA' });
  await assert.rejects(hasty('silent.example.com'), { code: 'ETIMEDOUT' });
});

test('concurrent calls for one name share a look-up, and no answer is cached', async () => {
  const before = names.questions.length;
  await Promise.all([resolve('shop.example.com'), resolve('shop.example.com')]);
  assert.equal(names.questions.length, before + 2);
  await resolve('shop.example.com');
  assert.equal(names.questions.length, before + 4);
});

test('look-ups work while every thread of the pool is busy', async () => {
  const pipe = join(folder, 'pipe');
  await outputOf('mkfifo', [pipe]);
  // Each open blocks a thread until somebody writes. Node has four such threads.
  const held = [1, 2, 3, 4, 5, 6].map(() => open(pipe, 'r'));
  assert.deepEqual(await resolve('shop.example.com'), ['93.184.216.34', '2606:2800:220:1::1']);
  const writer = openSync(pipe, 'w');
  for (const one of held) await (await one).close();
  closeSync(writer);
});

test('the hosts file is read again when it has changed', () => {
  const path = join(folder, 'hosts');
  const list = createHostsFile(path);
  assert.equal(list('provider'), null);
  writeFileSync(path, '# ours\n127.0.0.1 localhost\n10.0.0.7\tProvider  provider.lan # and more\r\nfd00::7 provider\n');
  assert.deepEqual(list('provider'), ['10.0.0.7', 'fd00::7']);
  assert.deepEqual(list('provider.lan'), ['10.0.0.7']);
  assert.equal(list('more'), null);
  rmSync(path);
  assert.equal(list('provider'), null);
});

test('localhost and the names under it are this machine', async () => {
  for (const name of ['localhost', 'shop.localhost'])
    assert.deepEqual(await createNameResolver({ servers: [names.server] })(name), ['127.0.0.1', '::1']);
});
