import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { openUnlessChanged, type SealedKind, sealAs } from '../../sealing/sealed-kind.ts';
import type { Payout } from '../payout.ts';
import type { RecipientDetails, RecipientRow } from './recipient.ts';

export const RECIPIENT_DETAILS: SealedKind = {
  name: 'recipients',
  label: 'recipient-details',
  table: 'recipients',
  column: 'sealed_details',
  key: ['id', 'version'],
  // With the hash of the account, so that the details of one account do not open in the row of another.
  owner: ['owner', 'account_hash'],
  where: 'true',
  place: ({ id, version, owner, account_hash }) => `recipients/${id}/${version}/${owner}/${account_hash}`,
};

type Place = Pick<RecipientRow, 'id' | 'version' | 'owner' | 'account_hash'>;

/** Encrypts the details of a recipient, bound to their row, its owner and its account. */
export function sealDetails(app: App, place: Place, details: RecipientDetails): string {
  return sealAs(app, RECIPIENT_DETAILS, place, JSON.stringify(details));
}

/**
 * Decrypts the details of a row. Throws `Problem` CHANGED_IN_STORE if the details, the row, its owner or its account
 * were changed in the store.
 */
export function openDetails(app: App, row: RecipientRow): RecipientDetails {
  const details = openDetailsUnlessChanged(app, row);
  if (details !== null) return details;
  // Names a command, because the console's page for storing the account again fails too.
  const command = `bin/rubrica recipient change ${row.id}`;
  throw new Problem('CHANGED_IN_STORE', {
    detail: {
      en: `Somebody has changed the details of this recipient in the database. Validate the account again, and keep it anew: ${command} does both.`,
      es: `Alguien cambió los datos de este destinatario en la base. Valida la cuenta de nuevo y vuelve a guardarla: ${command} hace las dos cosas.`,
    },
  });
}

/** Decrypts the details of a row. If they were moved or changed in the store, logs an error and returns null. */
export function openDetailsUnlessChanged(app: App, row: RecipientRow): RecipientDetails | null {
  const text = openUnlessChanged(app, RECIPIENT_DETAILS, row, row.sealed_details);
  if (text !== null) return JSON.parse(text) as RecipientDetails;
  const { id: recipient, version } = row;
  app.log.error({ recipient, version }, 'the details of a recipient were moved or changed in the store');
  return null;
}

/**
 * Returns what decrypts the details to which a payout goes, from the versions of recipients. They are null if the
 * recipient was erased, or the version was moved or changed in the store.
 */
export function detailsPaid(app: App, versions: readonly RecipientRow[]): (payout: Payout) => RecipientDetails | null {
  const rows = new Map(versions.map((row) => [`${row.id} ${row.version}`, row]));
  return ({ recipient_id, recipient_version }) => {
    const row = rows.get(`${recipient_id} ${recipient_version}`);
    return row === undefined ? null : openDetailsUnlessChanged(app, row);
  };
}
