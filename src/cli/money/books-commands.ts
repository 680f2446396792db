import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import type { BalanceRow } from '../../books/balance-queries.ts';
import { selectBalances } from '../../books/balance-queries.ts';
import { selectHeads } from '../../books/journal-queries.ts';
import { listEntries } from '../../books/list-books.ts';
import { type Sum, subtract } from '../../lib/exact-sum.ts';
import { formatMoney } from '../../lib/money.ts';
import type { Decision } from '../../movements/movement.ts';
import { selectSuspense } from '../../movements/movement-queries.ts';
import {
  type Resolution,
  resolveImported,
  resolveSuspense,
  type SuspenseDecision,
  sumImported,
  sumSuspense,
} from '../../movements/resolve-suspense.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import { confirm, yesOption } from '../confirm.ts';
import { headTable } from '../head-table.ts';
import { readLimit, readReason } from '../options.ts';
import {
  alreadyDone,
  type CommandError,
  invalidOption,
  listTable,
  missingOption,
  noteCut,
  notFound,
  print,
  time,
  unknownTransaction,
} from '../print.ts';
import { type ActingOptions, readActing, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addStatementCommand } from './books-statement-command.ts';
import { addVerifyCommand } from './books-verify-command.ts';

type Json = { json?: boolean };

/** `books balance | list | verify | head | suspense | resolve`. */
export function addBooksCommands(program: Command): void {
  const group = program.command('books').description('read and verify the books');
  const add = (name: string, description: string) =>
    group.command(name).description(description).option('--json', 'print one JSON object; amounts in minor units');
  add('balance', 'list every account balance by payment service, environment and currency').action(balance);
  add('list', 'list the newest entries')
    .option('--transaction <id>', 'only of this transaction')
    .option('--limit <number>', 'maximum number of rows', '50')
    .action(list);
  addStatementCommand(group);
  addVerifyCommand(group);
  add('head', 'print the head of every chain, to be kept where this service cannot write').action(head);
  add('suspense', 'list money in suspense, which no order or refund explains, and the decisions about it')
    .option('--limit <number>', 'maximum number of rows', '50')
    .action(suspense);
  add('resolve', 'decide what money in suspense is; final')
    .option('--transaction <id>', 'transaction that the alarm names; leave it out for money without a transaction')
    .option('--entry <entry>', 'only this entry, such as 12.0; without a transaction, with its environment: 7/12.0')
    .addOption(
      new Option(
        '--decision <decision>',
        'returned: it went back at the payment method, or came back from it; kept: it is the merchant’s',
      ).choices(DECISIONS),
    )
    .option(
      '--as <email>',
      'user who acts, for the audit log (default: RUBRICA_USER); may be repeated',
      (word: string, words?: string[]) => [...(words ?? []), readActing(word)],
    )
    .requiredOption('--reason <text>', 'reason; do not name people')
    .addOption(yesOption())
    .action(resolve);
}

async function balance(options: Json): Promise<void> {
  const balances = await withApp((app) => selectBalances(app.db));
  print(options, { balances }, balanceLines(balances));
}

/** Returns the accounts as a table. The balance is debits less credits. */
export function balanceLines(balances: readonly BalanceRow[]): string[] {
  const rows = balances.map(({ name, environment, account, currency, debits, credits }) => ({
    'PAYMENT SERVICE': name,
    ENVIRONMENT: environment,
    ACCOUNT: account,
    DEBIT: formatMoney(debits, currency),
    CREDIT: formatMoney(credits, currency),
    BALANCE: formatMoney(subtract(debits, credits), currency),
  }));
  return listTable(rows, 'Nothing was posted yet.');
}

async function list(options: Json & { transaction?: string; limit: string }): Promise<void> {
  const { transaction } = options;
  const limit = readLimit(options.limit);
  const entries = await withApp(async (app) => {
    if (transaction === undefined) return listEntries(app, null, limit);
    const found = await findTransaction(app, transaction, null);
    if (found === null) throw unknownTransaction(transaction);
    return listEntries(app, found, limit);
  });
  const rows = entries.map((entry) => ({
    'WHEN (CHILE)': time(entry.created_at),
    'PAYMENT SERVICE': entry.name,
    ENVIRONMENT: entry.environment,
    ENTRY: `${entry.link}.${entry.line}`,
    KIND: entry.kind,
    OF: entry.refund_id ?? entry.movement_id ?? entry.payout_id ?? String(entry.transaction_id ?? '—'),
    DEBIT: entry.debit_account,
    CREDIT: entry.credit_account,
    AMOUNT: formatMoney(entry.amount, entry.currency),
  }));
  print(options, { entries }, listTable(rows, 'No entry.'));
  noteCut(options, rows.length, limit);
}

async function head(options: Json): Promise<void> {
  const heads = await withApp((app) => selectHeads(app.db));
  print(options, { heads }, headTable(heads));
}

