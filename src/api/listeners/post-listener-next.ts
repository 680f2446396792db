import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { takeNext } from '../../outbox/listen-for-callbacks.ts';
import { LISTENER_ERRORS, LISTENER_PATH, requireListener } from './listener-reply.ts';

/** Shorter than the time-outs of proxies. */
const WAIT_MS = 10_000;

const header = Type.Object({ name: Type.String(), value: Type.String() });

const callback = Type.Object(
  {
    id: Type.Integer(),
    lease: Type.String({ description: 'For the report' }),
    transaction: Type.Integer({ description: '0: it belongs to no transaction' }),
    attempt: Type.Integer({ description: 'From 1' }),
    url: Type.String({ description: 'Where the shop wants it; you post to a place of your own' }),
    headers: Type.Array(header, { description: 'With the signature of this attempt' }),
    body: Type.String({ description: 'These bytes' }),
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

/** Returns the next callback of the listener, or null after `WAIT_MS`. */
export const postListenerNext = operation({
  describe: {
    operationId: 'takeCallback',
    summary: 'Take the next callback of development',
    description:
      'Answers with the callback that has been due for longest, or after 10 seconds with null. It is yours for a minute: post it, then report the answer. What is not reported comes again.',
    tag: 'Webhooks',
    parameters: LISTENER_PATH,
    replies: {
      200: {
        description: 'The callback, or null',
        schema: Type.Object(
          {
            message: Type.String(),
            errors: Type.Null(),
            data: Type.Object({ callback: Type.Union([callback, Type.Null()]) }),
          },
          { $id: 'ListenedCallbackReply' },
        ),
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
