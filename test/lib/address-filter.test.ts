import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOutboundUrl, hostKind, isPublicAddress, sameAddress } from '../../src/lib/network/address-filter.ts';

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:2800:220:1:248:1893:25c8:1946',
  '2800:3f0:4003:c00::71',
  '2001:200::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
];

const forbiddenAddresses = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'shared by carriers': ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
  'link-local': ['169.254.0.0', '169.254.169.254', '169.254.255.255', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'cloud metadata': ['168.63.129.16', 'fd00:ec2::254', '192.0.0.192'],
  'protocol assignments': ['192.0.0.0', '192.0.0.255', '2001:0:1::1', '2001:2::1', '2001:10::1', '2001:20::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1', '3fff:fff::1'],
  benchmarks: ['198.18.0.0', '198.19.255.255'],
  'relays and sinks': ['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1', '2620:4f:8000::1', '3ffe::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'reserved and broadcast': ['240.0.0.0', '255.255.255.254', '255.255.255.255'],
  unspecified: ['::', '0:0:0:0:0:0:0:0'],
  'unique local and site local': ['fc00::1', 'fdff:ffff::1', 'fec0::1'],
  Teredo: ['2001::1', '2001:0:7f00:1::'],
  '6to4': ['2002:7f00:1::', '2002:808:808::1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::FFFF:10.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe'],
  'IPv4-compatible and translated': ['::127.0.0.1', '::7f00:1', '::8.8.8.8', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1'],
  'discard and segment routing': ['100::1', '5f00::1'],
  'not an address in its standard spelling': [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '2130706433',
    '[::1]',
    '2606:4700::1%eth0',
  ],
};

test('ordinary Internet addresses are public', () => {
  for (const address of publicAddresses) assert.equal(isPublicAddress(address), true, address);
});

for (const [range, addresses] of Object.entries(forbiddenAddresses)) {
  test(`${range}: refused`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
  });
}

test('spellings of one address are equal', () => {
  assert.ok(sameAddress('::ffff:8.8.8.8', '8.8.8.8'));
  assert.ok(sameAddress('2606:0:0::1', '2606::1'));
  assert.ok(!sameAddress('8.8.8.8', '8.8.4.4'));
});

test('every host has its kind', () => {
  const kinds = {
    'shop.example.com': 'name',
    'xn--ls8h.la': 'name',
    'a-1.b2.cl': 'name',
    '127.0.0.1': 'address',
    '[::1]': 'address',
    localhost: 'single-label',
    intranet: 'single-label',
    'app.localhost': 'local-name',
    'printer.local': 'local-name',
    'metadata.google.internal': 'local-name',
    'nas.home.arpa': 'local-name',
    'mylocal.cl': 'name',
    'shop.example.com.': 'malformed',
    'localhost.': 'malformed',
    'm..example.com': 'malformed',
    'a_b.example.com': 'malformed',
    '-a.example.com': 'malformed',
    'xn--': 'malformed',
    [`${'a'.repeat(64)}.cl`]: 'malformed',
    [`${'a.'.repeat(127)}cl`]: 'malformed',
  };
  for (const [host, kind] of Object.entries(kinds)) assert.equal(hostKind(host), kind, host);
});

const accepted = [
  'https://shop.example.com/cb',
  'https://shop.example.com/',
  'https://shop.example.com',
  'https://shop.example.com?wc-api=shop',
  'https://shop.example.com:8443/cb?token=a%20b&x=[1]#part',
];

const refused = {
  INVALID_URL: [
    '',
    'shop.example.com/cb',
    '//shop.example.com/cb',
    'https://',
    'https://?a',
    'http://shop.example.com/cb',
    'ftp://shop.example.com/',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:/shop.example.com',
    'https://user:pass@shop.example.com/',
    'https://user@shop.example.com/',
    'https://shop.example.com@127.0.0.1/',
    'https://shop.example.com%2f@evil.example.net/',
    'https://shop.example.com\\@127.0.0.1/',
    'https://shop.example.com/a b',
    ' https://shop.example.com/',
    'https://shop.example.com/\n',
    'https://sh\top.example.com/',
    'https://SHOP.example.com/',
    'HTTPS://shop.example.com/',
    'https://shop.example.com:443/',
    'https://shop.example.com:0443/',
    'https://shop.example.com/a/../b',
    'https://shop.example.com/%2e%2e/../b',
    'https://shop.example.com/é',
    'https://xn--/',
    'https://m..example.com/',
    'https://shop.example.com./',
    `https://${'a'.repeat(64)}.example.com/`,
    'https://localhost/',
    'https://localhost./',
    'https://intranet/',
    'https://2130706433/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://0/',
    'https://127.0.0.1./',
    'https://１２７.０.０.１/',
    'https://①②⑦.0.0.1/',
    'https://127。0。0。1/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[fe80::1%25eth0]/',
    'https://1.2.3.4.5/',
  ],
  URL_NOT_ALLOWED: [
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://255.255.255.255/',
    'https://8.8.8.8/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fd00:ec2::254]/',
    'https://printer.local/',
    'https://db.internal/',
    'https://metadata.google.internal/',
    'https://app.localhost/',
    'https://shop.example.com:80/',
    'https://shop.example.com:22/',
    'https://shop.example.com:6379/',
    'https://pay.example.com/healthz',
    'https://pay.example.com:8443/',
  ],
};

const ownAddresses = ['pay.example.com', '198.51.100.7'];

test('public https URLs in their normal form are accepted', () => {
  for (const url of accepted) assert.equal(checkOutboundUrl(url, { allowPrivate: false, ownAddresses }), null, url);
});

for (const [code, urls] of Object.entries(refused)) {
  test(`${code}: every spelling is refused with a fix, and never quoted`, () => {
    for (const url of urls) {
      const refusal = checkOutboundUrl(url, { allowPrivate: false, ownAddresses });
      assert.equal(refusal?.code, code, url);
      assert.ok(refusal.message.endsWith('.') && refusal.fix.endsWith('.'));
    }
  });
}

test('in development, http, private hosts and every port are accepted', () => {
  const urls = [
    'http://127.0.0.1:9000/cb',
    'http://localhost:3000/',
    'https://[::1]:8080/',
    'http://my_shop:3000/',
    'https://db.internal:5000/',
  ];
  for (const url of urls) assert.equal(checkOutboundUrl(url, { allowPrivate: true }), null, url);
});

test('a URL has at most 2048 characters', () => {
  const url = (length: number) => 'https://shop.example.com/'.padEnd(length, 'a');
  assert.equal(checkOutboundUrl(url(2048), { allowPrivate: false }), null);
  assert.match(checkOutboundUrl(url(2049), { allowPrivate: false })?.message ?? '', /more than 2048/);
});

test('in development, only the exact origin of this program is refused as its own', () => {
  const policy = { allowPrivate: true, ownAddresses: ['pay.example.com'], ownOrigins: ['http://127.0.0.1:8080'] };
  const own = checkOutboundUrl('http://127.0.0.1:8080/trxs', policy);
  assert.equal(own?.code, 'URL_NOT_ALLOWED');
  assert.match(own.message, /leads back/);
  for (const url of [
    'http://127.0.0.1:9000/',
    'https://127.0.0.1:8080/',
    'http://10.0.0.1:8080/',
    'https://pay.example.com/',
  ]) {
    assert.equal(checkOutboundUrl(url, policy), null, url);
  }
});

test('in development, a URL with another spelling, credentials or a non-web scheme is still refused', () => {
  const urls = ['http://127.1/', 'http://u:p@localhost/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'x'];
  for (const url of urls) assert.equal(checkOutboundUrl(url, { allowPrivate: true })?.code, 'INVALID_URL', url);
});
