import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { openDatabase } from '../../../src/db/open-database.ts';
import { listenForMetrics } from '../../../src/server/listen-for-metrics.ts';
import { SERVER_LIMITS } from '../../../src/server/server-limits.ts';
import { findFreePort } from '../../support/free-port.ts';
import { createTestApp } from '../../support/test-app.ts';
import { startTestServer } from '../../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });

function createApp(settings: Record<string, string>) {
  return createTestApp(db, { config: readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings }) });
}

test('the metrics answer only this machine: a forwarded request gets 404', async () => {
  await using server = await startTestServer(createApp({}));
  assert.match((await server.get('/metrics')).text, /^rubrica_conflicts_total/m);
  for (const name of ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Forwarded', 'Via'])
    assert.equal((await server.get('/metrics', { [name]: '127.0.0.1' })).status, 404, name);
});

// A proxy that refuses /metrics would pass on BASE_PATH/metrics.
test('the metrics are not below BASE_PATH', async () => {
  await using server = await startTestServer(createApp({ BASE_PATH: '/pagos' }));
  assert.equal((await server.get('/pagos/metrics')).status, 404);
  assert.equal((await server.post('/pagos/metrics')).status, 404);
  assert.equal((await server.get('/metrics')).status, 200);
});

test('with METRICS_PORT, that port serves only the metrics, and the main port does not serve them', async () => {
  const port = await findFreePort();
  const app = createApp({ METRICS_PORT: String(port) });
  await using server = await startTestServer(app);
  const metrics = await listenForMetrics(app);
  try {
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const answer = await ask('/metrics');
    assert.deepEqual([answer.status, /^rubrica_/m.test(await answer.text())], [200, true]);
    assert.equal((await ask('/healthz')).status, 404);
    assert.equal((await server.get('/metrics')).status, 404);
  } finally {
    metrics?.close();
    metrics?.closeAllConnections();
  }
});

// The requests run in the event loop that takes payments, so the listener must not begin all of them.
test('a client that pipelines 1,500 requests to METRICS_PORT is cut off after a few, and others are served', async () => {
  const port = await findFreePort();
  const app = createApp({ METRICS_PORT: String(port) });
  const metrics = await listenForMetrics(app);
  try {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1500));
    await once(socket, 'close');
    const answers = text.match(/^HTTP\/1\.1 \d+/gm) ?? [];
    assert.ok(answers.length <= SERVER_LIMITS.waitingRequests + 2, `${answers.length} answers`);
    assert.match(await app.metrics.registry.metrics(), /^rubrica_refused_total\{reason="pipelining"\} [1-9]/m);
    assert.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 200);
  } finally {
    metrics?.close();
    metrics?.closeAllConnections();
  }
});

test('the metrics report a proxy that forwards requests while TRUST_PROXY is off', async () => {
  const app = createApp({});
  await using server = await startTestServer(app);
  assert.doesNotMatch((await server.get('/metrics')).text, /^rubrica_untrusted_proxy 1$/m);
  await server.get('/healthz', { 'x-forwarded-for': '203.0.113.9' });
  assert.equal((await app.metrics.untrustedProxy.get()).values[0]?.value, 1);
});
