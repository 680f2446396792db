import type { Command } from 'commander';
import { WEBPAY_INTEGRATION } from '../payment-methods/webpay-integration.ts';
import {
  listMethodSettings,
  type MethodSettings,
  removeMethodSettings,
  setMethodSettings,
} from '../payment-services/method-settings.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { environmentOption } from './options.ts';
import { invalidOption, notFound, print, table, time } from './print.ts';
import { withApp } from './with-app.ts';

type Target = { paymentService: string; environment: Environment; json?: boolean };

/** `payment-method set | list | remove`. */
export function addPaymentMethodCommands(program: Command): void {
  const group = program.command('payment-method').description('what a payment method needs to collect for whom');
  group
    .command('set')
    .description("give a payment method the merchant's account; the key is sealed and never shown again")
    .argument('<method>', 'webpay')
    .requiredOption('--payment-service <id>', 'whose account it is')
    .addOption(environmentOption())
    .option('--commerce-code <code>', "the merchant's code at Transbank; development: the public one of integration")
    .option('--api-key <key>', 'the key of that code')
    .option('--json', 'print one JSON object')
    .action(set);
  group
    .command('list')
    .description('which methods are set for whom; no key')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('remove')
    .description('the method is no longer offered, and can give nothing back')
    .argument('<method>', 'webpay')
    .requiredOption('--payment-service <id>', 'whose account it is')
    .addOption(environmentOption())
    .option('--json', 'print one JSON object')
    .action(remove);
}

async function set(method: string, options: Target & { commerceCode?: string; apiKey?: string }): Promise<void> {
  const target = targetOf(method, options);
  const settings = readWebpaySettings(options);
  const known = await withApp((app) => setMethodSettings(app, target, settings));
  if (!known) throw notFound(`There is no payment service ${options.paymentService}: bin/rubrica payment-service list`);
  print(options, { ...target, account: settings.account }, [
    `${method} collects for ${options.paymentService} in ${options.environment}, as ${settings.account}.`,
  ]);
}

async function list(options: { json?: boolean }): Promise<void> {
  const settings = await withApp(listMethodSettings);
  const rows = settings.map((row) => [
    row.payment_service_id,
    row.name,
    row.environment,
    row.payment_method,
    row.account,
    time(row.created_at),
  ]);
  const head = ['PAYMENT SERVICE', 'NAME', 'ENVIRONMENT', 'METHOD', 'ACCOUNT', 'SINCE'];
  print(
    options,
    { payment_methods: settings },
    rows.length === 0 ? ['No payment method is set.'] : table([head, ...rows]),
  );
}

async function remove(method: string, options: Target): Promise<void> {
  const target = targetOf(method, options);
  const removed = await withApp((app) => removeMethodSettings(app, target));
  if (!removed)
    throw notFound(
      `${method} is not set for ${options.paymentService} in ${options.environment}: bin/rubrica payment-method list`,
    );
  print(options, { ...target, removed }, [`${method} no longer collects for ${options.paymentService}.`]);
}

function targetOf(method: string, { paymentService, environment }: Target) {
  if (method !== 'webpay') throw invalidOption(`${method} takes no settings; webpay does.`);
  return { paymentServiceId: paymentService, environment, method };
}

function readWebpaySettings(options: {
  environment: Environment;
  commerceCode?: string;
  apiKey?: string;
}): MethodSettings {
  const { environment, commerceCode, apiKey } = options;
  if (environment === 'development' && commerceCode === undefined && apiKey === undefined) return WEBPAY_INTEGRATION;
  if (commerceCode === undefined || apiKey === undefined) {
    throw invalidOption('Give both --commerce-code and --api-key, as Transbank sent them.');
  }
  if (!/^\d{12}$/.test(commerceCode)) throw invalidOption('A commerce code is 12 digits.');
  if (!/^[!-~]{8,128}$/.test(apiKey)) throw invalidOption('The API key is 8 to 128 visible ASCII characters.');
  if (environment === 'production' && commerceCode === WEBPAY_INTEGRATION.account) {
    throw invalidOption('That commerce code is the public one of integration: nobody is paid by it.');
  }
  return { account: commerceCode, key: apiKey };
}
