import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { showAttention } from '../../attention/measure-attention.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { perInstance } from '../../lib/per-instance.ts';

/** Answers the metrics for Prometheus, to this machine alone. Others read it at METRICS_PORT. */
export const getMetrics = operation({
  unlimited: true,
  notBelowBasePath: true,
  describe: {
    operationId: 'metrics',
    summary: 'Metrics in the Prometheus text format',
    description:
      'For clients on the same machine that no proxy stands before. Where `METRICS_PORT` is set they are there, and not found here.',
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

/** Where a proxy on the same machine hands on a request, it says for whom. */
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

/** Of the time of this process that making them may take: a tenth. */
const PAUSE_FOR_EACH_MS = 10;
const LONGEST_PAUSE_MS = 1_000;

/** The metrics as text, made anew when they were last made long enough ago: asking for them all the time stops nobody. */
export async function readMetrics(app: App): Promise<{ type: string; text: Buffer }> {
  const last = lastOf(app);
  if (performance.now() >= last.until) {
    last.until = Number.POSITIVE_INFINITY;
    last.text = make(app, last);
  }
  return { type: app.metrics.registry.contentType, text: await last.text };
}

/** As bytes, which all answers share: one that its client does not read holds none of its own. */
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