async function suspense(options: Json & { limit: string }): Promise<void> {
  const limit = readLimit(options.limit);
  const payments = await withApp((app) => selectSuspense(app.db, limit));
  const rows = payments.map((late) => ({
    'WHEN (CHILE)': time(late.created_at),
    'PAYMENT SERVICE': late.name,
    ENVIRONMENT: late.environment,
    ENTRY: late.entry,
    TRANSACTION: String(late.transaction_id ?? '—'),
    // Other kinds left the account, so they are negative.
    AMOUNT: formatMoney(late.kind === 'late_payment' ? late.amount : -late.amount, late.currency),
    IS: late.decision ?? 'open',
    'SINCE (CHILE)': time(late.resolved_at),
    WHY: late.reason ?? '',
  }));
  print(options, { payments }, listTable(rows, 'No money was ever in suspense.'));
  noteCut(options, rows.length, limit);
}

type ResolveOptions = Json & {
  transaction?: string;
  entry?: string;
  decision?: Decision;
  as?: string[];
  reason: string;
  yes?: boolean;
};

const DECISIONS: readonly Decision[] = ['returned', 'kept'];

/** Reads the decision and the person. `--as` has always accepted the decision; a word with an @ is a person. */
function readDecision({ decision, as = [] }: ResolveOptions): { decision: Decision } & ActingOptions {
  const persons = as.filter((word) => word.includes('@'));
  const said = as.filter((word) => !word.includes('@'));
  const unknown = said.find((word) => !DECISIONS.some((one) => one === word));
  if (unknown !== undefined) throw invalidOption(`--as is an e-mail address, not ${unknown}; or returned or kept.`);
  const [meant, ...others] = new Set([...(decision === undefined ? [] : [decision]), ...(said as Decision[])]);
  if (meant === undefined) throw missingOption('Say what is decided: --decision returned, or --decision kept.');
  if (others.length > 0 || persons.length > 1) throw invalidOption('Say one decision, and one person.');
  return { decision: meant, ...(persons[0] !== undefined && { as: persons[0] }) };
}

async function resolve(options: ResolveOptions): Promise<void> {
  const { transaction, entry } = options;
  const { decision, ...acting } = readDecision(options);
  const decided = { decision, reason: readReason(options.reason) };
  const { what, sum, run } = transaction === undefined ? readImported(entry) : readOfTransaction(transaction, entry);
  const resolution = await withActor(acting, async (app, by) => {
    const open = await sum(app);
    if (open === null) return run(app, { ...decided, by });
    const money = formatMoney(open.amount, open.currency);
    const isAsked = await confirm(`Decide that ${money} of ${what} in suspense is ${decision}? It stays.`, options);
    return run(app, { ...decided, by, ...(isAsked && { shown: open.entries }) });
  });
  if (resolution.kind === 'nothing') throw neverInSuspense(what);
  if (resolution.kind === 'different') {
    throw alreadyDone(`Something else was decided about ${what}: bin/rubrica books suspense`);
  }
  const amount = formatMoney(resolution.amount, resolution.currency);
  const said = resolution.kind === 'already' ? 'were resolved before' : 'are resolved';
  const subject = { transaction: transaction === undefined ? null : Number(transaction) };
  print(options, { ...subject, decision, ...resolution }, [`${amount} of ${what} ${said}: ${decision}.`]);
}

/**
 * The money that a person decides about: its text, its open sum with the entries (null: nothing is open), and the
 * operation that resolves it.
 */
type Meant = {
  what: string;
  sum: (app: App) => Promise<{ amount: Sum; currency: string; entries: readonly string[] } | null>;
  run: (app: App, decided: SuspenseDecision) => Promise<Resolution>;
};

function readOfTransaction(text: string, entry: string | undefined): Meant {
  const transaction = Number(text);
  const what = `${entry === undefined ? '' : `entry ${entry} of `}transaction ${text}`;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw neverInSuspense(what);
  const only = entry === undefined ? {} : { entry };
  return {
    what,
    sum: (app) => sumSuspense(app, transaction, entry),
    run: (app, decided) => resolveSuspense(app, transaction, { ...decided, ...only }),
  };
}

function readImported(text: string | undefined): Meant {
  if (text === undefined) throw missingOption('Say which: --transaction ID, or --entry 7/12.0 for money of none.');
  const [, environment, link, line] = /^(\d{1,15})\/(\d{1,15})\.(\d{1,4})$/.exec(text) ?? [];
  if (environment === undefined)
    throw invalidOption('Without --transaction an entry is named with its environment: 7/12.0.');
  const place = { environmentId: Number(environment), link: Number(link), entry: `${link}.${line}` };
  return {
    what: `entry ${text}`,
    sum: (app) => sumImported(app, place),
    run: (app, decided) => resolveImported(app, place, decided),
  };
}

function neverInSuspense(what: string): CommandError {
  return notFound(`Nothing of ${what} was ever in suspense: bin/rubrica books suspense`);
}
