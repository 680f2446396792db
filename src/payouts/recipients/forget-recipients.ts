import type { App } from '../../app.ts';
import { identityHashes } from '../../bank-validation/identity-hash.ts';
import { selectPayoutsOfRut } from '../payout-queries.ts';
import type { RecipientDetails } from './recipient.ts';
import { deleteRecipientsOf, selectRecipientsOf } from './recipient-queries.ts';
import { openDetailsUnlessChanged } from './seal-recipient.ts';

/** `unreadable`: the details were changed in the store and cannot be decrypted. */
export type KeptRecipient = Partial<RecipientDetails> & {
  unreadable?: true;
  id: string;
  version: number;
  kept_at: string;
  kept_by: string;
  bank_code: string;
  verdict: string;
  validation_id: string;
};

/** The person whose recipients are meant: a canonical RUT or an e-mail address. */
type Holder = { readonly kind: 'rut' | 'email'; readonly name: string };

/**
 * Returns all versions of the recipients of a RUT or an e-mail address with all stored data, for a request of that
 * person.
 */
export async function exportRecipients(app: App, holder: Holder): Promise<KeptRecipient[]> {
  const rows = await selectRecipientsOf(app.db, await hashOf(app, holder));
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    kept_at: new Date(row.created_at).toISOString(),
    kept_by: row.created_by,
    ...(openDetailsUnlessChanged(app, row) ?? { unreadable: true }),
    bank_code: row.bank_code,
    verdict: row.verdict,
    validation_id: row.validation_id,
  }));
}

/**
 * Returns how many versions `eraseRecipients` would delete. Decrypts none, so versions that were changed in the store
 * count too.
 */
export async function countRecipients(app: App, holder: Holder): Promise<number> {
  return (await selectRecipientsOf(app.db, await hashOf(app, holder))).length;
}

/**
 * Deletes all versions of the recipients of a RUT or an e-mail address and returns how many. The caller has recorded
 * the act in the audit log.
 */
export async function eraseRecipients(app: App, holder: Holder): Promise<number> {
  const hash = await hashOf(app, holder);
  return app.db.transaction((tx) => deleteRecipientsOf(tx, hash));
}

/**
 * Lists what stays when a recipient is erased: the ids of the payouts to a canonical RUT, and the ids of the bank files
 * that contain them.
 */
export async function listPayoutsOf(app: App, rut: string): Promise<{ payouts: string[]; files: string[] }> {
  const rows = await selectPayoutsOfRut(app.db, (await identityHashes(app)).ofRut(rut));
  const files = new Set(rows.flatMap(({ file_id }) => file_id ?? []));
  return { payouts: rows.map(({ id }) => id), files: [...files] };
}

async function hashOf(app: App, { kind, name }: Holder): Promise<string> {
  const hashes = await identityHashes(app);
  return kind === 'rut' ? hashes.ofRut(name) : hashes.ofEmail(name);
}
