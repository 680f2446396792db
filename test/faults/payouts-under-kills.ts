import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';
import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
import { setPayoutSender } from '../../src/payouts/set-payout-sender.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { type Child, startChild } from '../support/child-process.ts';
import type { OpenTestDatabase } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { ANA, openPayoutDesk, propose, wish } from '../support/test-payouts.ts';

export type PayoutsUnderKills = {
  kills: number;
  /** Orders that the provider accepted, and how many of its responses were lost. */
  given: number;
  lost: number;
  confirmed: number;
  /** Payouts without a result because the order never arrived: a person settles them. */
  unknown: number;
  /** Approvals refused for lack of money. */
  refused: number;
  problems: string[];
};

type Options = { processes: number; kills: number; payouts: number; random: () => number };

/** How much faster the clocks of the processes run: a claim of one minute lasts two seconds. */
const HASTE = 30;
const AMOUNT = 1000;

/**
 * Runs several processes that approve payouts and hand them to a provider that loses responses, and kills one of them
 * repeatedly at random moments. The money covers two thirds of the payouts. At the end one process looks up open
 * payouts, and the result is checked.
 */
export async function killPayers(openTestDatabase: OpenTestDatabase, options: Options): Promise<PayoutsUnderKills> {
  const db = await openTestDatabase();
  const app = createTestApp(db);
  const covered = Math.floor((options.payouts * 2) / 3);
  const desk = await openPayoutDesk(app, { money: covered * AMOUNT });
  const provider = await openProvider(options.random);
  await setPayoutSender(app, desk.environment, { kind: 'http', url: provider.url, key: null }, desk.maker);
  const wishes = Array.from({ length: options.payouts }, () => wish({ amount: AMOUNT, payee: ANA }));
  const ids = (await propose(app, desk, wishes)).map(({ id }) => id);
  const start = () =>
    startPayer(
      [db.url, desk.users.approver.id, desk.users.approver.email, String(desk.environment.id), ...ids],
      app.now(),
    );
  const payers: Child[] = [];
  try {
    payers.push(...(await Promise.all(Array.from({ length: options.processes }, start))));
    for (let kill = 0; kill < options.kills; kill++) {
      await pause(Math.floor(options.random() * 300));
      const which = Math.floor(options.random() * payers.length);
      await payers[which]?.end('SIGKILL');
      payers[which] = await start();
    }
    await pause(1500);
  } finally {
    await Promise.all(payers.map((payer) => payer.end('SIGKILL')));
  }
  const last = createTestApp(db, { openPayoutSender: payoutSenders(createSafeFetch().fetch, app.now), now: app.now });
  // Later than every claim, because the processes' clocks ran fast.
  app.now.advance((options.kills + 60) * 60_000 * HASTE);
  for (let round = 0; round < 50; round++) {
    app.now.advance(3_600_000);
    await carryOutPayouts(last, 1000);
  }
  await provider.close();
  return { ...(await judge(app, provider.given, covered)), kills: options.kills, lost: provider.lost() };
}

async function judge(app: ReturnType<typeof createTestApp>, given: readonly string[], covered: number) {
  const problems: string[] = [];
  const rows = await app.db.query<{ id: string; state: string }>('select id, state from payouts');
  const times = Map.groupBy(given, (id) => id);
  for (const [id, some] of times) if (some.length > 1) problems.push(`${id} left ${some.length} times`);
  for (const { id, state } of rows) {
    const isExpected = times.has(id) ? state === 'confirmed' : ['unknown', 'awaiting_approval'].includes(state);
    if (!isExpected) problems.push(`${id} is ${state}, and was given ${times.get(id)?.length ?? 0} times`);
  }
  if (given.length > covered) problems.push(`${given.length} left, and there was money for ${covered}`);
  const { ok, findings } = await verifyStore(app);
  if (!ok) problems.push(`the books: ${JSON.stringify(findings)}`);
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  return {
    given: given.length,
    confirmed: count('confirmed'),
    unknown: count('unknown'),
    refused: count('awaiting_approval'),
    problems,
  };
}

/** Starts a provider that accepts an order every time it arrives, and loses some responses and some orders. */
async function openProvider(random: () => number) {
  const given: string[] = [];
  const taken = new Map<string, object>();
  let lost = 0;
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      const answer = (status: number, body: object) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      const id = (request.url ?? '').split('/').at(-1) ?? '';
      if (request.method === 'GET') return answer(taken.has(id) ? 200 : 404, taken.get(id) ?? { id, status: 'absent' });
      const order = JSON.parse(Buffer.concat(chunks).toString()) as { id: string; amount: number; currency: string };
      const { amount, currency } = order;
      const chance = random();
      const transfer = { id: order.id, amount, currency, status: 'confirmed' };
      if (chance > 0.1) {
        given.push(order.id);
        taken.set(order.id, transfer);
      }
      if (chance < 0.3) {
        lost++;
        return request.socket.destroy();
      }
      return answer(200, transfer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}/transfers`, given, lost: () => lost, close };
}

/** Starts a process that approves the payouts in its own order and carries out due ones until it is killed. */
async function startPayer(args: readonly string[], begun: number): Promise<Child> {
  const program = `
    import { openDatabase } from '../../src/db/open-database.ts';
    import { createSafeFetch } from '../../src/lib/network/safe-fetch.ts';
    import { payoutSenders } from '../../src/payout-senders/open-payout-sender.ts';
    import { findEnvironmentById } from '../../src/payment-services/find-environment.ts';
    import { approvePayouts } from '../../src/payouts/approval/decide-payouts.ts';
    import { carryOutPayouts } from '../../src/payouts/carry-out-payouts.ts';
    import { createTestApp } from '../support/test-app.ts';
    const [url, userId, name, environmentId, ...ids] = process.argv.slice(1);
    const db = openDatabase(url, { connections: 4, pooler: false, onFatal: () => {} });
    const now = () => ${begun} + (Date.now() - ${Date.now()}) * ${HASTE};
    const app = createTestApp(db, { now, openPayoutSender: payoutSenders(createSafeFetch().fetch, now) });
    const owner = await findEnvironmentById(app, Number(environmentId));
    const by = { kind: 'person', name, userId, origin: null };
    ids.sort(() => Math.random() - 0.5);
    process.stdout.write('ready');
    for (let at = 0; ; at++) {
      const named = { ids: [ids[at % ids.length]] };
      await approvePayouts(app, { owner, named, by, reason: null }).catch(() => {});
      if (at % 3 === 0) await carryOutPayouts(app, 3).catch(() => {});
    }
  `;
  const child = await startChild('node', ['--input-type=module-typescript', '--eval', program, ...args], {
    cwd: import.meta.dirname,
  });
  await child.until(({ stdout }) => stdout.includes('ready'));
  return child;
}
