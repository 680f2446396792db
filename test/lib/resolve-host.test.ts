import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Resolve, resolveHost } from '../../src/lib/network/resolve-host.ts';

const hosts: Record<string, string[]> = {
  'shop.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'one-private.example.com': ['93.184.216.34', '10.0.0.1'],
  'private-first.example.com': ['::1', '93.184.216.34'],
  'pay.example.com': ['198.41.0.4'],
  'alias.example.com': ['::ffff:198.41.0.4'],
};

const resolve: Resolve = async (host) => {
  const found = hosts[host];
  if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  return found;
};

const strict = { allowPrivate: false };

test('a host with only public addresses resolves to them, in their order', async () => {
  assert.deepEqual(await resolveHost('shop.example.com', resolve, strict, 1_000), hosts['shop.example.com']);
});

for (const host of ['one-private.example.com', 'private-first.example.com', '127.0.0.1', '::1']) {
  test(`${host} is refused because one address is forbidden`, async () => {
    assert.equal(await resolveHost(host, resolve, strict, 1_000), null);
  });
}

test('no address is refused where private addresses are allowed', async () => {
  assert.deepEqual(await resolveHost('127.0.0.1', resolve, { allowPrivate: true }, 1_000), ['127.0.0.1']);
});

for (const own of ['pay.example.com', '198.41.0.4']) {
  test(`with ${own} as its own address, the program does not call itself under another name`, async () => {
    const rules = { allowPrivate: false, ownAddresses: [own] };
    assert.equal(await resolveHost('alias.example.com', resolve, rules, 1_000), null);
    assert.equal(await resolveHost('pay.example.com', resolve, rules, 1_000), null);
    assert.notEqual(await resolveHost('shop.example.com', resolve, rules, 1_000), null);
  });
}

test('an own name that does not resolve does not affect other hosts', async () => {
  const rules = { allowPrivate: false, ownAddresses: ['gone.example.com'] };
  assert.deepEqual(await resolveHost('shop.example.com', resolve, rules, 1_000), hosts['shop.example.com']);
});

test('an unknown name and a silent name server reject with a code', async () => {
  await assert.rejects(resolveHost('gone.example.com', resolve, strict, 1_000), { code: 'ENOTFOUND' });
  const silent: Resolve = () => new Promise(() => {});
  await assert.rejects(resolveHost('shop.example.com', silent, strict, 1), { code: 'ETIMEDOUT' });
});
