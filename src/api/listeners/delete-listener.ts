import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { endListening } from '../../outbox/listeners/listen-for-callbacks.ts';
import { LISTENER_ERRORS, LISTENER_PATH, requireListener } from './listener-reply.ts';

/** Ends a listener. The service then sends the callbacks itself again. */
export const deleteListener = operation({
  describe: {
    operationId: 'endListening',
    summary: 'End a listener for development callbacks',
    description: 'Ends a listener. From then on the service sends the development callbacks itself again.',
    tag: 'Webhooks',
    parameters: LISTENER_PATH,
    replies: {
      200: {
        description: 'The listener has ended, now or earlier',
        schema: replyOf('ListenerEnded', Type.Null()),
        example: { message: 'OK', errors: null, data: null },
      },
    },
    errors: LISTENER_ERRORS,
  },
  handle: async (app, request) => {
    await endListening(app, await requireListener(app, request));
    return { message: 'OK', errors: null, data: null };
  },
});
