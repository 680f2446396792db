// Receives callbacks with Express:  node receiver-express.mjs
import express from 'express';
import { receiveCallback } from './receive-callback.mjs';

const app = express();
// As bytes: what is verified is the body as it arrived.
const readBytes = express.raw({ type: 'application/x-www-form-urlencoded', limit: '16kb' });
app.post('/callback', readBytes, (request, response) => {
  response.sendStatus(receiveCallback(request.body, request.headers));
});

const server = app.listen(process.env.PORT ?? 9000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
