import type { App } from '../app.ts';
import { type Actor, accountOf, isOfToken } from '../audit/actor.ts';
import type { AuditAction } from '../audit/audit-action.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { TokenHolder } from '../auth/api-token-queries.ts';
import { requireUserOf } from '../auth/person-of.ts';
import { findSetUps, type SetUps } from '../auth/set-up-by.ts';
import { type ActOfUser, findTokenHolders, holdersAt } from '../auth/token-holders.ts';
import { type NamedUser, selectNamedUsers } from '../auth/user-queries.ts';
import { payeeRefusal } from '../bank-validation/bank-findings.ts';
import type { BankDirectory } from '../bank-validation/directory/bank-directory.ts';
import { currentDirectory } from '../bank-validation/directory/current-directory.ts';
import type { Reader, Tx } from '../db/database.ts';
import { rehearse } from '../db/rehearse.ts';
import { type InBoth, notFound, Problem } from '../error-catalogue.ts';
import { lockFunds } from '../payment-services/lock-funds.ts';
import { STATE_NAMES } from './kept-texts.ts';
import {
  NAMED_IN_AN_ACT,
  PAYOUT_CURRENCY,
  type Payout,
  type PayoutState,
  payoutMoney,
  statesBefore,
  totalOf,
} from './payout.ts';
import { checkLimits } from './payout-limits.ts';
import { lockPayouts } from './payout-queries.ts';
import { selectSenderInUse } from './payout-sender-queries.ts';
import { type RecipientRow, validUntil } from './recipient.ts';
import { selectVersionsPaid } from './recipient-queries.ts';
import { type PayoutOwner, transitionPayouts } from './transition-payouts.ts';

/**
 * A person's decision about payouts: the payouts with these ids, or all payouts of a batch that can still change to the
 * new state.
 */
export type PayoutDecision = {
  readonly owner: PayoutOwner;
  readonly named: { readonly ids: readonly string[] } | { readonly batchId: string };
  readonly by: Actor;
  /** The reason; it names no person. Null: an approval without a reason. */
  readonly reason: string | null;
};

/**
 * Approves payouts that another person or program made, all or none. Reserves their money, never more than is
 * available, even if several processes approve at once. Returns the payouts.
 *
 * The caller has checked the second factor. Throws `Problem` APPROVAL_REFUSED (the approver's own payout, an account
 * that the approver changed, a bank that is not paid, a verdict that is too old), INSUFFICIENT_BALANCE,
 * PAYOUT_LIMIT_REACHED, PAYOUT_STATE, PERSON_NEEDED, PERMISSION_MISSING or NOT_FOUND.
 */
export async function approvePayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  const { owner, by } = decision;
  const directory = await currentDirectory(app);
  return app.db.transaction(async (tx) => {
    const { now, user, payouts, barred } = await checkApproval(app, tx, decision, directory);
    const approvedBy = { name: by.name, id: user.id, approval: 'person' as const };
    const nextLookAt = (await selectSenderInUse(tx, owner.id)) === null ? null : now;
    const change = { approvedBy, reason: decision.reason, nextLookAt };
    const setUps = await findSetUps(tx, user, await selectNamedUsers(tx, [...barred]), now);
    return decide(tx, decision, payouts, { to: 'approved', at: now, action: 'payout.approved', change, setUps });
  });
}

/** Returns the error of `approvePayouts` for an approval now, before a person confirms it; null without one. */
export async function findApprovalRefusal(app: App, decision: PayoutDecision): Promise<Problem | null> {
  const directory = await currentDirectory(app);
  return rehearse(app.db, (tx) => checkApproval(app, tx, decision, directory)).then(
    () => null,
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );
}

/** Locks the merchant's money and the payouts, and checks everything on which their approval depends. */
async function checkApproval(app: App, tx: Tx, decision: PayoutDecision, directory: BankDirectory) {
  const { owner, by } = decision;
  const now = app.now();
  const { payable } = await lockFunds(tx, owner.id, PAYOUT_CURRENCY);
  const payouts = await lockDecided(tx, decision, 'approved');
  // After the locks: somebody may have taken the permission away while they were awaited.
  const user = await requireUserOf(tx, by, owner.id, 'payouts:approve');
  const versions = await selectVersionsPaid(tx, payouts);
  const byRecipient = Map.groupBy(versions, ({ id }) => id);
  const behind = await findPeopleBehind(tx, payouts, versions);
  const terms = { now, maxAgeDays: app.config.verdictMaxAgeDays, users: behind.users, directory };
  const allBarred = new Set<string>();
  for (const payout of payouts) {
    const own = byRecipient.get(payout.recipient_id) ?? [];
    const barred = barredFrom(payout, own, behind);
    const why = barred.get(user.id) ?? whyNotPayable(payout, own, terms);
    if (why !== null) throw approvalRefused(payout, why);
    for (const id of barred.keys()) allBarred.add(id);
  }
  await checkLimits(tx, { environmentId: owner.id, userId: user.id, now }, payouts);
  const total = totalOf(payouts);
  if (total > payable) {
    const [asked, left] = [payoutMoney(total), payoutMoney(payable)];
    throw new Problem('INSUFFICIENT_BALANCE', {
      detail: {
        en: `${asked} are to be paid, and ${left} are available.`,
        es: `Hay que pagar ${asked}, y hay ${left} disponibles.`,
      },
    });
  }
  return { now, user, payouts, barred: allBarred };
}

