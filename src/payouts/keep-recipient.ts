import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { type Act, recordAudit } from '../audit/record-audit.ts';
import type { AccountInput } from '../bank-validation/account-checks.ts';
import { readAccount } from '../bank-validation/bank-account.ts';
import {
  selectAnyValidation,
  selectValidation,
  type ValidationRow,
} from '../bank-validation/bank-validation-queries.ts';
import { isValid } from '../bank-validation/check.ts';
import { PENDING_MESSAGE, VERDICT_MESSAGES } from '../bank-validation/check-messages.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import { readRut } from '../bank-validation/rut.ts';
import type { Tx } from '../db/database.ts';
import { Problem, type Said } from '../error-catalogue.ts';
import { prefixedId } from '../lib/ids.ts';
import { type Recipient, type RecipientActor, type RecipientRow, recipientOf, validUntil } from './recipient.ts';
import {
  insertRecipients,
  selectOfValidation,
  selectPaymentServicesSeen,
  selectVersions,
} from './recipient-queries.ts';
import { openDetails, sealDetails } from './seal-recipient.ts';

/** The recipient to keep: the data that was validated, sent again because a validation keeps none of it. */
export type RecipientInput = {
  readonly validationId: string;
  /** Null: the only one that the actor sees; with none or several, for himself alone. */
  readonly paymentServiceId: string | null;
  readonly account: AccountInput;
  readonly name: string;
  readonly email: string | null;
};

/**
 * Keeps a validated account, and answers the recipient. The same validation again answers what it was kept as.
 *
 * `id` names the recipient that gets a new version: another account of the same holder, or a newer verdict; null makes a new
 * one. Throws `Problem` NOT_FOUND, VALIDATION_NOT_USABLE (it is not valid, not finished, or too old), ACCOUNT_NOT_VALIDATED
 * (the data is not what was validated), RECIPIENT_CONFLICT (it is another holder's or another payment service's, or the
 * validation is kept elsewhere) or PERSON_NEEDED (nobody was named).
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
  const emailHash = input.email === null ? null : (await identityHashes(app)).ofEmail(input.email);
  return app.db
    .transaction(async (tx) => {
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

/** The user in whose name an account is kept, who is barred from approving its first payout. Throws `Problem` PERSON_NEEDED. */
export function requireNamed({ userId }: Actor): string {
  if (userId === null) throw new Problem('PERSON_NEEDED');
  return userId;
}

/** Rolls the commit back: another process has kept the validation, or made this version. Asked again, it is found. */
class Overtaken extends Error {}

/** No recipient has this id, or it is somebody else's. */
export function noRecipient(): Problem {
  return new Problem('NOT_FOUND', { detail: { en: 'There is no such recipient.', es: 'No existe ese destinatario.' } });
}

/** A recipient stays with its holder and its payment service. */
function requireSame(newest: RecipientRow, validation: ValidationRow, { paymentServiceId }: RecipientInput): void {
  const other: Said | null =
    newest.rut_hash !== validation.rut_hash
      ? {
          en: 'The account is of another holder: keep it as a new recipient.',
          es: 'La cuenta es de otro titular: guárdala como un destinatario nuevo.',
        }
      : paymentServiceId !== null && paymentServiceId !== newest.payment_service_id
        ? {
            en: 'The recipient is of another payment service: keep it as a new recipient.',
            es: 'El destinatario es de otro servicio de pago: guárdalo como uno nuevo.',
          }
        : null;
  if (other !== null) throw new Problem('RECIPIENT_CONFLICT', { detail: other });
}

async function paymentServiceFor(
  tx: Tx,
  actor: RecipientActor,
  { paymentServiceId: wished }: RecipientInput,
): Promise<string | null> {
  // That there is one payment service today says nothing of a user who sees all there will be.
  if (wished === null && actor.environmentIds === null) return null;
  const seen = await selectPaymentServicesSeen(tx, actor, wished);
  if (wished !== null && seen.length === 0) {
    throw new Problem('NOT_FOUND', {
      detail: { en: `There is no payment service ${wished}.`, es: `No existe el servicio de pago ${wished}.` },
    });
  }
  return seen.length === 1 ? (seen[0] as string) : null;
}

async function findUsable(app: App, actor: RecipientActor, input: RecipientInput): Promise<ValidationRow> {
  const { validationId, account } = input;
  const found =
    actor.environmentIds === null
      ? await selectAnyValidation(app.db, validationId)
      : await selectValidation(app.db, actor.id, validationId);
  if (found === null)
    throw new Problem('NOT_FOUND', { detail: { en: 'There is no such validation.', es: 'No existe esa validación.' } });
  const until = validUntil(verdictOf(found), app.config.verdictMaxAgeDays);
  if (found.state !== 'completed' || !isValid(found.verdict)) {
    throw new Problem('VALIDATION_NOT_USABLE', {
      detail: {
        en: `The validation is ${found.state}, its verdict ${found.verdict}.`,
        es: (found.state === 'completed' ? VERDICT_MESSAGES[found.verdict] : PENDING_MESSAGE).es,
      },
    });
  }
  if (until <= app.now())
    throw new Problem('VALIDATION_NOT_USABLE', {
      detail: {
        en: 'The verdict is too old: validate again.',
        es: 'El veredicto es demasiado antiguo: valida de nuevo.',
      },
    });
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

function verdictOf(validation: ValidationRow): { validated_at: number; expires_at: number | null } {
  return { validated_at: validation.answered_at ?? validation.created_at, expires_at: validation.expires_at };
}

/** The masked account and the verdict: what an auditor needs to see that it was changed, and by whom. */
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

/** A repetition is answered with what the first request made. */
function sameOrConflict(app: App, kept: RecipientRow, id: string | null, input: RecipientInput): RecipientRow {
  const { name, email } = openDetails(app, kept);
  const isSame =
    name === input.name &&
    email === input.email &&
    (input.paymentServiceId ?? kept.payment_service_id) === kept.payment_service_id &&
    (id === null ? kept.version === 1 : id === kept.id);
  if (isSame) return kept;
  throw new Problem('RECIPIENT_CONFLICT', {
    detail: {
      en: 'This validation is kept with other data: validate again.',
      es: 'Esta validación está guardada con otros datos: valida de nuevo.',
    },
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
    // A validation that has a bank and a RUT has their hashes.
    account_hash: validation.account_hash as string,
  };
  const rut = readRut(account.rut, account.rutFormat).canonical as string;
  return {
    ...place,
    ...verdictOf(validation),
    payment_service_id: service,
    created_at: app.now(),
    // At the command line the actor is nobody, and the rule of two people asks about the person in whose name it is kept.
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
