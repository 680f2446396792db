// Receives callbacks in plain Node, without any package, and marks each order as paid exactly once.
//   node receiver.mjs
// Environment: SERVICE_TOKEN, SECRET_TOKEN, PORT; ENVIRONMENT=production for the tokens for production.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const FIELDS =
  'x_account_id x_amount x_currency x_gateway_reference x_message x_reference x_result x_test x_timestamp'.split(' ');
// The message has no separators: a value with the name of a field in it could be read in two ways.
const ANY_NAME =
  /x_(account_id|amount|billing_details|currency|customer_email|document|gateway_reference|message|products|reference|result|session_id|shippment|shop_country|signature|test|timestamp|url_callback|url_cancel|url_complete)/;
const LARGEST_BODY = 16 * 1024;

const { SERVICE_TOKEN, SECRET_TOKEN, ENVIRONMENT, PORT = '9000' } = process.env;
if (!SERVICE_TOKEN || !SECRET_TOKEN) {
  console.error('Set SERVICE_TOKEN and SECRET_TOKEN to what bin/rubrica payment-service create printed.');
  process.exit(1);
}
const TEST = String(ENVIRONMENT !== 'production');

const orders = new Map([
  ['ORD-1', { amount: 12990, currency: 'CLP', state: 'open' }],
  ['ORD-7', { amount: 5000, currency: 'CLP', state: 'open' }],
]);

/** The status to answer with. */
function receive(body) {
  const fields = verify(body);
  if (fields === null) return refuse('it is not genuine');
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
  const expected = createHmac('sha256', SECRET_TOKEN).update(message).digest();
  const genuine = /^[0-9a-f]{64}$/.test(received) && timingSafeEqual(Buffer.from(received, 'hex'), expected);
  return genuine ? fields : null;
}

// In a database: update orders set state = 'paid' where reference = ? and state = 'open', and look at the number of
// rows. What is to be delivered is noted in the same transaction.
function markAsPaid(order) {
  if (order.state !== 'open') return false;
  order.state = 'paid';
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
  if (request.method === 'POST' && request.url === '/callback') return response.writeHead(receive(body)).end();
  // Where the payer's browser comes back to. It decides nothing: the callback does.
  const text = [...orders].map(([reference, { state }]) => `${reference} is ${state}\n`).join('');
  return response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
