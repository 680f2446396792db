// What the receivers beside this file share: verifies a callback and carries its order out exactly once.
// Environment: SERVICE_TOKEN, SECRET_TOKEN; OLD_SECRET_TOKEN while one replaces the other; PORT; ENVIRONMENT=production for the
// tokens for production; ORDERS_FILE with orders such as bin/rubrica chaos orders prints, amounts in pesos.
// The package must be there: npm install @rubrica/sdk, or in a clone: bin/install --dev && npm run build --prefix sdk
import { readFileSync } from 'node:fs';
import { compareWithOrder, verifyCallback } from '@rubrica/sdk';

for (const name of ['SERVICE_TOKEN', 'SECRET_TOKEN']) {
  if (process.env[name]) continue;
  console.error(`Set ${name} to what bin/rubrica payment-service create printed.`);
  process.exit(1);
}

const known = process.env.ORDERS_FILE
  ? JSON.parse(readFileSync(process.env.ORDERS_FILE, 'utf8'))
  : [
      { reference: 'ORD-1', amount: 12990, currency: 'CLP' },
      { reference: 'ORD-7', amount: 5000, currency: 'CLP' },
    ];
const orders = new Map(known.map((order) => [order.reference, { ...order, state: 'open', deliveries: 0 }]));

/** The status to answer with. `body` is what arrived, as bytes or text, before a framework parsed it. */
export function receiveCallback(body = '', headers = {}) {
  const callback = verifyCallback({
    body,
    headers,
    secret: [process.env.SECRET_TOKEN, process.env.OLD_SECRET_TOKEN].filter(Boolean),
    requireWebhookHeaders: true,
    expected: { account: process.env.SERVICE_TOKEN, test: process.env.ENVIRONMENT !== 'production' },
  });
  if (!callback.ok) return refuse(callback);
  const { x_reference: reference, x_result: result } = callback.data;
  const order = orders.get(reference);
  if (order === undefined) return refuse({ code: 'NO_SUCH_ORDER', message: reference }, 404);
  const difference = compareWithOrder(callback.data, { amount: order.amount, currency: order.currency });
  if (difference !== null) return refuse(difference);
  if (result === 'completed' && markAsPaid(order)) console.log(`paid ${reference}`);
  return 200;
}

/** The state of an order, as JSON, or null: for `--order-url` of bin/rubrica chaos run. */
export function tellOrder(reference) {
  const order = orders.get(reference);
  return order === undefined ? null : JSON.stringify(order);
}

// In a database: update orders set state = 'paid' where reference = ? and state = 'open', and look at the number of
// rows. What is to be delivered is noted in the same transaction.
function markAsPaid(order) {
  if (order.state !== 'open') return false;
  order.state = 'paid';
  order.deliveries += 1;
  return true;
}

function refuse({ code, message }, status = 400) {
  console.log(`refused: ${code} ${message}`);
  return status;
}
