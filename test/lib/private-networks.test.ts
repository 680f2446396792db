import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOutboundUrl } from '../../src/lib/network/address-filter.ts';
import { isInNetworks, type Network, readPrivateNetwork } from '../../src/lib/network/private-networks.ts';
import { resolveHost } from '../../src/lib/network/resolve-host.ts';

const networks = ['10.20.0.0/16', '100.64.0.0/10', 'fd12:3456::/32'].map((text) => readPrivateNetwork(text) as Network);

test('only wholly private networks can be named', () => {
  assert.ok(networks.every((network) => network !== null));
  const refused = [
    '0.0.0.0/0',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '10.0.0.0/7',
    '8.8.8.0/24',
    '::/0',
    '::1/128',
    'fe80::/10',
    '10.20.0.0',
    'x',
  ];
  for (const text of refused) assert.equal(readPrivateNetwork(text), null, text);
});

test('an address belongs to a named network in any spelling; metadata services never do', () => {
  for (const ip of ['10.20.0.1', '::ffff:10.20.255.255', '100.64.0.1', 'fd12:3456:1::1'])
    assert.ok(isInNetworks(ip, networks), ip);
  for (const ip of [
    '10.21.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '100.100.100.200',
    'fd12:3457::1',
    'fe80::1%eth0',
    'x',
  ])
    assert.equal(isInNetworks(ip, networks), false, ip);
});

const URLS: [url: string, without: string | null, within: string | null][] = [
  ['https://10.20.1.5/cb', 'URL_NOT_ALLOWED', null],
  ['https://10.21.1.5/cb', 'URL_NOT_ALLOWED', 'URL_NOT_ALLOWED'],
  ['https://[fd12:3456::5]/cb', 'URL_NOT_ALLOWED', null],
  ['https://169.254.169.254/', 'URL_NOT_ALLOWED', 'URL_NOT_ALLOWED'],
  ['https://shop.internal/cb', 'URL_NOT_ALLOWED', null],
  ['https://10.20.1.5:22/cb', 'URL_NOT_ALLOWED', 'URL_NOT_ALLOWED'],
  ['http://10.20.1.5/cb', 'INVALID_URL', 'INVALID_URL'],
  ['https://shop.example.com/cb', null, null],
];
for (const [url, without, within] of URLS) {
  test(`${url} is ${within ?? 'accepted'} with named networks and ${without ?? 'accepted'} without`, () => {
    assert.equal(checkOutboundUrl(url, { allowPrivate: false })?.code ?? null, without);
    assert.equal(checkOutboundUrl(url, { allowPrivate: false, networks })?.code ?? null, within);
  });
}

test('a name is refused when one of its addresses is neither public nor in a named network', async () => {
  const ask = (addresses: string[]) =>
    resolveHost('shop.internal', async () => addresses, { allowPrivate: false, networks }, 1_000);
  assert.deepEqual(await ask(['10.20.0.1', '93.184.216.34']), ['10.20.0.1', '93.184.216.34']);
  assert.equal(await ask(['10.20.0.1', '10.21.0.1']), null);
  assert.equal(await ask(['127.0.0.1']), null);
});