/**
 * Throws `Problem` APPROVAL_REFUSED, PERSON_NEEDED or PERMISSION_MISSING unless the actor may approve these payouts of
 * one environment.
 */
export async function requireApprover(tx: Tx, by: Actor, payouts: readonly Payout[]): Promise<void> {
  const [first] = payouts;
  if (first === undefined) return;
  const user = await requireUserOf(tx, by, first.environment_id, 'payouts:approve');
  const versions = await selectVersionsPaid(tx, payouts);
  const behind = await findPeopleBehind(tx, payouts, versions);
  for (const payout of payouts) {
    const own = versions.filter(({ id }) => id === payout.recipient_id);
    const why = barredFrom(payout, own, behind).get(user.id);
    if (why !== undefined) throw approvalRefused(payout, why);
  }
}

/**
 * Rejects payouts that wait for approval; no money was reserved for them. Throws `Problem` PAYOUT_STATE, PERSON_NEEDED,
 * PERMISSION_MISSING or NOT_FOUND.
 */
export function rejectPayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  return decideWith(app, decision, 'payouts:approve', { to: 'rejected', action: 'payout.rejected' });
}

/** Cancels payouts that have not left, approved or not. Reserved money becomes available again. */
export function cancelPayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  return decideWith(app, decision, 'payouts:create', { to: 'cancelled', action: 'payout.cancelled' });
}

/** Submits drafts for approval. */
export function submitPayouts(app: App, decision: PayoutDecision): Promise<Payout[]> {
  return decideWith(app, decision, 'payouts:create', { to: 'awaiting_approval', action: 'payout.submitted' });
}

/** `users`: the users behind the payouts, from `findPeopleBehind`. `directory`: the current bank list. */
export type PayableTerms = {
  readonly now: number;
  readonly maxAgeDays: number;
  readonly users: readonly NamedUser[];
  readonly directory: BankDirectory;
};

/**
 * Returns why nobody can approve a payout as it is; null if it can be approved. `versions`: all versions of its
 * recipient, oldest first.
 */
export function whyNotPayable(
  payout: Payout,
  versions: readonly RecipientRow[],
  { now, maxAgeDays, users, directory }: PayableTerms,
): InBoth | null {
  const own = versions.find(({ version }) => version === payout.recipient_version);
  const newest = versions.at(-1);
  if (own === undefined || newest === undefined) {
    return { en: 'its recipient was erased: reject it.', es: 'su destinatario fue borrado: recházalo.' };
  }
  if (newest.account_hash !== own.account_hash) {
    return {
      en: 'the account of its recipient was changed after it was made: reject it and propose it again.',
      es: 'la cuenta de su destinatario cambió después de proponerlo: recházalo y proponlo de nuevo.',
    };
  }
  const { account_changed_by: changer, proposed_by_id: maker } = payout;
  if (isMadeWithToken(payout) && users.every(({ id }) => id !== maker)) return MADE_ELSEWHERE;
  if (changer?.startsWith('usr_') === true && users.every(({ id }) => id !== changer)) return CHANGED_ELSEWHERE;
  // The list may have changed since the payout was made.
  if (payeeRefusal(directory, payout.bank_code) !== null) return BANK_NOT_PAID;
  if (validUntil(newest, maxAgeDays) > now) return null;
  const command = `bin/rubrica recipient change ${payout.recipient_id}`;
  return {
    en: `the verdict of its account is too old: ${command} validates it again.`,
    es: `el veredicto de su cuenta es demasiado antiguo: ${command} la valida de nuevo.`,
  };
}

/**
 * For a payout from the database from which its payment service moved: an approver here may have known the API token
 * there.
 */
const MADE_ELSEWHERE = {
  en: 'it was made with an API token of another database: reject it and propose it again.',
  es: 'se propuso con un token de API de otra base de datos: recházalo y proponlo de nuevo.',
};

/**
 * For a payout from the database from which its payment service moved: an approver here may have changed the account
 * there.
 */
