import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requireUserOf } from '../auth/person-of.ts';
import type { Tx } from '../db/database.ts';
import { notFound, Problem } from '../error-catalogue.ts';
import { lockMovement } from '../movements/movement-queries.ts';
import { bookReturn } from '../movements/return-movement.ts';
import { environmentHere, requireHere } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import { stateWithCode } from '../payouts/kept-texts.ts';
import { selectPayoutOwner } from '../payouts/payout-owner-queries.ts';
import { lockPayouts, selectPayoutAnywhere } from '../payouts/payout-queries.ts';
import { settleOutcomes } from '../payouts/settling/settle-outcomes.ts';
import type { PayoutOwner } from '../payouts/transition-payouts.ts';
import { selectLineOf, selectStatement } from './bank-statement-queries.ts';
import {
  type DepositOfLine,
  depositOf,
  isBookedAs,
  otherAmount,
  type PayoutOfLine,
  payoutOf,
  refuseOtherEnvironment,
  unfit,
} from './deposit-of-line.ts';
import { lockLines, selectDecidedLines, updateUse } from './line-decision-queries.ts';
import { reopenMatched } from './reopen-line.ts';
import { decisionOf, hashOfLines, type KeptLine } from './statement.ts';

/**
 * The use of a line as a person decides: a payout that left or came back; money that left at a merchant's expense, such
 * as a payout that left twice, which is booked with the line (`toMerchant`); a deposit, recorded or booked with the
 * line; nothing of this service; or `suspense` again, because it was matched with the wrong payout or deposit.
 * `mv_…`: a payout recorded to a merchant, whose return is booked with the line unless it is booked already.
 */
export type LineSubject =
  | { readonly use: 'payout' | 'return'; readonly payoutId: string }
  | { readonly use: 'payout'; readonly toMerchant: PayoutOfLine }
  | { readonly use: 'deposit'; readonly deposit: DepositOfLine }
  | { readonly use: 'other' }
  | { readonly use: 'suspense' };

/**
 * A person's decision about lines in suspense. `fileLine` `unknown`: all lines of the statement that match nothing
 * known. Lines that may be an acquirer's deposit or a payout must be named one by one.
 */
export type LineDecision = {
  readonly statementId: string;
  readonly fileLine: number | 'unknown';
  readonly is: LineSubject;
  readonly reason: string;
  readonly by: Actor;
  /** For all lines: the `hashOfOpen` of those that the person saw; undefined: they were shown nothing. */
  readonly shown?: string | undefined;
};

/**
 * A line with its use. `replaced_reason` and `replaced_by`: of the earlier decision that it was unrelated; null without
 * one, and if this decision was made before.
 */
export type ResolvedLine = KeptLine & { replaced_reason: string | null; replaced_by: string | null };

/**
 * Gives lines in suspense their use and returns them; `suspense` puts one back, see `reopenMatched`. A line that a
 * person had called unrelated, which has no entry, gets another use if it is named; the act then has the earlier
 * decision. The same decision with the same reason again returns the lines unchanged. The use, the payout's state or
 * the deposit, and the entries are one transaction. Throws `Problem` NOT_FOUND, PAYOUT_STATE (the payout or deposit has
 * another amount or already a line, or its state does not allow it), INSUFFICIENT_BALANCE (the deposit is more than its
 * method owes, or the payout more than is available), PAYMENT_SERVICE_AMBIGUOUS, PERSON_NEEDED, PERMISSION_MISSING,
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING.
 */
export async function resolveLine(app: App, decision: LineDecision): Promise<ResolvedLine[]> {
  await requireAccountHere(app, decision);
  return app.db.transaction((tx) => resolveIn(tx, decision, app.now()));
}

/**
 * Throws `Problem` if another database serves the payment service of the account, or the one whose money a line of an
 * account of all payment services is.
 */
export async function requireAccountHere(
  app: App,
  { statementId, is }: Pick<LineDecision, 'statementId' | 'is'>,
): Promise<void> {
  const owner = (await selectStatement(app.db, statementId))?.payment_service_id ?? null;
  const named = owner ?? bookingOf(is)?.paymentServiceId ?? null;
  if (named !== null) await requireHere(app, named);
  const payout = owner === null && 'payoutId' in is ? await selectPayoutAnywhere(app.db, is.payoutId) : null;
  if (payout !== null) await environmentHere(app, payout);
}

