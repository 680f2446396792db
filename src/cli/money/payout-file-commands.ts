import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { formatMoney } from '../../lib/money.ts';
import { environmentOf } from '../../payment-services/find-environment.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { BANK_FILES } from '../../payout-senders/bank-files.ts';
import type { AccountType } from '../../payout-senders/payout-sender.ts';
import { findPayoutFile, newestPayoutFiles } from '../../payouts/files/find-payout-file.ts';
import { type MadeFile, makePayoutFiles, previewPayoutFiles } from '../../payouts/files/make-payout-files.ts';
import type { ListedPayoutFile } from '../../payouts/files/payout-file-queries.ts';
import { readResults } from '../../payouts/files/read-results.ts';
import { openContent } from '../../payouts/files/seal-payout-file.ts';
import { setAccountType } from '../../payouts/files/set-account-type.ts';
import { findBatch, findPayout } from '../../payouts/find-payout.ts';
import { nameState, sayContradiction } from '../../payouts/kept-texts.ts';
import { standingOfPayout } from '../../payouts/payout.ts';
import { selectPayoutsOfFile } from '../../payouts/payout-queries.ts';
import type { PayoutOutcome, SettledPayouts } from '../../payouts/settling/settle-outcomes.ts';
import { settlePayouts } from '../../payouts/settling/settle-payouts.ts';
import { endContradiction } from '../../statements/end-contradiction.ts';
import { confirm, yesOption } from '../confirm.ts';
import { evidenceOf, readWithEvidence } from '../evidence-option.ts';
import { environmentOption, readLimit, readReason } from '../options.ts';
import { orUnknown } from '../or-unknown.ts';
import { writeWhole } from '../output-file.ts';
import {
  countOf,
  invalidOption,
  inWords,
  listTable,
  missingOption,
  noteCut,
  print,
  time,
  unusableFile,
} from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { payoutFileJson, sumOf } from './payout-view.ts';
import { ownerOf } from './propose-command.ts';

type Json = { json?: boolean };
type FileOptions = ActingOptions & {
  paymentService: string;
  environment?: Environment;
  format: string;
  account: string;
  rut?: string;
  name?: string;
  agreement?: string;
  batch?: string;
  out: string;
  yes?: boolean;
};
type ResultOptions = ActingOptions & { file: string; yes?: boolean };
type SettleOptions = ActingOptions & { outcome: PayoutOutcome; evidence: string; reason: string; yes?: boolean };

/**
 * `payout file | files | formats | result | settle | clear | account-type`: bank files of payouts, and their results.
 */
export function addPayoutFileCommands(payout: Command): void {
  acting(payout.command('file'))
    .description(
      'write approved payouts into files for a bank; each payout goes into one file only, and the store keeps the files',
    )
    .requiredOption('--payment-service <id>', 'payment service that pays')
    .addOption(environmentOption())
    .requiredOption('--format <code>', 'which bank takes it; `payout formats` lists them')
    .requiredOption('--account <number>', 'account to debit')
    .option('--rut <rut>', "RUT of the account holder, if the bank's format needs it")
    .option('--name <name>', "name of the account holder, if the bank's format needs it")
    .option('--agreement <number>', "contract number, if the bank's format needs it")
    .option('--batch <id>', 'only payouts of this batch')
    .option('--out <folder>', 'folder for the files', '.')
    .addOption(yesOption())
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(makeFiles);
  const show = payout.command('files').description('list the bank files; with an ID and --out: write one again');
  show
    .argument('[id]', 'ID of a file')
    .option('--out <file>', 'write the file here')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(listFiles);
  payout
    .command('formats')
    .description('list the bank file formats and how well each layout is confirmed')
    .option('--json', 'print one JSON object')
    .action(formats);
  acting(payout.command('result'))
    .description("import the bank's result of a file: CSV, .xlsx or .xls with the RUT, amount and state of each payout")
    .argument('<result>', 'result file from the bank')
    .requiredOption('--file <id>', 'ID of the bank file that it answers, pf_…')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(takeResult);
  acting(payout.command('settle'))
    .description('record the outcome of a payout that has left, with evidence')
    .argument('<id>', 'ID from `payout list`')
    .addOption(
      new Option('--outcome <outcome>', 'the outcome')
        .choices(['confirmed', 'failed', 'returned'])
        .makeOptionMandatory(),
    )
    .requiredOption('--evidence <file>', "evidence, such as a saved page of the bank's portal")
    .requiredOption('--reason <text>', 'reason; do not name people')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(settle);
  acting(payout.command('clear'))
    .description("dismiss a contradiction: a person has checked that the payout's state is right; no money moves")
    .argument('<id>', 'ID from `payout list`')
    .requiredOption('--evidence <file>', "evidence, such as a saved page of the bank's portal")
    .requiredOption('--reason <text>', 'reason; do not name people')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(clear);
  acting(payout.command('account-type'))
    .description('set the account type, for bank formats that need it; applies to every payout to that account')
    .argument('<id>', 'ID of a payout to that account')
    .argument('<type>', 'checking (corriente), savings (ahorro) or sight (vista, CuentaRUT)')
    .option('--json', 'print one JSON object')
    .action(accountType);
}