const CHANGED_ELSEWHERE = {
  en: 'its account was changed by a user who is not known in this database: reject it, validate the account again and propose it again.',
  es: 'cambió su cuenta un usuario que esta base de datos no conoce: recházalo, valida la cuenta de nuevo y proponlo otra vez.',
};

const BANK_NOT_PAID = {
  en: 'no transfer catalogue has its bank: import a bank list that confirms it, or reject it.',
  es: 'ningún catálogo de transferencias tiene su banco: importa una lista de bancos que lo confirme, o recházalo.',
};

const MADE_IT = {
  en: 'you made it yourself: another person approves it.',
  es: 'lo propusiste tú: lo aprueba otra persona.',
};
const CHANGED_ACCOUNT = {
  en: 'you changed the account that it goes to: another person approves it.',
  es: 'tú cambiaste la cuenta a la que va: lo aprueba otra persona.',
};
const HOLDS_TOKEN = {
  en: 'you may know an API token or the password of the user that made it: another person approves it.',
  es: 'puede que conozcas un token de API o la contraseña del usuario que lo propuso: lo aprueba otra persona.',
};
const HOLDS_TOKEN_OF_CHANGER = {
  en: 'you may know an API token or the password of the user that changed the account that it goes to: another person approves it.',
  es: 'puede que conozcas un token de API o la contraseña del usuario que cambió la cuenta a la que va: lo aprueba otra persona.',
};

/** The ids of the people who may never approve a payout, whatever their permissions, each with the reason. */
export type Barred = ReadonlyMap<string, InBoth>;

/**
 * The users of this database who made payouts or changed accounts, and the people who know their API tokens or
 * passwords.
 */
export type PeopleBehind = { readonly users: readonly NamedUser[]; readonly holders: readonly TokenHolder[] };

/**
 * Returns the people who may never approve a payout:
 * - Its maker. The maker has another id in a database to which the payment service moved.
 * - If the account differs from the one paid last: everybody who changed it or validated it again since.
 * - If a program or an API token made the payout, or one of those who changed the account has ever used an API token:
 *   everybody who made a token of that user before the act, if the token was not yet revoked or expired, and everybody
 *   who had set a program's password.
 *
 * `versions`: all versions of its recipient. `behind`: the result of `findPeopleBehind`. `selectWaitingApprovals` has
 * the same rule in SQL.
 */
export function barredFrom(
  payout: Payout,
  versions: readonly RecipientRow[],
  { users, holders }: PeopleBehind,
): Barred {
  const { account_changed_by, account_hash, recipient_version, created_at } = payout;
  const barred = new Map<string, InBoth>();
  const barHolders = (known: readonly TokenHolder[], act: ActOfUser, why: InBoth) => {
    for (const holder of holdersAt(known, act)) barred.set(holder, why);
  };
  const makers = makersOf(payout, users);
  if (isMadeWithToken(payout)) for (const by of makers) barHolders(holders, { by, at: created_at }, HOLDS_TOKEN);
  if (account_changed_by !== null) {
    const kept = versions.filter((row) => row.account_hash === account_hash && row.version <= recipient_version);
    const changes = kept.map((row) => ({ by: row.created_by, at: row.created_at }));
    // A version of a recipient does not record whether an API token was used.
    const acting = holders.filter(({ any_act }) => any_act === 1);
    for (const change of changes) barHolders(acting, change, HOLDS_TOKEN_OF_CHANGER);
    for (const by of [account_changed_by, ...changes.map((change) => change.by)]) barred.set(by, CHANGED_ACCOUNT);
  }
  for (const maker of makers) barred.set(maker, MADE_IT);
  return barred;
}

/**
 * Finds the users behind payouts: the makers and those who changed accounts. Also finds the people who know API tokens
 * or passwords of programs that made payouts and of those who changed accounts.
 */
export async function findPeopleBehind(
  db: Reader,
  payouts: readonly Payout[],
  versions: readonly RecipientRow[],
): Promise<PeopleBehind> {
  const changers = payouts.flatMap(({ account_changed_by }) => account_changed_by ?? []);
  const makers = payouts.flatMap(({ proposed_by, proposed_by_id }) => [accountOf(proposed_by), proposed_by_id]);
  const names = new Set([...makers, ...changers]);
  const users = names.size === 0 ? [] : await selectNamedUsers(db, [...names]);
  const programs = payouts.filter(isMadeWithToken);
  const keepers = changers.length === 0 ? [] : versions.map(({ created_by }) => created_by);
  const ids = new Set([...programs.flatMap((payout) => makersOf(payout, users)), ...changers, ...keepers]);
  return { users, holders: ids.size === 0 ? [] : await findTokenHolders(db, [...ids]) };
}

function isMadeWithToken({ proposed_kind, proposed_by }: Payout): boolean {
  return isOfToken(proposed_kind, proposed_by);
}

