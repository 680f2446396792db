import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { ACCOUNT_TYPES, type AccountType } from '../payout-senders/payout-sender.ts';
import type { Payout } from './payout.ts';
import { upsertAccountType } from './payout-file-queries.ts';
import { invalidPayout } from './payout-wish.ts';

/**
 * Sets the kind of a payout's account, for all payouts of the environment to that account. Throws `Problem`
 * INVALID_PAYOUT for an unknown kind.
 */
export function setAccountType(app: App, payout: Payout, type: AccountType, by: Actor): Promise<void> {
  if (!ACCOUNT_TYPES.includes(type)) {
    const types = ACCOUNT_TYPES.join(', ');
    throw invalidPayout({ en: `A kind of account is ${types}.`, es: `Un tipo de cuenta es ${types}.` });
  }
  const { environment_id: environmentId, account_hash: accountHash } = payout;
  return app.db.transaction(async (tx) => {
    const at = app.now();
    await upsertAccountType(tx, { environmentId, accountHash, type, at, by: by.name });
    const subject = { kind: 'payout', id: payout.id };
    await recordAudit(tx, { at, by, action: 'payout.account_type_set', subject, after: { type } });
  });
}
