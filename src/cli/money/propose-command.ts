import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { Problem } from '../../error-catalogue.ts';
import { wordsOf } from '../../http/problem-words.ts';
import { addUp, type Sum } from '../../lib/exact-sum.ts';
import { formatMoney } from '../../lib/money.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { type Environment, type ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { selectEnvironmentId } from '../../payment-services/payment-service-queries.ts';
import { readPayouts } from '../../payouts/files/read-payouts.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { payableBalance } from '../../payouts/payout-balance.ts';
import type { PayoutWish } from '../../payouts/payout-wish.ts';
import { proposePayouts } from '../../payouts/propose-payouts.ts';
import { recipientPayee } from '../../payouts/recipients/find-payees.ts';
import { findRecipient } from '../../payouts/recipients/find-recipient.ts';
import { type PayoutWarning, type ShownPayout, showPayouts } from '../../payouts/show-payouts.ts';
import { confirm, yesOption } from '../confirm.ts';
import { environmentOption, readAmount, readNamedFile } from '../options.ts';
import { orUnknown } from '../or-unknown.ts';
import { CommandError, countOf, missingOption, print, unknownPaymentService } from '../print.ts';
import { terminalLanguage } from '../terminal-language.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { payoutJson, payoutLines, sumOf, warningJson, warningText } from './payout-view.ts';

type ProposeOptions = ActingOptions & {
  paymentService: string;
  environment?: Environment;
  name?: string;
  recipient?: string;
  amount?: string;
  reference?: string;
  message?: string;
  draft?: boolean;
  yes?: boolean;
};

/** `payout propose`: proposes the payouts of a file, or one payout to a recipient. Another person approves them. */
export function addProposeCommand(payout: Command): void {
  acting(payout.command('propose'))
    .summary('propose payouts, from a file or to one recipient; another person approves them')
    .description(
      'propose payouts for another person to approve: from a CSV or .xlsx with columns RUT, bank, account, name, amount and optionally account type, message, e-mail and id; or one to a --recipient. The same file again returns the same batch',
    )
    .argument('[file]', 'CSV or .xlsx')
    .requiredOption('--payment-service <id>', 'payment service that pays')
    .addOption(environmentOption())
    .option('--name <text>', 'name of the batch (default: the file name)')
    .option('--recipient <id>', 'pay a stored recipient, without a file')
    .option('--amount <amount>', 'with --recipient: whole pesos, such as 15000')
    .option('--reference <id>', 'with --recipient: your own ID; repeating it returns the same payout')
    .option('--message <text>', 'with --recipient: message to the recipient')
    .option('--draft', 'keep it as a draft until `batch submit`')
    .addOption(yesOption())
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(propose);
}

/** Returns the environment that `--payment-service` and `--environment` name. Throws `CommandError` NOT_FOUND. */
export async function ownerOf(
  app: App,
  { paymentService, environment }: { paymentService: string; environment?: Environment },
): Promise<ServiceEnvironment> {
  const id = await selectEnvironmentId(app.db, paymentService, environment ?? app.config.mode);
  const owner = id === null ? null : await findEnvironmentById(app, id);
  if (owner === null) throw unknownPaymentService(paymentService);
  return owner;
}

async function propose(file: string | undefined, options: ProposeOptions): Promise<void> {
  if ((file === undefined) === (options.recipient === undefined)) {
    throw missingOption('Name a file of payouts, or one --recipient.');
  }
  const { kind, batch, shown, available } = await withActor(options, async (app, by) => {
    const owner = await ownerOf(app, options);
    const made =
      file === undefined ? await proposeOne(app, by, owner, options) : await proposeFile(app, by, owner, file, options);
    const shown = await showPayouts(app, made.payouts);
    return { ...made, shown, available: await payableBalance(app, owner.id) };
  });
  const total = shown.reduce((sum, { payout }) => sum + payout.amount, 0);
  const now = options.draft === true ? 'as a draft' : 'waiting for the approval of another person';
  const said = kind === 'replayed' ? 'proposed before' : now;
  const which = batch === null ? '' : `Batch ${batch.id}: `;
  const warnings = sumWarnings(shown, available);
  const json = { batch: batch?.id ?? null, replayed: kind === 'replayed', total, payouts: shown.map(payoutJson) };
  print(options, { ...json, warnings: warnings.map(warningJson) }, [
    ...payoutLines(shown),
    ...warnings.map((one) => `! ${warningText(one)}`),
    `${which}${sumOf(shown.map(({ payout }) => payout))}, ${said}.`,
    ...(batch === null ? [] : [nextCommand(batch.id, shown)]),
  ]);
}

