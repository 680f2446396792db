import { type Command, Option } from 'commander';
import type { NextAttempt } from '../../lib/next-attempt.ts';
import { formatAge } from '../../lib/time-text.ts';
import { MAIL_STATES, type MailState, nextOfMail } from '../../mail/mail.ts';
import type { ListedMail } from '../../mail/mail-queries.ts';
import { endMail, listMails, type MailDecision, resendMail } from '../../mail/manage-mails.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { readLimit } from '../options.ts';
import { alreadyDone, listTable, nextText, noteCut, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

/** `mail list | resend | end`. */
export function addMailCommands(program: Command): void {
  const group = program.command('mail').description('list and resend receipts sent by mail');
  group
    .command('list')
    .description('list receipts that wait or were given up, with age and cause; --state shows one state only')
    .addOption(new Option('--state <state>', 'only in this state').choices(MAIL_STATES))
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  acting(group.command('resend'))
    .description('send a receipt again, starting with the first attempt')
    .argument('<id>', 'ID from `mail list`')
    .option('--json', 'print one JSON object')
    .action(resend);
  acting(group.command('end'))
    .description('stop sending a receipt that has not left')
    .argument('<id>', 'ID from `mail list`')
    .option('--json', 'print one JSON object')
    .action(end);
}

async function list(options: { state?: MailState; limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const { found, now, isSet } = await withApp(async (app) => ({
    found: await listMails(app, options.state ?? null, limit, (await findElsewhere(app)).environments),
    now: app.now(),
    isSet: app.mailer !== null,
  }));
  const mails = found.map((mail) => {
    const { lease: _lease, ...rest } = mail;
    return { ...rest, ...nextOfMail(mail, now), age: now - mail.created_at };
  });
  const rows = mails.map((mail) => ({
    ID: mail.id,
    TRANSACTION: String(mail.transaction_id),
    MERCHANT: mail.name,
    ADDRESS: mail.address,
    STATE: mail.state,
    ATTEMPTS: String(mail.attempts),
    AGE: formatAge(mail.age),
    'WHEN (CHILE)': whenOf(mail),
    FAILURE: mail.failure ?? '—',
  }));
  const lines = listTable(rows, options.state === undefined ? 'No receipt yet.' : 'There is no such receipt.');
  print(options, { mails, sends: isSet }, [
    ...lines,
    ...(isSet ? [] : ['', 'SMTP_URL is not set: no receipt leaves.']),
  ]);
  noteCut(options, rows.length, limit);
}

function whenOf(mail: Pick<ListedMail, 'state' | 'finished_at'> & NextAttempt): string {
  return mail.state === 'queued' ? nextText(mail, 'next ') : time(mail.finished_at);
}

async function resend(id: string, options: ActingOptions): Promise<void> {
  const outcome = await withActor(options, (app, by) => resendMail(app, id, by));
  refuse(id, outcome, `Receipt ${id} is being sent at this moment: bin/rubrica mail list`);
  print(options, { id, state: 'queued' }, [
    `Receipt ${id} is due now; the service sends it within seconds, or when it starts.`,
  ]);
}

async function end(id: string, options: ActingOptions): Promise<void> {
  const outcome = await withActor(options, (app, by) => endMail(app, id, by));
  refuse(id, outcome, `Receipt ${id} has left or was ended, or is being sent: bin/rubrica mail list --state sent`);
  print(options, { id, state: 'ended' }, [`Receipt ${id} will not be sent.`]);
}

function refuse(id: string, outcome: MailDecision, no: string): void {
  if (outcome === 'unknown') throw notFound(`There is no receipt ${id}: bin/rubrica mail list`);
  if (outcome === 'no') throw alreadyDone(no);
}
