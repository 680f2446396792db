import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { openUnlessChanged, type SealedKind, sealAs } from '../../sealing/sealed-kind.ts';
import type { PayoutFile } from './payout-file-queries.ts';

export const PAYOUT_FILE_CONTENT: SealedKind = {
  name: 'payout-files',
  label: 'payout-file-content',
  table: 'payout_files',
  column: 'sealed_content',
  key: ['id', 'environment_id'],
  owner: ['sha256'],
  where: 'true',
  place: ({ id, environment_id, sha256 }) => `payout_files/${id}/${environment_id}/${sha256}`,
};

type Place = Pick<PayoutFile, 'id' | 'environment_id' | 'sha256'>;

/** Encrypts the bytes of a file, bound to its row and its hash. */
export function sealContent(app: App, place: Place, content: Buffer): string {
  return sealAs(app, PAYOUT_FILE_CONTENT, place, content.toString('base64'));
}

/** Decrypts the bytes of a file. Throws `Problem` CHANGED_IN_STORE if they were moved or changed in the store. */
export function openContent(app: App, file: PayoutFile): Buffer {
  const content = openUnlessChanged(app, PAYOUT_FILE_CONTENT, file, file.sealed_content);
  if (content !== null) return Buffer.from(content, 'base64');
  app.log.error({ payoutFile: file.id }, 'the bytes of a file of payouts were moved or changed in the store');
  throw new Problem('CHANGED_IN_STORE', {
    detail: {
      en: 'Somebody has changed the bytes of this file in the database. Do not upload a copy of it to the bank before you know why.',
      es: 'Alguien cambió los bytes de este archivo en la base. No subas una copia al banco antes de saber por qué.',
    },
  });
}
