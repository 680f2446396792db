import { findHeld } from '../../epochs/hold.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { withinTime } from '../../lib/within-time.ts';

/** Reports that the process runs. */
export const getHealthz = operation({
  unlimited: true,
  describe: {
    operationId: 'health',
    summary: 'Check whether the process runs',
    description:
      'Answers as long as the process runs, also while it stops and without its database. For a load balancer use `GET /readyz`.',
    tag: 'Operation',
    replies: { 200: { description: 'The process runs', example: { status: 'ok' } } },
    errors: [],
  },
  handle: async (_app, _request, reply) => reply.header('content-type', 'application/json').send('{"status":"ok"}'),
});

/** Reports that the process can take requests: it is not stopping, and its database answers within 2 seconds. */
export const getReadyz = operation({
  unlimited: true,
  describe: {
    operationId: 'ready',
    summary: 'Check whether the process is ready for requests',
    description:
      'Adds `"held_after_restore": true` to the response while callbacks and refunds wait after a restore; requests are accepted.',
    tag: 'Operation',
    replies: { 200: { description: 'The process is ready for requests', example: { status: 'ready' } } },
    errors: ['STOPPING', 'STORAGE_UNAVAILABLE'],
  },
  handle: async (app, _request, reply) => {
    if (app.stopping.aborted) throw new Problem('STOPPING');
    // A load balancer gives up after a longer wait.
    const held = await withinTime(findHeld(app), 2_000).catch((failure: Error & { code?: string }) => {
      throw failure.code === 'ETIMEDOUT' ? new Problem('STORAGE_UNAVAILABLE') : failure;
    });
    const waits = held === null ? '' : ',"held_after_restore":true';
    return reply.header('content-type', 'application/json').send(`{"status":"ready"${waits}}`);
  },
});
