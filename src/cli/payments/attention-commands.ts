import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import type { AttentionName, AttentionRow } from '../../attention/attention.ts';
import { ATTENTION_KINDS } from '../../attention/attention-kinds.ts';
import { listAttention } from '../../attention/list-attention.ts';
import { type MeasuredKind, measureAttention } from '../../attention/measure-attention.ts';
import { type AttentionNamed, giveUpAttention, takeAttention } from '../../attention/take-attention.ts';
import type { Actor } from '../../audit/actor.ts';
import { type Environment } from '../../payment-services/payment-service.ts';
import { environmentOption, readLimit } from '../options.ts';
import { orUnknown } from '../or-unknown.ts';
import { countOf, print } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { attentionLines } from './attention-lines.ts';

const KINDS = ATTENTION_KINDS.map(({ kind }) => kind);

/** `attention list | take | give-up`. */
export function addAttentionCommands(program: Command): void {
  const group = program.command('attention').description('list and assign what waits for a person');
  group
    .command('list')
    .description('list what waits for a person, oldest first, with its assignee and the command that resolves it')
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(KINDS))
    .option('--limit <number>', 'maximum number of rows', '1000')
    .option('--json', 'print one JSON object; amounts in minor units, times and ages in milliseconds')
    .action(list);
  addTaking(group, 'take', takeAttention, 'assign an item to yourself, so that nobody else starts on it');
  addTaking(group, 'give-up', giveUpAttention, 'unassign an item');
}

type Take = (app: App, named: AttentionNamed, by: Actor) => Promise<AttentionRow>;
type TakeOptions = ActingOptions & {
  kind?: AttentionName;
  paymentService?: string;
  environment?: Environment;
};

function addTaking(group: Command, name: string, take: Take, description: string): void {
  acting(group.command(name))
    .description(description)
    .argument('<id>', 'ID from `attention list`')
    .addOption(new Option('--kind <kind>', 'to choose one, if several items have this ID').choices(KINDS))
    .option('--payment-service <id>', 'to choose one, if several items have this ID')
    .addOption(environmentOption('to choose one, if several items have this ID'))
    .option('--json', 'print one JSON object')
    .action(async (id: string, { kind, paymentService, environment, ...options }: TakeOptions) => {
      const named = {
        id,
        ...(kind !== undefined && { kind }),
        ...(paymentService !== undefined && { payment_service: paymentService }),
        ...(environment !== undefined && { environment }),
      };
      const row = await withActor(options, (app, by) => orUnknown('attention', id, take(app, named, by)));
      const who = row.taken_by === null ? 'nobody looks after it' : `${row.taken_by} looks after it`;
      print(options, { kind: row.kind, id, taken_by: row.taken_by }, [`${row.kind} ${id}: ${who}. ${row.command}`]);
    });
}

async function list(options: { kind?: AttentionName; limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const [waiting, left] = await withApp(async (app) => {
    const rows = await listAttention(app, options.kind ?? null, limit);
    return [rows, rows.length < limit ? [] : await measureLeft(app, options.kind, rows)] as const;
  });
  const notListed = left.map(({ kind, count }) => ({ kind, count }));
  print(options, { attention: waiting, not_listed: notListed }, [
    ...attentionLines(waiting),
    ...leftLines(left, limit),
  ]);
}

/** Counts, kind by kind, what waits beyond the rows: a thousand callbacks must not hide newer money in suspense. */
async function measureLeft(
  app: App,
  kind: AttentionName | undefined,
  rows: readonly AttentionRow[],
): Promise<MeasuredKind[]> {
  const measured = (await measureAttention(app)).filter((one) => kind === undefined || one.kind === kind);
  return measured
    .map((one) => ({ ...one, count: one.count - rows.filter((row) => row.kind === one.kind).length }))
    .filter(({ count }) => count > 0);
}

function leftLines(left: readonly MeasuredKind[], limit: number): string[] {
  if (left.length === 0) return [];
  const lines = left.map(
    ({ kind, nouns, count }) => `  ${countOf(count, ...nouns)}: bin/rubrica attention list --kind ${kind}`,
  );
  return ['', `Not listed, because the list ends after ${limit} (--limit):`, ...lines];
}
