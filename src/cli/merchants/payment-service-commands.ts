import type { Command } from 'commander';
import { KNOWN_NAMES } from '../../../protocol/field-names.ts';
import { REQUEST_LIMITS } from '../../http/request-limits.ts';
import { formatMoney } from '../../lib/money.ts';
import { setEventsUrl } from '../../outbox/webhooks/set-events-url.ts';
import { refuseCallbackUrl } from '../../payment-services/callback-address.ts';
import {
  createPaymentService,
  importPaymentService,
  type NewPaymentService,
  ServiceTokenTaken,
} from '../../payment-services/create-payment-service.ts';
import { disablePaymentService, enablePaymentService } from '../../payment-services/disable-payment-service.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { type Fee, perCent, readRate } from '../../payment-services/fee.ts';
import { selectFees } from '../../payment-services/fee-queries.ts';
import { SecretHeld } from '../../payment-services/find-secret-holder.ts';
import { type ListedPaymentService, listPaymentServices } from '../../payment-services/list-payment-services.ts';
import {
  type Environment,
  MOST_PER_MINUTE,
  readPerMinute,
  readServiceName,
} from '../../payment-services/payment-service.ts';
import { rotateSecretToken } from '../../payment-services/rotate-secret-token.ts';
import { setFee } from '../../payment-services/set-fee.ts';
import { setRequestLimit } from '../../payment-services/set-request-limit.ts';
import { checkMethod, readAmount, readDuration, requiredEnvironmentOption } from '../options.ts';
import { alreadyDone, CommandError, invalidOption, listTable, print, time, unknownPaymentService } from '../print.ts';
import { addSecretOptions, readSecretOrStdin, type SecretOptions } from '../secret-option.ts';
import { type ActingOptions, acting, BEGINS, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addFundsCommand } from './funds-command.ts';
import { addHandoverCommands } from './handover-commands.ts';
import { addMoveCommands } from './move-commands.ts';
import { addPayerCommands } from './payer-commands.ts';

/**
 * `payment-service create | import | list | disable | rotate | limit | events-url | fee | fees | funds`, and the
 * payment service's links.
 */
export function addPaymentServiceCommands(program: Command): void {
  const group = program.command('payment-service').description('manage payment services and their tokens');
  acting(group.command('create'))
    .description('create a payment service with a pair of tokens per environment; shows the secrets once')
    .requiredOption('--name <name>', 'name that payers see on the pay page')
    .option('--json', 'print one JSON object')
    .action(create);
  const imported = acting(group.command('import'))
    .description(
      'import a payment service with the tokens that its clients already use; --secret-file - reads standard input',
    )
    .requiredOption('--name <name>', 'name that payers see on the pay page')
    .addOption(requiredEnvironmentOption())
    .requiredOption('--service-token <token>', 'Service Token (x_account_id) of the clients');
  addSecretOptions(imported, '--secret-token <token>', 'the key with which the clients sign')
    .option('--json', 'print one JSON object')
    .action(importOne);
  group
    .command('list')
    .description('list payment services, their Service Tokens and the age of their secrets')
    .option('--json', 'print one JSON object')
    .action(list);
  acting(group.command('disable'))
    .description('refuse new requests of a payment service; existing transactions can still be paid and send callbacks')
    .argument('<id>', 'ID from `payment-service list`')
    .option('--json', 'print one JSON object')
    .action(disable);
  acting(group.command('enable'))
    .description('accept requests of a payment service again')
    .argument('<id>', 'ID from `payment-service list`')
    .option('--json', 'print one JSON object')
    .action(enable);
  acting(group.command('rotate'))
    .description(
      'create a new Secret Token; the old one stays valid for the overlap; --overlap 0 closes all earlier ones now',
    )
    .argument('<id>', 'ID from `payment-service list`')
    .addOption(requiredEnvironmentOption())
    .option('--overlap <duration>', 'duration, such as 24h, 30m or 0; at most 90d', '24h')
    .option('--json', 'print one JSON object')
    .action(rotate);
  acting(group.command('limit'))
    .description(
      'set the maximum number of signed requests per minute; without --per-minute: the default of docs/limits.md',
    )
    .argument('<id>', 'ID from `payment-service list`')
    .option('--per-minute <number>', 'number of requests, such as 12000')
    .option('--json', 'print one JSON object')
    .action(changeLimit);
  acting(group.command('events-url'))
    .description('set the URL that receives refund events as signed JSON; without --url: none')
    .argument('<id>', 'ID from `payment-service list`')
    .addOption(requiredEnvironmentOption())
    .option('--url <url>', 'URL of your server')
    .option('--json', 'print one JSON object')
    .action(changeEventsUrl);
  addPayerCommands(group);
  addFeeCommands(group);
  addFundsCommand(group);
  addHandoverCommands(group);
  addMoveCommands(group);
}

