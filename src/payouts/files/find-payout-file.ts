import type { App } from '../../app.ts';
import type { NewestPage } from '../../db/newest-page.ts';
import { notFound } from '../../error-catalogue.ts';
import { idsOf, type PayoutScope } from '../find-payout.ts';
import type { PayoutBatch } from '../payout-batch-queries.ts';
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

/** A file with the number of its payouts in each state. */
export type SummedPayoutFile = { readonly file: ListedPayoutFile; readonly sums: readonly FileSum[] };

/** Returns a file that the user may see. Throws `Problem` NOT_FOUND. */
export async function findPayoutFile(app: App, scope: PayoutScope, id: string): Promise<PayoutFile> {
  const file = await selectPayoutFile(app.db, id);
  if (file === null || !(scope?.has(file.environment_id) ?? true)) {
    throw notFound('There is no such file of payouts.', 'No existe ese archivo de pagos.');
  }
  return file;
}

/**
 * Returns a page of files, newest first, without the states of their payouts, which cost more. `state`: as in
 * `selectPayoutFiles`.
 */
export async function newestPayoutFiles(
  app: App,
  scope: PayoutScope,
  state: string,
  page: NewestPage,
): Promise<ListedPayoutFile[]> {
  return selectPayoutFiles(app.db, await idsOf(app, scope), state, page);
}

/** Adds the number of payouts in each state. */
export async function sumEachFile(app: App, files: readonly ListedPayoutFile[]): Promise<SummedPayoutFile[]> {
  const sums: FileSum[] = [];
  for (const [environmentId, some] of Map.groupBy(files, ({ environment_id }) => environment_id)) {
    const ids = some.map(({ id }) => id);
    sums.push(...(await sumFiles(app.db, environmentId, ids)));
  }
  return files.map((file) => ({ file, sums: sums.filter(({ file_id }) => file_id === file.id) }));
}

/** Returns the files that contain payouts of a batch, oldest first. */
export function listFilesOfBatch(app: App, { id, environment_id }: PayoutBatch): Promise<ListedPayoutFile[]> {
  return selectFilesOfBatch(app.db, environment_id, id);
}

/** Sums the approved payouts that have not left, by environment. */
export async function listApproved(app: App, scope: PayoutScope) {
  return sumApprovedOf(app.db, await idsOf(app, scope));
}
