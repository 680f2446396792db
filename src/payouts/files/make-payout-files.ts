import { hash } from 'node:crypto';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { requireUserOf } from '../../auth/person-of.ts';
import { type IdentityHashes, identityHashes } from '../../bank-validation/identity-hash.ts';
import { readRut } from '../../bank-validation/rut.ts';
import type { Tx } from '../../db/database.ts';
import { rehearse } from '../../db/rehearse.ts';
import { findHeld } from '../../epochs/hold.ts';
import { type InBoth, Problem } from '../../error-catalogue.ts';
import { errorItem } from '../../error-item.ts';
import { dayOf } from '../../lib/calendar-day.ts';
import { prefixedId } from '../../lib/ids.ts';
import { requireHere } from '../../payment-services/find-environment.ts';
import { type BankFileFormat, type Payer, UnfitLine } from '../../payout-senders/bank-file-format.ts';
import { BANK_FILES } from '../../payout-senders/bank-files.ts';
import type { PayoutLine } from '../../payout-senders/payout-sender.ts';
import { NAMED_IN_AN_ACT, type Payout, payoutMoney, totalOf } from '../payout.ts';
import { lockApproved, updateFileLines } from '../payout-queries.ts';
import { invalidPayout } from '../payout-wish.ts';
import { readPayoutLines } from '../read-payout-lines.ts';
import { type PayoutOwner, transitionPayouts } from '../transition-payouts.ts';
import { insertPayoutFile, type PayoutFile } from './payout-file-queries.ts';
import { sealContent } from './seal-payout-file.ts';

/** The format of the bank, the account that is debited, and the batch; `batchId` null: all approved payouts. */
export type PayoutFileWish = {
  readonly owner: PayoutOwner;
  readonly by: Actor;
  readonly format: string;
  readonly payer: Omit<Payer, 'day'>;
  readonly batchId: string | null;
  /** The `shown` of the preview that the person saw; undefined: they were shown nothing. */
  readonly shown?: string | undefined;
};

/**
 * The files before they are written: their payouts, the day in them, and how many files there are. `shown`: a hash of
 * the payouts and the day.
 */
export type FilesPreview = {
  readonly day: string;
  readonly payouts: number;
  readonly total: number;
  readonly files: number;
  readonly shown: string;
};

/** A file with its bytes. */
export type MadeFile = { readonly file: PayoutFile; readonly content: Buffer; readonly payouts: readonly Payout[] };

/**
 * Writes approved payouts into files for a bank, as many files as the format's limit of lines needs. The files and the
 * state `sent` are one commit, so a payout is never in two files, even if the process is killed. The files are stored;
 * `openContent` returns the same bytes again.
 *
 * Throws `Problem` INVALID_PAYOUT (unknown format, data of the payer missing or invalid, an account whose kind the bank
 * needs and nobody has set, an erased recipient, a line that does not fit, nothing to write), PAYOUT_STATE (the payouts
 * have changed since they were shown), HELD_AFTER_RESTORE, PERSON_NEEDED or PERMISSION_MISSING.
 */
export async function makePayoutFiles(app: App, wish: PayoutFileWish): Promise<MadeFile[]> {
  const { owner } = wish;
  const { format, plan, write } = await prepare(app, wish);
  const planned = await app.db.transaction(plan);
  // Outside a transaction: a workbook of thousands of lines takes a second, and on SQLite every payment would wait.
  const written = await write(planned);
  return app.db.transaction(async (tx) => {
    const now = await plan(tx);
    const { at, payouts } = now;
    const contents = saysTheSame(now, planned) ? written : await write(now);
    const made: MadeFile[] = [];
    for (const [index, content] of contents.entries()) {
      const inFile = payouts.slice(index * format.mostLines, (index + 1) * format.mostLines);
      const file = newFile(app, wish, format, { content, payouts: inFile, at });
      await insertPayoutFile(tx, file);
      const ids = inFile.map(({ id }) => id);
      const sent = await transitionPayouts(tx, owner, { ids, to: 'sent', at }, { file: file.id });
      await updateFileLines(tx, owner.id, file.id);
      made.push({ file, content, payouts: sent });
    }
    for (let start = 0; start < made.length; start += NAMED_IN_AN_ACT)
      await recordAudit(tx, actOf(wish, made.slice(start, start + NAMED_IN_AN_ACT), at));
    return made;
  });
}

