import { type Command, Option } from 'commander';
import { formatMoney } from '../../lib/money.ts';
import { createPaymentLink } from '../../payment-links/create-payment-link.ts';
import { endPaymentLink } from '../../payment-links/end-payment-link.ts';
import { linkUrl, listPaymentLinks } from '../../payment-links/find-payment-link.ts';
import { isLinkEnd, type LinkWish, MOST_LINK_AMOUNT, readSubject } from '../../payment-links/payment-link.ts';
import { refuseCallbackUrl } from '../../payment-services/callback-address.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { selectEnvironmentId } from '../../payment-services/payment-service-queries.ts';
import { environmentOption, readAmount, readDuration, readLimit, readTime, TIMES } from '../options.ts';
import {
  alreadyDone,
  invalidOption,
  listTable,
  noteCut,
  notFound,
  print,
  time,
  unknownPaymentService,
} from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

/** `payment-link create | list | end`. */
export function addPaymentLinkCommands(program: Command): void {
  const group = program.command('payment-link').description('manage links that can be paid without a shop');
  acting(group.command('create'))
    .description('create an address, QR code and poster where an amount can be paid')
    .requiredOption('--payment-service <id>', 'payment service that is paid; ID from `payment-service list`')
    .addOption(environmentOption())
    .requiredOption('--amount <amount>', 'amount: CLP such as 12990, without points; USD such as 10.55')
    .option('--currency <currency>', 'currency of the amount', 'CLP')
    .requiredOption('--subject <text>', 'subject that the payer reads')
    .option('--expires <when>', `end after a duration, such as 7d, or at ${TIMES} (default: never)`)
    .addOption(new Option('--uses <number>', 'paid once, or any number of times').choices(['1', 'many']).default('1'))
    .option('--callback <url>', 'callback URL for each payment (default: none)')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(create);
  group
    .command('list')
    .description('list the newest links with their state and number of payments')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
  acting(group.command('end'))
    .description('end a link; payments in progress can finish')
    .argument('<id>', 'ID of the link, pl_…')
    .option('--json', 'print one JSON object')
    .action(end);
}

type CreateOptions = ActingOptions & {
  paymentService: string;
  environment?: Environment;
  amount: string;
  currency: string;
  subject: string;
  expires?: string;
  uses: '1' | 'many';
  callback?: string;
};

async function create(options: CreateOptions): Promise<void> {
  const { paymentService } = options;
  const made = await withActor(options, async (app, by) => {
    const environment = options.environment ?? app.config.mode;
    const id = await selectEnvironmentId(app.db, paymentService, environment);
    if (id === null) throw unknownPaymentService(paymentService);
    const { callback = null } = options;
    const refusal = callback === null ? null : refuseCallbackUrl(app, environment, callback);
    if (refusal !== null) throw invalidOption(`${refusal.message} ${refusal.fix}`);
    const { link } = await createPaymentLink(app, id, { ...readWish(options, app.now()), urlCallback: callback }, by);
    return { link, url: linkUrl(app, link), environment };
  });
  const { link, url, environment } = made;
  const shown = {
    id: link.id,
    payment_service: paymentService,
    environment,
    url,
    qr: `${url}/qr.svg`,
    poster: `${url}/poster`,
  };
  const { amount, currency, subject, uses, expires_at } = link;
  print(options, { ...shown, amount, currency, subject, uses, expires_at }, [
    `${formatMoney(amount, currency)} for ${subject} can be paid ${uses === 'one' ? 'once' : 'by many'} here${expires_at === null ? '' : `, until ${time(expires_at)}`}:`,
    `  ${url}`,
    `QR code  ${shown.qr}`,
    `poster   ${shown.poster}`,
  ]);
}

function readWish(options: CreateOptions, now: number): Omit<LinkWish, 'urlCallback'> {
  const { currency, uses } = options;
  const amount = readAmount(options.amount, currency);
  if (amount < 1 || amount > MOST_LINK_AMOUNT) throw invalidOption('--amount is more than 0, and at most 11 digits.');
  const subject = readSubject(options.subject);
  if (subject === null) throw invalidOption('--subject is 1 to 80 characters, without line breaks or a card number.');
  const expiresAt = options.expires === undefined ? null : readEnd(options.expires, now);
  return { amount, currency, subject, uses: uses === '1' ? 'one' : 'many', expiresAt };
}

function readEnd(text: string, now: number): number {
  const at = /^\d+[smhd]$/.test(text) ? now + readDuration(text) : readTime('--expires', text).to;
  if (!isLinkEnd(at, now)) throw invalidOption('--expires is in the future, and within five years.');
  return at;
}

async function list(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const links = await withApp((app) => listPaymentLinks(app, null, { limit }));
  const rows = links.map((link) => ({
    ID: link.id,
    MERCHANT: link.name,
    ENVIRONMENT: link.environment,
    AMOUNT: formatMoney(link.amount, link.currency),
    SUBJECT: link.subject,
    STATE: link.state,
    PAID: String(link.paid),
    'UNTIL (CHILE)': time(link.expires_at),
    URL: link.url,
  }));
  print(options, { links }, listTable(rows, 'There is no payment link yet.'));
  noteCut(options, rows.length, limit);
}

async function end(id: string, options: ActingOptions): Promise<void> {
  const outcome = await withActor(options, (app, by) => endPaymentLink(app, id, null, by));
  if (outcome === 'unknown') throw notFound(`There is no payment link ${id}: bin/rubrica payment-link list`);
  if (outcome === 'already') throw alreadyDone(`${id} was ended before.`);
  print(options, { id, state: 'ended' }, [`${id} can be paid no more; who is paying already can finish.`]);
}
