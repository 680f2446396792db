import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { type Act, recordAudit } from '../../audit/record-audit.ts';
import type { AccountInput } from '../../bank-validation/account-checks.ts';
import { readAccount } from '../../bank-validation/bank-account.ts';
import { payeeRefusal } from '../../bank-validation/bank-findings.ts';
import {
  lockValidation,
  selectAnyValidation,
  selectValidation,
  type ValidationRow,
} from '../../bank-validation/bank-validation-queries.ts';
import { isValid, verdictMessage } from '../../bank-validation/check.ts';
import { PENDING_MESSAGE } from '../../bank-validation/check-messages.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { identityHashes } from '../../bank-validation/identity-hash.ts';
import { readRut } from '../../bank-validation/rut.ts';
import { validationOf } from '../../bank-validation/stored-validation.ts';
import type { Tx } from '../../db/database.ts';
import { type InBoth, notFound, Problem } from '../../error-catalogue.ts';
import { prefixedId } from '../../lib/ids.ts';
import { requireHere } from '../../payment-services/find-environment.ts';
import { ANOTHER_BANK } from '../kept-texts.ts';
import { type Recipient, type RecipientActor, type RecipientRow, recipientOf, validUntil } from './recipient.ts';
import {
  insertRecipients,
  selectOfValidation,
  selectPaymentServicesSeen,
  selectVersions,
} from './recipient-queries.ts';
import { openDetails, sealDetails } from './seal-recipient.ts';

/** The recipient to store. The caller sends the validated data again, because a validation does not store it. */
export type RecipientInput = {
  readonly validationId: string;
  /**
   * Null: the only payment service that the actor sees; with zero, several or all, the recipient is the actor's alone.
   */
  readonly paymentServiceId: string | null;
  readonly account: AccountInput;
  readonly name: string;
  readonly email: string | null;
};

/**
 * Stores a validated account and returns the recipient. The same validation again returns the recipient that is stored
 * for it.
 *
 * `id` names the recipient that gets a new version: another account of the same holder, or a newer verdict; null
 * creates a recipient. Throws `Problem` NOT_FOUND, VALIDATION_NOT_USABLE (not valid, not finished, too old, or at a
 * bank that is not paid), ACCOUNT_NOT_VALIDATED (the data differs from the validated data), RECIPIENT_CONFLICT (the
 * recipient belongs to another holder or payment service, or the validation is stored with other data) or PERSON_NEEDED
 * (no user was named).
 */
export async function keepRecipient(
  app: App,
  actor: RecipientActor,
  id: string | null,
  input: RecipientInput,
  by: Actor,
): Promise<Recipient> {
  const keeper = requireNamed(by);
  const validation = await findUsable(app, actor, input);
  await requireServiceHere(app, actor, id, input);
  const emailHash = input.email === null ? null : (await identityHashes(app)).ofEmail(input.email);
  return app.db
    .transaction(async (tx) => {
      // An erasure deletes the validation before the recipients: it has deleted it, or waits and then sees this one.
      if (!(await lockValidation(tx, input.validationId))) throw noValidation();
      const kept = await selectOfValidation(tx, input.validationId);
      if (kept !== null) return sameOrConflict(app, kept, id, input);
      const [newest = null] = id === null ? [] : await selectVersions(tx, id, actor);
      if (id !== null && newest === null) throw noRecipient();
      if (newest !== null) requireSame(newest, validation, input);
      const service = newest === null ? await paymentServiceFor(tx, actor, input) : newest.payment_service_id;
      const made = newRow(app, actor, newest, validation, input, { emailHash, service, keeper });
      if (!(await insertRecipients(tx, [made]))) throw new Overtaken();
      await recordAudit(tx, actOf(made, newest, by));
      return made;
    })
    .then((row) =>
      recipientOf(row, openDetails(app, row), { now: app.now(), maxAgeDays: app.config.verdictMaxAgeDays }),
    )
    .catch((error: unknown): Promise<Recipient> => {
      if (error instanceof Overtaken) return keepRecipient(app, actor, id, input, by);
      throw error;
    });
}

/**
 * Returns the user in whose name an account is stored. This user may not approve its first payout. Throws `Problem`
 * PERSON_NEEDED.
 */
export function requireNamed({ userId }: Actor): string {
  if (userId === null) throw new Problem('PERSON_NEEDED');
  return userId;
}

/** Rolls the transaction back: another process has stored the validation or made this version. The retry finds it. */
class Overtaken extends Error {}

/** Returns the error for a recipient that does not exist or that the actor may not see. */
export function noRecipient(): Problem {
  return notFound('There is no such recipient.', 'No existe ese destinatario.');
}

/** Throws `Problem` RECIPIENT_CONFLICT if the holder or the payment service of a recipient would change. */
function requireSame(newest: RecipientRow, validation: ValidationRow, { paymentServiceId }: RecipientInput): void {
  if (newest.rut_hash !== validation.rut_hash)
    throw conflict({
      en: 'The account is of another holder: keep it as a new recipient.',
      es: 'La cuenta es de otro titular: guárdala como un destinatario nuevo.',
    });
  if (paymentServiceId !== null && paymentServiceId !== newest.payment_service_id)
    throw conflict({
      en: 'The recipient is of another payment service: keep it as a new recipient.',
      es: 'El destinatario es de otro servicio de pago: guárdalo como uno nuevo.',
    });
}

function conflict(detail: InBoth): Problem {
  return new Problem('RECIPIENT_CONFLICT', { detail });
}