/**
 * Returns what `makePayoutFiles` would write now, and writes nothing. Throws as it does, also for a line that does not
 * fit.
 */
export async function previewPayoutFiles(app: App, wish: PayoutFileWish): Promise<FilesPreview> {
  const { plan, write } = await prepare(app, wish);
  const planned = await rehearse(app.db, plan);
  const { day, payouts } = planned;
  const files = (await write(planned)).length;
  return { day, payouts: payouts.length, total: totalOf(payouts), files, shown: hashOfShown(planned) };
}

function hashOfShown({ day, payouts }: Planned): string {
  return hash('sha256', [day, ...payouts.map(({ id }) => id).sort()].join('\n'));
}

/** Checks the format and the payer. Returns how to find the payouts and how to write their files. */
async function prepare(app: App, wish: PayoutFileWish) {
  await requireHere(app, wish.owner.paymentServiceId);
  const rut = readRut(wish.payer.rut);
  const payer = {
    ...wish.payer,
    account: wish.payer.account.replace(/[\s.-]/g, ''),
    rut: rut.canonical ?? wish.payer.rut,
  };
  const format = BANK_FILES.find(({ code }) => code === wish.format);
  if (format === undefined) throw unknownFormat(wish.format);
  const missing = (['rut', 'name', 'agreement'] as const).find(
    (one) => format.needs.includes(one) && payer[one] === '',
  );
  if (missing !== undefined) throw invalidPayer(missing, NEEDED[missing](format.code));
  // The payer's data in a file cannot be corrected later, because its payouts are already `sent`.
  if (!/^\d{1,20}$/.test(payer.account)) throw invalidPayer('account', NO_ACCOUNT);
  if (format.needs.includes('rut') && !rut.valid) throw invalidPayer('rut', NO_RUT);
  const identity = await identityHashes(app);
  const plan = (tx: Tx) => planFiles(app, tx, wish, format, identity);
  const write = (planned: Planned) => writeAll(format, { ...payer, day: planned.day }, planned);
  return { format, plan, write };
}

/** The approved payouts with their lines, in the same order, and the day in the files. */
type Planned = {
  readonly at: number;
  readonly day: string;
  readonly payouts: readonly Payout[];
  readonly lines: readonly PayoutLine[];
};

/** Returns whether the files of both have the same contents. */
function saysTheSame(one: Planned, other: Planned): boolean {
  return one.day === other.day && JSON.stringify(one.lines) === JSON.stringify(other.lines);
}

/** Locks the approved payouts and returns what the files say. Throws as `makePayoutFiles` does. */
async function planFiles(
  app: App,
  tx: Tx,
  { owner, by, batchId, shown }: PayoutFileWish,
  format: BankFileFormat,
  identity: IdentityHashes,
): Promise<Planned> {
  const at = app.now();
  const payouts = await lockApproved(tx, owner.id, batchId);
  await requireUserOf(tx, by, owner.id, 'payouts:create');
  // A payout that left after the backup was made is `approved` again, and would be paid twice.
  if ((await findHeld({ db: tx })) !== null) throw held();
  if (payouts.length === 0) throw batchId === null ? invalidPayout(NOTHING) : invalidPayer('batchId', NONE_IN_BATCH);
  const lines = linesOf(format, payouts, await readPayoutLines(app, tx, owner.id, payouts, identity));
  const planned = { at, day: dayOf(at), payouts, lines };
  if (shown !== undefined && shown !== hashOfShown(planned)) throw new Problem('PAYOUT_STATE', { detail: CHANGED });
  return planned;
}

