import { type Command, Option } from 'commander';
import type { CallbackState } from '../outbox/outbox-queries.ts';
import { listCallbacks, listDeliveryAttempts, resendCallback } from '../outbox/resend-callback.ts';
import { readLimit } from './options.ts';
import { type CommandError, notFound, print, table, time } from './print.ts';
import { withApp } from './with-app.ts';

/** `callback list | resend`. */
export function addCallbackCommands(program: Command): void {
  const group = program.command('callback').description('what is sent to merchants');
  group
    .command('list')
    .description('the newest callbacks and the outcome of their last attempt')
    .addOption(new Option('--state <state>', 'only these').choices(['queued', 'delivered', 'dead', 'disabled']))
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('show')
    .description('every attempt to deliver one, and what the server answered')
    .argument('<id>', 'the ID of callback list')
    .option('--json', 'print one JSON object')
    .action(show);
  group
    .command('resend')
    .description('send one again, with the same bytes; enables its endpoint')
    .argument('<id>', 'the ID of callback list')
    .option('--json', 'print one JSON object')
    .action(resend);
}

async function list(options: { state?: CallbackState; limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const callbacks = await withApp((app) => listCallbacks(app, options.state ?? null, limit));
  const rows = callbacks.map((one) => [
    String(one.id),
    String(one.transaction_id),
    one.state,
    String(one.attempts),
    one.failure ?? (one.status === null ? '—' : String(one.status)),
    one.state === 'queued' ? `next ${time(one.next_attempt_at)}` : time(one.finished_at),
    one.url,
  ]);
  const head = ['ID', 'TRANSACTION', 'STATE', 'ATTEMPTS', 'LAST ANSWER', 'WHEN (UTC)', 'URL'];
  print(options, { callbacks }, rows.length === 0 ? ['No callback yet.'] : table([head, ...rows]));
}

async function show(text: string, options: { json?: boolean }): Promise<void> {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  const attempts = await withApp((app) => listDeliveryAttempts(app, id));
  if (attempts === null) throw unknownCallback(text);
  const lines = attempts.flatMap(({ started_at, duration_ms, status, failure, excerpt }) => [
    `${time(started_at)}  ${failure ?? `answered ${status}`}, after ${duration_ms} ms`,
    ...(excerpt === null || excerpt === '' ? [] : [`    ${excerpt.slice(0, 500).replaceAll('\n', '\n    ')}`]),
  ]);
  print(
    options,
    { id, attempts },
    lines.length === 0 ? [`There was no attempt to deliver callback ${id} yet.`] : lines,
  );
}

async function resend(text: string, options: { json?: boolean }): Promise<void> {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (!(await withApp((app) => resendCallback(app, id)))) throw unknownCallback(text);
  print(options, { id, state: 'queued' }, [`Callback ${id} is queued; the running service sends it within a second.`]);
}

function unknownCallback(text: string): CommandError {
  return notFound(`There is no callback ${text}: bin/rubrica callback list`);
}
