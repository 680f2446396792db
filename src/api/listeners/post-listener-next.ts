import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { takeNext } from '../../outbox/listeners/listen-for-callbacks.ts';
import { LISTENER_ERRORS, LISTENER_PATH, requireListener } from './listener-reply.ts';

/** Shorter than the time-outs of proxies. */
const WAIT_MS = 10_000;

const header = Type.Object({ name: Type.String(), value: Type.String() });

const callback = Type.Object(
  {
    id: Type.Integer(),
    lease: Type.String({ description: 'Lease of the callback, to send in the report' }),
    transaction: Type.Integer({ description: 'Id of the transaction; 0: none' }),
    attempt: Type.Integer({ description: 'Number of the attempt, from 1' }),
    url: Type.String({ description: 'URL of the shop. Post to your own address instead' }),
    headers: Type.Array(header, { description: 'Headers to send, with the signature of this attempt' }),
    body: Type.String({ description: 'Body to send, byte for byte' }),
  },
  { $id: 'ListenedCallback' },
);

const EXAMPLE = {
  id: 1,
  lease: 'AbCdEfGhIjKlMnOp',
  transaction: 1001,
  attempt: 1,
  url: 'https://shop.example/callback',
  headers: [{ name: 'webhook-id', value: 'evt_1001_2' }],
  body: 'x_account_id=st_1&x_result=completed',
};

/** Returns the next callback of the listener; null after `WAIT_MS`, or when a newer request of it waits. */
export const postListenerNext = operation({
  describe: {
    operationId: 'takeCallback',
    summary: 'Take the next development callback',
    description:
      'Returns the callback that has been due for longest, or null after 10 seconds without one. A newer request of the same listener ends an earlier one with null. Its lease lasts a minute: post it, then report the result. A callback without a report is returned again.',
    tag: 'Webhooks',
    parameters: LISTENER_PATH,
    replies: {
      200: {
        description: 'The callback, or null',
        schema: replyOf('ListenedCallbackReply', Type.Object({ callback: Type.Nullable(callback) })),
        example: { message: 'OK', errors: null, data: { callback: EXAMPLE } },
      },
    },
    errors: ['LISTENER_ENDED', ...LISTENER_ERRORS],
  },
  handle: async (app, request) => {
    const listener = await requireListener(app, request);
    const taken = await takeNext(app, listener, WAIT_MS, () => request.raw.socket.destroyed);
    if (taken === null) return { message: 'OK', errors: null, data: { callback: null } };
    const { transactionId, headers, ...post } = taken;
    const named = Object.entries(headers).map(([name, value]) => ({ name, value }));
    return {
      message: 'OK',
      errors: null,
      data: { callback: { ...post, transaction: transactionId, headers: named } },
    };
  },
});