/** Returns the error for one field of the wish. `words`: message and fix in English, then in Spanish. */
function invalidPayer(field: string, words: Parameters<typeof errorItem>[2]): Problem {
  return new Problem('INVALID_PAYOUT', { errors: [errorItem(`/${field}`, 'INVALID_PARAMETER', words)] });
}

/** The errors for missing data of the payer. */
const NEEDED = {
  rut: (code: string) =>
    [
      `${code} needs the rut of the payer.`,
      'Give the RUT of the account holder.',
      `${code} pide el RUT de quien paga.`,
      'Indica el RUT del titular de la cuenta.',
    ] as const,
  name: (code: string) =>
    [
      `${code} needs the name of the payer.`,
      'Give the name of the account holder.',
      `${code} pide el nombre de quien paga.`,
      'Indica el nombre del titular de la cuenta.',
    ] as const,
  agreement: (code: string) =>
    [
      `${code} needs the agreement of the payer.`,
      'Give the number of the contract with the bank.',
      `${code} pide el convenio.`,
      'Indica el número del contrato con el banco.',
    ] as const,
} as const;

const NO_ACCOUNT = [
  'The account that is debited is a number of up to 20 digits.',
  'Give its digits.',
  'La cuenta de cargo es un número de hasta 20 dígitos.',
  'Indica sus dígitos.',
] as const;
const NO_RUT = [
  'The RUT of the payer cannot be read, or its check digit is wrong.',
  'Correct it.',
  'El RUT de quien paga no se puede leer, o su dígito verificador está mal.',
  'Corrígelo.',
] as const;
/** The most payouts that one error names. */
const NAMED = 20;
const NOTHING = {
  en: 'Nothing is approved of this merchant that has not left.',
  es: 'De este comercio no hay nada aprobado que no haya salido.',
};
const CHANGED = {
  en: 'The approved payouts or the day have changed since they were shown: look at them again.',
  es: 'Los pagos aprobados o el día cambiaron desde que se mostraron: míralos de nuevo.',
};
const NONE_IN_BATCH = [
  'Nothing of this batch is approved that has not left.',
  'Name another batch, or none for all approved payouts.',
  'De este lote no hay nada aprobado que no haya salido.',
  'Nombra otro lote, o ninguno para todos los pagos aprobados.',
] as const;

function unknownFormat(named: string): Problem {
  const codes = BANK_FILES.map(({ code }) => code).join(', ');
  return invalidPayer('format', [
    `There is no format ${named}; there are ${codes}.`,
    'Name one of them.',
    `No existe el formato ${named}; existen ${codes}.`,
    'Nombra uno de ellos.',
  ]);
}

function held(): Problem {
  return new Problem('HELD_AFTER_RESTORE', {
    detail: {
      en: 'The service was restored from a backup, and some of these payouts may have left before. Compare them with the bank first; after bin/rubrica release files are made again.',
      es: 'El servicio se restauró desde un respaldo, y algunos de estos pagos pueden haber salido antes. Compáralos primero con el banco; después de bin/rubrica release se hacen archivos de nuevo.',
    },
  });
}

function linesOf(
  format: BankFileFormat,
  payouts: readonly Payout[],
  read: readonly (PayoutLine | null)[],
): PayoutLine[] {
  const lines = read.map((line, at) => {
    const { id } = payouts[at] as Payout;
    if (line === null)
      throw invalidPayout({
        en: `The recipient of ${id} was erased, or its account was changed in the store: cancel it.`,
        es: `El destinatario de ${id} fue borrado, o alguien cambió su cuenta en la base: retíralo.`,
      });
    return line;
  });
  const untyped = payouts.filter((_, at) => lacksType(format, lines[at] as PayoutLine));
  // The kind of an account holds for all payouts to it.
  const [first, ...others] = new Map(untyped.map(({ id, account_hash }) => [account_hash, id])).values();
  if (first !== undefined) throw noType(format, [first, ...others]);
  return lines;
}

