import type { App } from '../app.ts';
import { openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
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

/** A file as it is kept: encrypted, and bound to its row and its hash. */
export function sealContent(app: App, place: Place, content: Buffer): string {
  return sealAs(app, PAYOUT_FILE_CONTENT, place, content.toString('base64'));
}

/** The bytes of a file. Throws where MASTER_KEY or the row is another. */
export function openContent(app: App, file: PayoutFile): Buffer {
  return Buffer.from(openAs(app, PAYOUT_FILE_CONTENT, file, file.sealed_content), 'base64');
}