function addFeeCommands(group: Command): void {
  acting(group.command('fee'))
    .description('set the fee on payments of a payment method; 0 and 0 remove it')
    .argument('<id>', 'ID from `payment-service list`')
    .addOption(requiredEnvironmentOption())
    .requiredOption('--method <code>', 'payment method, such as webpay')
    .requiredOption('--rate <ppm>', 'parts per million of the amount, rounded half up: 29500 is 2.95 %')
    .option('--fixed <amount>', 'fixed part per payment, such as 50 or 0.30', '0')
    .option('--currency <currency>', 'currency of the payments', 'CLP')
    .option('--json', 'print one JSON object; fixed in minor units')
    .action(changeFee);
  group
    .command('fees')
    .description('list fees')
    .option('--json', 'print one JSON object; fixed in minor units')
    .action(showFees);
}

async function create(options: ActingOptions & { name: string }): Promise<void> {
  const created = await withActor(options, (app, by) => createPaymentService(app, readName(options.name), by), BEGINS);
  print(options, created, newLines(created));
}

type ImportOptions = ActingOptions & {
  name: string;
  environment: Environment;
  serviceToken: string;
  secretToken?: string;
} & SecretOptions;

async function importOne(options: ImportOptions): Promise<void> {
  const { environment, serviceToken } = options;
  const secret = await readSecretOrStdin({
    ...options,
    ...(options.secretToken !== undefined && { secret: options.secretToken }),
  });
  if (!/^[!-~]{1,100}$/.test(serviceToken))
    throw invalidOption('A Service Token is 1 to 100 visible ASCII characters.');
  const contained = KNOWN_NAMES.find((name) => serviceToken.includes(name));
  if (contained !== undefined)
    throw invalidOption(
      `A Service Token that contains ${contained} cannot be signed with: every request would be refused.`,
    );
  const created = await withActor(
    options,
    async (app, by) => {
      const pair = { service_token: serviceToken, secret_token: secret };
      return importPaymentService(app, readName(options.name), environment, pair, by);
    },
    BEGINS,
  ).catch((error: unknown) => {
    if (error instanceof ServiceTokenTaken)
      throw alreadyDone('This Service Token belongs to a payment service already: bin/rubrica payment-service list');
    if (!(error instanceof SecretHeld)) throw error;
    throw invalidOption(
      `${error.message} Two merchants with one secret could sign for each other: ` +
        'give this one a Secret Token of its own, at its clients too, and import that.',
    );
  });
  print(options, created, newLines(created));
}

async function list(options: { json?: boolean }): Promise<void> {
  const { services, elsewhere } = await withApp(async (app) => ({
    services: await listPaymentServices(app),
    elsewhere: (await findElsewhere(app)).paymentServices,
  }));
  const stateOf = ({ id, disabled_at }: ListedPaymentService) => {
    if (elsewhere.has(id)) return 'elsewhere';
    return disabled_at === null ? 'enabled' : 'disabled';
  };
  const rows = services.flatMap((service) =>
    service.tokens.map((token) => ({
      ID: service.id,
      NAME: service.name,
      STATE: stateOf(service),
      'A MINUTE': String(service.per_minute ?? REQUEST_LIMITS.paymentService.most),
      ENVIRONMENT: token.environment,
      'SERVICE TOKEN': token.service_token,
      'SECRET SINCE (CHILE)': `${time(token.created_at)}${token.closes_at === null ? '' : `, closes ${time(token.closes_at)}`}`,
      'LAST USED (CHILE)': time(token.last_used_at),
    })),
  );
  print(
    options,
    { payment_services: services.map((service) => ({ ...service, state: stateOf(service) })) },
    listTable(rows, 'No payment service yet.'),
  );
}

async function disable(id: string, options: ActingOptions): Promise<void> {
  const outcome = await withActor(options, (app, by) => disablePaymentService(app, id, by));
  if (outcome === 'unknown') throw unknownPaymentService(id);
  if (outcome === 'already') throw alreadyDone(`${id} is disabled already.`);
  print(options, { id, disabled: true }, [`${id} is disabled; its signatures fail within a second.`]);
}

async function enable(id: string, options: ActingOptions): Promise<void> {
  const outcome = await withActor(options, (app, by) => enablePaymentService(app, id, by));
  if (outcome === 'unknown') throw unknownPaymentService(id);
  if (outcome === 'already') throw alreadyDone(`${id} is enabled already.`);
  print(options, { id, disabled: false }, [`${id} is enabled.`]);
}

type RotateOptions = ActingOptions & { environment: Environment; overlap: string };

/**
 * The longest overlap. A Secret Token that may have leaked must not stay valid longer than a shop needs to change it.
 */
const MOST_OVERLAP_MS = 90 * 86_400_000;

