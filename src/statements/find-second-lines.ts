import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';
import { formatMoney } from '../lib/money.ts';
import { selectFundsRule } from '../payment-services/funds-rule-queries.ts';
import { readFunds } from '../payment-services/lock-funds.ts';
import { selectSecondLines } from './second-line-queries.ts';

/**
 * A line in suspense that charges for a payout once more. `missing`: what its merchant lacks, in minor units, before
 * the line can be booked at its expense, with the amount that is kept back.
 */
export type SecondLine = { payout: string; payment_service: string; line: string; missing: number; currency: string };

/** Lists these lines, oldest first. */
export async function findSecondLines(app: App): Promise<SecondLine[]> {
  const found: SecondLine[] = [];
  for (const { payout, environment_id, payment_service, line, amount, currency } of await selectSecondLines(app.db)) {
    const { available } = await readFunds(app.db, environment_id, currency);
    const { kept_back } = await selectFundsRule(app.db, environment_id, currency);
    const missing = Math.max(0, amount + kept_back - Number(available));
    found.push({ payout, payment_service, line, missing, currency });
  }
  return found;
}

/** Returns the command that books a second line at the expense of its merchant. */
export function bookingCommand({ line, payment_service }: SecondLine): string {
  const [statement, number] = line.split('/');
  const is = `--use payout --to-merchant --payment-service ${payment_service}`;
  return `bin/rubrica statement resolve ${statement} --line ${number} ${is} --reason TEXT --as EMAIL`;
}

/** Says why a second line cannot be booked yet, and what ends that; null: it can. */
export function sayMissing({ missing, currency }: SecondLine): InBoth | null {
  if (missing === 0) return null;
  const money = formatMoney(missing, currency);
  return {
    en: `The merchant lacks ${money}: until payments or its own deposit (Recorded by hand in the console, or deposit create --from-merchant) cover the line, it cannot be booked at its expense. If your company bears it, resolve the line as other`,
    es: `Al comercio le faltan ${money}: hasta que sus pagos o un depósito suyo («Registrado a mano» en la consola, o deposit create --from-merchant) cubran la línea, no se puede anotar a su costa. Si lo asume tu empresa, explica la línea como other`,
  };
}
