import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CpuProfile, summarizeProfile } from '../../bench/support/profile-summary.ts';

const file = (path: string) => `file:///somewhere/${path}`;
const node = (id: number, functionName: string, url: string, children: number[] = []): CpuProfile['nodes'][number] => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
  children,
});

const nodes = [
  node(1, '(root)', '', [2, 3, 8]),
  node(2, 'main', file('src/main.ts')),
  node(3, 'parserOnIncoming', 'node:_http_server', [4, 6, 7]),
  node(4, 'handle', file('src/api/transactions/post-trxs.ts'), [5]),
  node(5, 'hash', ''),
  node(6, 'send', file('node_modules/fastify/lib/reply.js')),
  node(7, 'readHmac', file('protocol/hmac.ts')),
  node(8, '(idle)', ''),
];

test('time is counted for the nearest function with a file, after the warm-up and without idle time', () => {
  const profile = {
    nodes,
    samples: [2, 3, 4, 5, 6, 7, 8],
    timeDeltas: [5_000, 1_000, 3_000, 1_000, 2_000, 2_000, 9_000],
  };
  const { functions, areas } = summarizeProfile(profile, 2);
  assert.deepEqual(functions, [
    { name: 'handle, src/api/transactions/post-trxs.ts:10', share: 0.5 },
    { name: 'send, fastify/lib/reply.js:10', share: 0.25 },
    { name: 'readHmac, protocol/hmac.ts:10', share: 0.25 },
  ]);
  assert.deepEqual(areas, [
    { name: 'src/api/transactions/post-trxs', share: 0.5 },
    { name: 'fastify', share: 0.25 },
    { name: 'protocol/hmac', share: 0.25 },
  ]);
});
