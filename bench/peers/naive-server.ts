import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { announce } from './announce.ts';
import {
  createdBody,
  EVENT_COLUMNS,
  isSigned,
  type ShopRequest,
  TRANSACTION_COLUMNS,
  transactionValues,
} from './shop-request.ts';

// `node bench/peers/naive-server.ts URL SECRET`: a straightforward first version. The same framework and driver, with a
// begin, two inserts and a commit for every request.

const [url = '', secret = ''] = process.argv.slice(2);
const CONNECTIONS = 32;
const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
const places = (count: number) => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
const insertTransaction = `insert into transactions (${TRANSACTION_COLUMNS}) values (${places(16)})`;
const insertEvent = `insert into events (${EVENT_COLUMNS}) values (${places(5)})`;
let nextId = 1;

const server = fastify();
server.post('/trxs', async (request, reply) => {
  const body = request.body as ShopRequest;
  if (!isSigned(body, secret)) return reply.code(401).send();
  const id = nextId++;
  const paySecret = randomBytes(16).toString('base64url');
  await store(id, paySecret, body);
  return reply.type('application/json').send(createdBody(id, paySecret));
});
await server.ready();
announce(server.server);

async function store(id: number, paySecret: string, body: ShopRequest): Promise<void> {
  const now = Date.now();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({ name: 't', text: insertTransaction, values: transactionValues(id, body, now, paySecret) });
    await client.query({ name: 'e', text: insertEvent, values: [1, id, 1, now, 'transaction.created'] });
    await client.query('commit');
  } finally {
    client.release();
  }
}