async function makeFiles(options: FileOptions): Promise<void> {
  const { format, account, rut = '', name = '', agreement = '', batch = null, out } = options;
  // Check the folder first: payouts count as sent once they are in a file.
  if (!(await isFolder(out))) throw invalidOption(`--out: there is no folder ${out}.`);
  const { made, environment } = await withActor(options, async (app, by) => {
    const owner = await ownerOf(app, options);
    if (batch !== null) await orUnknown('batch', batch, findBatch(app, null, batch));
    const wish = { owner, by, format, payer: { account, rut, name, agreement }, batchId: batch };
    const { payouts, total, shown } = await previewPayoutFiles(app, wish);
    await confirm(`Write ${sumOf([{ count: payouts, amount: total }])} into files for ${format}?`, options);
    const files = await makePayoutFiles(app, { ...wish, shown });
    await writeInto(out, files);
    return { made: files, environment: owner.environment };
  });
  const said = made.map(({ file }) => ({
    id: file.id,
    name: file.name,
    path: join(out, file.name),
    payouts: file.payouts,
    total: file.total,
    sha256: file.sha256,
  }));
  const isTest = environment === 'development';
  print(options, { files: said }, [
    ...said.map((one) => `${one.path}: ${sumOf([{ count: one.payouts, amount: one.total }])} (${one.id}).`),
    ...(isTest
      ? ['These payouts are tests, of development. Do not take the file to a bank: it would really pay them.']
      : []),
    `When the bank says what became of them: bin/rubrica payout result FILE --file ${said.length === 1 ? said[0]?.id : 'ID'} --as EMAIL`,
  ]);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Writes the files into a folder. If that fails, nothing is lost, because the store keeps them. */
async function writeInto(folder: string, files: readonly MadeFile[]): Promise<void> {
  const left: string[] = [];
  for (const { file, content } of files) {
    await writeWhole(join(folder, file.name), content).catch(({ code }: NodeJS.ErrnoException) =>
      left.push(`(${code}): bin/rubrica payout files ${file.id} --out FILE`),
    );
  }
  if (left.length > 0)
    throw unusableFile(`What was made is kept, and cannot be written to ${folder} ${left.join(', ')}`);
}

async function listFiles(id: string | undefined, options: Json & { out?: string; limit: string }): Promise<void> {
  const limit = readLimit(options.limit);
  if (options.out === '-') throw invalidOption('--out names a file, so it cannot be -.');
  if (id === undefined && options.out !== undefined)
    throw missingOption('Say which file --out writes again: payout files ID --out FILE.');
  const files = await withApp(async (app): Promise<ListedPayoutFile[]> => {
    if (id === undefined) return newestPayoutFiles(app, null, '', { limit });
    const file = await orUnknown('file', id, findPayoutFile(app, null, id));
    if (options.out !== undefined) await writeWhole(options.out, openContent(app, file));
    return [file];
  });
  const rows = files.map((one) => ({
    FILE: one.id,
    'WHEN (CHILE)': time(one.created_at),
    NAME: one.name,
    PAYOUTS: String(one.payouts),
    TOTAL: formatMoney(one.total, 'CLP'),
    BY: one.made_by,
  }));
  print(
    options,
    { files: files.map(payoutFileJson) },
    listTable(rows, 'No file yet: create one with bin/rubrica payout file.'),
  );
  if (id === undefined) noteCut(options, rows.length, limit);
}

function formats(options: Json): void {
  const all = BANK_FILES.map(({ code, means, sure, mostLines, needs }) => ({
    code,
    means: means.en,
    sure,
    mostLines,
    needs,
  }));
  const rows = all.map((one) => ({
    FORMAT: one.code,
    BANK: one.means,
    SURE: one.sure,
    LINES: String(one.mostLines),
    NEEDS: one.needs.join(', '),
  }));
  print(options, { formats: all }, listTable(rows));
}

async function takeResult(path: string, options: ResultOptions): Promise<void> {
  const { evidence, content } = readWithEvidence(path);
  const { results, settled } = await withActor(options, async (app, by) => {
    const file = await orUnknown('file', options.file, findPayoutFile(app, null, options.file));
    const owner = await environmentOf(app, file);
    const payouts = await selectPayoutsOfFile(app.db, owner.id, file.id);
    const read = await readResults(app, content, payouts);
    const told = payouts.filter(({ id }) => read.outcomes.some((one) => one.id === id));
    await confirm(`Take over what the bank says of ${sumOf(told)}?`, options);
    return {
      results: read,
      settled: await settlePayouts(app, { owner, by, outcomes: read.outcomes, evidence, file: file.id }),
    };
  });
  const { unmatched, unclear } = results;
  print(options, { ...counts(settled), unmatched_lines: unmatched, unclear_lines: unclear }, [
    ...linesOf(settled),
    ...(unmatched.length === 0 ? [] : [`Of no payout of this file: lines ${unmatched.join(', ')}.`]),
    ...(unclear.length === 0
      ? []
      : [
          `An unknown state, different states of one payout, or one of several equal payouts: lines ${unclear.join(', ')}. End these with payout settle.`,
        ]),
  ]);
}

async function settle(id: string, options: SettleOptions): Promise<void> {
  const evidence = evidenceOf(options.evidence);
  const outcomes = [{ id, outcome: options.outcome, reason: readReason(options.reason) }];
  const settled = await withActor(options, async (app, by) => {
    const { owner, payout } = await orUnknown('payout', id, findPayout(app, null, id));
    const { state, contradiction } = payout;
    const contradicted =
      contradiction === null
        ? ''
        : `${id} is ${nameState(state)}, and somebody says "${sayContradiction(contradiction).en}". `;
    const question = `Say that ${id} of ${formatMoney(payout.amount, 'CLP')} is ${options.outcome}?`;
    await confirm(`${contradicted}${question}`, options);
    return settlePayouts(app, { owner, by, outcomes, evidence, seen: standingOfPayout(payout) });
  });
  print(options, counts(settled), linesOf(settled));
}

async function clear(id: string, options: Omit<SettleOptions, 'outcome'>): Promise<void> {
  const evidence = evidenceOf(options.evidence);
  const reason = readReason(options.reason);
  const { state } = await withActor(options, async (app, by) => {
    const { owner, payout } = await orUnknown('payout', id, findPayout(app, null, id));
    const said = sayContradiction(payout.contradiction ?? '').en;
    await confirm(`Say that ${id} is ${nameState(payout.state)}, although somebody says "${said}"?`, options);
    return endContradiction(app, { owner, payout, by, reason, evidence });
  });
  print(options, { payout: id, state }, [`${id} is ${nameState(state)}; nothing contradicts it now.`]);
}

function counts({ settled, already, contradicted }: SettledPayouts) {
  return {
    settled: settled.map(({ id, state }) => ({ id, state })),
    already: already.map(({ id }) => id),
    contradicted: contradicted.map(({ id, state }) => ({ id, state })),
  };
}

function linesOf({ settled, already, contradicted }: SettledPayouts): string[] {
  const states = Map.groupBy(settled, ({ state }) => state);
  return [
    ...[...states].map(([state, some]) => `${countOf(some.length, 'payout is', 'payouts are')} ${inWords(state)} now.`),
    ...(already.length === 0
      ? []
      : [`${countOf(already.length, 'payout was', 'payouts were')} in that state already: nothing changed.`]),
    ...contradicted.map(
      ({ id, state }) => `${id} is ${nameState(state)}: what was said contradicts it, and is kept for a person.`,
    ),
  ];
}

async function accountType(id: string, type: string, options: ActingOptions): Promise<void> {
  await withActor(options, async (app, by) => {
    const { payout } = await orUnknown('payout', id, findPayout(app, null, id));
    await setAccountType(app, payout, type as AccountType, by);
  });
  print(options, { payout: id, type }, [`The account of ${id} is a ${type} account.`]);
}
