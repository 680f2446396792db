import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { refuseWebpayAccount, WEBPAY_INTEGRATION } from '../../payment-methods/webpay-integration.ts';
import {
  type MethodSettings,
  removeMethodSettings,
  setMethodSettings,
} from '../../payment-services/method-settings.ts';
import { selectListedSettings } from '../../payment-services/method-settings-queries.ts';
import { ENVIRONMENTS, type Environment } from '../../payment-services/payment-service.ts';
import { readStdin, requiredEnvironmentOption } from '../options.ts';
import { invalidOption, listTable, missingOption, notFound, print, time, unknownPaymentService } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

type Target = ActingOptions & { paymentService: string; environment: Environment };

/** `payment-method set | list | remove`. */
export function addPaymentMethodCommands(program: Command): void {
  const group = program.command('payment-method').description('configure payment methods of payment services');
  acting(group.command('set'))
    .description("set the merchant's account at a payment method; the key is encrypted and never shown again")
    .argument('<method>', 'webpay')
    .requiredOption('--payment-service <id>', 'payment service that owns the account')
    .addOption(requiredEnvironmentOption())
    .option('--commerce-code <code>', 'commerce code at Transbank (development default: the public integration code)')
    .option('--api-key <source>', 'API key of that code; - reads it from standard input')
    .option('--json', 'print one JSON object')
    .action(set);
  group
    .command('list')
    .description('list payment methods and accounts of each payment service, without keys')
    .option('--all', 'also accounts that only serve refunds')
    .option('--json', 'print one JSON object')
    .action(list);
  acting(group.command('remove'))
    .description('stop offering a payment method; its payments can still be refunded')
    .argument('<method>', 'webpay')
    .requiredOption('--payment-service <id>', 'payment service that owns the account')
    .addOption(requiredEnvironmentOption())
    .option('--json', 'print one JSON object')
    .action(remove);
}

async function set(method: string, options: Target & { commerceCode?: string; apiKey?: string }): Promise<void> {
  const target = targetOf(method, options);
  const settings = await readWebpaySettings(options);
  const known = await withActor(options, (app, by) => setMethodSettings(app, target, settings, by));
  if (!known) throw unknownPaymentService(options.paymentService);
  print(options, { ...named(target), account: settings.account }, [
    `${method} collects for ${options.paymentService} in ${options.environment}, as ${settings.account}.`,
  ]);
}

async function list(options: { all?: boolean; json?: boolean }): Promise<void> {
  const [kept, anywhere] = await withApp(
    async (app) => [await selectListedSettings(app.db), collectingAnywhere(app)] as const,
  );
  const inUse = kept.filter(({ retired_at }) => retired_at === null);
  const settings = options.all ? kept : inUse;
  const rows = settings.map((row) => ({
    'PAYMENT SERVICE': row.payment_service_id,
    NAME: row.name,
    ENVIRONMENT: row.environment,
    METHOD: row.payment_method,
    ACCOUNT: row.account,
    'SINCE (CHILE)': time(row.created_at),
    ...(options.all && { 'UNTIL (CHILE)': row.retired_at === null ? '' : time(row.retired_at) }),
  }));
  const collecting = anywhere.map(({ environment, codes }) => {
    const isListed = inUse.some((row) => row.environment === environment);
    if (codes.length === 0) return `${environment}: ${isListed ? 'only what the list names collects.' : SET_WEBPAY}`;
    return `${environment}: ${codes.join(', ')}, without an account${isListed ? '; and what the list names' : ''}.`;
  });
  print(options, { payment_methods: settings }, [
    ...listTable(rows, 'No account at a payment method is set.'),
    '',
    'What collects now:',
    ...collecting.map((line) => `  ${line}`),
  ]);
}

const SET_WEBPAY =
  'nothing. bin/rubrica payment-method set webpay --payment-service ID --environment production --commerce-code CODE --api-key - < FILE';

/** Returns the methods of each environment that collect for every payment service, without an account. */
function collectingAnywhere({ paymentMethods }: App) {
  return ENVIRONMENTS.map((environment) => {
    const offer = { environment, currency: 'CLP', amount: null, configured: false };
    return { environment, codes: paymentMethods.filter((one) => one.accepts(offer)).map(({ code }) => code) };
  });
}

async function remove(method: string, options: Target): Promise<void> {
  const target = targetOf(method, options);
  const removed = await withActor(options, (app, by) => removeMethodSettings(app, target, by));
  if (!removed)
    throw notFound(
      `${method} is not set for ${options.paymentService} in ${options.environment}: bin/rubrica payment-method list`,
    );
  print(options, { ...named(target), removed }, [
    `${method} no longer collects for ${options.paymentService}. Its account is kept for refunds.`,
  ]);
}

function targetOf(method: string, { paymentService, environment }: Target) {
  if (method !== 'webpay') throw invalidOption(`${method} takes no settings; webpay does.`);
  return { paymentServiceId: paymentService, environment, method };
}

/** Returns the names that every payment method command prints. */
function named({ paymentServiceId, environment, method }: ReturnType<typeof targetOf>) {
  return { payment_service_id: paymentServiceId, environment, method };
}

type WebpayOptions = { environment: Environment; commerceCode?: string; apiKey?: string };

async function readWebpaySettings({ environment, commerceCode, apiKey }: WebpayOptions): Promise<MethodSettings> {
  if (environment === 'development' && commerceCode === undefined && apiKey === undefined) return WEBPAY_INTEGRATION;
  if (commerceCode === undefined || apiKey === undefined) {
    throw missingOption('Give both --commerce-code and --api-key -, as Transbank sent them.');
  }
  const settings = { account: commerceCode, key: await readApiKey(apiKey) };
  const wrong = refuseWebpayAccount(environment, settings);
  if (wrong !== null) throw invalidOption(WRONG_ACCOUNT[wrong]);
  return settings;
}

const WRONG_ACCOUNT = {
  code: 'A commerce code is 12 digits.',
  public: 'That commerce code is the public one of integration: nobody is paid by it.',
  key: 'The API key is 8 to 128 visible ASCII characters.',
};

/**
 * Reads the API key from standard input. As an argument it would stay in the shell history, and every user of the
 * machine could see it.
 */
async function readApiKey(source: string): Promise<string> {
  if (source !== '-') {
    throw invalidOption('The API key comes on standard input, where no history keeps it: --api-key - < FILE');
  }
  return (await readStdin()).toString('latin1').trim();
}
