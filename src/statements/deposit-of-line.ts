import type { Actor } from '../audit/actor.ts';
import { requireUserOf } from '../auth/person-of.ts';
import { methodNames } from '../checkout/texts.ts';
import type { Tx } from '../db/database.ts';
import { type InBoth, notFound, Problem } from '../error-catalogue.ts';
import { formatMoney } from '../lib/money.ts';
import { lockMovement, selectMovement, selectReturn } from '../movements/movement-queries.ts';
import { bookMovement } from '../movements/record-movement.ts';
import type { Environment } from '../payment-services/payment-service.ts';
import { selectEnvironmentId } from '../payment-services/payment-service-queries.ts';
import { selectPayoutOwner } from '../payouts/payout-owner-queries.ts';
import { selectStatement } from './bank-statement-queries.ts';
import type { KeptLine } from './statement.ts';

/**
 * The deposit of a line: a recorded one by its id, or one to book. `paymentMethod`: the method that paid it; null: the
 * merchant did. `commission`: kept by the method, in minor units, in addition to the amount. `paymentServiceId` null:
 * the owner of the account.
 */
export type DepositOfLine =
  | { readonly id: string }
  | { readonly paymentServiceId: string | null; readonly paymentMethod: string | null; readonly commission: number };

/** A payout to a merchant to book with its line. `paymentServiceId` null: the owner of the account. */
export type PayoutOfLine = { readonly paymentServiceId: string | null };

type Deposit = { deposit: DepositOfLine; line: KeptLine; by: Actor; at: number };

/**
 * Finds or books the deposit of a credit and returns its id. Throws `Problem` NOT_FOUND, PAYOUT_STATE (another amount),
 * INSUFFICIENT_BALANCE, PAYMENT_SERVICE_AMBIGUOUS, PERSON_NEEDED or PERMISSION_MISSING.
 */
export function depositOf(tx: Tx, { deposit, ...of }: Deposit): Promise<string> {
  return 'id' in deposit
    ? findRecorded(tx, { ...of, id: deposit.id })
    : bookWithLine(tx, { ...of, ...deposit, kind: 'deposit' });
}

/**
 * Books a charge at a merchant's expense, and returns the id of the recorded payout. Throws as `depositOf`.
 */
export async function payoutOf(tx: Tx, payout: Omit<Deposit, 'deposit'> & PayoutOfLine): Promise<string> {
  return bookWithLine(tx, { ...payout, kind: 'payout', paymentMethod: null, commission: 0 });
}

/** Returns the error for a line that cannot belong to what a person named. */
export function unfit(detail: InBoth): Problem {
  return new Problem('PAYOUT_STATE', { detail });
}

/**
 * Returns the error for a line of another amount than the payout or deposit that a person named. `isRecorded`: a person
 * recorded it.
 */
export function otherAmount(
  line: KeptLine,
  { id, amount, currency }: { readonly id: string; readonly amount: number; readonly currency: string },
  { isRecorded }: { isRecorded: boolean },
): Problem {
  const [ofLine, ofNamed] = [formatMoney(Math.abs(line.amount), line.currency), formatMoney(amount, currency)];
  const more = Math.abs(line.amount) - amount;
  // A bank may add its fee to a payout. A credit below its payout lacks money that nobody here can book.
  const isDearer = !isRecorded && line.amount < 0 && more > 0 && line.currency === currency;
  if (isDearer) return dearerCharge({ id, ofLine, ofNamed, more: formatMoney(more, currency) });
  return unfit({
    en: `The line is of ${ofLine}, and ${id} of ${ofNamed}. ${
      isRecorded
        ? 'If it was recorded with a wrong amount, take it back first, then explain the line again.'
        : 'If the bank moved another amount, use `other` and name the payout in the reason.'
    }`,
    es: `La línea es de ${ofLine}, y ${id} de ${ofNamed}. ${
      isRecorded
        ? 'Si se registró con otro monto, deshazlo primero y explica la línea de nuevo.'
        : 'Si el banco movió otro monto, márcala como ajena (other) y nombra el pago en el motivo.'
    }`,
  });
}

