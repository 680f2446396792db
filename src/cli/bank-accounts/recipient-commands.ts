import type { Command } from 'commander';
import { SigningError } from '../../../protocol/signing-error.ts';
import { recipientInput, recipientJson } from '../../api/payouts/recipient-schemas.ts';
import type { App } from '../../app.ts';
import { COMMAND_LINE, validateBankAccount } from '../../bank-validation/validate-bank-account.ts';
import type { ErrorCode } from '../../error-catalogue.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { findRecipient, listRecipients } from '../../payouts/recipients/find-recipient.ts';
import { keepRecipient, requireNamed } from '../../payouts/recipients/keep-recipient.ts';
import type { Recipient } from '../../payouts/recipients/recipient.ts';
import { selectVersions } from '../../payouts/recipients/recipient-queries.ts';
import { readNamedFile, readStdin } from '../options.ts';
import { orUnknown, unknownOf } from '../or-unknown.ts';
import { CommandError, invalidOption, listTable, print, table, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

type Json = { json?: boolean };

/** The command line may see every recipient. */
const ACTOR = { ...COMMAND_LINE, environmentIds: null };

/** `recipient create | change | list | show`: the validated accounts that receive payouts. */
export function addRecipientCommands(program: Command): void {
  const group = program.command('recipient').description('store validated accounts for payouts');
  const add = (name: string, description: string) =>
    group.command(name).description(description).option('--json', 'print one JSON object');
  const input =
    'reads JSON from a file or standard input, so that no account appears in the process list: {"rut", "bankData": {"bankSBIFNumber", "bankAccount"}, "name"}, and optionally "email", "paymentServiceId" and "validationId" (of an earlier validation; otherwise the account is validated first)';
  acting(add('create', `store an account; ${input}`))
    .summary('store an account; JSON from a file or standard input')
    .argument('[file]', 'JSON file (default: standard input)')
    .action((file: string | undefined, options: ActingOptions) => keep(null, file, options));
  acting(add('change', `give a recipient another account of the same holder, or a newer verdict; ${input}`))
    .summary('add a new version of a recipient; JSON from a file or standard input')
    .argument('<id>', 'ID from `recipient list`')
    .argument('[file]', 'JSON file (default: standard input)')
    .action(keep);
  add('list', 'list the recipients with their current version and how long its verdict is valid').action(list);
  add('show', 'show a recipient with all its versions').argument('<id>', 'ID from `recipient list`').action(show);
}

async function keep(id: string | null, file = '-', options: ActingOptions): Promise<void> {
  const body = readAccount(file === '-' ? await readStdin() : readNamedFile(file), file);
  const recipient = await withActor(options, async (app, by) => {
    // Checked first, before a provider gets a request.
    requireNamed(by);
    if (id !== null && (await selectVersions(app.db, id, ACTOR)).length === 0) throw unknownOf('recipient', id);
    const input = recipientInput({ validationId: 'none yet', ...body });
    const validationId = body['validationId'] === undefined ? await validate(app, input.account) : input.validationId;
    return keepRecipient(app, ACTOR, id, { ...input, validationId }, by);
  });
  print(options, recipientJson(recipient), [
    `Recipient ${recipient.id}, version ${recipient.version}.`,
    ...linesOf(recipient),
  ]);
}

/** Codes of `readStrictJson` for a text that is no JSON object at all, such as a table. */
const OTHER_TEXTS = ['INVALID_JSON', 'INVALID_ENCODING', 'NOT_AN_OBJECT'] as const;

/** Reads the JSON of an account. For another text it says what the file is to hold, and which command reads a table. */
function readAccount(bytes: Buffer, file: string): Record<string, unknown> {
  const name = file === '-' ? 'Standard input' : file;
  if (bytes.toString('utf8').trim() === '')
    throw invalidOption(`${name} is empty: give it the account as JSON, see --help.`);
  try {
    return readStrictJson(bytes, { depth: 4, members: 64 });
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    const [{ message, fix }] = error.problems;
    const code = OTHER_TEXTS.find((one) => one === error.code);
    if (code === undefined)
      throw new CommandError(`${message.replace(/^The body/, name)} ${fix}`, 1, error.code as ErrorCode);
    throw new CommandError(
      `${name} is not one JSON object: write it as {"rut": "…", "bankData": {"bankSBIFNumber": "…", "bankAccount": "…"}, "name": "…"}. A CSV or .xlsx is read by bin/rubrica payout propose, which pays its rows, and bin/rubrica validate.`,
      1,
      code,
    );
  }
}

async function validate(app: App, account: Parameters<typeof validateBankAccount>[2]): Promise<string> {
  return (await validateBankAccount(app, COMMAND_LINE, account)).id;
}

async function list(options: Json): Promise<void> {
  const recipients = await withApp(async (app) => {
    const all: Recipient[] = [];
    let after: string | null = null;
    do {
      const page = await listRecipients(app, ACTOR, { after, limit: 500 });
      all.push(...page.recipients);
      after = page.next;
    } while (after !== null);
    return all;
  });
  const rows = recipients.map((one) => ({
    RECIPIENT: one.id,
    NAME: one.name,
    RUT: one.rut,
    BANK: one.bankCode,
    ACCOUNT: one.maskedAccount,
    VERDICT: verdictText(one),
  }));
  const nobody = 'No recipient yet: bin/rubrica recipient create stores one.';
  print(options, { recipients: recipients.map(recipientJson) }, listTable(rows, nobody));
}

async function show(id: string, options: Json): Promise<void> {
  const versions = await withApp((app) => orUnknown('recipient', id, findRecipient(app, ACTOR, id)));
  const [newest] = versions;
  const rows = versions.map((one) => ({
    VERSION: String(one.version),
    'KEPT (CHILE)': time(one.createdAt),
    BANK: one.bankCode,
    ACCOUNT: one.maskedAccount,
    VERDICT: verdictText(one),
    BY: one.createdBy,
  }));
  print(options, { ...recipientJson(newest), versions: versions.map(recipientJson) }, [
    ...linesOf(newest),
    '',
    ...listTable(rows),
  ]);
}

function linesOf(recipient: Recipient): string[] {
  return table([
    ['  name', recipient.name],
    ['  RUT', recipient.rut],
    ['  payment service', recipient.paymentServiceId ?? '(none: seen by the user who kept it)'],
    ['  account', `${recipient.maskedAccount} at ${recipient.bankCode}`],
    ['  verdict', verdictText(recipient)],
    ['  validation', recipient.validationId],
  ]);
}

function verdictText({ verdict, state, validUntil }: Recipient): string {
  return state === 'current'
    ? `${verdict} until ${time(validUntil)}`
    : `${verdict}, stale since ${time(validUntil)}: validate again`;
}
