import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { Problem } from '../error-catalogue.ts';
import type { AccountType } from '../payout-senders/bank-file.ts';
import type { Payout } from './payout.ts';
import { upsertAccountType } from './payout-file-queries.ts';

const TYPES: readonly AccountType[] = ['checking', 'savings', 'sight'];

/**
 * Sets the kind of a payout's account, for all payouts of the environment to that account. Throws `Problem`
 * INVALID_PAYOUT for an unknown kind.
 */
export function setAccountType(app: App, payout: Payout, type: AccountType, by: Actor): Promise<void> {
  if (!TYPES.includes(type))
    throw new Problem('INVALID_PAYOUT', {
      detail: {
        en: `A kind of account is ${TYPES.join(', ')}.`,
        es: `Un tipo de cuenta es ${TYPES.join(', ')}.`,
      },
    });
  const { environment_id: environmentId, account_hash: accountHash } = payout;
  return app.db.transaction(async (tx) => {
    const at = app.now();
    await upsertAccountType(tx, { environmentId, accountHash, type, at, by: by.name });
    const subject = { kind: 'payout', id: payout.id };
    await recordAudit(tx, { at, by, action: 'payout.account_type_set', subject, after: { type } });
  });
}
