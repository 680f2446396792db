import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetwork, clientNetworks } from '../../src/lib/network/client-network.ts';

const cases: [string, string][] = [
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:0db8:0001:0002::ffff', '2001:db8:1:2::'],
  ['fe80::1%eth0', 'fe80::'],
  ['127.1', '127.0.0.1'],
  ['::ffff:no address', '::ffff:no address'],
  ['no address', 'no address'],
];

test('a client counts by its IPv4 address or the first 64 bits of its IPv6 address', () => {
  for (const [address, network] of cases) assert.equal(clientNetwork(address), network);
});

test('with fewer bits, IPv6 addresses count by the larger network of a provider', () => {
  assert.equal(clientNetwork('2001:db8:1:2ff:3::6', 56), '2001:db8:1:200::/56');
  assert.equal(clientNetwork('2001:db8:1:2ff:3::6', 48), '2001:db8:1::/48');
  for (const bits of [56, 48] as const) assert.equal(clientNetwork('::ffff:192.0.2.7', bits), '192.0.2.7');
});

test('the networks of an IPv6 address go from smallest to largest; an IPv4 address has one', () => {
  assert.deepEqual(clientNetworks('2001:db8:1:2ff:3::6'), [
    '2001:db8:1:2ff::',
    '2001:db8:1:200::/56',
    '2001:db8:1::/48',
  ]);
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7']) assert.deepEqual(clientNetworks(address), ['192.0.2.7']);
});
