import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LoadPlan, LoadResult } from '../../bench/support/load-plan.ts';
import { runChild } from '../support/child-process.ts';
import { answerOf, type Reply, startRawServer } from '../support/raw-server.ts';

const program = join(import.meta.dirname, '../../bench/load-generator.ts');

/** Loads a server that answers with the bytes of a test. Returns the generator's result. */
async function load(reply: Reply, parts: Partial<LoadPlan> = {}) {
  const server = await startRawServer(reply);
  const request = { kind: 'create', serviceToken: 'a', secretToken: 'b', references: 'sequential' } as const;
  const plan: LoadPlan = {
    port: server.port,
    connections: 2,
    warmUpMs: 0,
    measureMs: 10_000,
    prepared: 20,
    repeat: false,
    request,
    ...parts,
  };
  const { status, stdout } = await runChild('node', [program, JSON.stringify(plan)]);
  await server.close();
  return {
    status,
    requests: server.requests,
    result: (stdout === '' ? null : JSON.parse(stdout)) as LoadResult | null,
  };
}

test('every prepared request is sent once, with its own reference and signature', async () => {
  const { requests, result } = await load((socket) => socket.write(answerOf(200, '{}')));
  assert.equal(result?.refused, 0);
  // The run ends with the first connection that has nothing more to send.
  assert.ok((result?.answers ?? 0) >= 19);
  const references = requests.map((request) => /"x_reference":"([^"]+)"/.exec(request)?.[1]);
  assert.equal(new Set(references).size, 20);
  assert.ok(requests.every((request) => /"x_signature":"[0-9a-f]{64}"/.test(request)));
});

test('an answer that arrives in pieces is counted once', async () => {
  const { result } = await load((socket) => {
    const answer = answerOf(200, '{"ok":true}');
    socket.write(answer.slice(0, 20));
    setImmediate(() => {
      socket.write(answer.slice(20, -3));
      setImmediate(() => socket.write(answer.slice(-3)));
    });
  });
  assert.equal(result?.refused, 0);
  assert.ok((result?.answers ?? 0) >= 19);
});

test('answers with another status are counted, and the first of them is kept', async () => {
  let count = 0;
  const { result } = await load((socket) => socket.write(answerOf(++count === 7 ? 503 : 200, '{}')));
  assert.equal(result?.refused, 1);
  assert.match(result?.refusal ?? '', /^HTTP\/1\.1 503/);
});

test('a server that closes a connection ends the run without a result', async () => {
  const { status, result } = await load((socket) => socket.end(answerOf(200, '{}')));
  assert.notEqual(status, 0);
  assert.equal(result, null);
});
