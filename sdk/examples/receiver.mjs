// Receives callbacks in plain Node, without any package, and carries each order out exactly once.
//   node receiver.mjs
// Environment: SERVICE_TOKEN, SECRET_TOKEN; OLD_SECRET_TOKEN while one replaces the other; PORT; ENVIRONMENT=production for the
// tokens for production; ORDERS_FILE with orders such as bin/rubrica chaos orders prints, amounts in pesos.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const FIELDS =
  'x_account_id x_amount x_currency x_gateway_reference x_message x_reference x_result x_test x_timestamp'.split(' ');
// The message has no separators: a value with the name of a field in it could be read in two ways.
const ANY_NAME =
  /x_(account_id|amount|billing_details|currency|customer_email|document|gateway_reference|message|products|reference|result|session_id|shippment|shop_country|signature|test|timestamp|url_callback|url_cancel|url_complete)/;
const LARGEST_BODY = 16 * 1024;
const TOLERANCE_SECONDS = 300;
// The payer's browser comes back to these pages. They decide nothing: the callback does.
const PAGES = ['/', '/complete', '/cancel'];

const { SERVICE_TOKEN, SECRET_TOKEN, OLD_SECRET_TOKEN, ENVIRONMENT, ORDERS_FILE, PORT = '9000' } = process.env;
if (!SERVICE_TOKEN || !SECRET_TOKEN) {
  console.error('Set SERVICE_TOKEN and SECRET_TOKEN to what bin/rubrica payment-service create printed.');
  process.exit(1);
}
const SECRETS = [SECRET_TOKEN, OLD_SECRET_TOKEN].filter(Boolean);
const TEST = String(ENVIRONMENT !== 'production');

const known = ORDERS_FILE
  ? JSON.parse(readFileSync(ORDERS_FILE, 'utf8'))
  : [
      { reference: 'ORD-1', amount: 12990, currency: 'CLP' },
      { reference: 'ORD-7', amount: 5000, currency: 'CLP' },
    ];
const orders = new Map(known.map((order) => [order.reference, { ...order, state: 'open', deliveries: 0 }]));

/** The status to answer with. */
function receive(body, headers) {
  const fields = verify(body);
  if (fields === null || !isSentNow(body, headers)) return refuse('it is not genuine, or was not sent just now');
  if (fields.x_account_id !== SERVICE_TOKEN) return refuse('it is of another account');
  const order = orders.get(fields.x_reference);
  if (order === undefined) return refuse(`there is no order ${fields.x_reference}`, 404);
  // A completed test is not a payment, and a payment of another amount is not one of this order.
  const same = Number(fields.x_amount) === order.amount && fields.x_currency === order.currency;
  if (!same || fields.x_test !== TEST) return refuse('it is of another amount or environment');
  if (fields.x_result === 'completed' && markAsPaid(order)) console.log(`paid ${fields.x_reference}`);
  return 200;
}

/** The nine signed fields, or null where the signature or the form is wrong. Takes the raw body. */
function verify(body) {
  const pairs = [...new URLSearchParams(body)];
  const { x_signature: received = '', ...fields } = Object.fromEntries(pairs);
  if (pairs.length !== FIELDS.length + 1 || Object.keys(fields).sort().join(' ') !== FIELDS.join(' ')) return null;
  if (FIELDS.some((name) => fields[name] === '' || ANY_NAME.test(fields[name]))) return null;
  const message = FIELDS.map((name) => name + fields[name]).join('');
  const expected = SECRETS.map((secret) => createHmac('sha256', secret).update(message).digest('hex'));
  return expected.some((one) => isSame(one, received)) ? fields : null;
}

/** Whether the headers are of this body and of now: a request that somebody kept cannot be sent again. */
function isSentNow(body, headers) {
  const sentAt = headers['webhook-timestamp'] ?? '';
  const signed = `${headers['webhook-id']}.${sentAt}.${body}`;
  const received = (headers['webhook-signature'] ?? '').split(' ', 8);
  const genuine = SECRETS.some((secret) => {
    const key = new Uint8Array(hkdfSync('sha256', secret, '', 'callback-v2', 32));
    const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return received.some((one) => isSame(expected, one));
  });
  return genuine && Math.abs(Date.now() / 1000 - Number(sentAt)) <= TOLERANCE_SECONDS;
}

function isSame(expected, received) {
  const [one, other] = [Buffer.from(expected), Buffer.from(received)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// In a database: update orders set state = 'paid' where reference = ? and state = 'open', and look at the number of
// rows. What is to be delivered is noted in the same transaction.
function markAsPaid(order) {
  if (order.state !== 'open') return false;
  order.state = 'paid';
  order.deliveries += 1;
  return true;
}

function refuse(reason, status = 400) {
  console.log(`refused a callback: ${reason}`);
  return status;
}

async function readBody(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LARGEST_BODY) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function answer(request, response) {
  const body = await readBody(request);
  if (body === null) return response.writeHead(413).end();
  const [path] = request.url.split('?');
  if (request.method === 'POST' && path === '/callback')
    return response.writeHead(receive(body, request.headers)).end();
  // For --order-url of bin/rubrica chaos run.
  const order = orders.get(decodeURIComponent(/^\/orders\/(.+)/.exec(path)?.[1] ?? ''));
  if (order !== undefined) return response.writeHead(200).end(JSON.stringify(order));
  if (path.startsWith('/orders/')) return response.writeHead(404).end();
  if (!PAGES.includes(path)) return response.writeHead(404).end();
  const text = [...orders].map(([reference, { state }]) => `${reference} is ${state}\n`).join('');
  return response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
