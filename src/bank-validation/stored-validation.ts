import { RULE_OF_CHECK } from './account-checks.ts';
import { type BankView, bankFindings, bankProvenance, bankWords, type Suggestion } from './bank-findings.ts';
import type { ValidationRow, ValidationState } from './bank-validation-queries.ts';
import {
  CHECK_IDS,
  type Check,
  type CheckCode,
  type CheckId,
  type CheckResult,
  finding,
  type Provenance,
  passed,
  type Verdict,
} from './check.ts';
import { PASS_MESSAGES } from './check-messages.ts';
import type { Bank, BankDirectory } from './directory/bank-directory.ts';
import { NO_PROVIDER_CHECKS, providerProvenance } from './holder/holder-checks.ts';
import type { PossibleRut } from './rut.ts';

/** A bank account validation as the API returns it. */
export type Validation = {
  readonly id: string;
  readonly state: ValidationState;
  readonly verdict: Verdict;
  /** `null` if it is wrong, or if the validation comes from the store, which has no RUTs. */
  readonly rut: string | null;
  /** Both readings of a RUT whose check character may be missing. They are not stored either. */
  readonly readings: readonly PossibleRut[];
  readonly bank: BankView | null;
  readonly maskedAccount: string;
  readonly checks: readonly Check[];
  readonly suggestions: readonly Suggestion[];
  /** When the provider's answer expires, UTC milliseconds. */
  readonly expiresAt: number | null;
  /** UTC milliseconds. */
  readonly validatedAt: number;
};

/**
 * Encodes the checks as stored: `id:result:code`, except checks that only passed and those that no provider was asked
 * for.
 */
export function encodeChecks(checks: readonly Check[]): string {
  let text = '';
  for (const { id, result, code } of checks) {
    const expected = code === null ? result === 'pass' && !id.startsWith('holder.') : code === 'NO_PROVIDER_CONFIGURED';
    if (expected) continue;
    text += `${text === '' ? '' : ' '}${id}:${result}:${code ?? ''}`;
  }
  return text;
}

/** Decodes a stored validation. Names of banks come from `directory`, everything else from the row. */
export function validationOf(row: ValidationRow, directory: BankDirectory): Validation {
  const bank = row.bank_code === null ? null : bankFindings(directory, row.bank_code);
  return {
    id: row.id,
    state: row.state,
    verdict: row.verdict,
    rut: null,
    readings: [],
    bank: bank?.view ?? null,
    maskedAccount: row.account_masked,
    checks: decodeChecks(row, directory),
    suggestions: bank?.suggestions ?? [],
    expiresAt: row.expires_at,
    validatedAt: row.answered_at ?? row.created_at,
  };
}

type Kept = { result: CheckResult; code: CheckCode | null };

function decodeChecks(row: ValidationRow, directory: BankDirectory): Check[] {
  const kept = new Map<string, Kept[]>();
  for (const text of row.findings === '' ? [] : row.findings.split(' ')) {
    const [id = '', result, code] = text.split(':');
    const entry = { result: result as CheckResult, code: code === '' ? null : (code as CheckCode) };
    kept.set(id, [...(kept.get(id) ?? []), entry]);
  }
  const bank = directory.banks.get(row.bank_code ?? '') ?? null;
  const words = bank === null ? { as_of: asOf(row) } : { ...bankWords(directory, bank), as_of: asOf(row) };
  return CHECK_IDS.flatMap((id) => {
    const entries = kept.get(id);
    if (entries === undefined) return expectedCheck(id, row, bank, words);
    return entries.map((entry) => checkOf(id, entry, provenanceOf(id, row, bank), words));
  });
}

function checkOf(id: CheckId, { result, code }: Kept, provenance: Provenance, words: Record<string, string>): Check {
  if (code !== null) return finding(id, result, code, provenance, words);
  return passed(id as keyof typeof PASS_MESSAGES, provenance, words);
}

/** Returns a check that `encodeChecks` omits: an offline one that passed, or an online one without a provider. */
function expectedCheck(id: CheckId, row: ValidationRow, bank: Bank | null, words: Record<string, string>): Check[] {
  const unasked = NO_PROVIDER_CHECKS.find((check) => check.id === id);
  if (unasked !== undefined) return [unasked];
  return id in PASS_MESSAGES ? [checkOf(id, { result: 'pass', code: null }, provenanceOf(id, row, bank), words)] : [];
}

function provenanceOf(id: CheckId, row: ValidationRow, bank: Bank | null): Provenance {
  if (id.startsWith('bank.')) return bankProvenance({ version: row.directory_version, asOf: asOf(row) }, bank);
  return RULE_OF_CHECK[id] ?? providerProvenance(row.provider ?? 'none', row.answered_at);
}

function asOf(row: ValidationRow): string {
  return row.directory_version.split('+', 1)[0] as string;
}