type Dearer = { id: string; ofLine: string; ofNamed: string; more: string };

/** Returns the error for a charge above its payout, with every step: the line alone books nothing. */
function dearerCharge({ id, ofLine, ofNamed, more }: Dearer): Problem {
  return unfit({
    en: `The line is of ${ofLine}, and ${id} of ${ofNamed}. If the bank charged ${more} more, such as its fee: end the payout on its page (payout settle) if it has no end, and call the line unrelated (other) with ${id} in the reason. If the merchant bears the ${more}, record them under Recorded by hand (payout create): the whole line at its expense would count the ${ofNamed} twice.`,
    es: `La línea es de ${ofLine}, y ${id} de ${ofNamed}. Si el banco cobró ${more} más, como su comisión: termina el pago en su página (payout settle) si no tiene final, y marca la línea como ajena (other) con ${id} en el motivo. Si el comercio asume los ${more}, anótalos en «Registrado a mano» (payout create): la línea completa a su costa contaría los ${ofNamed} dos veces.`,
  });
}

/** Returns whether a deposit or payout with this reference was booked with the line. */
export function isReferenceOf(line: KeptLine, reference: string): boolean {
  return reference === referenceOf(line) || reference.startsWith(`${referenceOf(line)}-`);
}

/** Refuses to assign a line to what belongs to the other environment. The caller has checked the permission there. */
export function refuseOtherEnvironment({ environment }: { environment: Environment }, line: KeptLine): void {
  if (environment === line.environment) return;
  throw unfit({
    en: `It belongs to ${environment}, and the statement to ${line.environment}.`,
    es: `Es de ${SPANISH_ENVIRONMENTS[environment]}, y la cartola es de ${SPANISH_ENVIRONMENTS[line.environment]}.`,
  });
}

const SPANISH_ENVIRONMENTS = { development: 'desarrollo', production: 'producción' } as const;

type OfLine = Omit<Deposit, 'deposit'>;

async function findRecorded(tx: Tx, { id, line, by }: OfLine & { id: string }): Promise<string> {
  const movement = await lockMovement(tx, id);
  const owner = movement === null ? null : await selectPayoutOwner(tx, movement.environment_id);
  if (movement?.kind !== 'deposit' || owner === null)
    throw notFound(
      'There is no such deposit. Its id begins with mv_: see `bin/rubrica deposit list`, or Recorded by hand in the console.',
      'No existe ese depósito. Su id empieza con mv_: está en «Registrado a mano» de la consola, o en `bin/rubrica deposit list`.',
    );
  await requireUserOf(tx, by, movement.environment_id, 'movements:record');
  refuseOtherEnvironment(owner, line);
  if ((await selectReturn(tx, movement)) !== null)
    throw unfit({ en: 'That deposit was taken back.', es: 'Ese depósito se deshizo.' });
  if (movement.amount === line.amount && movement.currency === line.currency) return movement.id;
  throw otherAmount(line, movement, { isRecorded: true });
}

type Booking = OfLine & {
  kind: 'deposit' | 'payout';
  paymentServiceId: string | null;
  paymentMethod: string | null;
  commission: number;
};

