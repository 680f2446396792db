import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Ended, runChild } from '../support/child-process.ts';
import { comesTrue } from '../support/comes-true.ts';
import { runCommand } from '../support/run-command.ts';
import type { PlantName } from './plants.ts';
import { createJournal, type Journal, startLoad } from './support/load.ts';
import { MASTER_KEY, ServeEnded, type ServeProcess, startServe } from './support/serve-process.ts';
import { createShopClient, type ShopClient } from './support/shop-client.ts';

/** A store with the harness's payment service, and the operator's tools for it. */
export type Rehearsal = {
  databaseUrl: string;
  /** The folder in which the service keeps its mark. */
  dataDir: string;
  /** An access token of a user who reads the feed. */
  token: string;
  backUp(): Promise<void>;
  /** Restores the store to the backup. The service is stopped. */
  goBack(): Promise<void>;
  /** The command that a person runs then. */
  command: readonly string[];
};

export type RestoreReport = { ids: number; webhookIds: number; lost: number; waited: number; problems: string[] };

type Told = { id: string; body: string };

const CLIENTS = 8;
const repository = join(import.meta.dirname, '../..');

/**
 * Loses everything after a backup, like a restore, and checks everything that left the service before and after: no id
 * and no `webhook-id` is used twice, readers of the feed are told, and nothing leaves before the release.
 */
export async function restoreUnderLoad(
  rehearsal: Rehearsal,
  created: number,
  plant?: PlantName,
): Promise<RestoreReport> {
  await using shop = await startShop();
  const problems: string[] = [];
  const serve = () =>
    startServe({ databaseUrl: rehearsal.databaseUrl, settings: { DATA_DIR: rehearsal.dataDir }, plant });
  const run = (...args: string[]) => runHere(rehearsal, args, plant);

  await using before = await serve();
  const kept = await during(before, shop, 'kept', created, { goesOn: true });
  const twice = await during(before, shop, 'twice', 1, { pay: false });
  await rehearsal.backUp();
  const [order = 0] = twice.acknowledged.values();
  const service = await serve();
  await payAll(shop, service, twice);
  const lost = await during(service, shop, 'lost', created, { cursor: true, token: rehearsal.token });
  await rehearsal.goBack();

  const refused = await startsAnyhow(serve);
  if (refused !== null) problems.push(refused);
  const begun = await run(...rehearsal.command, '--json');
  if (begun.status !== 0) return { ids: 0, webhookIds: 0, lost: 0, waited: 0, problems: [begun.stderr] };

  const toldBefore = shop.told.length;
  const after = await during(await serve(), shop, 'after', created, { untold: true });
  await using again = await serve();
  problems.push(...(await tryOldCursor(shop.client, again, rehearsal.token, lost.cursor)));
  const [paid = 0] = kept.acknowledged.values();
  const refund = ['refund', 'create', String(paid), '--amount', '1000', '--idempotency-key', 'a wish', '--json'];
  if ((await run(...refund)).status !== 0) problems.push('a refund is not accepted while it is held');
  const early = await payAll(shop, again, twice, false);
  if (early !== 503) problems.push(`an order from before the restore could be paid before the release: ${early}`);
  if (shop.told.length > toldBefore)
    problems.push(`${shop.told.length - toldBefore} callbacks left before the release`);
  const looked = await run('release', '--json');
  const waiting = JSON.parse(looked.stdout) as { counts: { callbacks: number }; released: boolean };
  const refunds = async () => (await run('refund', 'list', '--json')).stdout;
  if (!(await refunds()).includes('"processing"')) problems.push('a refund was carried out before the release');
  if (looked.status !== 1 || waiting.released) problems.push('it was released without a word');
  if (waiting.counts.callbacks < created) problems.push(`only ${waiting.counts.callbacks} callbacks waited`);
  if ((await run('release', '--yes', '--json')).status !== 0) problems.push('it cannot be released');
  await payAll(shop, again, twice);
  if (!(await comesTrue(() => shop.told.length > toldBefore + waiting.counts.callbacks)))
    problems.push('not every callback left after the release');
  if (!(await comesTrue(async () => (await refunds()).includes('"completed"'))))
    problems.push('the refund did not leave after the release');

  const journals = [kept, lost, after].map(({ acknowledged }) => acknowledged);
  problems.push(...sameIds(journals), ...sameWebhookIds(shop.told, order));
  return {
    ids: journals.reduce((sum, { size }) => sum + size, 0),
    webhookIds: new Set(shop.told.map(({ id }) => id)).size,
    lost: lost.acknowledged.size,
    waited: waiting.counts.callbacks,
    problems,
  };
}

type Shop = AsyncDisposable & { client: ShopClient; told: Told[] };

