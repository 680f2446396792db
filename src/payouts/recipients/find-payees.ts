import type { App } from '../../app.ts';
import { isDestroyedNumber, readAccount } from '../../bank-validation/bank-account.ts';
import { payeeRefusal } from '../../bank-validation/bank-findings.ts';
import type { BankDirectory } from '../../bank-validation/directory/bank-directory.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { type IdentityHashes, identityHashes } from '../../bank-validation/identity-hash.ts';
import { type RutFormat, readRut } from '../../bank-validation/rut.ts';
import type { Validation } from '../../bank-validation/stored-validation.ts';
import type { validateBatch } from '../../bank-validation/validate-batch.ts';
import type { Tx } from '../../db/database.ts';
import type { ErrorItem } from '../../error-item.ts';
import { prefixedId } from '../../lib/ids.ts';
import type { AccountType } from '../../payout-senders/payout-sender.ts';
import { selectLastAccounts } from '../payout-queries.ts';
import type { PayoutOwner } from '../transition-payouts.ts';
import { noRecipient } from './keep-recipient.ts';
import {
  accountError,
  DESTROYED,
  NO_CHECK_CHARACTER,
  refusedValidation,
  unprovenBank,
  unreadable,
} from './payee-errors.ts';
import { type RecipientRow, validUntil } from './recipient.ts';
import { selectPayees, selectRecipientVersions, selectWithOtherAccounts } from './recipient-queries.ts';
import { openDetails, openDetailsUnlessChanged, sealDetails } from './seal-recipient.ts';

/** A recipient as the request or file names it. `name` null: the name of the stored recipient. */
export type PayeeWish = {
  readonly rut: string;
  readonly bankCode: string;
  readonly account: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly rutFormat: RutFormat | null;
  /** The kind of the account, if a file names it; '': it names none that is known. */
  readonly accountType?: AccountType | '' | null;
};

/**
 * A recipient to pay. `isNew`: it is not stored yet. `isFirst`: no payout to the RUT has left. `changed`: the last one
 * went to another account, or none has left and the recipient had another account.
 */
export type Payee = { readonly row: RecipientRow; readonly isNew: boolean } & Before;

type Before = { readonly isFirst: boolean; readonly changed: boolean };

/** The recipient, or why it cannot be paid; `pointer` of the error names the member. */
export type PayeeFinding = { readonly payee: Payee } | { readonly error: ErrorItem };

/** Returns a stored recipient with its newest account. Throws `Problem` NOT_FOUND or CHANGED_IN_STORE. */
export async function recipientPayee(app: App, id: string): Promise<PayeeWish> {
  const row = (await selectRecipientVersions(app.db, [{ recipient_id: id }])).at(-1);
  if (row === undefined) throw noRecipient();
  const { name, rut, account, email } = openDetails(app, row);
  return { rut, bankCode: row.bank_code, account, name, email, rutFormat: null };
}

/** `key`: from `accountKey`. `personKey`: the account with its name and e-mail, as the wish has them. */
type Read = PayeeWish & {
  rutText: string;
  digits: string;
  rutHash: string;
  accountHash: string;
  key: string;
  personKey: string;
};

const AT_ONCE = 500;

/**
 * Returns the recipient of each wish, in the same order: a stored one whose verdict is still valid, or a new one whose
 * account `validate` validates. If the last payout to the RUT went to another account, the verdict must be newer than
 * that payout. Wishes with one account and several names or e-mails get a version of the recipient for each. Stores
 * nothing itself; `validate` stores its validations.
 */
export async function findPayees(
  app: App,
  owner: PayoutOwner,
  keeper: string,
  wishes: readonly PayeeWish[],
  validate: typeof validateBatch,
): Promise<PayeeFinding[]> {
  const hashes = await identityHashes(app);
  const findings: PayeeFinding[] = [];
  // The same account twice in one file is one recipient.
  const known = new Map<string, Payee>();
  const made = new Set<RecipientRow>();
  for (let start = 0; start < wishes.length; start += AT_ONCE) {
    const some = wishes.slice(start, start + AT_ONCE);
    findings.push(...(await findSome(app, owner, keeper, some, { hashes, known, made, validate })));
  }
  return markChanged(app, findings);
}

/**
 * Returns whether another proposal has made a recipient for the account of a new one since `findPayees`. The caller
 * holds the lock of the merchant's money, as every proposal does, and rolls back.
 */
export async function hasRecipientNow(
  tx: Tx,
  { paymentServiceId }: PayoutOwner,
  rows: readonly RecipientRow[],
): Promise<boolean> {
  const first = rows.filter(({ version }) => version === 1);
  if (first.length === 0) return false;
  const accounts = new Set(first.map(accountKey));
  const ruts = [...new Set(first.map(({ rut_hash }) => rut_hash))];
  return (await selectPayees(tx, paymentServiceId, ruts)).some((one) => accounts.has(accountKey(one)));
}