async function bookWithLine(
  tx: Tx,
  { kind, line, by, at, paymentMethod, commission, ...named }: Booking,
): Promise<string> {
  const statement = await selectStatement(tx, line.statement_id);
  const paymentServiceId = named.paymentServiceId ?? statement?.payment_service_id ?? null;
  if (paymentServiceId === null) {
    throw new Problem('PAYMENT_SERVICE_AMBIGUOUS', {
      detail: {
        en: 'The account is of all payment services: name the one that owns the money, as `paymentServiceId` or --payment-service ID.',
        es: 'La cuenta es de todos los servicios de pago: di de cuál es el dinero, con `paymentServiceId` o --payment-service ID.',
      },
    });
  }
  const environment = line.environment;
  const environmentId = await selectEnvironmentId(tx, paymentServiceId, environment);
  if (environmentId === null) throw noPaymentService();
  const { currency } = line;
  const amount = Math.abs(line.amount);
  const reference = await freeReference(tx, { environmentId, kind, line });
  const wish = { kind, reference, amount, commission, currency, paymentMethod, by };
  const recording = await bookMovement(tx, { paymentServiceId, environment }, wish, at);
  // After its locks, and before an error says what it found.
  await requireUserOf(tx, by, environmentId, 'movements:record');
  if (recording.kind === 'recorded') return recording.movement.id;
  if (recording.kind === 'unknown') throw noPaymentService();
  if (recording.kind !== 'refused') throw alreadyRecorded(recording.movement.id);
  const most = formatMoney(recording.most, currency);
  const method = methodNames(paymentMethod ?? '');
  const left = `bin/rubrica deposit create --payment-service ${paymentServiceId} --environment ${environment} --from-merchant`;
  const detail =
    kind === 'payout'
      ? {
          en: `Only ${most} is available: nothing was recorded, and the line stays in suspense. If the merchant pays it in, record that deposit (Recorded by hand in the console, or ${left}); if your company bears it, resolve the line as other.`,
          es: `Hay solo ${most} disponible: no se anotó nada y la línea sigue sin explicar. Si el comercio lo deposita, anota ese depósito («Registrado a mano» en la consola, o ${left}); si lo asume tu empresa, explica la línea como other.`,
        }
      : {
          en: `${method.en} owes only ${most}: nothing was recorded.`,
          es: `${method.es} debe solo ${most}: no se anotó nada.`,
        };
  throw new Problem('INSUFFICIENT_BALANCE', { detail });
}

/**
 * Returns whether this decision booked a resolved line. Another merchant, payment method or commission is another
 * decision: its person would take it for booked.
 */
export async function isBookedAs(
  tx: Tx,
  line: KeptLine,
  { paymentServiceId: named, paymentMethod, commission }: Exclude<DepositOfLine, { readonly id: string }>,
): Promise<boolean> {
  const movement = line.subject === null ? null : await lockMovement(tx, line.subject);
  if (movement === null || !isReferenceOf(line, movement.reference)) return false;
  const paymentServiceId = named ?? (await selectStatement(tx, line.statement_id))?.payment_service_id ?? '';
  const environmentId = await selectEnvironmentId(tx, paymentServiceId, line.environment);
  const { environment_id, payment_method, commission: kept } = movement;
  return environment_id === environmentId && payment_method === paymentMethod && kept === commission;
}

/**
 * Returns the reference of what is booked with a line: another one if what was booked with it before was taken back.
 */
async function freeReference(tx: Tx, { environmentId, kind, line }: Named): Promise<string> {
  for (let nth = 1; ; nth++) {
    const reference = referenceOf(line, nth);
    const earlier = await selectMovement(tx, { environment_id: environmentId, kind, reference });
    if (earlier === null || (await selectReturn(tx, earlier)) === null) return reference;
  }
}

type Named = { environmentId: number; kind: Booking['kind']; line: KeptLine };

function referenceOf({ statement_id, file_line }: KeptLine, nth = 1): string {
  return `${statement_id}/${file_line}${nth === 1 ? '' : `-${nth}`}`;
}

function noPaymentService(): Problem {
  return notFound('There is no such payment service.', 'No existe ese servicio de pago.');
}

function alreadyRecorded(id: string): Problem {
  return unfit({
    en: `${id} was recorded under the reference of this line: name it by its id.`,
    es: `${id} se anotó con la referencia de esta línea: indícalo por su id.`,
  });
}
