import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { readRut } from '../../bank-validation/rut.ts';
import { checkLogo } from '../../payment-services/look.ts';
import {
  MOST_PAYER_ATTEMPTS,
  RECEIPT_WISHES,
  type ReceiptWish,
  readPayerAttempts,
} from '../../payment-services/payment-service.ts';
import { hasPaymentService } from '../../payment-services/payment-service-queries.ts';
import { type LookText, readLookText } from '../../payment-services/read-look.ts';
import { type LookChanges, readLook, setLook } from '../../payment-services/set-look.ts';
import { setPayerAttempts } from '../../payment-services/set-payer-attempts.ts';
import { setReceipts } from '../../payment-services/set-receipts.ts';
import { DEFAULT_PAYER_ATTEMPTS } from '../../transactions/transaction-state.ts';
import { invalidOption, print, table, unknownPaymentService } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

/** `payment-service payer-attempts | receipts | look`: the settings of payers' pages. */
export function addPayerCommands(group: Command): void {
  acting(group.command('payer-attempts'))
    .description('set how many declined attempts end a transaction; without --most: the default')
    .argument('<id>', 'ID from `payment-service list`')
    .option('--most <number>', `1: the first decline ends it (default: ${DEFAULT_PAYER_ATTEMPTS})`)
    .option('--json', 'print one JSON object')
    .action(changePayerAttempts);
  acting(group.command('receipts'))
    .description('set the language of receipts by mail, or turn them off; needs SMTP_URL')
    .argument('<id>', 'ID from `payment-service list`')
    .addOption(new Option('--mail <language>', 'es, en or off').choices(RECEIPT_WISHES).makeOptionMandatory())
    .option('--json', 'print one JSON object')
    .action(changeReceipts);
  acting(group.command('look'))
    .description('set logo, colour and owner of the pay pages; without options: show them')
    .argument('<id>', 'ID from `payment-service list`')
    .option(
      '--logo <file>',
      "PNG, JPEG or WebP, at most 64 KiB and 1024 pixels a side; '' removes it, as with every option",
    )
    .option('--colour <colour>', 'colour of buttons and links, such as #1f6f4a')
    .option('--site <url>', 'address of the shop')
    .option('--contact <contact>', 'e-mail address, telephone number or https address for questions')
    .option('--legal-name <name>', 'legal name, such as Casa Verde SpA')
    .option('--rut <rut>', 'RUT of the legal entity')
    .option('--terms <url>', 'address of the terms of sale')
    .option('--json', 'print one JSON object')
    .action(look);
}

async function changePayerAttempts(id: string, options: ActingOptions & { most?: string }) {
  const most = options.most === undefined ? null : readPayerAttempts(options.most);
  if (options.most !== undefined && most === null)
    throw invalidOption(`--most is a whole number from 1 to ${MOST_PAYER_ATTEMPTS}.`);
  const known = await withActor(options, (app, by) => setPayerAttempts(app, id, most, by));
  if (!known) throw unknownPaymentService(id);
  const number = most ?? DEFAULT_PAYER_ATTEMPTS;
  print(options, { id, payer_attempts: most }, [
    number === 1
      ? `The first decline ends a transaction of ${id}.`
      : `A payer of ${id} may try again after a decline; decline ${number} ends the transaction.`,
  ]);
}

async function changeReceipts(id: string, options: ActingOptions & { mail: ReceiptWish }) {
  const { mail } = options;
  const { known, isSet } = await withActor(options, async (app, by) => ({
    known: await setReceipts(app, id, mail, by),
    isSet: app.mailer !== null,
  }));
  if (!known) throw unknownPaymentService(id);
  print(options, { id, receipts: mail }, [
    mail === 'off' ? `Payers of ${id} get no receipts by mail.` : `Payers of ${id} get receipts by mail (${mail}).`,
    ...(isSet || mail === 'off' ? [] : ['None leaves before SMTP_URL is set: docs/settings.md']),
  ]);
}

type LookOptions = ActingOptions & {
  logo?: string;
  colour?: string;
  site?: string;
  contact?: string;
  legalName?: string;
  rut?: string;
  terms?: string;
};

/** Changes the look of a payment service's pages. Without options it only shows it. An empty value removes a detail. */
async function look(id: string, options: LookOptions): Promise<void> {
  const changes = readChanges(options);
  const changed = Object.keys(changes).length > 0;
  const now = changed
    ? await withActor(options, (app, by) => setLook(app, id, changes, by))
    : await withApp(async (app) => ((await hasPaymentService(app.db, id)) ? readLook(app.db, id) : null));
  if (now === null) throw unknownPaymentService(id);
  const { logo, legalName, ...texts } = now;
  const rows: [string, string | null][] = [
    ['logo', logo && `${logo.type}, ${logo.width} by ${logo.height} pixels`],
    ['colour', texts.colour],
    ['site', texts.site],
    ['contact', texts.contact],
    ['legal name', legalName],
    ['RUT', texts.rut],
    ['terms', texts.terms],
  ];
  print(options, { id, ...texts, legal_name: legalName, logo }, [
    `The pages of ${id}:`,
    ...table(rows.map(([name, value]) => [`  ${name}`, value ?? '—'])),
  ]);
}

function readChanges(options: LookOptions): LookChanges {
  const { logo, rut } = options;
  return {
    ...(logo !== undefined && { logo: logo === '' ? null : readLogo(logo) }),
    ...(rut !== undefined && { rut: rut === '' ? null : readOwnRut(rut) }),
    ...Object.fromEntries(LOOK_TEXTS.flatMap((name) => readText(name, options[name]))),
  };
}

const LOOK_TEXTS = ['colour', 'site', 'contact', 'legalName', 'terms'] as const satisfies readonly LookText[];

function readText(name: LookText, text: string | undefined): [LookText, string | null][] {
  if (text === undefined) return [];
  if (text === '') return [[name, null]];
  const read = readLookText(name, text);
  if ('refusal' in read) throw invalidOption(read.refusal.en);
  return [[name, read.value]];
}

function readLogo(file: string): NonNullable<LookChanges['logo']> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw invalidOption(`--logo: ${(error as Error).message}`);
  }
  const checked = checkLogo(bytes);
  if ('refusal' in checked) throw invalidOption(checked.refusal.en);
  return { image: checked.image, bytes };
}

function readOwnRut(text: string): string {
  const read = readRut(text);
  if (!read.valid) throw invalidOption(`--rut ${text} is refused, ${read.reason}: write it as 76111222-8.`);
  return read.canonical;
}