/**
 * Returns whether a payout to another account of one of these recipients has left since `findPayees`: its own payout
 * would not count as one to a changed account. The caller rolls back.
 */
export async function isOtherPaidNow(tx: Tx, { id }: PayoutOwner, payees: readonly Payee[]): Promise<boolean> {
  const same = payees.filter(({ changed }) => !changed).map(({ row }) => row);
  const lasts = await selectLastAccounts(tx, id, [...new Set(same.map(({ rut_hash }) => rut_hash))]);
  const lastOf = new Map(lasts.map((last) => [last.rut_hash, last.account_hash]));
  return same.some(({ rut_hash, account_hash }) => (lastOf.get(rut_hash) ?? account_hash) !== account_hash);
}

/** Marks the recipients whose account was changed before the first payout to their RUT left. */
async function markChanged(app: App, findings: readonly PayeeFinding[]): Promise<PayeeFinding[]> {
  const ids = findings.flatMap((one) => ('payee' in one && one.payee.isFirst ? one.payee.row.id : []));
  const changed = ids.length === 0 ? null : await selectWithOtherAccounts(app.db, [...new Set(ids)]);
  return findings.map((one) =>
    'payee' in one && one.payee.isFirst && changed?.has(one.payee.row.id) === true
      ? { payee: { ...one.payee, changed: true } }
      : one,
  );
}

async function findSome(
  app: App,
  owner: PayoutOwner,
  keeper: string,
  wishes: readonly PayeeWish[],
  { hashes, known, made, validate }: Omit<Known, 'kept' | 'lastOf'>,
): Promise<PayeeFinding[]> {
  const directory = await currentDirectory(app);
  const read = wishes.map((wish) => readWish(wish, hashes, directory));
  const ruts = [...new Set(read.flatMap((one) => ('error' in one ? [] : [one.rutHash])))];
  const kept = Map.groupBy(
    [...[...made].toReversed(), ...(await selectPayees(app.db, owner.paymentServiceId, ruts))],
    accountKey,
  );
  const lastOf = new Map((await selectLastAccounts(app.db, owner.id, ruts)).map((last) => [last.rut_hash, last]));
  const missing = new Map<string, Read>();
  for (const one of read) {
    if ('error' in one || known.has(one.personKey)) continue;
    const before = beforeOf(lastOf, one);
    const validatedAfter = before.changed ? (lastOf.get(one.rutHash)?.created_at ?? 0) : 0;
    const row = kept.get(one.key)?.find((each) => isUsable(app, each, one, validatedAfter));
    if (row === undefined) missing.set(one.personKey, one);
    else known.set(one.personKey, { row, isNew: made.has(row), ...before });
  }
  const found = { kept, lastOf, known, made, hashes, validate };
  const refused = await validateMissing(app, owner, keeper, [...missing.values()], found);
  return read.map((one) => {
    if ('error' in one) return one;
    const payee = known.get(one.personKey);
    return payee === undefined ? { error: refused.get(one.personKey) as ErrorItem } : { payee };
  });
}

type LastPaid = ReadonlyMap<string, { account_hash: string; created_at: number }>;

function beforeOf(lastOf: LastPaid, { rutHash, accountHash }: Read): Before {
  const last = lastOf.get(rutHash);
  return { isFirst: last === undefined, changed: last !== undefined && last.account_hash !== accountHash };
}

/**
 * Returns whether a stored recipient can be paid without a new validation. One that was changed directly in the store
 * cannot: it gets a new version.
 */
function isUsable(app: App, row: RecipientRow, wish: Read, validatedAfter: number): boolean {
  if (validUntil(row, app.config.verdictMaxAgeDays) <= app.now() || row.validated_at < validatedAfter) return false;
  const details = openDetailsUnlessChanged(app, row);
  if (details === null) return false;
  return (wish.name === null || wish.name === details.name) && (wish.email === null || wish.email === details.email);
}

/**
 * `kept`: the versions that a wish may use, newest first, by account. `known`: by `personKey`. `made`: not stored yet.
 */
type Known = {
  kept: Map<string, RecipientRow[]>;
  lastOf: LastPaid;
  known: Map<string, Payee>;
  made: Set<RecipientRow>;
  hashes: IdentityHashes;
  validate: typeof validateBatch;
};

