import { type Command, Option } from 'commander';
import { formatMoney } from '../lib/money.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { selectLines, selectStatement, selectStatements } from '../statements/bank-statement-queries.ts';
import { importStatement } from '../statements/import-statement.ts';
import { readStatement } from '../statements/read-statement.ts';
import { resolveLine } from '../statements/resolve-line.ts';
import { type KeptLine, StatementError } from '../statements/statement.ts';
import { confirm, yesOption } from './confirm.ts';
import { evidenceOf } from './evidence-option.ts';
import { readLimit, readReason } from './options.ts';
import { invalidOption, notFound, print, table, time, unusableFile } from './print.ts';
import { ownerOption } from './propose-command.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';
import { withApp } from './with-app.ts';

type Json = { json?: boolean };
type ImportOptions = ActingOptions &
  Json & { environment?: Environment; paymentService?: string; account: string; yes?: boolean };
type ResolveOptions = ActingOptions &
  Json & { line?: string; use: 'payout' | 'return' | 'other'; payout?: string; reason: string };

/** `statement import | list | show | resolve`: what the bank says of the account. */
export function addBankStatementCommands(program: Command): void {
  const group = program
    .command('statement')
    .description('statements of the bank (cartolas), and what their lines are of');
  acting(group.command('import'))
    .description('take over a statement: it confirms and returns payouts, and what nobody knows waits for a person')
    .argument('<file>', 'CSV or .xlsx of the bank, as it is exported; one that overlaps another is fine')
    .requiredOption('--account <number>', 'the number of the account')
    .addOption(ownerOption())
    .option('--payment-service <id>', 'whose account it is; of all of them unless said')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(takeOver);
  group
    .command('list')
    .description('the newest, with how many of their lines are in suspense')
    .option('--limit <number>', 'how many', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('show')
    .description('the lines of one, and what each is of')
    .argument('<id>', 'of the statement: statement list')
    .option('--open', 'only what is in suspense')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(show);
  acting(group.command('resolve'))
    .description('say what a line in suspense is; without --line all of them that are of nothing here')
    .argument('<id>', 'of the statement: statement list')
    .option('--line <number>', 'its line in the file')
    .addOption(
      new Option('--use <use>', 'other: of nothing here').choices(['payout', 'return', 'other']).makeOptionMandatory(),
    )
    .option('--payout <id>', 'which one left, or came back')
    .requiredOption('--reason <text>', 'why, for a later reader; name no person')
    .option('--json', 'print one JSON object')
    .action(resolve);
}

async function takeOver(path: string, options: ImportOptions): Promise<void> {
  const { account, paymentService: paymentServiceId = null } = options;
  if (!/^\d{4,20}$/.test(account)) throw invalidOption('--account is 4 to 20 digits.');
  const evidence = evidenceOf(path);
  const statement = await readStatement(path).catch((error: unknown) => {
    throw error instanceof StatementError ? unusableFile(error.message) : error;
  });
  const imported = await withActor(options, async (app, by) => {
    const environment = options.environment ?? app.config.mode;
    await confirm(`Take over ${statement.lines.length} lines of ${evidence.name}?`, options);
    return importStatement(app, { environment, paymentServiceId, account, evidence, by }, statement);
  });
  const { id, known, uses, settled, contradicted } = imported;
  const proof = {
    balance: 'its balances follow',
    totals: 'its totals are right',
    nothing: 'it has nothing to prove it by',
  };
  print(options, { ...imported, proof: statement.proof }, [
    `${statement.lines.length} lines, and ${proof[statement.proof]}; ${known} had come with another file.`,
    `New: ${uses.payout} of payouts, ${uses.return} returns, ${uses.deposit} deposits, ${uses.suspense} in suspense.`,
    `${settled.length} payouts have another state now; ${contradicted.length} are contradicted.`,
    ...(id === null || uses.suspense === 0 ? [] : [`bin/rubrica statement show ${id} --open`]),
  ]);
}

async function list(options: Json & { limit: string }): Promise<void> {
  const limit = readLimit(options.limit);
  const statements = await withApp((app) => selectStatements(app.db, limit));
  const head = ['STATEMENT', 'FILE', 'ACCOUNT', 'FROM', 'TO', 'LINES', 'PROOF', 'IMPORTED', 'BY', 'OPEN'];
  const rows = statements.map((one) => [
    one.id,
    one.file_name,
    masked(one.account),
    one.first_day,
    one.last_day,
    String(one.lines),
    one.proof,
    time(one.imported_at),
    one.imported_by,
    String(one.open),
  ]);
  const said = statements.map((one) => ({ ...one, account: masked(one.account) }));
  print(options, { statements: said }, rows.length === 0 ? ['No statement yet.'] : table([head, ...rows]));
}

function masked(account: string): string {
  return `…${account.slice(-4)}`;
}

async function show(id: string, options: Json & { open?: boolean }): Promise<void> {
  const { statement, lines } = await withApp(async (app) => ({
    statement: await selectStatement(app.db, id),
    lines: await selectLines(app.db, id, options.open === true ? 'suspense' : null),
  }));
  if (statement === null) throw notFound(`There is no statement ${id}: bin/rubrica statement list`);
  const head = ['LINE', 'DAY', 'AMOUNT', 'USE', 'OF', 'NOTE'];
  const rows = lines.map((one) => [
    String(one.file_line),
    one.day,
    formatMoney(one.amount, one.currency),
    one.used_as,
    one.subject ?? '—',
    one.reason ?? one.note ?? '',
  ]);
  print(options, { statement: { ...statement, account: masked(statement.account) }, lines: lines.map(lineJson) }, [
    `${statement.file_name}, ${statement.first_day} to ${statement.last_day}:`,
    ...table([head, ...rows]),
  ]);
}

function lineJson({ file_line, day, amount, currency, used_as, subject, note, reason, resolved_by }: KeptLine) {
  return { line: file_line, day, amount, currency, use: used_as, subject, note, reason, resolved_by };
}

async function resolve(id: string, options: ResolveOptions): Promise<void> {
  const { line, use, payout = null } = options;
  if (line !== undefined && !/^\d{1,6}$/.test(line)) throw invalidOption('--line is a whole number.');
  if (use !== 'other' && (line === undefined || payout === null))
    throw invalidOption(`${use} needs --line and --payout.`);
  const reason = readReason(options.reason);
  const fileLine = line === undefined ? null : Number(line);
  const payoutId = use === 'other' ? null : payout;
  const lines = await withActor(options, (app, by) =>
    resolveLine(app, { statementId: id, fileLine, use, payoutId, reason, by }),
  );
  print(options, { statement: id, use, lines: lines.map(lineJson) }, [`${lines.length} lines are ${use} now.`]);
}
