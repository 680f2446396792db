import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { readMembers } from '../../http/read-members.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { beginListening } from '../../outbox/listeners/listen-for-callbacks.ts';
import { findDevelopment, LISTENER_BODY_ERRORS, nameOf, readNumber } from './listener-reply.ts';

const RequestSchema = Type.Object(
  {
    payment_service: Type.Optional(
      Type.String({ description: 'Id of the payment service. Default: the only one that you see' }),
    ),
    replay: Type.Optional(Type.Integer({ description: 'Id of a callback to send again first' })),
  },
  { $id: 'ListenerRequest', additionalProperties: false },
);

const data = Type.Object({
  listener: Type.String({ description: 'Id of the listener, for its paths' }),
  payment_service: Type.String(),
  name: Type.String(),
});

const EXAMPLE = { listener: '1-AbCdEfGhIjKlMnOpQrStUv', payment_service: 'ps_0123456789abcdefghjk', name: 'Mi tienda' };

/** Creates a listener, which takes the callbacks of a development environment. */
export const postListeners = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'beginListening',
    summary: 'Start a listener for development callbacks',
    description:
      'Starts a listener. From now on, the callbacks caused by the development tokens of a payment service wait for the listener, and the service does not send them. Get each one with `/next`, post it, and report the result. A listener ends after 30 seconds without a request; then the service sends callbacks again. A newer listener replaces an older one. Production has no listeners. `bin/rubrica listen` uses this endpoint.',
    tag: 'Webhooks',
    body: RequestSchema,
    bodyExample: { payment_service: 'ps_0123456789abcdefghjk' },
    replies: {
      200: {
        description: 'The started listener',
        schema: replyOf('ListenerReply', data),
        example: { message: 'OK', errors: null, data: EXAMPLE },
      },
    },
    errors: [...LISTENER_BODY_ERRORS],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { payment_service, replay } = readMembers(request, RequestSchema);
    const environment = await findDevelopment(app, payment_service, user.environmentIds);
    const { id: environmentId, paymentServiceId, paymentServiceName } = environment;
    const asked = { environmentId, paymentServiceId, replay: replay === null ? null : readNumber('replay', replay) };
    const listener = await beginListening(app, asked, actorOf(request, user));
    const begun = { listener: nameOf(listener), payment_service: paymentServiceId, name: paymentServiceName };
    return { message: 'OK', errors: null, data: begun };
  },
});
