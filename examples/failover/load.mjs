// Creates transactions for half a minute while drill ends the primary, then holds what was answered against the database.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { sign } from '../../protocol/sign-fields.ts';

const CLIENTS = 16;
const SECONDS = 30;
const SERVICE = 'http://127.0.0.1:8080';

const folder = process.argv[2];
const tokens = JSON.parse(readFileSync(join(folder, 'tokens.json'), 'utf8')).development;
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** By reference: the id of what was acknowledged, and the last answer to what was not. */
const acknowledged = new Map();
const open = new Map();
const acknowledgedAt = [];
const answers = {};

const end = Date.now() + SECONDS * 1000;
await Promise.all(Array.from({ length: CLIENTS }, (_, client) => createUntilEnd(client)));
const endedAt = Number(readFileSync(join(folder, 'ended'), 'utf8'));

const before = await storedTransactions();
const told = acknowledged.size;
const lost = [...acknowledged].filter(([reference, id]) => before.get(reference) !== id);
const unanswered = [...open];
const committed = unanswered.filter(([reference]) => before.has(reference));
// Every other 503 says that nothing was stored.
const denied = committed.filter(([, outcome]) => outcome.startsWith('503') && outcome !== '503 OUTCOME_UNKNOWN');
for (const [reference] of unanswered) while (!(await create(reference))) await sleep(200);
const after = await storedTransactions();
const changed = [...acknowledged].filter(([reference, id]) => after.get(reference) !== id);

console.log(`answers: ${JSON.stringify(answers)}`);
console.log(`acknowledged: ${told}; lost: ${lost.length}`);
console.log(`longest time without any acknowledgement: ${longestGap()}`);
console.log(`not acknowledged: ${unanswered.length}, of these committed: ${committed.length}, though it was denied: ${denied.length}`);
console.log(`after every one of them was sent again: ${after.size} rows, with another id than answered: ${changed.length}`);
const wrong = lost.length + denied.length + changed.length + Math.abs(after.size - acknowledged.size);
process.exitCode = wrong === 0 ? 0 : 1;

async function createUntilEnd(client) {
  for (let count = 0; Date.now() < end; count++) {
    if (!(await create(`${client}-${count}`))) await sleep(50);
  }
}

async function create(reference) {
  const answer = await post(reference);
  answers[answer.outcome] = (answers[answer.outcome] ?? 0) + 1;
  if (answer.id === undefined) {
    open.set(reference, answer.outcome);
    return false;
  }
  open.delete(reference);
  acknowledged.set(reference, answer.id);
  if (Date.now() < end) acknowledgedAt.push(Date.now());
  return true;
}

async function post(reference) {
  const order = {
    x_account_id: tokens.service_token,
    x_amount: '5000',
    x_currency: 'CLP',
    x_customer_email: 'buyer@example.cl',
    x_reference: reference,
    x_session_id: 'session-1',
    x_shop_country: 'CL',
    x_url_callback: 'https://shop.example/callback',
    x_url_cancel: 'https://shop.example/cancel',
    x_url_complete: 'https://shop.example/complete',
  };
  const body = JSON.stringify(sign(order, tokens.secret_token));
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await fetch(`${SERVICE}/trxs`, { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) });
    const text = await response.text();
    if (response.ok) return { outcome: 'acknowledged', id: JSON.parse(text).data.idTrx };
    return { outcome: `${response.status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? 'of the balancer'}` };
  } catch (error) {
    return { outcome: error.cause?.code ?? error.name };
  }
}

/** Ids by reference, as the primary has them. */
async function storedTransactions() {
  const client = new pg.Client({ connectionString: 'postgres://postgres@127.0.0.1:25432/postgres' });
  await client.connect();
  const { rows } = await client.query('select reference, id::int from transactions');
  await client.end();
  return new Map(rows.map(({ reference, id }) => [reference, id]));
}

function longestGap() {
  const gaps = acknowledgedAt.slice(1).map((at, index) => ({ from: acknowledgedAt[index], length: at - acknowledgedAt[index] }));
  const { from, length } = gaps.reduce((longest, gap) => (gap.length > longest.length ? gap : longest));
  return `${(length / 1000).toFixed(1)} s, from ${((from - endedAt) / 1000).toFixed(1)} s after the primary ended`;
}
