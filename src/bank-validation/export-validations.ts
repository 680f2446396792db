import type { App } from '../app.ts';
import { isoTime } from '../lib/iso-time.ts';
import { selectValidationsOfRut } from './bank-validation-queries.ts';
import { currentDirectory } from './directory/current-directory.ts';
import { identityHashes } from './identity-hash.ts';
import { readRut } from './rut.ts';
import { validationOf } from './stored-validation.ts';

export type ExportedValidations = {
  rut: string;
  validations: {
    id: string;
    validated_at: string;
    asked_by: string;
    verdict: string;
    bank_code: string | null;
    account: string;
    provider: string | null;
    expires_at: string | null;
    checks: { id: string; result: string; code: string | null }[];
    bank_directory: string;
  }[];
};

/**
 * Returns all stored data about a RUT, for a request of its holder under Law 21.719; `null` if the text is not a RUT.
 * The account is masked, because only that is stored.
 */
export async function exportValidations(app: App, rutText: string): Promise<ExportedValidations | null> {
  const { canonical } = readRut(rutText);
  if (canonical === null) return null;
  const directory = await currentDirectory(app);
  const rows = await selectValidationsOfRut(app.db, (await identityHashes(app)).ofRut(canonical));
  return {
    rut: canonical,
    validations: rows.map((row) => ({
      id: row.id,
      validated_at: isoTime(row.created_at),
      asked_by: row.actor,
      verdict: row.verdict,
      bank_code: row.bank_code,
      account: row.account_masked,
      provider: row.provider,
      expires_at: isoTime(row.expires_at),
      checks: validationOf(row, directory).checks.map(({ id, result, code }) => ({ id, result, code })),
      bank_directory: row.directory_version,
    })),
  };
}
