import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as sqlite from 'node:sqlite';
import { announce } from './announce.ts';
import {
  createdBody,
  EVENT_COLUMNS,
  isSigned,
  type ShopRequest,
  TRANSACTION_COLUMNS,
  transactionValues,
} from './shop-request.ts';

// `node bench/peers/bare-durable-server.ts FILE SECRET [BYTES]`: the cost of durability alone. Parses JSON, verifies
// the HMAC, and commits in groups the same two rows into a file with the service's schema: WAL, synchronous = FULL.
// With BYTES, every response is padded with spaces to that length.

const [file = '', secret = '', length = '0'] = process.argv.slice(2);
const ConnectionClass =
  (sqlite as unknown as { Database?: typeof sqlite.DatabaseSync }).Database ?? sqlite.DatabaseSync;
const database = new ConnectionClass(file);
database.exec(
  'pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -65536; pragma wal_autocheckpoint = 4000',
);
const places = (count: number) => Array.from({ length: count }, () => '?').join(', ');
const insertTransaction = database.prepare(`insert into transactions (${TRANSACTION_COLUMNS}) values (${places(16)})`);
const insertEvent = database.prepare(`insert into events (${EVENT_COLUMNS}) values (${places(5)})`);
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');

type Waiting = { request: ShopRequest; response: ServerResponse };
let waiting: Waiting[] = [];
let nextId = 1;

const server = createServer(take);
announce(server);

function take(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString()) as ShopRequest;
    if (!isSigned(body, secret)) {
      response.writeHead(401).end();
      return;
    }
    waiting.push({ request: body, response });
    if (waiting.length === 1) setImmediate(flush);
  });
}

function flush(): void {
  const group = waiting;
  waiting = [];
  const now = Date.now();
  const stored: { id: number; secret: string; response: ServerResponse }[] = [];
  begin.run();
  for (const { request, response } of group) {
    const id = nextId++;
    const paySecret = randomBytes(16).toString('base64url');
    insertTransaction.run(...transactionValues(id, request, now, paySecret));
    insertEvent.run(1, id, 1, now, 'transaction.created');
    stored.push({ id, secret: paySecret, response });
  }
  commit.run();
  for (const { id, secret: paySecret, response } of stored) {
    const body = createdBody(id, paySecret).padEnd(Number(length));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  }
}
