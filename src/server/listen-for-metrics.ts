import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { readMetrics } from '../api/operation/get-metrics.ts';
import type { App } from '../app.ts';
import { holdBack } from '../http/hold-back.ts';
import { guardSockets } from './guard-sockets.ts';

const CONNECTIONS = 32;

/**
 * Serves only the metrics, at METRICS_HOST and METRICS_PORT. Returns null if they are not set. It keeps no process
 * alive.
 */
export async function listenForMetrics(app: App): Promise<Server | null> {
  const { metricsPort: port, metricsHost: host } = app.config;
  if (port === null) return null;
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer({ keepAliveTimeout: 5_000, headersTimeout: 10_000, requestTimeout: 10_000 });
  server.on('request', (request, response) => {
    void answer(app, request, response).catch((error) => {
      app.log.error({ err: error }, 'the metrics could not be made');
      response.writeHead(500).end();
    });
  });
  // It shares the event loop with payments, so its connections are limited in the same way.
  guardSockets(app, server, app.config.rateLimits);
  server.maxConnections = CONNECTIONS;
  server.listen(port, host).unref();
  await once(server, 'listening');
  return server;
}

async function answer(app: App, { method, url, socket }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!['GET', 'HEAD'].includes(method ?? '') || url !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  // A monitor asks a few times a minute. One that asks all the time is delayed like a refused client.
  const heldMs = app.config.rateLimits ? holdBack(app, socket.remoteAddress ?? '') : 0;
  if (heldMs > 0) await wait(heldMs);
  const { type, text } = await readMetrics(app);
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(method === 'HEAD' ? '' : text);
}
