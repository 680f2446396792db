import type { Command } from 'commander';
import { formatMoney } from '../../lib/money.ts';
import type { FundsRule } from '../../payment-services/funds-rule-queries.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { setFundsRule } from '../../payment-services/set-funds-rule.ts';
import { checkCurrency, readAmount, requiredEnvironmentOption } from '../options.ts';
import { print, unknownPaymentService } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';

type FundsOptions = ActingOptions & {
  environment: Environment;
  keepBack?: string;
  overdraft?: string;
  currency: string;
};

/** `payment-service funds`: the reserve that payouts leave, and the overdraft for refunds. */
export function addFundsCommand(group: Command): void {
  acting(group.command('funds'))
    .description("show or set a merchant's reserve (not paid out) and overdraft (for refunds)")
    .argument('<id>', 'ID from `payment-service list`')
    .addOption(requiredEnvironmentOption())
    .option('--keep-back <amount>', 'amount that payouts leave untouched, to cover refunds; 0: none')
    .option('--overdraft <amount>', "how far refunds may exceed the merchant's balance; 0: not at all")
    .option('--currency <currency>', 'currency', 'CLP')
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
