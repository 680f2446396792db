import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { readRut } from '../bank-validation/rut.ts';
import { listPaymentServices } from '../payment-services/list-payment-services.ts';
import { checkColour, checkLogo } from '../payment-services/look.ts';
import { RECEIPT_WISHES, type ReceiptWish } from '../payment-services/payment-service.ts';
import { findLook, type LookChanges, setLook } from '../payment-services/set-look.ts';
import { setPayerAttempts } from '../payment-services/set-payer-attempts.ts';
import { setReceipts } from '../payment-services/set-receipts.ts';
import { DEFAULT_PAYER_ATTEMPTS } from '../transactions/transaction-state.ts';
import { invalidOption, print, table, unknownPaymentService } from './print.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';
import { withApp } from './with-app.ts';

/** `payment-service payer-attempts | receipts | look`: what payers meet. */
export function addPayerCommands(group: Command): void {
  acting(group.command('payer-attempts'))
    .description('set how many declined attempts end a transaction; without --most: the default')
    .argument('<id>', 'of the payment service: payment-service list')
    .option('--most <number>', `1: the first decline ends it; the default is ${DEFAULT_PAYER_ATTEMPTS}`)
    .option('--json', 'print one JSON object')
    .action(changePayerAttempts);
  acting(group.command('receipts'))
    .description('set in which language payers get receipts by mail, or that they get none; needs SMTP_URL')
    .argument('<id>', 'of the payment service: payment-service list')
    .addOption(new Option('--mail <language>', 'es, en or off').choices(RECEIPT_WISHES).makeOptionMandatory())
    .option('--json', 'print one JSON object')
    .action(changeReceipts);
  acting(group.command('look'))
    .description('set how the pages of its payments look and whose they are; without options: show it')
    .argument('<id>', 'of the payment service: payment-service list')
    .option(
      '--logo <file>',
      "PNG, JPEG or WebP, at most 64 KiB and 1024 pixels a side; '' takes it away, as for each option",
    )
    .option('--colour <colour>', 'of buttons and links, such as #1f6f4a')
    .option('--site <url>', 'address of the shop')
    .option('--contact <contact>', 'e-mail address, telephone or https address for questions')
    .option('--legal-name <name>', 'such as Casa Verde SpA')
    .option('--rut <rut>', 'RUT of the legal entity')
    .option('--terms <url>', 'address of the terms of sale')
    .option('--json', 'print one JSON object')
    .action(look);
}

const MOST_PAYER_ATTEMPTS = 50;

async function changePayerAttempts(id: string, options: ActingOptions & { most?: string; json?: boolean }) {
  const most = options.most === undefined ? null : Number(options.most);
  if (most !== null && !(/^\d+$/.test(options.most ?? '') && most >= 1 && most <= MOST_PAYER_ATTEMPTS))
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

async function changeReceipts(id: string, options: ActingOptions & { mail: ReceiptWish; json?: boolean }) {
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
  json?: boolean;
};

/** Without an option it only shows; an empty value takes one away. */
async function look(id: string, options: LookOptions): Promise<void> {
  const changes = readChanges(options);
  const changed = Object.keys(changes).length > 0;
  const now = changed
    ? await withActor(options, (app, by) => setLook(app, id, changes, by))
    : await withApp(async (app) => ((await isPaymentService(app, id)) ? findLook(app, id) : null));
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

async function isPaymentService(app: App, id: string): Promise<boolean> {
  return (await listPaymentServices(app)).some((service) => service.id === id);
}

function readChanges(options: LookOptions): LookChanges {
  const { logo, colour, site, contact, legalName, rut, terms } = options;
  return {
    ...(logo !== undefined && { logo: logo === '' ? null : readLogo(logo) }),
    ...(colour !== undefined && { colour: colour === '' ? null : readLookColour(colour) }),
    ...(site !== undefined && { site: site === '' ? null : readHttps('--site', site) }),
    ...(contact !== undefined && { contact: contact === '' ? null : readContact(contact) }),
    ...(legalName !== undefined && { legalName: legalName === '' ? null : readLine('--legal-name', legalName) }),
    ...(rut !== undefined && { rut: rut === '' ? null : readOwnRut(rut) }),
    ...(terms !== undefined && { terms: terms === '' ? null : readHttps('--terms', terms) }),
  };
}

function readLogo(file: string): NonNullable<LookChanges['logo']> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw invalidOption(`--logo: ${(error as Error).message}`);
  }
  const checked = checkLogo(bytes);
  if ('refusal' in checked) throw invalidOption(checked.refusal);
  return { image: checked.image, bytes };
}

function readLookColour(text: string): string {
  const checked = checkColour(text);
  if ('refusal' in checked) throw invalidOption(checked.refusal);
  return checked.colour;
}

/** Payers follow it, so it is https. */
function readHttps(name: string, text: string): string {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '' && text.length <= 200;
  if (!isPlain) throw invalidOption(`${name} is an https address, such as https://casaverde.example.cl.`);
  return url.href;
}

function readContact(text: string): string {
  const line = readLine('--contact', text);
  if (/^[^\s@]+@[^\s@]+$/.test(line) || /^\+?[\d ()-]{6,20}$/.test(line)) return line;
  if (line.startsWith('https://')) return readHttps('--contact', line);
  throw invalidOption('--contact is an e-mail address, a telephone or an https address.');
}

function readOwnRut(text: string): string {
  const read = readRut(text);
  if (!read.valid) throw invalidOption(`--rut ${text} is refused, ${read.reason}: write it as 76111222-8.`);
  return read.canonical;
}

function readLine(name: string, text: string): string {
  const line = text.trim();
  if (line === '' || line.length > 100 || /\p{Cc}/u.test(line)) {
    throw invalidOption(`${name} is 1 to 100 characters, without line breaks.`);
  }
  return line;
}
