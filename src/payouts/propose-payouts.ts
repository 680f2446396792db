import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { kindOfRole } from '../auth/permission.ts';
import { requireUserOf } from '../auth/person-of.ts';
import type { BankDirectory } from '../bank-validation/directory/bank-directory.ts';
import { currentDirectory } from '../bank-validation/directory/current-directory.ts';
import { judgeBatch, validateBatch } from '../bank-validation/validate-batch.ts';
import type { Tx } from '../db/database.ts';
import { Problem } from '../error-catalogue.ts';
import type { ErrorItem } from '../error-item.ts';
import type { Sum } from '../lib/exact-sum.ts';
import { prefixedId } from '../lib/ids.ts';
import { requireHere } from '../payment-services/find-environment.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import type { AccountType } from '../payout-senders/payout-sender.ts';
import { selectPayoutLimits } from './approval/payout-limit-queries.ts';
import { limitBroken, whyNotAutomatic } from './approval/payout-limits.ts';
import { accountTypeErrors, storeNamedTypes } from './files/set-account-type.ts';
import {
  hashOfChangers,
  hashOfDetails,
  hashOfPayees,
  PAYOUT_CURRENCY,
  type Payout,
  payoutMoney,
  totalOf,
} from './payout.ts';
import { insertBatch, type PayoutBatch, selectBatchOfFile } from './payout-batch-queries.ts';
import { insertPayouts, selectByReferences, selectPayouts, updateReason } from './payout-queries.ts';
import { selectSenderInUse } from './payout-sender-queries.ts';
import { type CheckedWish, checkWishes, invalidRows, MOST_IN_BATCH, type PayoutWish } from './payout-wish.ts';
import {
  findPayees,
  hasRecipientNow,
  isOtherPaidNow,
  type Payee,
  type PayeeFinding,
} from './recipients/find-payees.ts';
import { insertRecipients } from './recipients/recipient-queries.ts';
import { announce, type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

/**
 * `batch`: the payouts are approved and sent together; null: a program's single payout. `draft`: nobody is asked to
 * approve it yet.
 */
export type Proposal = {
  readonly owner: PayoutOwner;
  readonly by: Actor;
  readonly wishes: readonly PayoutWish[];
  readonly batch: { readonly name: string; readonly fileSha256: string | null } | null;
  readonly draft?: boolean;
};

/** `replayed`: it was proposed before, so nothing was made. `batch` is null for a program's single payout. */
export type Proposed = { kind: 'proposed' | 'replayed'; batch: PayoutBatch | null; payouts: Payout[] };

/**
 * Makes payouts that wait for approval, all or none, and stores new recipients. Approves a program's single payout if
 * the rule for programs allows it. Repeating the same references or the same file returns the existing payouts.
 *
 * Throws `Problem` INVALID_PAYOUT or ACCOUNT_NOT_PAYABLE with the wrong rows (`/0/bankData/bankAccount`),
 * PAYOUT_CONFLICT, PAYOUT_LIMIT_REACHED, PERSON_NEEDED, PERMISSION_MISSING, and `StorageError`.
 */
export async function proposePayouts(app: App, proposal: Proposal): Promise<Proposed> {
  const { owner, batch } = proposal;
  const plan = await planPayouts(app, proposal, validateBatch);
  if ('known' in plan) return plan.known;
  const { planned } = plan;
  const payees = planned.map(({ payee }) => payee);
  const directory = await currentDirectory(app);
  return app.db
    .transaction(async (tx) => {
      const now = app.now();
      const { payable } = await lockFunds(tx, owner.id, PAYOUT_CURRENCY);
      // A provider may have been asked about the accounts for a minute, and the lock awaited: somebody may have
      // disabled the user meanwhile.
      const user = await requireUserOf(tx, proposal.by, owner.id, 'payouts:create');
      const made = batch === null ? null : newBatch(proposal, user.id, now);
      if (made !== null && !(await insertBatch(tx, made))) throw new Overtaken();
      const rivals = rivalsOf(planned.map(({ wish }) => wish));
      if ((await selectByReferences(tx, owner.id, rivals)).length > 0) throw new Overtaken();
      if (await isOtherPaidNow(tx, owner, payees)) throw new Overtaken();
      const kind = kindOfRole(user.role);
      const batchId = made?.id ?? null;
      // All lists order one commit by id, so sorted ids keep the order of the file.
      const ids = planned.map(() => prefixedId('po')).sort();
      const rows = planned.map(({ wish, payee }, at) =>
        newRow(proposal, wish, payee, { id: ids[at] as string, batchId, userId: user.id, kind, now }),
      );
      const payouts = await insertPayouts(tx, rows);
      if (payouts.length < rows.length) throw new Overtaken();
      const recipients = newRecipients(payees);
      if (await hasRecipientNow(tx, owner, recipients)) throw new Overtaken();
      if (!(await insertRecipients(tx, recipients))) throw new Overtaken();
      const settled = await beginApproval(tx, proposal, payouts, { kind, payable, now, directory });
      await recordAudit(tx, actOf(proposal, made, settled, now));
      await storeNamedTypes(tx, payouts, namedTypes(planned), { at: now, by: proposal.by });
      return { kind: 'proposed' as const, batch: made, payouts: settled };
    })
    .catch((error: unknown): Promise<Proposed> => {
      if (error instanceof Overtaken) return proposePayouts(app, proposal);
      throw error;
    });
}

/** A checked transfer with its recipient. */
export type PlannedPayout = { readonly wish: CheckedWish; readonly payee: Payee };

type Plan = { known: Proposed } | { planned: PlannedPayout[] };

/**
 * Returns what `proposePayouts` would make, for a preview. Stores nothing and calls no provider, so new accounts have
 * the verdict of the rules only. `known`: it was proposed before. Throws the same errors.
 */
export function previewPayouts(app: App, proposal: Proposal): Promise<Plan> {
  return planPayouts(app, proposal, judgeBatch);
}

async function planPayouts(app: App, proposal: Proposal, validate: typeof validateBatch): Promise<Plan> {
  const { owner, by, batch } = proposal;
  const user = await requireUserOf(app.db, by, owner.id, 'payouts:create');
  await requireHere(app, owner.paymentServiceId);
  const known = await findBatchOfFile(app, proposal);
  if (known !== null) return { known: await replayed(app, known) };
  const most = app.config.payoutRailLimit;
  const wishes = await checkWishes(app, proposal.wishes, { most, splits: batch !== null }).catch((error: unknown) =>
    refuseEveryRow(app, proposal, user.id, error),
  );
  // Before the limits, which may have changed since: a program that repeats a request must learn what became of it.
  const same = await findExisting(app, owner, wishes);
  if (same !== null) return { known: { kind: 'replayed', batch: null, payouts: same } };
  await checkWishedLimits(app, proposal);
  const payees = await payeesOf(app, proposal, user.id, wishes, validate);
  const planned = wishes.map((wish, at) => ({ wish, payee: payees[at] as Payee }));
  const wrong = await accountTypeErrors(app.db, owner.id, planned.map(namedType));
  if (wrong.length > 0) throw invalidRows('INVALID_PAYOUT', wrong);
  return { planned };
}

function namedType({ wish, payee }: PlannedPayout) {
  return { accountHash: payee.row.account_hash, type: wish.payee.accountType || null, row: wish.row };
}

function namedTypes(planned: readonly PlannedPayout[]): Map<string, AccountType> {
  return new Map(
    planned.map(namedType).flatMap(({ accountHash, type }) => (type === null ? [] : [[accountHash, type] as const])),
  );
}

/**
 * Throws the error of the wishes with the errors of the accounts added, so that one attempt shows all of a file's
 * errors.
 */
async function refuseEveryRow(app: App, { owner, wishes }: Proposal, keeper: string, error: unknown): Promise<never> {
  if (!(error instanceof Problem) || wishes.length > MOST_IN_BATCH) throw error;
  const payees = wishes.map(({ payee }) => payee);
  const accounts = accountErrors(await findPayees(app, owner, keeper, payees, judgeBatch), (at) => at);
  throw invalidRows(
    'INVALID_PAYOUT',
    [...(error.extras.errors ?? []), ...accounts].sort((one, other) => rowOf(one) - rowOf(other)),
  );
}

function rowOf({ pointer }: ErrorItem): number {
  return Number(pointer?.split('/')[1] ?? 0);
}

/**
 * Rolls the transaction back: another process inserted the same file, reference or recipient first, or sent a payout to
 * another account of a recipient. The retry finds it.
 */
class Overtaken extends Error {}

async function findBatchOfFile(app: App, { owner, batch }: Proposal): Promise<PayoutBatch | null> {
  const hash = batch?.fileSha256 ?? null;
  return hash === null ? null : selectBatchOfFile(app.db, owner.id, hash);
}

async function replayed(app: App, batch: PayoutBatch): Promise<Proposed> {
  const payouts = await selectPayouts(app.db, [batch.environment_id], { batchId: batch.id }, { limit: MOST_IN_BATCH });
  return { kind: 'replayed', batch, payouts };
}

/** Checks the limits against the requested amounts, before splitting. */
async function checkWishedLimits(app: App, { owner, wishes, batch }: Proposal): Promise<void> {
  const limits = await selectPayoutLimits(app.db, owner.id);
  const amounts = wishes.map(({ amount }) => amount);
  const broken = limitBroken(limits, amounts, batch === null ? null : totalOf(wishes));
  if (broken !== null) throw new Problem('PAYOUT_LIMIT_REACHED', { detail: broken });
}

/**
 * Returns the existing payouts with these references; null if no reference exists. Throws `Problem` PAYOUT_CONFLICT if
 * their data differs.
 */
async function findExisting(app: App, owner: PayoutOwner, wishes: readonly CheckedWish[]): Promise<Payout[] | null> {
  const references = wishes.map(({ reference }) => reference);
  const rivals = rivalsOf(wishes);
  const found = await selectByReferences(app.db, owner.id, [...references, ...rivals]);
  if (found.length === 0) return null;
  const byReference = new Map(found.map((payout) => [payout.reference, payout]));
  const rival = rivals.find((reference) => byReference.has(reference));
  if (rival !== undefined) throw otherPayout(rival);
  const isSame = wishes.every(({ reference, hash }) => byReference.get(reference)?.wish_hash === hash);
  if (isSame) return wishes.map(({ reference }) => byReference.get(reference) as Payout);
  const other = wishes.find(({ reference, hash }) => (byReference.get(reference)?.wish_hash ?? hash) !== hash);
  throw otherPayout(other?.reference ?? (found[0] as Payout).reference);
}

function otherPayout(reference: string): Problem {
  return new Problem('PAYOUT_CONFLICT', {
    detail: {
      en: `${reference} belongs to another payout. Repeat its fields to read it, or choose a new id.`,
      es: `${reference} es de otro pago. Para pagar de nuevo elige otra referencia (id); con los mismos campos lees ese pago.`,
    },
  });
}

/**
 * Returns the references that payouts of the same ids have if they were split into another number of parts, because of
 * another amount or another PAYOUT_RAIL_LIMIT: `REF` beside `REF/1` would pay one id twice.
 */
function rivalsOf(wishes: readonly CheckedWish[]): string[] {
  const ofRows = [...Map.groupBy(wishes, ({ row }) => row).values()];
  return ofRows.flatMap((parts) => {
    const [{ reference }] = parts as [CheckedWish];
    if (parts.length === 1) return [`${reference}/1`];
    const id = reference.slice(0, reference.lastIndexOf('/'));
    return [id, `${id}/${parts.length + 1}`];
  });
}

async function payeesOf(
  app: App,
  { owner }: Proposal,
  keeper: string,
  wishes: readonly CheckedWish[],
  validate: typeof validateBatch,
) {
  const named = wishes.map(({ payee }) => payee);
  const findings = await findPayees(app, owner, keeper, named, validate);
  const errors = accountErrors(findings, (at) => (wishes[at] as CheckedWish).row);
  if (errors.length > 0) throw invalidRows('ACCOUNT_NOT_PAYABLE', errors);
  return findings.map((finding) => (finding as { payee: Payee }).payee);
}

/** Returns the error of each row once: all parts of a split row have its account. */
function accountErrors(findings: readonly PayeeFinding[], rowAt: (at: number) => number): ErrorItem[] {
  return findings.flatMap((finding, at) =>
    'error' in finding && (at === 0 || rowAt(at) !== rowAt(at - 1))
      ? [{ ...finding.error, pointer: `/${rowAt(at)}${finding.error.pointer}` }]
      : [],
  );
}

/** Returns each new recipient once, even if it gets several payouts. */
function newRecipients(payees: readonly Payee[]) {
  const fresh = payees.filter(({ isNew }) => isNew).map(({ row }) => row);
  return [...new Map(fresh.map((row) => [`${row.id} ${row.version}`, row])).values()];
}

function newBatch({ owner, by, batch }: Proposal, userId: string, now: number): PayoutBatch {
  return {
    id: prefixedId('pb'),
    environment_id: owner.id,
    name: batch?.name ?? '',
    created_at: now,
    proposed_by: by.name,
    proposed_by_id: userId,
    file_sha256: batch?.fileSha256 ?? null,
  };
}

type RowParts = { id: string; batchId: string | null; userId: string; kind: 'person' | 'program'; now: number };

function newRow(proposal: Proposal, wish: CheckedWish, { row, changed }: Payee, parts: RowParts) {
  return {
    id: parts.id,
    environment_id: proposal.owner.id,
    batch_id: parts.batchId,
    reference: wish.reference,
    amount: wish.amount,
    currency: PAYOUT_CURRENCY,
    created_at: parts.now,
    proposed_by: proposal.by.name,
    proposed_by_id: parts.userId,
    proposed_kind: parts.kind,
    recipient_id: row.id,
    recipient_version: row.version,
    rut_hash: row.rut_hash,
    account_hash: row.account_hash,
    bank_code: row.bank_code,
    account_masked: row.account_masked,
    verdict: row.verdict,
    validated_at: row.validated_at,
    message: wish.message,
    wish_hash: wish.hash,
    callback_url: wish.callbackUrl,
    account_changed_by: changed ? row.created_by : null,
    state: proposal.draft === true ? 'draft' : 'awaiting_approval',
    changed_at: parts.now,
    looks: 0,
  };
}

type Beginning = { kind: 'person' | 'program'; payable: Sum; now: number; directory: BankDirectory };

/**
 * Announces payouts. Approves a program's single payout if the rule for programs allows it; otherwise stores the reason
 * why it waits. Does nothing for drafts.
 */
async function beginApproval(
  tx: Tx,
  { owner, draft, batch }: Proposal,
  payouts: Payout[],
  { kind, ...terms }: Beginning,
): Promise<Payout[]> {
  const { now } = terms;
  if (draft === true) return payouts;
  await announce(tx, owner, payouts, now);
  const [only] = payouts;
  if (kind !== 'program' || batch !== null || only === undefined) return payouts;
  const why = await whyNotAutomatic(tx, { environmentId: owner.id, ...terms }, only);
  if (why !== null) return [await updateReason(tx, only, `waits for a person: ${why}`)];
  const approvedBy = { name: 'automatic', id: null, approval: 'automatic' as const };
  const nextLookAt = (await selectSenderInUse(tx, owner.id)) === null ? null : now;
  return transitionPayouts(tx, owner, { ids: [only.id], to: 'approved', at: now }, { approvedBy, nextLookAt });
}

function actOf({ owner, by }: Proposal, batch: PayoutBatch | null, payouts: readonly Payout[], at: number) {
  const [first] = payouts as [Payout];
  const subject = batch === null ? { kind: 'payout', id: first.id } : { kind: 'batch', id: batch.id };
  const after = {
    payment_service: owner.paymentServiceId,
    environment: owner.environment,
    reference: batch?.name ?? first.reference,
    payouts: payouts.length,
    total: payoutMoney(totalOf(payouts)),
    state: first.state,
    payees_sha256: hashOfPayees(payouts),
    details_sha256: hashOfDetails(payouts),
    changers_sha256: hashOfChangers(payouts),
    file_sha256: batch?.file_sha256 ?? null,
  };
  return { at, by, action: 'payout.proposed' as const, subject, after, environmentId: owner.id };
}
