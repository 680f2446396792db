import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { lockEnvironmentFunds } from '../../payment-services/payment-service-queries.ts';
import { ACCOUNT_TYPES, type AccountType } from '../../payout-senders/payout-sender.ts';
import { requireApprover } from '../approval/decide-payouts.ts';
import type { Payout } from '../payout.ts';
import { invalidPayout } from '../payout-wish.ts';
import { lockApprovedTo, selectAccountTypes, upsertAccountType } from './payout-file-queries.ts';

/**
 * Sets the kind of a payout's account, for all payouts of the environment to that account. It says where money goes, as
 * the account does: while approved payouts to it have not left, only a person who may approve them sets another kind.
 * Throws `Problem` INVALID_PAYOUT for an unknown kind, and APPROVAL_REFUSED, PERSON_NEEDED or PERMISSION_MISSING.
 */
export function setAccountType(app: App, payout: Payout, type: AccountType, by: Actor): Promise<void> {
  if (!ACCOUNT_TYPES.includes(type)) {
    const types = ACCOUNT_TYPES.join(', ');
    throw invalidPayout({ en: `A kind of account is ${types}.`, es: `Un tipo de cuenta es ${types}.` });
  }
  const { environment_id: environmentId, account_hash: accountHash } = payout;
  return app.db.transaction(async (tx) => {
    const at = app.now();
    // As an approval does: it comes before this act, or sees what this act set.
    await lockEnvironmentFunds(tx, environmentId);
    const waiting = await lockApprovedTo(tx, environmentId, accountHash);
    const known = await selectAccountTypes(tx, environmentId, [payout]);
    if (known.get(accountHash) !== type) await requireApprover(tx, by, waiting);
    await upsertAccountType(tx, { environmentId, accountHash, type, at, by: by.name });
    const subject = { kind: 'payout', id: payout.id };
    await recordAudit(tx, { at, by, action: 'payout.account_type_set', subject, after: { type }, environmentId });
  });
}
