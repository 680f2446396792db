import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { type Act, recordAudit } from '../../audit/record-audit.ts';
import type { Reader, Tx } from '../../db/database.ts';
import { type ErrorItem, errorItem } from '../../error-item.ts';
import { environmentHere } from '../../payment-services/find-environment.ts';
import { lockEnvironmentFunds } from '../../payment-services/payment-service-queries.ts';
import { ACCOUNT_TYPES, type AccountType } from '../../payout-senders/payout-sender.ts';
import { requireApprover } from '../approval/decide-payouts.ts';
import type { Payout } from '../payout.ts';
import { invalidPayout } from '../payout-wish.ts';
import {
  lockApprovedTo,
  selectAccountTypes,
  selectApprovedAccounts,
  upsertAccountType,
} from './payout-file-queries.ts';

/** A payout of a file that may name the kind of its account. `row`: its index in the file. */
type Named = { readonly accountHash: string; readonly type: AccountType | null; readonly row: number };

/** Returns an error for each row that names another kind than is stored, or than an earlier row of the same account. */
export async function accountTypeErrors(
  db: Reader,
  environmentId: number,
  named: readonly Named[],
): Promise<ErrorItem[]> {
  const types = await selectAccountTypes(db, environmentId, accountsOf(named));
  return named.flatMap(({ accountHash, type, row }) => {
    const known = type === null ? null : types.getOrInsert(accountHash, type);
    if (known === type) return [];
    return errorItem(`/${row}/bankData/accountType`, 'INVALID_PARAMETER', [
      `The account is known as ${known}.`,
      'Correct the cell or leave it empty. If the cell is right, set the kind first: bin/rubrica payout account-type.',
      `La cuenta está anotada como ${SPANISH_TYPES[known as AccountType]}.`,
      'Corrige la celda o déjala vacía. Si la celda está bien, cambia antes el tipo en la página de un pago a esa cuenta.',
    ]);
  });
}

/**
 * Stores the kinds that the proposed payouts of a file name, for accounts whose kind is not known, with an act for each.
 * Leaves out an account with an approved payout that has not left: there only a person who may approve it sets the kind.
 * Reliable under `lockFunds`.
 */
export async function storeNamedTypes(
  tx: Tx,
  payouts: readonly Payout[],
  types: ReadonlyMap<string, AccountType>,
  { at, by }: { at: number; by: Actor },
): Promise<void> {
  const named = [...new Map(payouts.map((payout) => [payout.account_hash, payout])).values()].filter(
    ({ account_hash }) => types.has(account_hash),
  );
  const [first] = named;
  if (first === undefined) return;
  const { environment_id: environmentId } = first;
  const known = await selectAccountTypes(tx, environmentId, named);
  const approved = await selectApprovedAccounts(tx, environmentId, named);
  for (const { id, account_hash: accountHash } of named) {
    const type = types.get(accountHash);
    if (type === undefined || known.has(accountHash) || approved.has(accountHash)) continue;
    await upsertAccountType(tx, { environmentId, accountHash, type, at, by: by.name });
    await recordAudit(tx, actOf(id, type, { at, by, environmentId }));
  }
}

function accountsOf(named: readonly Named[]) {
  return named.flatMap(({ accountHash, type }) => (type === null ? [] : [{ account_hash: accountHash }]));
}

const SPANISH_TYPES: Readonly<Record<AccountType, string>> = {
  checking: 'corriente',
  savings: 'ahorro',
  sight: 'vista',
};

function actOf(payout: string, type: AccountType, of: { at: number; by: Actor; environmentId: number }): Act {
  return { ...of, action: 'payout.account_type_set', subject: { kind: 'payout', id: payout }, after: { type } };
}

/**
 * Sets the kind of a payout's account, for all payouts of the environment to that account. It says where money goes, as
 * the account does: while approved payouts to it have not left, only a person who may approve them sets another kind.
 * Throws `Problem` INVALID_PAYOUT for an unknown kind, APPROVAL_REFUSED, PERSON_NEEDED or PERMISSION_MISSING, and
 * PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database has the payment service.
 */
export async function setAccountType(app: App, payout: Payout, type: AccountType, by: Actor): Promise<void> {
  if (!ACCOUNT_TYPES.includes(type)) {
    const types = ACCOUNT_TYPES.join(', ');
    throw invalidPayout({ en: `A kind of account is ${types}.`, es: `Un tipo de cuenta es ${types}.` });
  }
  await environmentHere(app, payout);
  const { environment_id: environmentId, account_hash: accountHash } = payout;
  await app.db.transaction(async (tx) => {
    const at = app.now();
    // As an approval does: it comes before this act, or sees what this act set.
    await lockEnvironmentFunds(tx, environmentId);
    const waiting = await lockApprovedTo(tx, environmentId, accountHash);
    const known = await selectAccountTypes(tx, environmentId, [payout]);
    if (known.get(accountHash) !== type) await requireApprover(tx, by, waiting);
    await upsertAccountType(tx, { environmentId, accountHash, type, at, by: by.name });
    await recordAudit(tx, actOf(payout.id, type, { at, by, environmentId }));
  });
}