async function rotate(id: string, options: RotateOptions): Promise<void> {
  const overlapMs = readDuration(options.overlap);
  if (overlapMs > MOST_OVERLAP_MS) throw invalidOption('--overlap is at most 90d.');
  const outcome = await withActor(options, (app, by) => rotateSecretToken(app, id, options.environment, overlapMs, by));
  if (outcome.kind === 'unknown' || outcome.kind === 'replaced') throw unknownPaymentService(id);
  if (outcome.kind === 'overlapping') throw stillOverlapping(id, options.environment, outcome.closesAt);
  const { rotation } = outcome;
  const closing =
    overlapMs === 0
      ? ['The earlier ones are closed now.']
      : [
          `The old one closes at ${time(rotation.old_closes_at)}. Until then it signs x_signature of callbacks, and both sign`,
          'webhook-signature: let your shop verify callbacks with both.',
        ];
  print(options, { id, environment: options.environment, ...rotation }, [
    `New Secret Token of ${id} in ${options.environment}, shown once:`,
    `  ${rotation.secret_token}`,
    ...closing,
  ]);
}

function stillOverlapping(id: string, environment: Environment, closesAt: number): CommandError {
  return new CommandError(
    `The Secret Token of before the last rotation is open until ${time(closesAt)}, and no more than two are ever open. ` +
      `If nobody saw the new one, \`bin/rubrica payment-service hand-over ${id} --environment ${environment}\` makes a ` +
      'link that shows it. Otherwise wait until then, or close all earlier ones now with --overlap 0.',
    1,
    'ROTATION_UNDER_WAY',
  );
}

async function changeLimit(id: string, options: ActingOptions & { perMinute?: string }): Promise<void> {
  const perMinute = options.perMinute === undefined ? null : readPerMinute(options.perMinute);
  if (perMinute === null && options.perMinute !== undefined)
    throw invalidOption(`--per-minute is a whole number from 1 to ${MOST_PER_MINUTE}.`);
  const known = await withActor(options, (app, by) => setRequestLimit(app, id, perMinute, by));
  if (!known) throw unknownPaymentService(id);
  const { most } = REQUEST_LIMITS.paymentService;
  print(options, { id, per_minute: perMinute }, [`${id} may send ${perMinute ?? most} signed requests a minute.`]);
}

async function changeEventsUrl(
  id: string,
  options: ActingOptions & { environment: Environment; url?: string },
): Promise<void> {
  const { environment, url = null } = options;
  const known = await withActor(options, (app, by) => {
    const refusal = url === null ? null : refuseCallbackUrl(app, environment, url);
    if (refusal !== null) throw invalidOption(`${refusal.message} ${refusal.fix}`);
    return setEventsUrl(app, { paymentServiceId: id, environment }, url, by);
  });
  if (!known) throw unknownPaymentService(id);
  print(options, { id, environment, events_url: url }, [
    url === null ? `Refunds of ${id} are visible only in the feed.` : `Refund events of ${id} are posted to ${url}`,
  ]);
}

type FeeOptions = ActingOptions & {
  environment: Environment;
  method: string;
  rate: string;
  fixed: string;
  currency: string;
};

async function changeFee(id: string, options: FeeOptions): Promise<void> {
  const { environment, method, currency } = options;
  const fee = readFee(options);
  const known = await withActor(options, (app, by) => {
    checkMethod(app, method);
    return setFee(app, { paymentServiceId: id, environment, method, currency }, fee, by);
  });
  if (!known) throw unknownPaymentService(id);
  print(options, { id, environment, method, currency, ...fee }, [
    `Fee of ${currency} payments of ${id} by ${method} in ${environment}: ${feeText(fee, currency)}.`,
  ]);
}

function readFee({ rate, fixed, currency }: FeeOptions): Fee {
  const ppm = readRate(rate);
  if (ppm === null)
    throw invalidOption('--rate is a whole number of parts per million, from 0 to 1000000, such as 29500 for 2.95 %.');
  return { rate_ppm: ppm, fixed: readAmount(fixed, currency) };
}

function feeText({ rate_ppm, fixed }: Fee, currency: string): string {
  return `${perCent(rate_ppm)} % and ${formatMoney(fixed, currency)}`;
}

async function showFees(options: { json?: boolean }): Promise<void> {
  const fees = await withApp((app) => selectFees(app.db));
  const rows = fees.map((fee) => ({
    'PAYMENT SERVICE': fee.payment_service_id,
    NAME: fee.name,
    ENVIRONMENT: fee.environment,
    METHOD: fee.payment_method,
    FEE: feeText(fee, fee.currency),
    'SINCE (CHILE)': time(fee.created_at),
  }));
  print(options, { fees }, listTable(rows, 'No fee is set.'));
}

function readName(name: string): string {
  const read = readServiceName(name);
  if (read === null) throw invalidOption('A name is 1 to 100 characters, without line breaks.');
  return read;
}

function newLines(created: Required<NewPaymentService>): string[] {
  return [
    `Payment service ${created.id}, ${created.name}. The Secret Tokens are shown once.`,
    ...(['development', 'production'] as const).flatMap((environment) => [
      '',
      environment,
      `  Service Token  ${created[environment].service_token}`,
      `  Secret Token   ${created[environment].secret_token}`,
    ]),
  ];
}
