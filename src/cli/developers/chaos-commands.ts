import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { CHAOS_CLASSES, type ChaosClass, type ChaosClassName } from '../../chaos/chaos-class.ts';
import { type ChaosOrder, ordersOf, readOrders } from '../../chaos/chaos-order.ts';
import { type ChaosReport, runChaos } from '../../chaos/run-chaos.ts';
import { refuseCallbackUrl } from '../../payment-services/callback-address.ts';
import { readNamedFile, requireDevelopment } from '../options.ts';
import { openOutput } from '../output-file.ts';
import { CommandError, invalidOption, print, unusableFile } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { reportLines, reportPage } from './chaos-report.ts';
import { findOwnDevelopment } from './own-development.ts';

/** One order for an ordinary callback and one for each class. */
const ORDERS = CHAOS_CLASSES.length + 1;
const MOST_SEED = 999_999_999;

/** `chaos run | orders`. */
export function addChaosCommands(program: Command): void {
  const group = program
    .command('chaos')
    .description('test how your shop handles late, repeated, forged and lost callbacks');
  acting(group.command('run'))
    .description('post twelve kinds of difficult callbacks to a shop and report what it did; status 1 if one fails')
    .requiredOption('--receiver <url>', 'URL that receives the callbacks; {reference} stands for the order')
    .option(
      '--order-url <url>',
      'URL where the shop returns the state of order {reference} (default: judge by the responses alone)',
    )
    .option('--orders <file>', 'JSON file with open orders of the shop (default: the output of `chaos orders`)')
    .option('--payment-service <id>', 'payment service whose development tokens sign (default: the only one)')
    .option('--seed <number>', 'seed to repeat a run (default: a new one)', readSeed)
    .addOption(new Option('--only <class...>', 'only these kinds').choices(CHAOS_CLASSES.map(({ name }) => name)))
    .option('--live', 'send real-looking payments (x_test=false) instead of tests')
    .option('--report <file>', 'also write the report to this Markdown file')
    .option('--json', 'print one JSON object')
    .action(run);
  group
    .command('orders')
    .description('print the orders of a run as JSON, for the shop to load first')
    .requiredOption('--seed <number>', 'seed of the run', readSeed)
    .action(({ seed }: { seed: number }) => {
      process.stdout.write(`${JSON.stringify(ordersOf(seed, ORDERS))}\n`);
    });
}

type ChaosOptions = ActingOptions & {
  receiver: string;
  orderUrl?: string;
  orders?: string;
  paymentService?: string;
  seed?: number;
  only?: ChaosClassName[];
  live?: boolean;
  report?: string;
};

async function run(options: ChaosOptions): Promise<void> {
  // Open the file first: an unwritable path must fail before the shop gets requests.
  const page = options.report === undefined ? null : await openOutput(options.report);
  try {
    const report = await withActor(options, (app, by) => runOn(app, by, options));
    page?.stream.write(reportPage(report));
    await page?.keep();
    print(options, report, reportLines(report));
    if (!report.passed) process.exitCode = 1;
  } catch (error) {
    await page?.discard();
    throw error;
  }
}

async function runOn(app: App, by: Actor, options: ChaosOptions): Promise<ChaosReport> {
  requireDevelopment(app, 'chaos run is for development');
  const seed = options.seed ?? Math.floor(app.random() * MOST_SEED);
  const classes = CHAOS_CLASSES.filter(({ name }) => options.only?.includes(name) ?? true);
  const plan = {
    environment: await findOwnDevelopment(app, options.paymentService),
    receiver: readTemplate(app, '--receiver', options.receiver),
    orderUrl: options.orderUrl === undefined ? null : readTemplate(app, '--order-url', options.orderUrl),
    orders: options.orders === undefined ? ordersFor(seed, classes) : readOrderFile(options.orders, classes.length + 1),
    classes,
    seed,
    live: options.live === true,
    patienceMs: 5_000,
  };
  if (plan.orderUrl?.includes('{reference}') === false)
    throw invalidOption('--order-url contains {reference}, such as http://127.0.0.1:9000/orders/{reference}.');
  const ran = await runChaos(app, plan, by);
  if (ran.kind === 'ran') return ran.report;
  throw new CommandError(`${ran.why}. ${ran.fix} The seed was ${seed}.`, 1, 'RECEIVER_NOT_READY');
}

/**
 * Returns the orders of the classes. For one seed, a class always has the same order, also when other classes are left
 * out.
 */
function ordersFor(seed: number, classes: readonly ChaosClass[]): ChaosOrder[] {
  const orders = ordersOf(seed, ORDERS);
  return [0, ...classes.map((one) => CHAOS_CLASSES.indexOf(one) + 1)].map((at) => orders[at] as ChaosOrder);
}

function readSeed(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalidOption(`--seed is a number from 0 to ${MOST_SEED}.`);
}

/**
 * Checks the address with an example reference in place of `{reference}`. Throws `CommandError` if the service may not
 * call it.
 */
function readTemplate(app: App, name: string, text: string): string {
  const filled = text.replaceAll('{reference}', 'ORD-1');
  const refusal = refuseCallbackUrl(app, 'development', URL.parse(filled)?.href ?? filled);
  if (refusal === null) return text;
  throw invalidOption(`${name}: ${refusal.message} ${refusal.fix}`);
}

function readOrderFile(file: string, least: number): ChaosOrder[] {
  const text = readNamedFile(file).toString('utf8');
  const orders = readOrders(text);
  if (orders !== null && orders.length >= least) return orders;
  throw unusableFile(
    `${file} is no JSON list of at least ${least} open orders, each once: [{"reference": "1001", "amount": 12990, "currency": "CLP"}], amounts in minor units.`,
  );
}
