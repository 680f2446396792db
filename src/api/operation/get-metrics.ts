import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { showAttention } from '../../attention/measure-attention.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { perInstance } from '../../lib/per-instance.ts';

/** Returns the metrics for Prometheus to clients on this machine. Other clients read them at METRICS_PORT. */
export const getMetrics = operation({
  unlimited: true,
  notBelowBasePath: true,
  describe: {
    operationId: 'metrics',
    summary: 'Read the metrics in the Prometheus text format',
    description:
      'Serves only clients on the same machine that no proxy forwards. If `METRICS_PORT` is set, the metrics are only on that port, and this path returns 404.',
    tag: 'Operation',
    replies: { 200: { description: 'Metrics' } },
    errors: ['NOT_FOUND'],
  },
  handle: async (app, request, reply) => {
    if (app.config.metricsPort !== null || !isFromThisMachine(request)) throw new Problem('NOT_FOUND');
    const { type, text } = await readMetrics(app);
    return reply.header('content-type', type).send(text);
  },
});

/** A proxy on the same machine sets one of these headers, so its requests do not count as local. */
const FORWARDING_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
];

function isFromThisMachine({ raw: { socket, headers } }: FastifyRequest): boolean {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return (address === '::1' || address.startsWith('127.')) && !FORWARDING_HEADERS.some((name) => name in headers);
}

/**
 * The pause after each millisecond of making the metrics, so that this takes a tenth of the process's time at most.
 * Above 100 ms `LONGEST_PAUSE_MS` shortens the pause, and the share grows.
 */
const PAUSE_FOR_EACH_MS = 10;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Returns the metrics as text. They are made again only after the pause, so that frequent requests cannot block the
 * process.
 */
export async function readMetrics(app: App): Promise<{ type: string; text: Buffer }> {
  const last = lastOf(app);
  if (performance.now() >= last.until) {
    last.until = Number.POSITIVE_INFINITY;
    last.text = make(app, last);
  }
  return { type: app.metrics.registry.contentType, text: await last.text };
}

/** The last metrics as bytes. All responses share them, so a client that does not read its response holds no copy. */
type Last = { text: Promise<Buffer>; until: number };

const lastOf = perInstance((_app: App): Last => ({ text: Promise.resolve(Buffer.alloc(0)), until: 0 }));

async function make(app: App, last: Last): Promise<Buffer> {
  let begun = performance.now();
  try {
    await showAttention(app);
    begun = performance.now();
    return Buffer.from(await app.metrics.registry.metrics());
  } finally {
    const now = performance.now();
    last.until = now + Math.min(LONGEST_PAUSE_MS, (now - begun) * PAUSE_FOR_EACH_MS);
  }
}
