// Receives callbacks with Node and the SDK:  node receiver-node.mjs
import { createServer } from 'node:http';
import { receiveCallback, tellOrder } from './receive-callback.mjs';

const LARGEST_BODY = 16 * 1024;

const server = createServer((request, response) => {
  answer(request).then(
    ({ status, text }) => response.writeHead(status).end(text),
    () => response.destroy(),
  );
});
server.listen(process.env.PORT ?? 9000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});

async function answer(request) {
  const [, reference] = /^\/orders\/([^?]+)$/.exec(request.url) ?? [];
  const order = reference === undefined ? null : tellOrder(decodeURIComponent(reference));
  if (request.method === 'GET') return { status: order === null ? 404 : 200, text: order ?? '' };
  return { status: await receive(request), text: '' };
}

async function receive(request) {
  if (request.method !== 'POST') return 405;
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LARGEST_BODY) return 413;
    chunks.push(chunk);
  }
  return receiveCallback(Buffer.concat(chunks), request.headers);
}
