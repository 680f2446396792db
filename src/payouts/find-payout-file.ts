import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { idsOf, type PayoutScope } from './find-payout.ts';
import type { PayoutBatch } from './payout-batch-queries.ts';
import {
  type FileSum,
  type ListedPayoutFile,
  type PayoutFile,
  selectFilesOfBatch,
  selectPayoutFile,
  selectPayoutFiles,
  sumApprovedOf,
  sumFiles,
} from './payout-file-queries.ts';

/** A file with how much of it is in which state. */
export type SummedPayoutFile = { readonly file: ListedPayoutFile; readonly sums: readonly FileSum[] };

/** A file that somebody may see. Throws `Problem` NOT_FOUND. */
export async function findPayoutFile(app: App, scope: PayoutScope, id: string): Promise<PayoutFile> {
  const file = await selectPayoutFile(app.db, id);
  if (file === null || !(scope?.has(file.environment_id) ?? true)) {
    throw new Problem('NOT_FOUND', {
      detail: { en: 'There is no such file of payouts.', es: 'No existe ese archivo de pagos.' },
    });
  }
  return file;
}

/** The newest files, each with what became of its payouts. */
export async function listPayoutFiles(app: App, scope: PayoutScope, limit: number): Promise<SummedPayoutFile[]> {
  const files = await selectPayoutFiles(app.db, await idsOf(app, scope), limit);
  const sums: FileSum[] = [];
  for (const [environmentId, some] of Map.groupBy(files, ({ environment_id }) => environment_id)) {
    const ids = some.map(({ id }) => id);
    sums.push(...(await sumFiles(app.db, environmentId, ids)));
  }
  return files.map((file) => ({ file, sums: sums.filter(({ file_id }) => file_id === file.id) }));
}

/** The files in which the payouts of a batch left, the oldest first. */
export function listFilesOfBatch(app: App, { id, environment_id }: PayoutBatch): Promise<ListedPayoutFile[]> {
  return selectFilesOfBatch(app.db, environment_id, id);
}

/** Sums the approved payouts that have not left, by environment. */
export async function listApproved(app: App, scope: PayoutScope) {
  return sumApprovedOf(app.db, await idsOf(app, scope));
}