/** Returns the maker's user ids: the one stored with the payout, and the one in this database. */
function makersOf({ proposed_by, proposed_by_id }: Payout, users: readonly NamedUser[]): string[] {
  const email = accountOf(proposed_by);
  return [proposed_by_id, ...users.filter((user) => user.email === email).map(({ id }) => id)];
}

function approvalRefused({ id }: Payout, { en, es }: InBoth): Problem {
  return new Problem('APPROVAL_REFUSED', { detail: { en: `${id}: ${en}`, es: `${id}: ${es}` } });
}

type Step = { to: PayoutState; action: AuditAction };

function decideWith(
  app: App,
  decision: PayoutDecision,
  permission: 'payouts:approve' | 'payouts:create',
  step: Step,
): Promise<Payout[]> {
  return app.db.transaction(async (tx) => {
    const payouts = await lockDecided(tx, decision, step.to);
    await requireUserOf(tx, decision.by, decision.owner.id, permission);
    const change = { reason: decision.reason };
    return decide(tx, decision, payouts, { ...step, at: app.now(), change });
  });
}

/**
 * Locks the named payouts and returns those that may change to the state `to`. Throws `Problem` NOT_FOUND or
 * PAYOUT_STATE if there are no such payouts, or if one named by its id may not change to it.
 */
async function lockDecided(tx: Tx, { owner, named }: PayoutDecision, to: PayoutState): Promise<Payout[]> {
  const all = await lockPayouts(tx, { environmentId: owner.id, ...named });
  if (all.length === 0 || ('ids' in named && all.length < new Set(named.ids).size)) {
    throw notFound('There is no such payout or batch.', 'No existe ese pago o ese lote.');
  }
  const before = statesBefore(to);
  const ready = all.filter(({ state }) => before.includes(state));
  const other = all.find(({ state }) => !before.includes(state));
  if (other !== undefined && ('ids' in named || ready.length === 0)) {
    throw new Problem('PAYOUT_STATE', { detail: whyNotTo(other, to) });
  }
  return ready;
}

function whyNotTo({ id, state }: Payout, to: PayoutState): InBoth {
  const inEnglish = (one: PayoutState) => `"${STATE_NAMES[one].en}"`;
  const inSpanish = (one: PayoutState) => `«${STATE_NAMES[one].es}»`;
  if (state === to) {
    return {
      en: `${id} is already in ${inEnglish(to)}: there is nothing left to do.`,
      es: `${id} ya está en ${inSpanish(to)}: no queda nada por hacer.`,
    };
  }
  if (state === 'draft') {
    return {
      en: `${id} is a draft: submit it first.`,
      es: `${id} es un borrador: primero envíalo a aprobación.`,
    };
  }
  const before = statesBefore(to);
  const all = { en: before.map(inEnglish).join(' or '), es: before.map(inSpanish).join(' o ') };
  return {
    en: `${id} is in ${inEnglish(state)}: only a payout in ${all.en} can go to ${inEnglish(to)}.`,
    es: `${id} está en ${inSpanish(state)}: solo un pago en ${all.es} puede pasar a ${inSpanish(to)}.`,
  };
}

type Deciding = Step & { at: number; change: Parameters<typeof transitionPayouts>[3]; setUps?: SetUps };

async function decide(
  tx: Tx,
  { owner, named, by, reason }: PayoutDecision,
  payouts: readonly Payout[],
  { to, at, action, change, setUps = {} }: Deciding,
): Promise<Payout[]> {
  const moved = await transitionPayouts(tx, owner, { ids: payouts.map(({ id }) => id), to, at }, change);
  const acts =
    'batchId' in named
      ? [{ subject: { kind: 'batch', id: named.batchId }, decided: moved }]
      : actsOfNamed(named.ids, moved);
  for (const { subject, decided } of acts) {
    const after = {
      payment_service: owner.paymentServiceId,
      environment: owner.environment,
      payouts: decided.length,
      total: payoutMoney(totalOf(decided)),
      state: to,
      ...setUps,
    };
    await recordAudit(tx, { at, by, action, subject, after, reason });
  }
  return moved;
}

/** Returns an act for each part of the payouts, in the order in which they were named. */
function actsOfNamed(named: readonly string[], moved: readonly Payout[]) {
  const byId = new Map(moved.map((payout) => [payout.id, payout]));
  const ids = [...new Set(named)];
  return Array.from({ length: Math.ceil(ids.length / NAMED_IN_AN_ACT) }, (_, act) => {
    const some = ids.slice(act * NAMED_IN_AN_ACT, (act + 1) * NAMED_IN_AN_ACT);
    return { subject: { kind: 'payout', id: some.join(' ') }, decided: some.flatMap((id) => byId.get(id) ?? []) };
  });
}