/** Does the same in the caller's commit. */
export async function resolveIn(tx: Tx, decision: LineDecision, at: number): Promise<ResolvedLine[]> {
  const { statementId, fileLine, is, reason, by } = decision;
  if (is.use === 'suspense') {
    const reopened = await reopenMatched(tx, { statementId, fileLine: oneLine(fileLine) }, { reason, by, at });
    return [resolvedFrom(reopened, null)];
  }
  const first = (await findOpen(tx, decision)) ?? (await findUnrelated(tx, decision));
  if (first === undefined) return (await decidedBefore(tx, decision)).map((line) => resolvedFrom(line, null));
  const replaced = first.used_as === 'suspense' ? null : first;
  const subject = await subjectOf(tx, decision, { line: first, at });
  const named = { statementId, fileLine, from: first.used_as };
  const lines = await updateUse(tx, named, { use: is.use, subject, at, by: by.name, reason });
  await recordAudit(tx, {
    at,
    by,
    action: 'statement.line_resolved',
    subject: { kind: 'statement', id: statementId },
    before: replaced && decisionOf(replaced),
    after: {
      lines: lines.length,
      ...(typeof fileLine === 'number' && { file_line: fileLine }),
      lines_sha256: hashOfOpen(lines),
      use: is.use,
      of: subject,
    },
    reason,
  });
  return lines.map((line) => resolvedFrom(line, replaced));
}

function resolvedFrom(line: KeptLine, replaced: KeptLine | null): ResolvedLine {
  return { ...line, replaced_reason: replaced?.reason ?? null, replaced_by: replaced?.resolved_by ?? null };
}

async function findOpen(tx: Tx, { shown, ...named }: LineDecision): Promise<KeptLine | undefined> {
  const lines = await lockLines(tx, { ...named, from: 'suspense' });
  if (shown !== undefined && lines.length > 0 && hashOfOpen(lines) !== shown) throw unfit(CHANGED);
  return lines[0];
}

/** Returns a hash of the lines that a person is shown together. */
export function hashOfOpen(lines: readonly KeptLine[]): string {
  return hashOfLines(lines.toSorted((one, other) => one.number - other.number));
}

const CHANGED = {
  en: 'The lines have changed since they were shown: look at them again.',
  es: 'Las líneas cambiaron desde que se mostraron: míralas de nuevo.',
};

/** Finds the named line that a person called unrelated, for a decision that it is something else. */
async function findUnrelated(tx: Tx, { is, ...named }: LineDecision): Promise<KeptLine | undefined> {
  if (is.use === 'other' || named.fileLine === 'unknown') return undefined;
  return (await lockLines(tx, { ...named, from: 'other' }))[0];
}

/**
 * Returns the lines of the same earlier decision with the same reason. Throws `Problem` NOT_FOUND if there was no such
 * decision.
 */
async function decidedBefore(tx: Tx, { statementId, fileLine, is, reason }: LineDecision): Promise<KeptLine[]> {
  const decided = await selectDecidedLines(tx, { statementId, fileLine, use: is.use, reason });
  const named = 'payoutId' in is ? is.payoutId : 'deposit' in is && 'id' in is.deposit ? is.deposit.id : null;
  const same = decided.filter(({ subject }) => named === null || subject === named);
  const booking = bookingOf(is);
  const isSame = booking === null || (same[0] !== undefined && (await isBookedAs(tx, same[0], booking)));
  if (same.length > 0 && isSame) return same;
  const all = {
    en: 'No unknown line of the statement is in suspense: name each other line by its number.',
    es: 'En la cartola no queda ninguna línea desconocida sin explicar: indica las demás una por una, con su número.',
  };
  const one = {
    en: `That line is explained already, or the statement has no such line: \`bin/rubrica statement show ${statementId} --open\` lists those in suspense.`,
    es: `Esa línea ya está explicada, o la cartola no la tiene: \`bin/rubrica statement show ${statementId} --open\` lista las que están sin explicar.`,
  };
  throw new Problem('NOT_FOUND', { detail: fileLine === 'unknown' ? all : one });
}

/** Returns whether a decision records a deposit or a payout to a merchant with its line. */
export function isBooking(is: LineSubject): boolean {
  return bookingOf(is) !== null;
}

/** Returns what a decision books with its line; null: nothing. */
function bookingOf(is: LineSubject) {
  if ('toMerchant' in is) return { ...is.toMerchant, paymentMethod: null, commission: 0 };
  return 'deposit' in is && !('id' in is.deposit) ? is.deposit : null;
}

function oneLine(fileLine: number | 'unknown'): number {
  if (fileLine !== 'unknown') return fileLine;
  throw notFound('Say which line it is.', 'Di qué línea es.');
}

type Place = { line: KeptLine; at: number };

