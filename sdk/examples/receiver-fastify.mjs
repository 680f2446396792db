// Receives callbacks with Fastify:  node receiver-fastify.mjs
import fastify from 'fastify';
import { receiveCallback, tellOrder } from './receive-callback.mjs';

const app = fastify({ bodyLimit: 16 * 1024 });
// As bytes: what is verified is the body as it arrived.
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
);
app.post('/callback', (request, reply) => reply.code(receiveCallback(request.body, request.headers)).send());
// For --order-url of bin/rubrica chaos run.
app.get('/orders/:reference', (request, reply) => {
  const order = tellOrder(request.params.reference);
  return reply.code(order === null ? 404 : 200).send(order ?? '');
});

console.log(await app.listen({ port: Number(process.env.PORT ?? 9000), host: '127.0.0.1' }));