async function paymentServiceFor(
  tx: Tx,
  actor: RecipientActor,
  { paymentServiceId: wished }: RecipientInput,
): Promise<string | null> {
  // An actor who sees all payment services also sees future ones, so a single one today is not a choice.
  if (wished === null && actor.environmentIds === null) return null;
  const seen = await selectPaymentServicesSeen(tx, actor, wished);
  if (wished !== null && seen.length === 0) {
    throw notFound(`There is no payment service ${wished}.`, `No existe el servicio de pago ${wished}.`);
  }
  return seen.length === 1 ? (seen[0] as string) : null;
}

/** Throws `Problem` if another database serves the payment service that the recipient belongs to. */
async function requireServiceHere(app: App, actor: RecipientActor, id: string | null, input: RecipientInput) {
  const { paymentServiceId: wished } = input;
  if (id === null && wished === null && actor.environmentIds === null) return;
  const services =
    id === null
      ? await selectPaymentServicesSeen(app.db, actor, wished)
      : (await selectVersions(app.db, id, actor)).map(({ payment_service_id }) => payment_service_id);
  const [service = null, ...others] = new Set(services);
  if (service !== null && others.length === 0) await requireHere(app, service);
}

async function findUsable(app: App, actor: RecipientActor, input: RecipientInput): Promise<ValidationRow> {
  const { validationId, account } = input;
  const found =
    actor.environmentIds === null
      ? await selectAnyValidation(app.db, validationId)
      : await selectValidation(app.db, actor.id, validationId);
  if (found === null) throw noValidation();
  if (found.state !== 'completed') throw notUsable(PENDING_MESSAGE);
  const directory = await currentDirectory(app);
  if (!isValid(found.verdict)) throw notUsable(verdictMessage(found.verdict, validationOf(found, directory).checks));
  if (validUntil(verdictOf(found), app.config.verdictMaxAgeDays) <= app.now())
    throw notUsable({
      en: 'The verdict is too old: validate again.',
      es: 'El veredicto es demasiado antiguo: valida de nuevo.',
    });
  // A payout to the account would be refused, so it is refused when the recipient is stored.
  const refusal = payeeRefusal(directory, found.bank_code ?? '');
  if (refusal !== null)
    throw notUsable({ en: `${refusal.en} ${ANOTHER_BANK.en}`, es: `${refusal.es} ${ANOTHER_BANK.es}` });
  const hashes = await identityHashes(app);
  const rut = readRut(account.rut, account.rutFormat).canonical;
  const { digits } = readAccount(account.account);
  const { bank_code: bankCode } = found;
  if (rut === null || digits === null || bankCode === null) throw new Problem('ACCOUNT_NOT_VALIDATED');
  const isSame =
    account.bankCode === bankCode &&
    hashes.ofRut(rut) === found.rut_hash &&
    hashes.ofAccount(bankCode, digits) === found.account_hash;
  if (!isSame) throw new Problem('ACCOUNT_NOT_VALIDATED');
  return found;
}

function noValidation(): Problem {
  return notFound('There is no such validation.', 'No existe esa validación.');
}

function notUsable(detail: InBoth): Problem {
  return new Problem('VALIDATION_NOT_USABLE', { detail });
}

function verdictOf(validation: ValidationRow): { validated_at: number; expires_at: number | null } {
  return { validated_at: validation.answered_at ?? validation.created_at, expires_at: validation.expires_at };
}

/** Records the masked account and the verdict, so that an auditor sees what changed and by whom. */
function actOf(made: RecipientRow, newest: RecipientRow | null, by: Actor): Act {
  const said = (row: RecipientRow) => ({
    version: row.version,
    payment_service: row.payment_service_id,
    bank: row.bank_code,
    account: row.account_masked,
    verdict: row.verdict,
  });
  return {
    at: made.created_at,
    by,
    action: newest === null ? 'recipient.created' : 'recipient.changed',
    subject: { kind: 'recipient', id: made.id },
    before: newest === null ? null : said(newest),
    after: said(made),
  };
}

/**
 * Returns the stored recipient if the request repeats an earlier one. Throws `Problem` RECIPIENT_CONFLICT if its data
 * differs.
 */
function sameOrConflict(app: App, kept: RecipientRow, id: string | null, input: RecipientInput): RecipientRow {
  const { name, email } = openDetails(app, kept);
  const isSame =
    name === input.name &&
    email === input.email &&
    (input.paymentServiceId ?? kept.payment_service_id) === kept.payment_service_id &&
    (id === null ? kept.version === 1 : id === kept.id);
  if (isSame) return kept;
  throw conflict({
    en: 'A recipient with another name, e-mail address or payment service has this validation: validate the account again.',
    es: 'Un destinatario con otro nombre, correo o servicio de pago tiene esta validación: valida la cuenta de nuevo.',
  });
}

function newRow(
  app: App,
  actor: RecipientActor,
  newest: RecipientRow | null,
  validation: ValidationRow,
  { account, name, email }: RecipientInput,
  { emailHash, service, keeper }: { emailHash: string | null; service: string | null; keeper: string },
): RecipientRow {
  const place = {
    id: newest?.id ?? prefixedId('rcp'),
    version: (newest?.version ?? 0) + 1,
    owner: newest?.owner ?? actor.id,
    // A validation with a bank and a RUT always has their hashes.
    account_hash: validation.account_hash as string,
  };
  const rut = readRut(account.rut, account.rutFormat).canonical as string;
  return {
    ...place,
    ...verdictOf(validation),
    payment_service_id: service,
    created_at: app.now(),
    // At the command line the actor is not a user; the rule of two people needs the user in whose name it is stored.
    created_by: keeper,
    validation_id: validation.id,
    verdict: validation.verdict,
    bank_code: validation.bank_code as string,
    account_masked: validation.account_masked,
    rut_hash: validation.rut_hash as string,
    email_hash: emailHash,
    sealed_details: sealDetails(app, place, {
      name,
      rut,
      account: readAccount(account.account).digits as string,
      email,
    }),
  };
}
