import type { App } from '../app.ts';
import type { IdentityHashes } from '../bank-validation/identity-hash.ts';
import type { Reader } from '../db/database.ts';
import type { PayoutLine } from '../payout-senders/payout-sender.ts';
import { selectAccountTypes } from './files/payout-file-queries.ts';
import type { Payout } from './payout.ts';
import { selectRecipientVersions } from './recipients/recipient-queries.ts';
import { detailsPaid } from './recipients/seal-recipient.ts';

/**
 * Returns the file line of each payout of one environment, in the same order; null: the recipient was erased, or it or
 * the payout's bank or account was changed in the store.
 */
export async function readPayoutLines(
  app: App,
  db: Reader,
  environmentId: number,
  payouts: readonly Payout[],
  identity: IdentityHashes,
): Promise<(PayoutLine | null)[]> {
  const detailsOf = detailsPaid(app, await selectRecipientVersions(db, payouts));
  const types = await selectAccountTypes(db, environmentId, payouts);
  return payouts.map((payout) => {
    const details = detailsOf(payout);
    if (details === null) return null;
    const { rut, name, account, email } = details;
    // The bank is not sealed with the account: the same number at another bank may belong to somebody else.
    if (identity.ofAccount(payout.bank_code, account) !== payout.account_hash) return null;
    const isCuentaRut = payout.bank_code === '012' && account.replace(/^0+/, '') === rut.split('-')[0];
    const accountType = types.get(payout.account_hash) ?? (isCuentaRut ? 'sight' : null);
    const { reference, bank_code: bankCode, amount, message } = payout;
    return { reference, rut, name, email, bankCode, account, amount, message, accountType };
  });
}
