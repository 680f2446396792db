import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { openUnlessChanged, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import type { RecipientDetails, RecipientRow } from './recipient.ts';

export const RECIPIENT_DETAILS: SealedKind = {
  name: 'recipients',
  label: 'recipient-details',
  table: 'recipients',
  column: 'sealed_details',
  key: ['id', 'version'],
  // With the hash of the account: details of one account do not open beside another.
  owner: ['owner', 'account_hash'],
  where: 'true',
  place: ({ id, version, owner, account_hash }) => `recipients/${id}/${version}/${owner}/${account_hash}`,
};

type Place = Pick<RecipientRow, 'id' | 'version' | 'owner' | 'account_hash'>;

/** The details as they are kept: encrypted, and bound to their row, its owner and its account. */
export function sealDetails(app: App, place: Place, details: RecipientDetails): string {
  return sealAs(app, RECIPIENT_DETAILS, place, JSON.stringify(details));
}

/** The details of a row. Throws `Problem` CHANGED_IN_STORE where the row, its owner or its account is another. */
export function openDetails(app: App, row: RecipientRow): RecipientDetails {
  const details = openDetailsUnlessChanged(app, row);
  if (details !== null) return details;
  // The page of the console on which an account is kept anew cannot be shown either.
  const command = `bin/rubrica recipient change ${row.id}`;
  throw new Problem('CHANGED_IN_STORE', {
    detail: {
      en: `Somebody has changed the details of this recipient in the database. Validate the account again, and keep it anew: ${command} does both.`,
      es: `Alguien cambió los datos de este destinatario en la base. Valida la cuenta de nuevo y vuelve a guardarla: ${command} hace las dos cosas.`,
    },
  });
}

/** The same; null, and a line in the log, where somebody has changed or moved them in the store. */
export function openDetailsUnlessChanged(app: App, row: RecipientRow): RecipientDetails | null {
  const text = openUnlessChanged(app, RECIPIENT_DETAILS, row, row.sealed_details);
  if (text !== null) return JSON.parse(text) as RecipientDetails;
  const { id: recipient, version } = row;
  app.log.error({ recipient, version }, 'the details of a recipient were moved or changed in the store');
  return null;
}
