// Receives callbacks with Express:  node receiver-express.mjs
import express from 'express';
import { receiveCallback, tellOrder } from './receive-callback.mjs';

const app = express();
// As bytes: what is verified is the body as it arrived.
const readBytes = express.raw({ type: 'application/x-www-form-urlencoded', limit: '16kb' });
app.post('/callback', readBytes, (request, response) => {
  response.sendStatus(receiveCallback(request.body, request.headers));
});
// For --order-url of bin/rubrica chaos run.
app.get('/orders/:reference', (request, response) => {
  const order = tellOrder(request.params.reference);
  response.status(order === null ? 404 : 200).send(order ?? '');
});

const server = app.listen(process.env.PORT ?? 9000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