/** Starts a shop that records the callbacks that it receives. */
async function startShop(): Promise<Shop> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      told.push({ id: String(request.headers['webhook-id']), body: Buffer.concat(chunks as Buffer[]).toString() });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createShopClient({ callbackUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/told` });
  return {
    client,
    told,
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}

type Period = Journal & { payUrls: Map<string, string>; cursor: string };

/** Creates orders under load, each paid and delivered by default; then kills the service, unless it continues. */
async function during(
  service: ServeProcess,
  shop: Shop,
  prefix: string,
  created: number,
  { pay = true, untold = false, cursor = false, token = '', goesOn = false } = {},
): Promise<Period> {
  await using end = new AsyncDisposableStack();
  if (!goesOn) end.use(service);
  const period: Period = { ...createJournal(), payUrls: new Map(), cursor: '' };
  const { client } = shop;
  const note = { ...client, create: createAndNote(client, period) };
  const asked = { client: note, url: () => service.url, clients: CLIENTS, journal: period, prefix };
  await using load = startLoad({ ...asked, most: created });
  await comesTrue(() => period.acknowledged.size >= created);
  await load.stop();
  const toldBefore = shop.told.length;
  if (pay) await payAll(shop, service, period);
  if (pay && !untold) await comesTrue(() => shop.told.length >= toldBefore + period.acknowledged.size);
  // Gives a worker that may not send enough time to send anyway.
  if (untold) await new Promise((resolve) => setTimeout(resolve, 1500));
  if (cursor) period.cursor = await readToEnd(client, service, token);
  return period;
}

function createAndNote(client: ShopClient, period: Period): ShopClient['create'] {
  return async (url, reference, amount) => {
    const reply = await client.create(url, reference, amount);
    if (reply.kind === 'created') period.payUrls.set(reference, new URL(reply.payUrl).pathname);
    return reply;
  };
}

/** Returns the status of the last payment. */
async function payAll(shop: Shop, service: ServeProcess, period: Period, must = true): Promise<number> {
  let status = 0;
  for (const path of period.payUrls.values()) {
    status = await shop.client.pay(service.url + path);
    if (must && status !== 303) throw new Error(`an order could not be paid: ${status}`);
  }
  return status;
}

async function readFeed(client: ShopClient, { url }: ServeProcess, token: string, after: string) {
  const path = `/events?limit=500${after === '' ? '' : `&after=${after}`}`;
  const { status, text } = await client.get(url + path, { authorization: `Bearer ${token}` });
  const { code, data } = JSON.parse(text) as {
    code?: string;
    data: { next: string; has_more?: boolean; events?: unknown[] };
  };
  return { status, code, ...data };
}

async function readToEnd(client: ShopClient, service: ServeProcess, token: string): Promise<string> {
  for (let next = ''; ; ) {
    const page = await readFeed(client, service, token, next);
    next = page.next;
    if (page.has_more !== true) return next;
  }
}

async function tryOldCursor(
  client: ShopClient,
  service: ServeProcess,
  token: string,
  cursor: string,
): Promise<string[]> {
  const old = await readFeed(client, service, token, cursor);
  if (old.status !== 409 || old.code !== 'CURSOR_BEFORE_RESTORE') return [`an old cursor was answered ${old.status}`];
  // The feed shows an event only when no earlier one can follow; other tests may use the same server.
  const goesOn = await comesTrue(
    async () => ((await readFeed(client, service, token, old.next)).events ?? []).length > 0,
  );
  return goesOn ? [] : ['the cursor to go on with leads nowhere'];
}

/** Returns a problem if the service starts on a store that is older than its mark. */
async function startsAnyhow(serve: () => Promise<ServeProcess>): Promise<string | null> {
  try {
    await using service = await serve();
    return `it started on an older store at ${service.url}`;
  } catch (error) {
    if (error instanceof ServeEnded && error.message.includes('STORE_IS_OLDER')) return null;
    return `it was not refused but failed: ${(error as Error).message}`;
  }
}

function sameIds(journals: readonly ReadonlyMap<string, number>[]): string[] {
  const owners = new Map<number, string>();
  return journals.flatMap((journal) =>
    [...journal].flatMap(([reference, id]) => {
      const owner = owners.get(id);
      owners.set(id, reference);
      return owner === undefined ? [] : [`${id} is ${owner} and ${reference}`];
    }),
  );
}

/** Checks an `order` that was paid in the lost period and again after the release: two events with different ids. */
function sameWebhookIds(told: readonly Told[], order: number): string[] {
  const bodies = Map.groupBy(told, ({ id }) => id);
  const problems = [...bodies].flatMap(([id, posts]) =>
    new Set(posts.map(({ body }) => body)).size === 1 ? [] : [`${id} was said of two events`],
  );
  const ofOrder = new Set(told.filter(({ id }) => id.startsWith(`evt_${order}_`)).map(({ id }) => id));
  if (ofOrder.size !== 2) problems.push(`the order that was paid twice was told as ${[...ofOrder].join()}`);
  return problems;
}

function runHere(
  { databaseUrl, dataDir }: Rehearsal,
  args: readonly string[],
  plant: PlantName | undefined,
): Promise<Ended> {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl, DATA_DIR: dataDir, MASTER_KEY };
  if (plant === undefined) return runCommand(args, { env });
  // A bug can be planted only in a process that loads the code directly.
  const preload = ['--import', join(import.meta.dirname, 'preload/plant-process.ts')];
  const command = [...preload, join(repository, 'src/main.ts'), ...args];
  return runChild('node', command, { env: { ...env, PLANTED_BUG: plant } });
}
