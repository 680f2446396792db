import type { Command } from 'commander';
import { setPayerAttempts } from '../payment-services/set-payer-attempts.ts';
import { DEFAULT_PAYER_ATTEMPTS } from '../transactions/transaction-state.ts';
import { invalidOption, print, unknownPaymentService } from './print.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';

/** `payment-service payer-attempts`: what payers meet. */
export function addPayerCommands(group: Command): void {
  acting(group.command('payer-attempts'))
    .description('set how many declined attempts end a transaction; without --most: the default')
    .argument('<id>')
    .option('--most <number>', `1: the first decline ends it; the default is ${DEFAULT_PAYER_ATTEMPTS}`)
    .option('--json', 'print one JSON object')
    .action(changePayerAttempts);
}

const MOST_PAYER_ATTEMPTS = 50;

async function changePayerAttempts(id: string, options: ActingOptions & { most?: string; json?: boolean }) {
  const most = options.most === undefined ? null : Number(options.most);
  if (most !== null && !(/^\d+$/.test(options.most ?? '') && most >= 1 && most <= MOST_PAYER_ATTEMPTS))
    throw invalidOption(`--most is a whole number from 1 to ${MOST_PAYER_ATTEMPTS}.`);
  const known = await withActor(options, (app, by) => setPayerAttempts(app, id, most, by));
  if (!known) throw unknownPaymentService(id);
  const number = most ?? DEFAULT_PAYER_ATTEMPTS;
  print(options, { id, payer_attempts: most }, [
    number === 1
      ? `The first decline ends a transaction of ${id}.`
      : `A payer of ${id} may try again after a decline; decline ${number} ends the transaction.`,
  ]);
}
