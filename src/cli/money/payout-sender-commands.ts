import type { Command } from 'commander';
import { formatMoney } from '../../lib/money.ts';
import { ownAddress } from '../../lib/setting-readers.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { listApproved } from '../../payouts/files/find-payout-file.ts';
import { selectSenders } from '../../payouts/payout-sender-queries.ts';
import { removePayoutSender, setPayoutSender } from '../../payouts/set-payout-sender.ts';
import { confirm, yesOption } from '../confirm.ts';
import { environmentOption, readStdin } from '../options.ts';
import { countOf, invalidOption, listTable, missingOption, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { sumOf } from './payout-view.ts';
import { ownerOf } from './propose-command.ts';

type Target = ActingOptions & { paymentService: string; environment?: Environment; yes?: boolean };
type SetOptions = Target & { url?: string; key?: string };

/** `payout sender set | list | remove`: the program that sends payouts. */
export function addPayoutSenderCommands(payout: Command): void {
  const sender = payout.command('sender').description("send payouts through a provider's API instead of bank files");
  target(acting(sender.command('set')))
    .description('send approved payouts through a provider from now on, waiting ones too')
    .argument('<kind>', 'http (see docs/payout-provider.md) or simulated (development)')
    .option('--url <url>', 'http: URL where the provider accepts transfers')
    .option('--key <source>', 'http: bearer key of the provider; - reads it from standard input')
    .addOption(yesOption())
    .action(set);
  sender
    .command('list')
    .description('list the senders of each payment service, without keys')
    .option('--json', 'print one JSON object')
    .action(list);
  target(acting(sender.command('remove')))
    .description('stop using the sender: approved payouts wait for a bank file again; sent ones are still looked up')
    .action(remove);
}

function target(command: Command): Command {
  return command
    .requiredOption('--payment-service <id>', 'payment service whose payouts are sent')
    .addOption(environmentOption())
    .option('--json', 'print one JSON object; amounts in minor units');
}

async function set(kind: string, options: SetOptions): Promise<void> {
  if (kind !== 'http' && kind !== 'simulated') throw invalidOption(`There is no sender ${kind}: http or simulated.`);
  if (kind === 'http' && options.url === undefined) throw missingOption('http needs --url.');
  if (kind === 'simulated' && options.url !== undefined) throw invalidOption('simulated takes no --url.');
  const key = await readKey(options.key);
  const { id, payouts, total } = await withActor(options, async (app, by) => {
    const owner = await ownerOf(app, options);
    const url = options.url === undefined ? null : urlOf(options.url, owner.environment);
    const waiting = sumOf(await listApproved(app, new Set([owner.id])));
    await confirm(`Let approved payouts of ${owner.environment} leave by ${kind}, and ${waiting} at once?`, options);
    return setPayoutSender(app, owner, { kind, url, key }, by);
  });
  print(options, { id, kind, payouts, total }, [
    `Payouts of ${options.paymentService} leave by ${kind} (${id}); ${payouts === 0 ? 'none waits now' : `${countOf(payouts, 'payout')} of ${formatMoney(total, 'CLP')} leave now`}.`,
  ]);
}

function urlOf(text: string, environment: Environment): string {
  const url = ownAddress('--url', text) as string;
  if (environment === 'production' && !url.startsWith('https:')) throw invalidOption('--url begins with https://.');
  return url;
}

/** Reads the key from standard input. As an argument it would stay in the shell history. */
async function readKey(source: string | undefined): Promise<string | null> {
  if (source === undefined) return null;
  if (source !== '-') throw invalidOption('The key comes on standard input: --key - < FILE');
  const key = (await readStdin()).toString('latin1').trim();
  if (!/^[!-~]{8,256}$/.test(key)) throw invalidOption('The key is 8 to 256 visible ASCII characters.');
  return key;
}

async function list(options: { json?: boolean }): Promise<void> {
  const senders = (await withApp((app) => selectSenders(app.db))).map((one) => ({
    ...one,
    // Remove the query: some providers put a key there.
    url: one.url === null ? null : (one.url.split('?')[0] as string),
  }));
  const rows = senders.map((one) => ({
    'PAYMENT SERVICE': one.payment_service_id,
    NAME: one.name,
    ENVIRONMENT: one.environment,
    SENDER: one.kind,
    URL: one.url ?? '—',
    'SINCE (CHILE)': time(one.set_at),
    BY: one.set_by,
  }));
  print(options, { senders }, listTable(rows, 'No sender is set: payouts leave in files.'));
}

async function remove(options: Target): Promise<void> {
  const removed = await withActor(options, async (app, by) => removePayoutSender(app, await ownerOf(app, options), by));
  if (removed === null) throw notFound('No sender is set there: bin/rubrica payout sender list');
  const { id, payouts, total } = removed;
  print(options, { id, payouts, total }, [
    `Payouts of ${options.paymentService} leave by no program; ${payouts} of ${formatMoney(total, 'CLP')} wait for a file.`,
  ]);
}
