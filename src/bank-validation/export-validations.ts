import type { App } from '../app.ts';
import { isoTime } from '../lib/iso-time.ts';
import type { HolderQuestion } from '../validation-providers/validation-provider.ts';
import { selectValidationsOfRut, type ValidationRow } from './bank-validation-queries.ts';
import { currentDirectory } from './directory/current-directory.ts';
import { openQuestion } from './holder/seal-question.ts';
import { identityHashes } from './identity-hash.ts';
import { readRut } from './rut.ts';
import { validationOf } from './stored-validation.ts';

export type ExportedValidations = {
  rut: string;
  validations: {
    id: string;
    validated_at: string;
    asked_by: string;
    state: string;
    verdict: string;
    bank_code: string | null;
    account: string;
    provider: string | null;
    /** Why the provider did not match account and RUT, which no response tells. */
    provider_detail: string | null;
    /** The question that a provider has not answered yet. */
    question: Pick<HolderQuestion, 'account' | 'name'> | null;
    expires_at: string | null;
    checks: { id: string; result: string; code: string | null }[];
    bank_directory: string;
  }[];
};

/**
 * Returns all stored data about a RUT, for a request of its holder under Law 21.719; `null` if the text is not a RUT.
 * The account is masked, because only that is stored once a provider has answered.
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
      state: row.state,
      verdict: row.verdict,
      bank_code: row.bank_code,
      account: row.account_masked,
      provider: row.provider,
      provider_detail: row.provider_detail,
      question: questionOf(app, row),
      expires_at: isoTime(row.expires_at),
      checks: validationOf(row, directory).checks.map(({ id, result, code }) => ({ id, result, code })),
      bank_directory: row.directory_version,
    })),
  };
}

/** Null also for a question that was changed in the store, or that another key sealed. */
function questionOf(app: App, row: ValidationRow): ExportedValidations['validations'][number]['question'] {
  if (row.sealed_question === null) return null;
  try {
    const { account, name } = openQuestion(app, row, row.sealed_question);
    return { account, name };
  } catch {
    return null;
  }
}
