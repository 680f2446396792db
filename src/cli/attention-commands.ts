import { type Command, Option } from 'commander';
import type { AttentionName, AttentionRow } from '../attention/attention.ts';
import { ATTENTION_KINDS } from '../attention/attention-kinds.ts';
import { listAttention } from '../attention/list-attention.ts';
import { formatPlain } from '../lib/money.ts';
import { formatAge } from '../lib/time-text.ts';
import { readLimit } from './options.ts';
import { print, table, time } from './print.ts';
import { withApp } from './with-app.ts';

/** `attention list`. */
export function addAttentionCommands(program: Command): void {
  program
    .command('attention')
    .description('what waits for a person')
    .command('list')
    .description('everything that waits or contradicts, the oldest first, each with the command that ends it')
    .addOption(new Option('--kind <kind>', 'only these').choices(ATTENTION_KINDS.map(({ kind }) => kind)))
    .option('--limit <number>', 'how many', '1000')
    .option('--json', 'print one JSON object; amounts in minor units, times and ages in milliseconds')
    .action(list);
}

async function list(options: { kind?: AttentionName; limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const waiting = await withApp((app) => listAttention(app, options.kind ?? null, limit));
  print(options, { attention: waiting }, waiting.length === 0 ? ['Nothing waits for a person.'] : linesOf(waiting));
}

/** The table, and below it what to do: a command is too long for a column. */
function linesOf(waiting: readonly AttentionRow[]): string[] {
  const head = ['KIND', 'ID', 'PAYMENT SERVICE', 'ENVIRONMENT', 'TRANSACTION', 'AMOUNT', 'SINCE (UTC)', 'AGE'];
  const rows = waiting.map((row) => [
    row.kind,
    row.id,
    row.name,
    row.environment,
    String(row.transaction ?? '—'),
    row.amount === null ? '—' : `${formatPlain(row.amount, row.currency ?? '')} ${row.currency}`,
    time(row.since),
    formatAge(row.age),
  ]);
  return [
    ...table([head, ...rows]),
    ...waiting.flatMap(({ kind, id, reason, command }) => ['', `${kind} ${id}: ${reason}`, `  ${command}`]),
  ];
}
