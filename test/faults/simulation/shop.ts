import type { App } from '../../../src/app.ts';
import type { ServiceEnvironment } from '../../../src/payment-services/payment-service.ts';
import type { TransactionInput } from '../../../src/transactions/transaction.ts';
import type { TransactionEvent } from '../../../src/transactions/transaction-state.ts';
import type { Engine } from './engine.ts';
import type { Merchant } from './merchant.ts';
import type { Process, Workers } from './worker.ts';
import type { World } from './world.ts';

/** An order: created once after any number of requests, then paid, declined, cancelled, or left to expire. */
export type Order = {
  readonly reference: string;
  readonly merchant: Merchant;
  readonly fate: TransactionEvent;
  /** The acknowledged id; every further acknowledgement must have the same. */
  id: number | null;
  /** What was wrong with an acknowledgement. */
  complaint: string | null;
};

export type ShopOptions = { world: World; engine: Engine; environment: ServiceEnvironment; workers: Workers };

const PATIENCE_MS = 10_000;

/**
 * Places an order and brings it to its end. Uses any process that responds, and retries until the order is
 * acknowledged.
 */
export async function placeOrder(options: ShopOptions, order: Order): Promise<void> {
  const { world, engine, environment } = options;
  const create = ({ app }: Process) => engine.createTransaction(app, environment, inputOf(order));
  for (let again = true; again; again = world.chance(0.1)) {
    const outcome = await insist(options, create);
    world.note(`${order.reference} is ${outcome.kind} as ${outcome.transaction.id}`);
    if (outcome.kind === 'conflict') order.complaint = 'is in conflict with itself';
    if (order.id !== null && order.id !== outcome.transaction.id) order.complaint = 'has two ids';
    order.id = outcome.transaction.id;
  }
  if (order.fate === 'expire') return;
  await world.sleep(world.between(1_000, 300_000));
  const kind = await insist(options, ({ app }) => settle(options, app, order));
  world.note(`${order.reference} ${order.fate} ${kind}`);
}

async function settle({ world, engine, environment, workers }: ShopOptions, app: App, order: Order): Promise<string> {
  const cause = { event: order.fate, at: app.now(), paymentMethod: 'simulated', attemptId: null, data: null };
  const { kind } = await app.db.transaction(async (tx) => {
    const transaction = await engine.lockTransaction(tx, { id: order.id as number, environment_id: environment.id });
    if (transaction === null) throw new Error(`Transaction ${order.id} was acknowledged and is gone`);
    return engine.transitionTransaction(tx, environment, transaction, cause);
  });
  world.after(0, () => workers.poke());
  return kind;
}

/** Asks any process until one responds. A crashed process never does, so each request times out after ten seconds. */
async function insist<Result>(
  { world, workers }: ShopOptions,
  ask: (process: Process) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const running = workers.running();
    const answer =
      running.length === 0
        ? null
        : ask(world.pick(running)).then(
            (result) => ({ result }),
            () => null,
          );
    const heard = await Promise.race([answer, world.sleep(PATIENCE_MS).then(() => null)]);
    if (heard !== null) return heard.result;
    await world.sleep(world.between(500, 5_000));
  }
}

function inputOf({ reference, merchant }: Order): TransactionInput {
  return {
    amount: 5_000,
    currency: 'CLP',
    reference,
    customerEmail: 'buyer@example.cl',
    sessionId: 'session',
    shopCountry: 'CL',
    urlCallback: merchant.url + reference,
    urlCancel: 'https://shop.example/cancel',
    urlComplete: 'https://shop.example/complete',
    unsignedFields: null,
  };
}
