import type { App } from '../app.ts';
import { deleteValidation, selectValidationsOfRut } from './bank-validation-queries.ts';
import { bucketOfRut } from './holder/provider-budget.ts';
import { deleteQuestionsOfRut } from './holder/provider-budget-queries.ts';
import { identityHashes } from './identity-hash.ts';
import { readRut } from './rut.ts';

/**
 * Deletes all validations of a RUT and the records of questions about it. Returns how many validations it deleted;
 * `null` if the text is not a RUT. The caller has recorded the act in the audit log. Validations of a mistyped RUT have
 * neither the RUT nor its hash, so they concern no person and stay.
 */
export async function eraseValidations(app: App, rutText: string): Promise<{ rut: string; erased: number } | null> {
  const { canonical } = readRut(rutText);
  if (canonical === null) return null;
  const hash = (await identityHashes(app)).ofRut(canonical);
  // Reads before the transaction starts, because scanning the whole table must not delay payments.
  const found = await selectValidationsOfRut(app.db, hash);
  const erased = await app.db.transaction(async (tx) => {
    await deleteQuestionsOfRut(tx, hash, bucketOfRut(hash));
    let count = 0;
    for (const { id } of found) if (await deleteValidation(tx, id)) count++;
    return count;
  });
  return { rut: canonical, erased };
}
