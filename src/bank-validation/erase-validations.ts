import type { App } from '../app.ts';
import { deleteQuestionsOfRut, deleteValidation, selectValidationsOfRut } from './bank-validation-queries.ts';
import { bucketOfRut } from './holder/provider-budget.ts';
import { identityHashes } from './identity-hash.ts';
import { readRut } from './rut.ts';

/**
 * Removes everything that is kept about a RUT and answers how many validations that were. `null` where this is no RUT. The caller has
 * recorded the act.
 * Validations of a mistyped RUT hold neither the RUT nor a hash of it, so they are about nobody and stay.
 */
export async function eraseValidations(app: App, rutText: string): Promise<{ rut: string; erased: number } | null> {
  const { canonical } = readRut(rutText);
  if (canonical === null) return null;
  const hash = (await identityHashes(app)).ofRut(canonical);
  // Read before the commit begins: the whole table is looked through, and payments go on meanwhile.
  const found = await selectValidationsOfRut(app.db, hash);
  const erased = await app.db.transaction(async (tx) => {
    await deleteQuestionsOfRut(tx, hash, bucketOfRut(hash));
    let count = 0;
    for (const { id } of found) if (await deleteValidation(tx, id)) count++;
    return count;
  });
  return { rut: canonical, erased };
}
