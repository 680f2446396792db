import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { addUp, type Sum } from '../../lib/exact-sum.ts';
import { formatMoney } from '../../lib/money.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { findLine, findStatement, listStatements, readLines } from '../../statements/find-statement.ts';
import { importStatement } from '../../statements/import-statement.ts';
import { NOTHING_KNOWN } from '../../statements/line-notes.ts';
import { readStatement } from '../../statements/read-statement.ts';
import { hashOfOpen, isBooking, type LineSubject, resolveLine } from '../../statements/resolve-line.ts';
import { canBeExplained, type KeptLine } from '../../statements/statement.ts';
import { confirm, yesOption } from '../confirm.ts';
import { readWithEvidence } from '../evidence-option.ts';
import { checkMethod, environmentOption, readAmount, readLimit, readReason } from '../options.ts';
import { orUnknown } from '../or-unknown.ts';
import { countOf, invalidOption, listTable, missingOption, noteCut, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

type Json = { json?: boolean };
type ImportOptions = ActingOptions & {
  environment?: Environment;
  paymentService?: string;
  account: string;
  yes?: boolean;
};
type ResolveOptions = ActingOptions & {
  line?: string;
  use: LineSubject['use'];
  payout?: string;
  deposit?: string;
  method?: string;
  commission: string;
  fromMerchant?: boolean;
  toMerchant?: boolean;
  paymentService?: string;
  reason: string;
  yes?: boolean;
};

/** `statement import | list | show | resolve`: bank statements and their lines. */
export function addBankStatementCommands(program: Command): void {
  const group = program.command('statement').description('bank statements (cartolas) and what each line belongs to');
  acting(group.command('import'))
    .description('import a bank statement: confirm and return payouts; unmatched lines wait for a person')
    .argument('<file>', 'CSV, .xlsx or .xls as the bank exports it; it may overlap an earlier one')
    .requiredOption('--account <number>', 'account number')
    .addOption(environmentOption())
    .option('--payment-service <id>', 'the payment service that owns the account (default: all of them share it)')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(takeOver);
  group
    .command('list')
    .description('list the newest statements, with the number of lines in suspense')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object')
    .action(list);
  group
    .command('show')
    .description('show the lines of a statement and what each belongs to')
    .argument('<id>', 'ID of the statement, from `statement list`')
    .option('--open', 'only lines in suspense')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(show);
  acting(group.command('resolve'))
    .description('say what a line in suspense is, or again one that is other; --use suspense undoes a wrong match')
    .argument('<id>', 'ID of the statement, from `statement list`')
    .option(
      '--line <number>',
      'line number in the file; without it, --use other is for all that nothing is known about',
    )
    .addOption(
      new Option(
        '--use <use>',
        'other: nothing to do with this service; suspense: not the payout or deposit it was matched with',
      )
        .choices(['payout', 'return', 'deposit', 'other', 'suspense'])
        .makeOptionMandatory(),
    )
    .option('--payout <id>', 'the payout that left or came back')
    .option('--deposit <id>', 'ID of a recorded deposit, from `deposit list`')
    .option('--method <code>', 'payment method that paid, such as webpay; records the deposit together with the line')
    .option('--commission <amount>', 'commission that the acquirer kept, not part of the amount', '0')
    .option('--from-merchant', 'the merchant paid it in; records the deposit together with the line')
    .option('--to-merchant', "it left at the merchant's expense; records the payout together with the line")
    .option('--payment-service <id>', 'payment service of the new deposit or payout, if all of them share the account')
    .requiredOption('--reason <text>', 'reason; do not name people')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(resolve);
}

async function takeOver(path: string, options: ImportOptions): Promise<void> {
  const { paymentService: paymentServiceId = null } = options;
  const account = options.account.replace(/[\s.-]/g, '');
  if (!/^\d{4,20}$/.test(account)) throw invalidOption('--account is the number of the account: 4 to 20 digits.');
  const { evidence, content } = readWithEvidence(path);
  const statement = await readStatement(content);
  const imported = await withActor(options, async (app, by) => {
    const environment = options.environment ?? app.config.mode;
    await confirm(`Take over ${sumOf(statement.lines)} of ${evidence.name}?`, options);
    return importStatement(app, { environment, paymentServiceId, account, evidence, by }, statement);
  });
  const { id, known, doubtful, uses, settled, contradicted } = imported;
  const proof = {
    balance: 'its balances follow',
    totals: 'its totals are right',
    nothing: 'it has no balances or totals to check',
  };
  print(options, { ...imported, proof: statement.proof }, [
    `${countOf(statement.lines.length, 'line')}, and ${proof[statement.proof]}; ${known} had come with another file.`,
    ...(doubtful.length === 0
      ? []
      : [
          `Lines ${doubtful.join(', ')} count as known, but the file lacks other lines of their day, or goes on where another file ends: the bank may have split the day.`,
          'If one is a second, equal payment, add its document number to its description and import the file again.',
        ]),
    `New: ${countOf(uses.payout, 'payout')}, ${countOf(uses.return, 'return')}, ${countOf(uses.deposit, 'deposit')}, ${uses.suspense} in suspense.`,
    `${countOf(settled.length, 'payout has', 'payouts have')} another state now; ${countOf(contradicted.length, 'is', 'are')} contradicted.`,
    ...(id === null || uses.suspense === 0 ? [] : [`bin/rubrica statement show ${id} --open`]),
  ]);
}

async function list(options: Json & { limit: string }): Promise<void> {
  const limit = readLimit(options.limit);
  const statements = await withApp((app) => listStatements(app, null, { limit }));
  const rows = statements.map((one) => ({
    STATEMENT: one.id,
    FILE: one.file_name,
    ACCOUNT: masked(one.account),
    FROM: one.first_day,
    TO: one.last_day,
    LINES: String(one.lines),
    PROOF: one.proof,
    'IMPORTED (CHILE)': time(one.imported_at),
    BY: one.imported_by,
    OPEN: String(one.open),
  }));
  const said = statements.map((one) => ({ ...one, account: masked(one.account) }));
  print(options, { statements: said }, listTable(rows, 'No statement yet.'));
  noteCut(options, rows.length, limit);
}

function masked(account: string): string {
  return `…${account.slice(-4)}`;
}

async function show(id: string, options: Json & { open?: boolean }): Promise<void> {
  const use = options.open === true ? 'suspense' : null;
  const { statement, lines } = await withApp(async (app) => ({
    statement: await orUnknown('statement', id, findStatement(app, null, id)),
    lines: await readLines(app, id, use),
  }));
  const rows = lines.map((one) => ({
    LINE: String(one.file_line),
    DAY: one.day,
    AMOUNT: formatMoney(one.amount, one.currency),
    USE: one.used_as,
    OF: one.subject ?? '—',
    NOTE: one.reason ?? one.note ?? '',
  }));
  print(options, { statement: { ...statement, account: masked(statement.account) }, lines: lines.map(lineJson) }, [
    `${statement.file_name}, ${statement.first_day} to ${statement.last_day}:`,
    ...listTable(rows, 'No line is in suspense.'),
  ]);
}

function lineJson({ file_line, day, amount, currency, used_as, subject, note, reason, resolved_by }: KeptLine) {
  return { line: file_line, day, amount, currency, use: used_as, subject, note, reason, resolved_by };
}

async function resolve(id: string, options: ResolveOptions): Promise<void> {
  const { line, use, method } = options;
  if (line === undefined && use !== 'other') throw missingOption(`${use} needs --line, a whole number.`);
  if (line !== undefined && !/^[1-9]\d{0,5}$/.test(line)) throw invalidOption('--line is a whole number.');
  const [is, reason] = [readSubject(options), readReason(options.reason)];
  const fileLine = line === undefined ? 'unknown' : Number(line);
  const lines = await withActor(options, async (app, by) => {
    if (method !== undefined) checkMethod(app, method);
    const { isOpen, shown } = await confirmUse(app, id, fileLine, options);
    const resolving = resolveLine(app, { statementId: id, fileLine, is, reason, by, shown });
    // The line is there, so only what it belongs to can be unknown.
    if (isOpen && 'payoutId' in is) return orUnknown('payout', is.payoutId, resolving);
    return isOpen && 'deposit' in is && 'id' in is.deposit ? orUnknown('deposit', is.deposit.id, resolving) : resolving;
  });
  const { replaced_reason, replaced_by } = lines[0] ?? { replaced_reason: null, replaced_by: null };
  const replaced = replaced_by === null ? null : { use: 'other', reason: replaced_reason, resolved_by: replaced_by };
  print(options, { statement: id, use, lines: lines.map(lineJson), replaced }, [
    use === 'suspense'
      ? `The line is in suspense: bin/rubrica statement resolve ${id} --line ${line} --use USE --reason TEXT`
      : `${countOf(lines.length, 'line is', 'lines are')} ${use} now.`,
    ...(replaced === null ? [] : [`It was other before (${replaced_reason}, ${replaced_by}).`]),
  ]);
}

/**
 * Asks for confirmation when lines are resolved, also one that was resolved as other. `isOpen` is false for lines that
 * were resolved before: they move no money. `shown`: of all unknown lines, the hash of those that the question counted.
 */
async function confirmUse(
  app: App,
  id: string,
  fileLine: number | 'unknown',
  options: ResolveOptions,
): Promise<{ isOpen: boolean; shown?: string }> {
  await orUnknown('statement', id, findStatement(app, null, id));
  const lines =
    fileLine === 'unknown'
      ? (await readLines(app, id, 'suspense')).filter(({ note }) => note === NOTHING_KNOWN)
      : [await findLine(app, id, fileLine)].filter((line) => line !== null);
  const isMeant = (line: KeptLine) => {
    if (options.use === 'suspense') return line.subject !== null;
    return options.use === 'other' ? line.used_as === 'suspense' : canBeExplained(line);
  };
  const meant = lines.filter(isMeant);
  const [first] = meant;
  if (first === undefined) return { isOpen: false };
  if (options.use === 'suspense') {
    await confirm(`Put ${sumOf(meant)}, which is ${first.used_as} ${first.subject}, in suspense?`, options);
    return { isOpen: true };
  }
  const before = first.used_as === 'other' ? `, which is other (${first.reason}, ${first.resolved_by})` : '';
  if (!isBooking(readSubject(options))) {
    const isAsked = await confirm(`Decide that ${sumOf(meant)}${before} is ${options.use}?`, options);
    return { isOpen: true, ...(isAsked && fileLine === 'unknown' && { shown: hashOfOpen(meant) }) };
  }
  // What is recorded already would be in the books twice.
  const doubt = first.note === null || first.note === NOTHING_KNOWN ? '' : ` Its note: ${first.note}.`;
  await confirm(`Book ${sumOf(meant)}${before} as a new ${options.use}?${doubt}`, options);
  return { isOpen: true };
}

/** Returns the number of statement lines, with the sums of charges and credits. */
function sumOf(lines: readonly { amount: number }[]): string {
  const [credits, charges] = [1, -1].map((sign) => addUp(lines.map(({ amount }) => Math.max(0, sign * amount)))) as [
    Sum,
    Sum,
  ];
  return `${countOf(lines.length, 'line')} (charges ${formatMoney(charges, 'CLP')}, credits ${formatMoney(credits, 'CLP')})`;
}

function readSubject(options: ResolveOptions): LineSubject {
  const is = namedSubject(options);
  if (options.paymentService !== undefined && !isBooking(is))
    throw invalidOption('--payment-service is for --method, --from-merchant or --to-merchant: nothing else is booked.');
  return is;
}

function namedSubject(options: ResolveOptions): LineSubject {
  const { use, payout, deposit, method, fromMerchant = false, toMerchant = false } = options;
  const { paymentService: paymentServiceId = null } = options;
  const commission = readAmount(options.commission, 'CLP');
  refuseOfOtherUse(options);
  if (commission > 0 && method === undefined)
    throw invalidOption('--commission is for --method: nobody else keeps a commission.');
  if (use === 'other' || use === 'suspense') return { use };
  if (use === 'payout' && toMerchant && payout === undefined) return { use, toMerchant: { paymentServiceId } };
  if (use !== 'deposit') {
    if (payout === undefined || toMerchant)
      throw missingOption(
        use === 'payout' ? 'Say which payout it is: --payout or --to-merchant.' : `${use} needs --payout.`,
      );
    return { use, payoutId: payout };
  }
  const ways = [deposit !== undefined, method !== undefined, fromMerchant].filter(Boolean);
  if (ways.length !== 1) throw missingOption('Say which deposit it is: --deposit, --method or --from-merchant.');
  if (deposit !== undefined) return { use, deposit: { id: deposit } };
  return { use, deposit: { paymentServiceId, paymentMethod: method ?? null, commission } };
}

/** The options that name what a line is, and the uses that take them. */
const OF_USE = {
  payout: ['payout', 'return'],
  deposit: ['deposit'],
  method: ['deposit'],
  fromMerchant: ['deposit'],
  toMerchant: ['payout'],
} as const satisfies Partial<Record<keyof ResolveOptions, readonly LineSubject['use'][]>>;

/** Throws `CommandError` for an option that says something else than `--use`: it would be ignored. */
function refuseOfOtherUse(options: ResolveOptions): void {
  for (const [name, uses] of Object.entries(OF_USE)) {
    if (options[name as keyof typeof OF_USE] === undefined || uses.some((use) => use === options.use)) continue;
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw invalidOption(`--${flag} is for --use ${uses.join(' or ')}, not ${options.use}.`);
  }
}