/** The error for accounts whose kind nobody has said; `ids`: one payout to each. */
function noType({ code }: BankFileFormat, ids: readonly string[]): Problem {
  const named = listed(ids);
  const command = `bin/rubrica payout account-type ${ids[0]} checking|savings|sight`;
  return invalidPayout({
    en: `${code} asks what kind of account it is, and nobody has said it of ${named.en}. A person who may approve says it on the page of each, or so: ${command}`,
    es: `${code} pide el tipo de cuenta, y nadie lo ha dicho de ${named.es}. Lo dice en la página de cada uno quien puede aprobarlo, o así: ${command}`,
  });
}

/** Lists the ids of payouts, the first ones if there are many. */
function listed(ids: readonly string[]): InBoth {
  const named = ids.slice(0, NAMED).join(', ');
  const more = ids.length - NAMED;
  return more > 0 ? { en: `${named} and ${more} more`, es: `${named} y ${more} más` } : { en: named, es: named };
}

function lacksType(format: BankFileFormat, line: PayoutLine): boolean {
  return line.accountType === null && format.needs.includes('accountTypes') && (format.asksTypeOf?.(line) ?? true);
}

/** Returns the name of a file, without the characters that its bank does not accept. */
function nameOf({ code, extension, nameLeavesOut }: BankFileFormat, id: string, day: string): string {
  const name = `${code}-${day}-${id.slice(-6)}`;
  return `${nameLeavesOut === undefined ? name : name.replace(nameLeavesOut, '')}.${extension}`;
}

/**
 * Returns the files of the lines. Throws `Problem` INVALID_PAYOUT for payouts that do not fit the bank's layout, which
 * it names: a person corrects them, and no file is stored.
 */
async function writeAll(format: BankFileFormat, payer: Payer, { lines, payouts }: Planned): Promise<Buffer[]> {
  const contents: Buffer[] = [];
  for (let start = 0; start < lines.length; start += format.mostLines) {
    const end = start + format.mostLines;
    try {
      contents.push(await format.write(payer, lines.slice(start, end)));
    } catch (error) {
      throw error instanceof UnfitLine ? unfitPayouts(format, payouts.slice(start, end), error) : error;
    }
  }
  return contents;
}

function unfitPayouts({ code }: BankFileFormat, payouts: readonly Payout[], { why, places }: UnfitLine): Problem {
  const ids = places.map((place) => (payouts[place] as Payout).id);
  const named = ids.length === 0 ? { en: 'the data of the payer', es: 'los datos de quien paga' } : listed(ids);
  return invalidPayout({
    en: `${code} cannot hold ${named.en}: ${why.en}.`,
    es: `${code} no puede llevar ${named.es}: ${why.es}.`,
  });
}

type NewFile = { content: Buffer; payouts: readonly Payout[]; at: number };

function newFile(
  app: App,
  { owner, by }: PayoutFileWish,
  format: BankFileFormat,
  { content, payouts, at }: NewFile,
): PayoutFile {
  const id = prefixedId('pf');
  const place = { id, environment_id: owner.id, sha256: hash('sha256', content) };
  return {
    ...place,
    format: format.code,
    name: nameOf(format, id, dayOf(at)),
    created_at: at,
    made_by: by.name,
    payouts: payouts.length,
    total: totalOf(payouts),
    sealed_content: sealContent(app, place, content),
  };
}

function actOf({ owner, by }: PayoutFileWish, made: readonly MadeFile[], at: number) {
  return {
    at,
    by,
    action: 'payout.filed' as const,
    environmentId: owner.id,
    subject: { kind: 'payout file', id: made.map(({ file }) => file.id).join(' ') },
    after: {
      payment_service: owner.paymentServiceId,
      environment: owner.environment,
      format: made[0]?.file.format ?? '',
      payouts: made.reduce((sum, { file }) => sum + file.payouts, 0),
      total: payoutMoney(totalOf(made.flatMap(({ payouts }) => payouts))),
      sha256: made.map(({ file }) => file.sha256),
    },
  };
}
