import { createServer } from 'node:http';
import { announce } from './announce.ts';

// The minimum of `node:http`: reads a request to its end and returns the same bytes each time.

const BODY = JSON.stringify({
  message: 'Trx creada exitosamente',
  errors: null,
  data: {
    idTrx: 1001,
    payUrl: [{ name: 'gateway', code: 'gateway', url: 'http://127.0.0.1/pay/rt-XXXXXXXXXXXXXXXXXXXXXX' }],
  },
});

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length });
    response.end(BODY);
  });
});
announce(server);