/** Returns the command that continues with a batch. One that was proposed before may have ended since. */
function nextCommand(batchId: string, shown: readonly ShownPayout[]): string {
  const states = new Set(shown.map(({ payout }) => payout.state));
  if (states.has('draft')) return `bin/rubrica batch submit ${batchId} --as EMAIL`;
  if (states.has('awaiting_approval')) return `bin/rubrica batch approve ${batchId} --as EMAIL`;
  return `bin/rubrica batch show ${batchId}`;
}

/** Payouts that are each covered may not be covered together. */
function sumWarnings(shown: readonly ShownPayout[], available: Sum): PayoutWarning[] {
  const open = shown.filter(({ payout: { state } }) => state === 'draft' || state === 'awaiting_approval');
  const sum = addUp(open.map(({ payout }) => payout.amount));
  if (open.length < 2 || sum <= available) return [];
  const [money, left] = [sum, available].map((amount) => formatMoney(amount, PAYOUT_CURRENCY));
  const text = {
    en: `${money} in all, and only ${left} are available: not all can be approved now.`,
    es: `Son ${money} en total y solo hay ${left} disponibles: no se pueden aprobar todos ahora.`,
  };
  return [{ code: 'NOT_COVERED', text }];
}

async function proposeOne(app: App, by: Actor, owner: ServiceEnvironment, options: ProposeOptions) {
  const { recipient = '', amount, reference, message = '', draft = false } = options;
  if (amount === undefined || reference === undefined)
    throw missingOption('--recipient needs --amount and --reference.');
  const actor = { id: 'command-line', environmentIds: null };
  const [newest] = await orUnknown('recipient', recipient, findRecipient(app, actor, recipient));
  const payee = await recipientPayee(app, newest.id);
  const wish: PayoutWish = { reference, amount: readAmount(amount, 'CLP'), payee, message, callbackUrl: null };
  await confirm(`Propose ${formatMoney(wish.amount, 'CLP')} to ${newest.name}?`, options);
  const batch = { name: options.name ?? reference, fileSha256: null };
  return proposePayouts(app, { owner, by, wishes: [wish], batch, draft });
}

async function proposeFile(app: App, by: Actor, owner: ServiceEnvironment, file: string, options: ProposeOptions) {
  const bytes = readNamedFile(file);
  const sha256 = hash('sha256', bytes);
  // Do not read the file again: a pipe has no second read, and a file may change.
  const { wishes, lines } = await readPayouts(app, Readable.from([bytes]), sha256.slice(0, 12));
  const total = wishes.reduce((sum, { amount }) => sum + (Number.isNaN(amount) ? 0 : amount), 0);
  await confirm(`Propose ${countOf(wishes.length, 'payout')} of ${formatMoney(total, 'CLP')} in all?`, options);
  const batch = { name: options.name ?? basename(file), fileSha256: sha256 };
  try {
    return await proposePayouts(app, { owner, by, wishes, batch, draft: options.draft === true });
  } catch (error) {
    throw error instanceof Problem && error.extras.errors !== undefined ? rowProblem(error, lines) : error;
  }
}

/** Returns an error that names the wrong rows by their lines in the file. */
function rowProblem(problem: Problem, lines: readonly number[]): Error {
  const language = terminalLanguage();
  const { errors } = wordsOf(problem, language);
  const { nothing, line, more } = ROW_WORDS[language];
  const said = errors.slice(0, 50).map(({ pointer, message, fix }) => {
    const [, row] = /^\/(\d+)\//.exec(pointer) ?? [];
    return row === undefined ? `${message} ${fix}` : `${line} ${lines[Number(row)]}: ${message} ${fix}`;
  });
  const left = errors.length - said.length;
  if (left > 0) said.push(more(left));
  return new CommandError([nothing, ...said].join('\n'), 1, problem.code);
}

const ROW_WORDS = {
  en: { nothing: 'Nothing was proposed.', line: 'Line', more: (left: number) => `and ${left} more` },
  es: { nothing: 'No se propuso nada.', line: 'Línea', more: (left: number) => `y ${left} más` },
};
