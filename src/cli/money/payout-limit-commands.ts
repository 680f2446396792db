import type { Command } from 'commander';
import { findUser } from '../../auth/find-user.ts';
import { formatMoney } from '../../lib/money.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { type PayoutLimits, selectPayoutLimits } from '../../payouts/approval/payout-limit-queries.ts';
import { setPayoutLimits, setPersonLimit } from '../../payouts/approval/set-payout-limits.ts';
import { environmentOption, readAmount } from '../options.ts';
import { invalidOption, notFound, print, table } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { ownerOf } from './propose-command.ts';

type LimitOptions = ActingOptions &
  Partial<Record<(typeof OPTIONS)[number]['key'], string>> & {
    paymentService: string;
    environment?: Environment;
    json?: boolean;
  };

const OPTIONS = [
  { key: 'perPayout', flag: '--per-payout <amount>', column: 'per_payout', says: 'maximum of one payout' },
  { key: 'perBatch', flag: '--per-batch <amount>', column: 'per_batch', says: 'maximum of a batch' },
  { key: 'perDay', flag: '--per-day <amount>', column: 'per_day', says: 'maximum approved in one day (Chilean time)' },
  {
    key: 'automaticPerPayout',
    flag: '--automatic-per-payout <amount>',
    column: 'automatic_per_payout',
    says: 'payouts of programs up to this amount need no approval (default: all need it)',
  },
  {
    key: 'automaticPerDay',
    flag: '--automatic-per-day <amount>',
    column: 'automatic_per_day',
    says: 'maximum that programs pay without approval in one day',
  },
  {
    key: 'automaticPerHour',
    flag: '--automatic-per-hour <count>',
    column: 'automatic_count_per_hour',
    says: 'maximum number of payouts without approval in one hour',
  },
] as const;

/** `payout limits` and `payout person-limit`. */
export function addPayoutLimitCommands(payout: Command): void {
  const limits = acting(payout.command('limits'))
    .description('show or set the payout limits; `none` removes a limit')
    .requiredOption('--payment-service <id>', 'payment service that pays')
    .addOption(environmentOption());
  for (const { flag, says } of OPTIONS) limits.option(flag, says);
  limits.option('--json', 'print one JSON object; amounts in minor units').action(set);
  acting(payout.command('person-limit'))
    .description('set how much a person may approve in one day (Chilean time); `none` removes the limit')
    .argument('<user>', 'user ID or e-mail address')
    .argument('<amount>', 'whole pesos, or none')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(setPerson);
}

async function set(options: LimitOptions): Promise<void> {
  const changes: Partial<PayoutLimits> = {};
  for (const { key, column } of OPTIONS) {
    const text = options[key];
    if (text !== undefined) changes[column] = key === 'automaticPerHour' ? readCount(text) : readMost(text);
  }
  const limits = await withActor(options, async (app, by) => {
    const owner = await ownerOf(app, options);
    return Object.keys(changes).length === 0
      ? selectPayoutLimits(app.db, owner.id)
      : setPayoutLimits(app, owner, changes, by);
  });
  const rows = OPTIONS.map(({ column, says }) => [`  ${says}`, shown(column, limits[column])]);
  print(options, { limits }, table(rows));
}

function shown(column: keyof PayoutLimits, value: number | null): string {
  if (value === null) return column === 'automatic_per_payout' ? 'none: a person approves each' : 'no limit';
  return column === 'automatic_count_per_hour' ? String(value) : formatMoney(value, 'CLP');
}

async function setPerson(user: string, text: string, options: ActingOptions): Promise<void> {
  const perDay = readMost(text);
  const found = await withActor(options, async (app, by) => {
    const row = await findUser(app, user);
    if (row === null) throw notFound(`There is no user ${user}: bin/rubrica user list`);
    await setPersonLimit(app, row.id, perDay, by);
    return row;
  });
  const most = perDay === null ? 'as much as there is' : formatMoney(perDay, 'CLP');
  print(options, { user: found.id, per_day: perDay }, [`${found.email} may approve ${most} in a day.`]);
}

function readMost(text: string): number | null {
  if (text === 'none') return null;
  const amount = readAmount(text, 'CLP');
  if (amount === 0) throw invalidOption('A limit is above 0; `none` takes it away.');
  return amount;
}

function readCount(text: string): number | null {
  if (text === 'none') return null;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw invalidOption('--automatic-per-hour is a number from 1 to 999999, or `none`.');
  return Number(text);
}
