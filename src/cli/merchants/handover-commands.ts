import type { Command } from 'commander';
import { publicBase } from '../../checkout/pay-link.ts';
import { endHandover, handOverTokens, listHandovers } from '../../payment-services/hand-over-tokens.ts';
import { handoverState } from '../../payment-services/handover.ts';
import { selectHandover } from '../../payment-services/handover-queries.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { checkPaymentService, readLimit, readValidity, requiredEnvironmentOption } from '../options.ts';
import { unknownOf } from '../or-unknown.ts';
import { alreadyDone, listTable, noteCut, print, time, unknownPaymentService } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

/** `payment-service hand-over | links | end-link`. */
export function addHandoverCommands(group: Command): void {
  acting(group.command('hand-over'))
    .description('create a link that shows the tokens of an environment once, to the first person who opens it')
    .argument('<id>', 'ID from `payment-service list`')
    .addOption(requiredEnvironmentOption())
    .option('--valid <duration>', 'how long the link is valid, from 15m to 14d', '72h')
    .option('--json', 'print one JSON object')
    .action(handOver);
  group
    .command('links')
    .description('list the links that show tokens: author, and when they were opened')
    .argument('[id]', 'only of this payment service')
    .option('--limit <number>', 'maximum number of rows', '200')
    .option('--json', 'print one JSON object')
    .action(showLinks);
  acting(group.command('end-link'))
    .description('revoke a link before it is opened')
    .argument('<link>', 'ID of the link, th_…')
    .option('--json', 'print one JSON object')
    .action(endLink);
}

type HandOverOptions = ActingOptions & { environment: Environment; valid: string };

async function handOver(id: string, options: HandOverOptions): Promise<void> {
  const valid = readValidity(options.valid);
  const { environment } = options;
  const made = await withActor(options, async (app, by) => {
    const handover = await handOverTokens(app, { paymentServiceId: id, environment }, valid, by);
    return handover === null ? null : { ...handover, url: `${publicBase(app)}/hand-over/${handover.link}` };
  });
  if (made === null) throw unknownPaymentService(id);
  print(options, { id: made.id, payment_service: id, environment, url: made.url, ends_at: made.ends_at }, [
    `This link shows the ${environment} tokens of ${id} once, until ${time(made.ends_at)}:`,
    `  ${made.url}`,
    'Send it to the person who sets up the shop. The first person who opens it sees the tokens; the audit log records when.',
  ]);
}

async function showLinks(id: string | undefined, options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const links = await withApp(async (app) => {
    await checkPaymentService(app, id);
    const rows = await listHandovers(app, id ?? null, limit);
    return rows.map((row) => ({ ...row, state: handoverState(row, app.now()) }));
  });
  const rows = links.map((link) => ({
    LINK: link.id,
    NAME: link.name,
    ENVIRONMENT: link.environment,
    STATE: link.state,
    'MADE BY': link.made_by,
    'MADE (CHILE)': time(link.made_at),
    'UNTIL (CHILE)': time(link.ends_at),
    'OPENED (CHILE)': link.opened_at === null ? '—' : `${time(link.opened_at)} from ${link.opened_from ?? ''}`,
  }));
  print(options, { links }, listTable(rows, 'No link was made yet.'));
  noteCut(options, rows.length, limit);
}

async function endLink(id: string, options: ActingOptions): Promise<void> {
  const ended = await withActor(options, async (app, by) => {
    if ((await selectHandover(app.db, id)) === null) throw unknownOf('link', id);
    return endHandover(app, { id }, by);
  });
  if (!ended) throw alreadyDone(`${id} does not wait: bin/rubrica payment-service links`);
  print(options, { id, ended: true }, [`${id} shows nothing from now on.`]);
}