/** Settles the payout, or finds or books the deposit. Returns its id; null: the line is nothing of this service. */
async function subjectOf(
  tx: Tx,
  { is, reason, by, fileLine }: LineDecision,
  { line, at }: Place,
): Promise<string | null> {
  if (is.use === 'other' || is.use === 'suspense') return null;
  oneLine(fileLine);
  refuseOtherSide(is.use, line);
  const subjects =
    is.use === 'deposit'
      ? [await depositOf(tx, { deposit: is.deposit, line, by, at })]
      : 'toMerchant' in is
        ? [await payoutOf(tx, { ...is.toMerchant, line, by, at })]
        : is.payoutId.startsWith('mv_')
          ? [await merchantPayoutOf(tx, { ...is, reason, by }, { line, at })]
          : await settleBy(tx, { ...is, reason, by }, { line, at });
  const other = await selectLineOf(tx, is.use, subjects);
  if (other === null) return subjects[0] ?? null;
  throw unfit({ en: `Another line is of ${other.subject}.`, es: `Otra línea es de ${other.subject}.` });
}

/** Refuses a charge as a deposit or a return, and a credit as a payout. */
function refuseOtherSide(use: keyof typeof OTHER_SIDE, { amount }: KeptLine): void {
  if (use === 'payout' ? amount >= 0 : amount <= 0) throw unfit(OTHER_SIDE[use]);
}

const OTHER_SIDE = {
  payout: {
    en: 'A payout is a charge, and this line is a credit.',
    es: 'Un pago es un cargo, y esta línea es un abono.',
  },
  return: {
    en: 'A return is a credit, and this line is a charge.',
    es: 'Un pago que vuelve es un abono, y esta línea es un cargo.',
  },
  deposit: {
    en: 'A deposit is a credit, and this line is a charge.',
    es: 'Un depósito es un abono, y esta línea es un cargo.',
  },
} as const;

/**
 * Finds a recorded payout to a merchant. Returns its id: that it left is in the books already; that it came back is
 * booked if nobody has.
 */
async function merchantPayoutOf(
  tx: Tx,
  { use, payoutId: id, reason, by }: Settling,
  { line, at }: Place,
): Promise<string> {
  const movement = await lockMovement(tx, id);
  const owner = movement === null ? null : await selectPayoutOwner(tx, movement.environment_id);
  if (movement?.kind !== 'payout' || owner === null) throw noPayout();
  const { amount, currency, reference } = movement;
  // `payout return` takes this lock too.
  if (use === 'return') await lockFunds(tx, owner.id, currency);
  await requireUserOf(tx, by, movement.environment_id, 'movements:record');
  refuseOtherEnvironment(owner, line);
  if (amount !== Math.abs(line.amount) || currency !== line.currency)
    throw otherAmount(line, movement, { isRecorded: true });
  if (use === 'payout') return id;
  await bookReturn(tx, owner, movement, { reference, reason, by, now: at });
  return id;
}

type Settling = { use: 'payout' | 'return'; payoutId: string; reason: string; by: Actor };

/**
 * Settles the payout. Returns its id and, if it left in a file, the id of the file, whose total another line may have
 * matched.
 */
async function settleBy(tx: Tx, { use, payoutId, reason, by }: Settling, { line, at }: Place): Promise<string[]> {
  const found = await selectPayoutAnywhere(tx, payoutId);
  const [payout] =
    found === null ? [] : await lockPayouts(tx, { environmentId: found.environment_id, ids: [found.id] });
  if (payout === undefined) throw noPayout();
  await requireUserOf(tx, by, payout.environment_id, 'movements:record');
  if (payout.amount !== Math.abs(line.amount)) throw otherAmount(line, payout, { isRecorded: false });
  const owner = (await selectPayoutOwner(tx, payout.environment_id)) as PayoutOwner;
  refuseOtherEnvironment(owner, line);
  const outcome = use === 'payout' ? ('confirmed' as const) : ('returned' as const);
  const said = [{ id: payout.id, outcome, reason }];
  const { contradicted } = await settleOutcomes(tx, owner, said, { at });
  const isInFile = use === 'payout' && payout.file_id !== null;
  if (contradicted.length === 0) return isInFile ? [payout.id, payout.file_id as string] : [payout.id];
  const [from, to] = [stateWithCode(payout.state), stateWithCode(outcome)];
  throw unfit({
    en: `${payout.id} is in ${from.en}: it cannot go to ${to.en}.`,
    es: `${payout.id} está en ${from.es}: no puede pasar a ${to.es}.`,
  });
}

function noPayout(): Problem {
  return notFound(
    'There is no such payout. Its id begins with po_, or with mv_ if the merchant was paid: see `bin/rubrica payout list`.',
    'No existe ese pago. Su id empieza con po_, o con mv_ si se le pagó al comercio: está en `bin/rubrica payout list`.',
  );
}