/** Validates accounts and adds the payable ones to `known`. Returns the errors of the others. */
async function validateMissing(
  app: App,
  owner: PayoutOwner,
  keeper: string,
  missing: readonly Read[],
  { kept, lastOf, known, made, hashes, validate }: Known,
): Promise<Map<string, ErrorItem>> {
  const refused = new Map<string, ErrorItem>();
  const fullest = new Map(missing.map((one) => [one, fullestOf(one, missing)]));
  const asked = missing.filter((one) => fullest.get(one) === one);
  const inputs = asked.map(({ rut, bankCode, account, rutFormat, name: holderName }) => {
    return { rut, bankCode, account, rutFormat, holderName };
  });
  const results = await validate(app, { id: keeper }, inputs);
  for (const [index, result] of results.entries()) {
    const wish = asked[index] as Read;
    const { key, personKey } = wish;
    const [before = null] = kept.get(key) ?? [];
    const name = wish.name ?? (before === null ? null : (openDetailsUnlessChanged(app, before)?.name ?? null));
    const error =
      'problem' in result ? refusedValidation(result.problem) : accountError(result.validation, wish.bankCode, name);
    if (error !== null) {
      refused.set(personKey, error);
      continue;
    }
    const { validation } = result as { validation: Validation };
    const row = newVersion(app, owner, { keeper, before, wish, name: name as string, validation, hashes });
    kept.set(key, [row, ...(kept.get(key) ?? [])]);
    made.add(row);
    known.set(personKey, { row, isNew: true, ...beforeOf(lastOf, wish) });
  }
  for (const [one, { personKey }] of fullest) {
    const [payee, error] = [known.get(personKey), refused.get(personKey)];
    if (payee !== undefined) known.set(one.personKey, payee);
    else refused.set(one.personKey, error as ErrorItem);
  }
  return refused;
}

/** Returns the wish of the same account that has the name and the e-mail that this one leaves out, or this one. */
function fullestOf(one: Read, all: readonly Read[]): Read {
  const fuller = all.find(
    (other) =>
      other !== one &&
      other.key === one.key &&
      (one.name === null || one.name === other.name) &&
      (one.email === null || one.email === other.email),
  );
  return fuller === undefined ? one : fullestOf(fuller, all);
}

type Version = {
  keeper: string;
  before: RecipientRow | null;
  wish: Read;
  name: string;
  validation: Validation;
  hashes: IdentityHashes;
};

function newVersion(app: App, owner: PayoutOwner, { keeper, before, wish, name, validation, hashes }: Version) {
  const place = {
    id: before?.id ?? prefixedId('rcp'),
    version: (before?.version ?? 0) + 1,
    owner: before?.owner ?? keeper,
    account_hash: wish.accountHash,
  };
  const email = wish.email ?? (before === null ? null : (openDetailsUnlessChanged(app, before)?.email ?? null));
  return {
    ...place,
    payment_service_id: owner.paymentServiceId,
    created_at: app.now(),
    created_by: keeper,
    validation_id: validation.id,
    verdict: validation.verdict,
    validated_at: validation.validatedAt,
    expires_at: validation.expiresAt,
    bank_code: wish.bankCode,
    account_masked: validation.maskedAccount,
    rut_hash: wish.rutHash,
    email_hash: email === null ? null : hashes.ofEmail(email),
    sealed_details: sealDetails(app, place, { name, rut: wish.rutText, account: wish.digits, email }),
  };
}

function readWish(wish: PayeeWish, hashes: IdentityHashes, directory: BankDirectory): Read | { error: ErrorItem } {
  const rut = readRut(wish.rut, wish.rutFormat);
  if (rut.reason === 'RUT_CHECK_DIGIT_MAYBE_MISSING') return { error: NO_CHECK_CHARACTER };
  if (!rut.valid) return { error: unreadable('/recipientData/rut', rut.reason) };
  const refusal = payeeRefusal(directory, wish.bankCode);
  if (refusal !== null) return { error: unprovenBank(refusal) };
  const account = readAccount(wish.account);
  if (isDestroyedNumber(wish.account)) return { error: DESTROYED };
  if (!account.valid) return { error: unreadable('/bankData/bankAccount', account.reason) };
  const { digits } = account;
  const [rutHash, accountHash] = [hashes.ofRut(rut.canonical), hashes.ofAccount(wish.bankCode, digits)];
  const key = accountKey({ rut_hash: rutHash, account_hash: accountHash });
  const personKey = JSON.stringify([key, wish.name, wish.email]);
  return { ...wish, rutText: rut.canonical, digits, rutHash, accountHash, key, personKey };
}

/** The key of a recipient: its RUT and its account. The hash of the account includes the bank. */
function accountKey({ rut_hash, account_hash }: Pick<RecipientRow, 'rut_hash' | 'account_hash'>): string {
  return `${rut_hash} ${account_hash}`;
}
