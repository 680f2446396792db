import type { Command } from 'commander';
import { formatMoney } from '../lib/money.ts';
import type { FundsRule } from '../payment-services/funds-rule-queries.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { setFundsRule } from '../payment-services/set-funds-rule.ts';
import { checkCurrency, environmentOption, readAmount } from './options.ts';
import { print, unknownPaymentService } from './print.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';

type FundsOptions = ActingOptions & {
  environment: Environment;
  keepBack?: string;
  overdraft?: string;
  currency: string;
  json?: boolean;
};

/** `payment-service funds`: what payouts leave there, and how far refunds may go. */
export function addFundsCommand(group: Command): void {
  acting(group.command('funds'))
    .description('show or set what payouts leave of the money of a merchant, and how far refunds may overdraw it')
    .argument('<id>', 'of the payment service: payment-service list')
    .addOption(environmentOption())
    .option('--keep-back <amount>', 'what no payout takes, so that refunds stay covered; 0: nothing')
    .option('--overdraft <amount>', 'how far refunds may go below what the merchant has; 0: not at all')
    .option('--currency <currency>', 'of the money', 'CLP')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(change);
}

async function change(id: string, options: FundsOptions): Promise<void> {
  const { environment, currency, keepBack, overdraft } = options;
  checkCurrency(currency);
  const changes: Partial<FundsRule> = {
    ...(keepBack !== undefined && { kept_back: readAmount(keepBack, currency) }),
    ...(overdraft !== undefined && { overdraft: readAmount(overdraft, currency) }),
  };
  const rule = await withActor(options, (app, by) =>
    setFundsRule(app, { paymentServiceId: id, environment, currency }, changes, by),
  );
  if (rule === null) throw unknownPaymentService(id);
  print(options, { id, environment, currency, ...rule }, [
    `Payouts of ${id} in ${environment} leave ${formatMoney(rule.kept_back, currency)} there.`,
    `Refunds may go ${formatMoney(rule.overdraft, currency)} below what the merchant has.`,
  ]);
}
